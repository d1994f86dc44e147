//! The client of a call, and the key of its rate-limit windows.

use std::net::{IpAddr, SocketAddr};

use sha2::{Digest, Sha256};
use tollbridge_core::config::Network;
use tollbridge_core::fair_limiter::FairShare;

/// Maximum number of `X-Forwarded-For` entries that are examined, from the right. No
/// operator has that many proxies.
const FORWARDED_HOPS_MAX: usize = 32;

/// The owner of rate-limit windows: an account, regardless of its key, or an address. An
/// IPv6 /64 counts as one address, because one customer usually has a whole /64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RateLimitKey {
    /// The first half of the digest of an account's id.
    Account([u8; 16]),
    /// An IPv4 address.
    V4(u32),
    /// The upper half of an IPv6 address.
    V6Net(u64),
    /// An IPv4 address, in the separate windows for requests that pay for calls.
    PayingV4(u32),
    /// The upper half of an IPv6 address, in the separate windows for requests that pay
    /// for calls.
    PayingV6Net(u64),
}

impl From<IpAddr> for RateLimitKey {
    fn from(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(v4) => Self::V4(v4.to_bits()),
            // The shift leaves the upper 64 bits, so the conversion always succeeds.
            IpAddr::V6(v6) => Self::V6Net(u64::try_from(v6.to_bits() >> 64).unwrap_or(u64::MAX)),
        }
    }
}

impl RateLimitKey {
    /// Returns the rate-limit key of an account.
    pub fn of_account(id: &str) -> Self {
        let digest: [u8; 32] = Sha256::digest(id).into();
        Self::Account(digest.first_chunk().copied().unwrap_or_default())
    }

    /// Returns the rate-limit key for this client's requests that pay for calls. An
    /// address has separate windows for these requests; an account does not.
    #[must_use]
    pub const fn paying(self) -> Self {
        match self {
            Self::V4(bits) => Self::PayingV4(bits),
            Self::V6Net(net) => Self::PayingV6Net(net),
            other => other,
        }
    }

    /// Returns the fair share of a client without an account.
    pub fn share(self) -> FairShare {
        FairShare::single(match self {
            Self::Account(half) => hex::encode(half),
            Self::V4(bits) | Self::PayingV4(bits) => IpAddr::from(bits.to_be_bytes()).to_string(),
            Self::V6Net(net) | Self::PayingV6Net(net) => format!("{net:016x}/64"),
        })
    }
}

/// Returns the client's address: that of the connection's peer or, if the peer is a
/// trusted proxy, the right-most address in `X-Forwarded-For` that is not a trusted
/// proxy.
///
/// `forwarded` are the values of that header in their original order. Each proxy appends
/// the address it was called from, so anything to the left of the first untrusted address
/// is only the client's own claim. If an entry cannot be parsed, the trusted proxy that
/// added it counts as the client.
pub fn client_address<'a>(
    peer: IpAddr,
    forwarded: impl DoubleEndedIterator<Item = &'a str>,
    trusted: &[Network],
) -> IpAddr {
    let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(address));
    let mut client = peer.to_canonical();
    let entries = forwarded.rev().flat_map(|value| value.rsplit(','));
    for entry in entries.take(FORWARDED_HOPS_MAX) {
        if !is_trusted(client) {
            return client;
        }
        match forwarded_address(entry) {
            Some(address) => client = address,
            None => return client,
        }
    }
    client
}

/// Parses one entry: an address, optionally with a port; an IPv6 address may be in
/// brackets.
fn forwarded_address(entry: &str) -> Option<IpAddr> {
    let entry = entry.trim_matches([' ', '\t']);
    let bare = entry.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(entry);
    let address = bare.parse::<IpAddr>().or_else(|_| entry.parse::<SocketAddr>().map(|socket| socket.ip()));
    address.ok().map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(peer: &str, forwarded: &[&str], expect: &str) {
        let trusted: Vec<Network> = ["10.0.0.0/8", "fd00::/8"].iter().map(|n| n.parse().unwrap()).collect();
        let got = client_address(peer.parse().unwrap(), forwarded.iter().copied(), &trusted);
        assert_eq!(got.to_string(), expect, "{peer} {forwarded:?}");
    }

    #[test]
    fn clients_cannot_choose_their_address() {
        check("203.0.113.9", &["1.2.3.4"], "203.0.113.9");
        check("203.0.113.9", &["10.0.0.1"], "203.0.113.9");
        // Behind a proxy, the left address is only the client's claim.
        check("10.0.0.1", &["1.2.3.4, 203.0.113.9"], "203.0.113.9");
        check("10.0.0.1", &["10.0.0.7, 203.0.113.9, 10.0.0.2"], "203.0.113.9");
        check("10.0.0.1", &["1.2.3.4", "203.0.113.9"], "203.0.113.9");
        check("10.0.0.1", &["203.0.113.9,"], "10.0.0.1");
        check("10.0.0.1", &["203.0.113.9, nonsense"], "10.0.0.1");
        check("10.0.0.1", &["203.0.113.9, nonsense, 10.0.0.2"], "10.0.0.2");
    }

    #[test]
    fn proxies_are_believed() {
        check("10.0.0.1", &[], "10.0.0.1");
        check("10.0.0.1", &["203.0.113.9"], "203.0.113.9");
        check("10.0.0.1", &["203.0.113.9:1234"], "203.0.113.9");
        check("10.0.0.1", &[" 2001:db8::1\t"], "2001:db8::1");
        check("fd00::1", &["[2001:db8::1]:443"], "2001:db8::1");
        check("fd00::1", &["[2001:db8::1]"], "2001:db8::1");
        check("::ffff:10.0.0.1", &["::ffff:203.0.113.9"], "203.0.113.9");
        check("10.0.0.1", &["10.0.0.3, 10.0.0.2"], "10.0.0.3");
    }

    #[test]
    fn a_long_chain_ends() {
        let chain = vec!["10.0.0.2"; 1000].join(",");
        check("10.0.0.1", &[&format!("203.0.113.9,{chain}")], "10.0.0.2");
    }

    #[test]
    fn one_customer_is_one_client() {
        let id = |text: &str| RateLimitKey::from(text.parse::<IpAddr>().unwrap());
        assert_eq!(id("2001:db8:1:2::1"), id("2001:db8:1:2:ffff::9"));
        assert_ne!(id("2001:db8:1:2::1"), id("2001:db8:1:3::1"));
        assert_eq!(id("::ffff:192.0.2.1"), id("192.0.2.1"));
        assert_ne!(id("192.0.2.1"), id("192.0.2.2"));
    }

    proptest! {
        #[test]
        fn an_untrusted_peer_is_always_the_client(header in ".{0,60}") {
            check("203.0.113.9", &[&header], "203.0.113.9");
        }

        #[test]
        fn the_address_appended_by_the_proxy_wins(header in ".{0,60}") {
            check("10.0.0.1", &[&format!("{header},203.0.113.9")], "203.0.113.9");
        }
    }
}
