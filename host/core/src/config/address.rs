//! Addresses: networks, base addresses of services, and host patterns.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use super::raw::Raw;
use super::setting::{Setting, unexpected_value};

/// A range of IP addresses in CIDR form, for example `10.0.0.0/8`. A single address is a
/// network with one member. An IPv4-mapped IPv6 address counts as IPv4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u8,
}

/// An error from parsing a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum NetworkError {
    #[error("is not a network; write it like \"10.0.0.0/8\" or \"192.0.2.7\"")]
    Malformed,
    #[error("has bits set after its prefix, so it is unclear which network is meant")]
    HostBits,
}

/// The base address of a service: `http` or `https`, host, optional port and
/// path, without a trailing slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl(String);

impl Network {
    /// Whether an address is in the network.
    pub fn contains(&self, address: IpAddr) -> bool {
        let mask = u128::MAX.checked_shl(128 - u32::from(self.prefix_in_v6())).unwrap_or(0);
        let same_family = self.address.is_ipv4() == address.to_canonical().is_ipv4();
        same_family && (bits(self.address) ^ bits(address)) & mask == 0
    }

    /// Whether the network contains every address of its family.
    pub const fn is_everything(&self) -> bool {
        self.prefix == 0
    }

    const fn prefix_in_v6(&self) -> u8 {
        if self.address.is_ipv4() { self.prefix + 96 } else { self.prefix }
    }
}

impl FromStr for Network {
    type Err = NetworkError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| NetworkError::Malformed)?;
        let width = if address.is_ipv4() { 32 } else { 128 };
        let prefix: u8 = match prefix {
            Some(digits) if digits.bytes().all(|b| b.is_ascii_digit()) => {
                digits.parse().ok().filter(|p| *p <= width).ok_or(NetworkError::Malformed)?
            }
            Some(_) => return Err(NetworkError::Malformed),
            None => width,
        };
        let network = match (address.to_canonical(), prefix) {
            (IpAddr::V4(v4), prefix) if address.is_ipv6() && prefix >= 96 => {
                Self { address: IpAddr::V4(v4), prefix: prefix - 96 }
            }
            _ => Self { address, prefix },
        };
        let rest = u128::MAX.checked_shr(u32::from(network.prefix_in_v6())).unwrap_or(0);
        if bits(network.address) & rest != 0 { Err(NetworkError::HostBits) } else { Ok(network) }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

impl BaseUrl {
    /// Builds the base address of this host's own listener.
    pub(super) fn of_listener(address: std::net::SocketAddr, tls: bool) -> Self {
        let ip = match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(std::net::Ipv4Addr::LOCALHOST),
            IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
            ip => ip,
        };
        let scheme = if tls { "https" } else { "http" };
        Self(format!("{scheme}://{}", std::net::SocketAddr::new(ip, address.port())))
    }

    /// The base address as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the address points to this machine.
    pub fn is_loopback(&self) -> bool {
        let rest = self.0.split_once("://").map_or("", |(_, rest)| rest);
        let authority = rest.split('/').next().unwrap_or_default();
        let host = match authority.strip_prefix('[').and_then(|v6| v6.split_once(']')) {
            Some((v6, _)) => v6,
            None => authority.split(':').next().unwrap_or_default(),
        };
        host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
    }

    /// Whether the scheme is `https`.
    pub fn is_https(&self) -> bool {
        self.0.starts_with("https://")
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The IP address as a number; IPv4 as an IPv4-mapped IPv6 address.
fn bits(address: IpAddr) -> u128 {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.to_ipv6_mapped().to_bits(),
        IpAddr::V6(v6) => v6.to_bits(),
    }
}

fn is_host_name(text: &str) -> bool {
    let label = |part: &str| {
        let plain = part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        (1..=63).contains(&part.len()) && plain && !part.starts_with('-') && !part.ends_with('-')
    };
    text.len() <= 253 && text.split('.').all(label)
}

