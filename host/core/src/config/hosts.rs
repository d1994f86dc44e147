//! `HostPattern`: the hosts that a plugin with the `http` grant may connect to.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::raw::Raw;
use super::setting::{Setting, unexpected_value};

/// A pattern for hosts: a name (`api.example.com`), a wildcard (`*.example.com`: any
/// depth below the domain, not the domain itself) or an address, each with an optional
/// `:port`. Always lower case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HostPattern(String);

/// An error from parsing a host pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{host:?} {problem}")]
pub struct HostError {
    host: String,
    problem: &'static str,
}

impl HostPattern {
    /// The pattern as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the pattern matches a request to this host and port. `host` is a
    /// plain name or address, without brackets; case does not matter.
    pub fn matches(&self, host: &str, port: u16) -> bool {
        let (pattern, allowed_port) = split_port(&self.0);
        if allowed_port.is_some_and(|allowed_port| allowed_port.parse() != Ok(port)) {
            return false;
        }
        let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
        match pattern.strip_prefix('*') {
            Some(suffix) => host.len() > suffix.len() && host.ends_with(suffix),
            None => host == pattern.trim_start_matches('[').trim_end_matches(']'),
        }
    }

    /// Whether this pattern allows everything that `other` allows.
    pub fn covers(&self, other: &Self) -> bool {
        if self == other {
            return true;
        }
        let (mine, my_port) = split_port(&self.0);
        let (theirs, their_port) = split_port(&other.0);
        match mine.strip_prefix('*') {
            Some(suffix) => {
                my_port == their_port && theirs.trim_start_matches('*').len() > suffix.len() && theirs.ends_with(suffix)
            }
            None => false,
        }
    }
}

impl FromStr for HostPattern {
    type Err = HostError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = |problem| Err(HostError { host: text.chars().take(80).collect(), problem });
        if text.contains("://") || text.contains('/') {
            return wrong("is more than a host; leave out the scheme and the path");
        }
        if text.bytes().any(|b| b.is_ascii_uppercase()) {
            return wrong("has capitals; write it in lower case");
        }
        let (host, port) = split_port(text);
        if port.is_some_and(|port| !is_port(port)) {
            return wrong("has a port that is not between 1 and 65535");
        }
        if let Some(address) = host.strip_prefix('[') {
            let address = address.strip_suffix(']').and_then(|inner| inner.parse::<Ipv6Addr>().ok());
            return match address {
                Some(address) if format!("[{address}]") == host => Ok(Self(text.to_owned())),
                _ => wrong("is not an address; write IPv6 like [2001:db8::1]"),
            };
        }
        let name = host.strip_prefix("*.").unwrap_or(host);
        if name.len() > 253 || !name.split('.').all(is_label) {
            return wrong("is not a host; write it like api.example.com or *.example.com");
        }
        let numeric = name.rsplit('.').next().is_some_and(|last| last.bytes().all(|b| b.is_ascii_digit()));
        if numeric && (name != host || host.parse::<Ipv4Addr>().is_err()) {
            return wrong("is not an address; write IPv4 like 192.0.2.1");
        }
        if name != host && !name.contains('.') {
            return wrong("is too wide; a wildcard needs at least two names after it, like *.example.com");
        }
        Ok(Self(text.to_owned()))
    }
}

impl Setting for HostPattern {
    fn read(raw: &Raw) -> Result<Self, String> {
        let text = raw.text().ok_or_else(|| unexpected_value(raw, "a host; write it like \"api.example.com\""))?;
        text.parse().map_err(|error: HostError| error.to_string())
    }
}

impl TryFrom<String> for HostPattern {
    type Error = HostError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<HostPattern> for String {
    fn from(host: HostPattern) -> Self {
        host.0
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Splits off the port: the text after the last colon outside brackets.
fn split_port(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (text, None),
    }
}

fn is_port(port: &str) -> bool {
    port.bytes().all(|b| b.is_ascii_digit()) && !port.starts_with('0') && port.parse::<u16>().is_ok()
}

fn is_label(label: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_';
    (1..=63).contains(&label.len()) && label.bytes().all(allowed) && !label.starts_with('-') && !label.ends_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(text: &str) -> HostPattern {
        text.parse().unwrap()
    }

    #[test]
    fn accepts_hosts_with_and_without_port() {
        for text in ["api.example.com", "*.example.com", "localhost:8080", "127.0.0.1:9", "[::1]:443", "[2001:db8::1]"]
        {
            assert_eq!(host(text).as_str(), text);
        }
    }

    #[test]
    fn refuses_what_is_not_a_host_or_too_wide() {
        for text in [
            "",
            "*",
            "*.",
            "*.com",
            "a.*.com",
            "https://a.com",
            "a.com/x",
            "A.com",
            "a.com:0",
            "a.com:65536",
            "a.com:",
            "a..com",
            "-a.com",
            "a.com.",
            "user@a.com",
            "1.2.3",
            "1.2.3.4.5",
            "*.2.3.4",
            "0x7f.1",
            "[::1",
            "[1]",
            "::1",
            "[0:0:0:0:0:0:0:1]",
            "a b.com",
            "é.com",
            "2130706433",
            "a.com:+8",
            "a.com:080",
        ] {
            assert!(text.parse::<HostPattern>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_wildcard_covers_what_is_below_it() {
        for (wide, narrow, expect) in [
            ("a.com", "a.com", true),
            ("*.a.com", "x.a.com", true),
            ("*.a.com", "*.x.a.com", true),
            ("*.a.com", "a.com", false),
            ("*.a.com", "xa.com", false),
            ("*.x.a.com", "*.a.com", false),
            ("*.a.com", "x.a.com:8080", false),
            ("*.a.com:8080", "x.a.com:8080", true),
            ("x.a.com", "*.a.com", false),
        ] {
            assert_eq!(host(wide).covers(&host(narrow)), expect, "{wide} {narrow}");
        }
    }

    #[test]
    fn requests_match_patterns() {
        for (pattern, name, port, expect) in [
            ("api.example.com", "API.example.com", 443, true),
            ("api.example.com", "api.example.com.", 443, true),
            ("api.example.com", "x.api.example.com", 443, false),
            ("api.example.com:8443", "api.example.com", 443, false),
            ("*.example.com", "a.b.example.com", 80, true),
            ("*.example.com", "example.com", 80, false),
            ("*.example.com", ".example.com", 80, false),
            ("*.example.com", "badexample.com", 80, false),
            ("[::1]:80", "::1", 80, true),
            ("127.0.0.1", "127.0.0.1", 9, true),
        ] {
            let read = host(pattern);
            assert_eq!(read.matches(name, port), expect, "{pattern} {name}:{port}");
        }
        for bad in ["", "*", "*.", "https://a.example", "a..b", "a.example:0", "a.*.example", "-a.example", "a/b"] {
            assert!(bad.parse::<HostPattern>().is_err(), "{bad}");
        }
    }
}
