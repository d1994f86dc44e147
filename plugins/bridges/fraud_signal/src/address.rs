//! An IP address: reading, special ranges, and its key in tables of ranges.

use std::net::IpAddr;

/// Made by data/make.py: network, name.
const SPECIAL: &str = include_str!("../data/special.tsv");
/// Special ranges that carry traffic of ordinary clients through a gateway.
const GATEWAYS: [&str; 4] = ["6to4", "teredo", "rfc6052", "rfc6145"];

/// An address; IPv4 inside IPv6 (`::ffff:a.b.c.d`) is IPv4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address(IpAddr);

impl Address {
    /// Reads an address in its usual text form.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse::<IpAddr>().ok().map(|address| Self(address.to_canonical()))
    }

    /// 4 or 6.
    pub fn version(self) -> u8 {
        if self.0.is_ipv4() { 4 } else { 6 }
    }

    fn bits(self) -> (u128, u32) {
        match self.0 {
            IpAddr::V4(address) => (u32::from(address).into(), 32),
            IpAddr::V6(address) => (address.into(), 128),
        }
    }

    /// The key under which, or before which, a table of ranges has it.
    pub fn key(self) -> String {
        match self.0 {
            IpAddr::V4(address) => format!("4{:08x}", u32::from(address)),
            IpAddr::V6(address) => format!("6{:032x}", u128::from(address)),
        }
    }

    /// What one client is counted by: the address, or the /64 of IPv6, which one client can fill.
    pub fn client(self) -> String {
        match self.0 {
            IpAddr::V4(_) => self.key(),
            IpAddr::V6(address) => format!("6{:016x}", u128::from(address) >> 64),
        }
    }

    /// The smallest special range that it lies in.
    pub fn special(self) -> Option<Special> {
        let (bits, width) = self.bits();
        let lines = SPECIAL.lines().filter_map(|line| line.split_once('\t'));
        let inside = lines.filter_map(|(network, name)| {
            let (base, length) = network.split_once('/')?;
            let (base, length) = (Self(base.parse().ok()?), length.parse::<u32>().ok()?);
            let (other, other_width) = base.bits();
            let rest = width.checked_sub(length)?;
            let same =
                other_width == width && bits.checked_shr(rest).unwrap_or(0) == other.checked_shr(rest).unwrap_or(0);
            same.then_some((length, Special { network, name }))
        });
        inside.max_by_key(|(length, _)| *length).map(|(_, special)| special)
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// A special range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Special {
    pub network: &'static str,
    pub name: &'static str,
}

impl Special {
    /// A client on the internet can have it.
    pub fn is_gateway(self) -> bool {
        GATEWAYS.contains(&self.name)
    }
}

/// Version of the list of special ranges.
pub fn list_version() -> &'static str {
    SPECIAL.lines().next().and_then(|line| line.strip_prefix('#')).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_ranges_of_iana() {
        for (text, expect) in [
            ("8.8.8.8", None),
            ("10.255.255.255", Some("private")),
            ("11.0.0.0", None),
            ("172.31.0.1", Some("private")),
            ("172.32.0.1", None),
            ("100.64.0.1", Some("carrier_grade_nat")),
            ("127.0.0.1", Some("loopback")),
            ("169.254.1.1", Some("link_local")),
            ("203.0.113.9", Some("reserved")),
            ("198.19.255.255", Some("reserved")),
            ("255.255.255.255", Some("broadcast")),
            ("::ffff:192.168.0.1", Some("private")),
            ("::1", Some("loopback")),
            ("fd00::1", Some("unique_local")),
            ("fe80::1", Some("link_local")),
            ("2001:db8::1", Some("reserved")),
            ("2001::1", Some("teredo")),
            ("2002:808:808::1", Some("6to4")),
            ("2606:4700::1111", None),
        ] {
            assert_eq!(Address::parse(text).unwrap().special().map(|special| special.name), expect, "{text}");
        }
    }

    #[test]
    fn keys() {
        let key = |text| Address::parse(text).map(Address::key);
        assert_eq!(key("1.2.3.4").as_deref(), Some("401020304"));
        assert_eq!(key("::ffff:1.2.3.4").as_deref(), Some("401020304"));
        assert_eq!(key("2001:db8::1").as_deref(), Some("620010db8000000000000000000000001"));
        assert_eq!(key("1.2.3"), None);
        let client = |text| Address::parse(text).map(Address::client);
        assert_eq!(client("2001:db8::1"), client("2001:db8::2"));
        assert_ne!(client("1.2.3.4"), client("1.2.3.9"));
    }
}
