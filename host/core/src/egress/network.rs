//! Classifies IP addresses as public or special.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::config::Network;

/// A block of addresses of one family that share their first bits.
#[derive(Clone, Copy, Debug)]
struct Block {
    base: IpAddr,
    prefix: u32,
}

impl Block {
    const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u32) -> Self {
        Self { base: IpAddr::V4(Ipv4Addr::new(a, b, c, d)), prefix }
    }

    const fn v6(first: u16, second: u16, prefix: u32) -> Self {
        Self { base: IpAddr::V6(Ipv6Addr::new(first, second, 0, 0, 0, 0, 0, 0)), prefix }
    }

    fn contains(&self, address: IpAddr) -> bool {
        match (self.base, address) {
            (IpAddr::V4(base), IpAddr::V4(address)) => {
                (base.to_bits() ^ address.to_bits()).leading_zeros() >= self.prefix
            }
            (IpAddr::V6(base), IpAddr::V6(address)) => {
                (base.to_bits() ^ address.to_bits()).leading_zeros() >= self.prefix
            }
            _ => false,
        }
    }
}

/// IPv4 blocks outside the public internet (from IANA's special-purpose registry), and
/// one public address at which a cloud serves its metadata.
const SPECIAL_V4: [Block; 16] = [
    Block::v4(0, 0, 0, 0, 8),
    Block::v4(10, 0, 0, 0, 8),
    Block::v4(100, 64, 0, 0, 10),
    Block::v4(127, 0, 0, 0, 8),
    Block::v4(168, 63, 129, 16, 32),
    Block::v4(169, 254, 0, 0, 16),
    Block::v4(172, 16, 0, 0, 12),
    Block::v4(192, 0, 0, 0, 24),
    Block::v4(192, 0, 2, 0, 24),
    Block::v4(192, 88, 99, 0, 24),
    Block::v4(192, 168, 0, 0, 16),
    Block::v4(198, 18, 0, 0, 15),
    Block::v4(198, 51, 100, 0, 24),
    Block::v4(203, 0, 113, 0, 24),
    Block::v4(224, 0, 0, 0, 4),
    Block::v4(240, 0, 0, 0, 4),
];

/// The only IPv6 block that is allocated for the public internet. Every address outside
/// this block (loopback, link-local, unique local, multicast, NAT64) is refused without
/// being listed.
const GLOBAL_V6: Block = Block::v6(0x2000, 0, 3);

/// Special blocks inside [`GLOBAL_V6`]: protocol assignments with Teredo, documentation,
/// and 6to4, whose addresses contain an IPv4 address that would bypass [`SPECIAL_V4`].
const SPECIAL_V6: [Block; 4] =
    [Block::v6(0x2001, 0, 23), Block::v6(0x2001, 0xdb8, 32), Block::v6(0x2002, 0, 16), Block::v6(0x3fff, 0, 20)];

fn is_public(address: IpAddr) -> bool {
    // An IPv4-mapped IPv6 address is checked like the IPv4 address it contains.
    match address.to_canonical() {
        address @ IpAddr::V4(_) => !SPECIAL_V4.iter().any(|special| special.contains(address)),
        address @ IpAddr::V6(_) => {
            GLOBAL_V6.contains(address) && !SPECIAL_V6.iter().any(|special| special.contains(address))
        }
    }
}

/// Returns whether a connection may go to an address: a public one, or one in an allowed
/// network.
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
            // Other notations of the same address, in IPv6.
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

    proptest::proptest! {
        #[test]
        fn a_block_contains_what_shares_its_prefix(base: u32, other: u32, prefix in 0_u32..=32) {
            let block = Block { base: IpAddr::V4(base.into()), prefix };
            let same = (0..prefix).all(|bit| (base ^ other) & (1 << (31 - bit)) == 0);
            proptest::prop_assert_eq!(block.contains(IpAddr::V4(other.into())), same);
        }

        #[test]
        fn clothes_do_not_change_an_address(bits: u32) {
            let plain = Ipv4Addr::from(bits);
            proptest::prop_assert_eq!(is_public(plain.into()), is_public(plain.to_ipv6_mapped().into()));
        }
    }
}
