//! `Network`: a blockchain, or another network that moves money.

use std::fmt;
use std::str::FromStr;

use tollbridge_core::excerpt::excerpt;

use crate::text::text_in_json;
use crate::usdc::USDC;

/// Maximum length of each of the two parts. CAIP-2 allows 8 and 32 characters; the names
/// of networks that are not blockchains may be longer (`cloudflare:402`).
const PART_CHARS_MAX: usize = 64;
/// Namespace of EVM chains.
const EIP155: &str = "eip155";

/// A network in CAIP-2 format, such as `eip155:8453`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Network(String);

text_in_json!(Network);

/// An EVM chain, identified by its EIP-155 number: 8453 is Base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChainId(u64);

/// An error of parsing a network; contains the beginning of the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a network; write it like \"eip155:8453\"")]
pub struct NetworkError(String);

impl ChainId {
    /// The chain Base.
    pub const BASE: Self = Self(8453);
    /// The test network of Base.
    pub const BASE_SEPOLIA: Self = Self(84532);

    /// Returns whether tokens of the chain have real value; `None` if official clients
    /// have no USDC for this chain.
    pub fn is_of_real_money(self) -> Option<bool> {
        const REAL: [u64; 10] = [1, 50, 137, 143, 1329, 5042, 8453, 42_161, 42_220, 43_114];
        USDC.iter().any(|(number, _, _)| *number == self.0).then(|| REAL.contains(&self.0))
    }

    /// Creates a chain id from its number.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Returns the number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Converts the chain id to a network.
    pub fn network(self) -> Network {
        Network(self.to_string())
    }
}

impl fmt::Display for ChainId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{EIP155}:{}", self.0)
    }
}

/// Parses a network such as `eip155:8453`.
impl FromStr for ChainId {
    type Err = NetworkError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let network: Network = text.parse()?;
        network.chain_id().ok_or_else(|| NetworkError(excerpt(text, PART_CHARS_MAX)))
    }
}

impl Network {
    /// Returns the network in CAIP-2 format.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the chain id if the network is an EVM chain.
    pub fn chain_id(&self) -> Option<ChainId> {
        let digits = self.0.strip_prefix(EIP155)?.strip_prefix(':')?;
        let number: u64 = digits.parse().ok()?;
        // Accept only the canonical spelling of the number.
        (number.to_string() == digits).then_some(ChainId(number))
    }
}

impl FromStr for Network {
    type Err = NetworkError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let part = |part: &str| {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
            !part.is_empty() && part.len() <= PART_CHARS_MAX && part.bytes().all(plain)
        };
        let is_one = text.split_once(':').is_some_and(|(namespace, reference)| part(namespace) && part(reference));
        is_one.then(|| Self(text.to_owned())).ok_or_else(|| NetworkError(excerpt(text, PART_CHARS_MAX)))
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_chain_has_one_spelling() {
        assert_eq!("eip155:8453".parse(), Ok(ChainId::BASE));
        assert_eq!(ChainId::BASE_SEPOLIA.network().chain_id(), Some(ChainId::BASE_SEPOLIA));
        for text in ["eip155:08453", "eip155:+1", "eip155:", "eip155:x", "EIP155:1", "solana:mainnet"] {
            assert!(text.parse::<ChainId>().is_err(), "{text}");
        }
        assert!("cloudflare:402".parse::<Network>().is_ok());
        for text in ["", ":", "a:", ":a", "a:b:c", "base", "eip155:1 "] {
            assert!(text.parse::<Network>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn read_values_are_written_unchanged(text in "[a-z0-9:_ -]{0,20}") {
            if let Ok(network) = text.parse::<Network>() {
                prop_assert_eq!(network.to_string(), text);
            }
        }
    }
}
