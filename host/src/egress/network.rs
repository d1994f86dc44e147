//! Which addresses are on the public internet.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A block of addresses, `10.0.0.0/8` or `fd00::/8`; a single address is a
/// block of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    base: IpAddr,
    prefix: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a network; write it like 10.0.0.0/8 or fd00::/8")]
pub struct BadNetwork(String);

impl Network {
    const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> Self {
        Self { base: IpAddr::V4(Ipv4Addr::new(a, b, c, d)), prefix }
    }

    const fn v6(first: u16, second: u16, third: u16, prefix: u8) -> Self {
        Self { base: IpAddr::V6(Ipv6Addr::new(first, second, third, 0, 0, 0, 0, 0)), prefix }
    }

    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.base, address.to_canonical()) {
            (IpAddr::V4(base), IpAddr::V4(address)) => {
                let shift = 32_u32.saturating_sub(self.prefix.into());
                base.to_bits().checked_shr(shift) == address.to_bits().checked_shr(shift)
            }
            (IpAddr::V6(base), IpAddr::V6(address)) => {
                let shift = 128_u32.saturating_sub(self.prefix.into());
                base.to_bits().checked_shr(shift) == address.to_bits().checked_shr(shift)
            }
            _ => false,
        }
    }
}

impl FromStr for Network {
    type Err = BadNetwork;

    fn from_str(text: &str) -> Result<Self, BadNetwork> {
        let bad = || BadNetwork(text.to_owned());
        let (base, prefix) = match text.split_once('/') {
            Some((base, prefix)) => (base, Some(prefix.parse::<u8>().map_err(|_| bad())?)),
            None => (text, None),
        };
        let base = base.parse::<IpAddr>().map_err(|_| bad())?;
        let longest = if base.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.unwrap_or(longest);
        if prefix > longest {
            return Err(bad());
        }
        Ok(Self { base, prefix })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.base, self.prefix)
    }
}

impl Serialize for Network {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Network {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// IPv4 that is not the public internet (IANA's special-purpose registry), and
/// one public address at which a cloud answers as metadata service.
const SPECIAL_V4: [Network; 16] = [
    Network::v4(0, 0, 0, 0, 8),
    Network::v4(10, 0, 0, 0, 8),
    Network::v4(100, 64, 0, 0, 10),
    Network::v4(127, 0, 0, 0, 8),
    Network::v4(168, 63, 129, 16, 32),
    Network::v4(169, 254, 0, 0, 16),
    Network::v4(172, 16, 0, 0, 12),
    Network::v4(192, 0, 0, 0, 24),
    Network::v4(192, 0, 2, 0, 24),
    Network::v4(192, 88, 99, 0, 24),
    Network::v4(192, 168, 0, 0, 16),
    Network::v4(198, 18, 0, 0, 15),
    Network::v4(198, 51, 100, 0, 24),
    Network::v4(203, 0, 113, 0, 24),
    Network::v4(224, 0, 0, 0, 4),
    Network::v4(240, 0, 0, 0, 4),
];

/// The only IPv6 block that is handed out for the public internet. What is
/// outside (loopback, link-local, unique local, multicast, NAT64) is refused
/// without being listed.
const GLOBAL_V6: Network = Network::v6(0x2000, 0, 0, 3);

/// Inside of it: protocol assignments with Teredo, documentation, and 6to4,
/// which would carry any IPv4 address past the list above.
const SPECIAL_V6: [Network; 4] = [
    Network::v6(0x2001, 0, 0, 23),
    Network::v6(0x2001, 0xdb8, 0, 32),
    Network::v6(0x2002, 0, 0, 16),
    Network::v6(0x3fff, 0, 0, 20),
];

fn is_public(address: IpAddr) -> bool {
    // An IPv4 address in IPv6 clothes is judged as what it is.
    match address.to_canonical() {
        address @ IpAddr::V4(_) => !SPECIAL_V4.iter().any(|special| special.contains(address)),
        address @ IpAddr::V6(_) => {
            GLOBAL_V6.contains(address) && !SPECIAL_V6.iter().any(|special| special.contains(address))
        }
    }
}

/// Whether a connection may go to an address.
pub(super) fn may_reach(address: IpAddr, allowed: &[Network]) -> bool {
    is_public(address) || allowed.iter().any(|network| network.contains(address))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(address: &str, expect: bool) {
        assert_eq!(is_public(address.parse().unwrap()), expect, "{address}");
    }

    #[test]
    fn special_addresses_are_not_public() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.100.100.200",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "168.63.129.16",
            "169.254.169.254",
            "169.254.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
        ] {
            check(address, false);
            // The same address in IPv6 notations that reach it.
            check(&format!("::ffff:{address}"), false);
            check(&format!("64:ff9b::{address}"), false);
        }
        for address in [
            "::",
            "::1",
            "::7f00:1",
            "fe80::1",
            "fec0::1",
            "fc00::1",
            "fd00:ec2::254",
            "ff02::1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:0:7f00:1::",
            "2001:10::1",
            "2001:20::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "2002:808:808::1",
            "3fff::1",
            "5f00::1",
            "4000::1",
        ] {
            check(address, false);
        }
    }

    #[test]
    fn public_addresses_are_public() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.1",
            "100.63.255.255",
            "100.128.0.1",
            "128.0.0.1",
            "168.63.129.15",
            "169.253.1.1",
            "172.15.255.255",
            "172.32.0.1",
            "192.0.1.1",
            "192.167.1.1",
            "198.17.1.1",
            "198.20.0.1",
            "223.255.255.255",
            "::ffff:8.8.8.8",
            "2001:4860:4860::8888",
            "2606:4700::1111",
            "2a00::1",
            "2001:200::1",
        ] {
            check(address, true);
        }
    }

    #[test]
    fn allowed_networks_open_exactly_themselves() {
        let allowed = ["127.0.0.1/32".parse().unwrap(), "fd00::/8".parse().unwrap()];
        let reach = |address: &str| may_reach(address.parse().unwrap(), &allowed);
        assert!(reach("127.0.0.1") && reach("::ffff:127.0.0.1") && reach("fd12::1"));
        assert!(!reach("127.0.0.2") && !reach("10.0.0.1") && !reach("fc00::1") && !reach("::1"));
    }

    #[test]
    fn networks_read_back_as_written() {
        for text in ["10.0.0.0/8", "fd00::/8", "0.0.0.0/0"] {
            assert_eq!(text.parse::<Network>().unwrap().to_string(), text);
        }
        assert_eq!("::1".parse::<Network>().unwrap().to_string(), "::1/128");
        for text in ["", "10.0.0.0/33", "::/129", "localhost", "10.0.0.0/", "10.0.0/8", "1.2.3.4/-1"] {
            assert_eq!(text.parse::<Network>(), Err(BadNetwork(text.to_owned())));
        }
    }

    proptest::proptest! {
        #[test]
        fn a_network_contains_what_shares_its_prefix(base: u32, other: u32, prefix in 0_u8..=32) {
            let network = Network { base: IpAddr::V4(base.into()), prefix };
            let same = (0..prefix).all(|bit| (base ^ other) & (1 << (31 - bit)) == 0);
            proptest::prop_assert_eq!(network.contains(IpAddr::V4(other.into())), same);
        }

        #[test]
        fn clothes_do_not_change_an_address(bits: u32) {
            let plain = Ipv4Addr::from(bits);
            proptest::prop_assert_eq!(is_public(plain.into()), is_public(plain.to_ipv6_mapped().into()));
        }
    }
}
