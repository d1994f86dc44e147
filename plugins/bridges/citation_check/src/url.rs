//! Web addresses: form, normal form, escapes.

/// Members of a query that only follow visitors.
const TRACKING: [&str; 6] = ["gclid", "fbclid", "mc_cid", "mc_eid", "msclkid", "igshid"];

/// The normal form: scheme and host in small letters, no default port, no tracking members. The error says what is
/// wrong.
pub fn normalise(text: &str) -> Result<String, &'static str> {
    let (scheme, rest) = text.split_once("://").ok_or("an address begins with http:// or https://")?;
    let scheme = scheme.to_ascii_lowercase();
    let cut = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at_checked(cut).unwrap_or((rest, ""));
    if authority.contains('@') {
        return Err("an address with a user name before @ hides its host");
    }
    let (host, port) = match authority.rsplit_once(':').filter(|_| !authority.ends_with(']')) {
        Some((host, port)) => (host, Some(port.parse::<u16>().map_err(|_| "the port is no number up to 65535")?)),
        None => (authority, None),
    };
    if !host_fits(host) {
        return Err("the host is no name with a dot and no IP address");
    }
    if decoded(tail).is_none() {
        return Err("a % is not followed by two hexadecimal digits, or they give no UTF-8");
    }
    let port = port.filter(|port| *port != if scheme == "https" { 443 } else { 80 });
    let port = port.map_or(String::new(), |port| format!(":{port}"));
    let tail = without_tracking(tail);
    let tail = if tail.is_empty() { "/".to_owned() } else { tail };
    Ok(format!("{scheme}://{}{port}{tail}", host.to_lowercase()))
}

fn host_fits(host: &str) -> bool {
    if let Some(inner) = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        return inner.parse::<std::net::Ipv6Addr>().is_ok();
    }
    let label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    host.len() <= 253 && host.contains('.') && host.trim_end_matches('.').split('.').all(label)
}

fn without_tracking(tail: &str) -> String {
    let (tail, fragment) = tail.split_once('#').map_or((tail, None), |(tail, fragment)| (tail, Some(fragment)));
    let mut out = match tail.split_once('?') {
        None => tail.to_owned(),
        Some((path, query)) => {
            let follows = |part: &&str| {
                let name = part.split('=').next().unwrap_or_default().to_ascii_lowercase();
                !name.starts_with("utm_") && !TRACKING.contains(&name.as_str())
            };
            let parameters: Vec<&str> = query.split('&').filter(follows).collect();
            if parameters.is_empty() { path.to_owned() } else { format!("{path}?{}", parameters.join("&")) }
        }
    };
    if let Some(fragment) = fragment {
        out.push('#');
        out.push_str(fragment);
    }
    out
}

/// Escapes undone; none if one is broken.
pub fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        if *byte == b'%' {
            let (pair, after) = after.split_at_checked(2)?;
            if !pair.iter().all(u8::is_ascii_hexdigit) {
                return None;
            }
            bytes.push(u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?);
            rest = after;
        } else {
            bytes.push(*byte);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

/// A DOI escaped for an address.
pub fn encoded(doi: &str) -> String {
    let keep = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/:()!$&'*+,;=@".contains(&byte);
    doi.bytes().map(|byte| if keep(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (text, expect) in [
            ("HTTPS://Example.ORG:443", Some("https://example.org/")),
            ("http://example.org/a?utm_source=x&b=1#c", Some("http://example.org/a?b=1#c")),
            ("http://example.org:8080/%7Ea", Some("http://example.org:8080/%7Ea")),
            ("https://[2001:db8::1]/", Some("https://[2001:db8::1]/")),
            ("https://bank.example@evil.example/", None),
            ("https://localhost/", None),
            ("https://a..b/", None),
            ("https://example.org/%zz", None),
            ("https://example.org:99999/", None),
        ] {
            assert_eq!(normalise(text).ok().as_deref(), expect, "{text}");
        }
        assert_eq!(encoded("10.1002/(sici)1<1::a>2"), "10.1002/(sici)1%3C1::a%3E2");
    }
}