/// Splits `host`, `host:port`, `[v6]` or `[v6]:port`; returns the host without
/// brackets and in lower case.
fn host_and_port(text: &str) -> Option<(String, Option<u16>)> {
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let (inside, after) = rest.split_once(']')?;
            let address: Ipv6Addr = inside.parse().ok()?;
            let port = if after.is_empty() { None } else { Some(after.strip_prefix(':')?) };
            (address.to_string(), port)
        }
        None => match text.split_once(':') {
            Some((host, port)) => (host.to_ascii_lowercase(), Some(port)),
            None => (text.to_ascii_lowercase(), None),
        },
    };
    if !text.starts_with('[') && !is_host_name(&host) {
        return None;
    }
    let port = match port {
        Some(digits) if digits.bytes().all(|b| b.is_ascii_digit()) => Some(digits.parse().ok().filter(|p| *p != 0)?),
        Some(_) => return None,
        None => None,
    };
    Some((host, port))
}

impl Setting for Network {
    fn read(raw: &Raw) -> Result<Self, String> {
        let text = raw.text().ok_or_else(|| unexpected_value(raw, "a network; write it like \"10.0.0.0/8\""))?;
        text.parse().map_err(|error: NetworkError| format!("{raw} {error}"))
    }
}

impl Setting for BaseUrl {
    fn read(raw: &Raw) -> Result<Self, String> {
        let checked = raw.text().and_then(|text| {
            let (scheme, rest) = text.split_once("://")?;
            if scheme != "http" && scheme != "https" {
                return None;
            }
            let (authority, path) = rest.split_at_checked(rest.find('/').unwrap_or(rest.len()))?;
            host_and_port(authority)?;
            let plain = |b: u8| b.is_ascii_alphanumeric() || b"/-._~%+:=,".contains(&b);
            path.bytes().all(plain).then(|| Self(text.trim_end_matches('/').to_owned()))
        });
        let expected_form =
            "the address of a service; write it like \"https://bridge.example.com\", without query or password";
        checked.ok_or_else(|| unexpected_value(raw, expected_form))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Raw {
        Raw::Text(text.to_owned())
    }

    #[test]
    fn networks_contain_what_they_should() {
        for (network, address, expect) in [
            ("10.0.0.0/8", "10.255.0.1", true),
            ("10.0.0.0/8", "11.0.0.1", false),
            ("10.0.0.0/8", "::ffff:10.1.2.3", true),
            ("::ffff:10.0.0.0/104", "10.1.2.3", true),
            ("192.0.2.7", "192.0.2.7", true),
            ("192.0.2.7", "192.0.2.6", false),
            ("0.0.0.0/0", "1.2.3.4", true),
            ("0.0.0.0/0", "::1", false),
            ("::/0", "2001:db8::1", true),
            ("::/0", "1.2.3.4", false),
            ("2001:db8::/32", "2001:db8:ffff::1", true),
            ("2001:db8::/32", "2001:db9::1", false),
            ("::1", "::1", true),
        ] {
            let network: Network = network.parse().unwrap();
            assert_eq!(network.contains(address.parse().unwrap()), expect, "{network} {address}");
        }
    }

    #[test]
    fn refuses_unclear_networks() {
        for (text, expect) in [
            ("10.0.0.1/8", NetworkError::HostBits),
            ("2001:db8::1/64", NetworkError::HostBits),
            ("10.0.0.0/33", NetworkError::Malformed),
            ("10.0.0.0/+8", NetworkError::Malformed),
            ("10.0.0.0/", NetworkError::Malformed),
            ("10.0.0/8", NetworkError::Malformed),
            ("", NetworkError::Malformed),
            ("::/129", NetworkError::Malformed),
        ] {
            assert_eq!(text.parse::<Network>(), Err(expect), "{text}");
        }
    }

    #[test]
    fn base_addresses() {
        for (input, expect) in [
            ("https://a.example/", Some("https://a.example")),
            ("http://127.0.0.1:8402", Some("http://127.0.0.1:8402")),
            ("http://[::1]:80/x/v1/", Some("http://[::1]:80/x/v1")),
            ("ftp://a.example", None),
            ("https://", None),
            ("https://user:pw@a.example", None),
            ("https://a.example?x=1", None),
            ("https://a.example/#x", None),
            ("https://a example", None),
            ("https://a.example:0", None),
            ("https://a.example:99999", None),
            ("a.example", None),
        ] {
            assert_eq!(BaseUrl::read(&text(input)).ok().as_ref().map(BaseUrl::as_str), expect, "{input}");
        }
        assert_eq!(BaseUrl::of_listener("0.0.0.0:80".parse().unwrap(), false).as_str(), "http://127.0.0.1:80");
        assert_eq!(BaseUrl::of_listener("[::]:80".parse().unwrap(), true).as_str(), "https://[::1]:80");
    }
}
