//! Ranks of tokens, laid out when the plugin is built (`build.rs`) and used in place.

use bridge_common::{Source, source};
use fst::Map;
use tollbridge_sdk::Error;

use crate::input::Encoding;

const O200K: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k_base.fst"));
const CL100K: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/cl100k_base.fst"));
/// Where they come from; as data/make.py wrote it.
const SOURCES: &str = include_str!("../data/sources.json");

/// The ranks of an encoding.
#[derive(Debug)]
pub struct Ranks(Map<&'static [u8]>);

impl Ranks {
    pub fn of(encoding: Encoding) -> Result<Self, Error> {
        let bytes = match encoding {
            Encoding::O200kBase => O200K,
            Encoding::Cl100kBase => CL100K,
        };
        Map::new(bytes).map(Self).map_err(|error| Error::internal(format!("{}: {error}", encoding.name())))
    }

    /// The rank of a token; none if these bytes are no token.
    pub fn get(&self, token: &[u8]) -> Option<u32> {
        self.0.get(token).and_then(|rank| u32::try_from(rank).ok())
    }
}

/// Where the ranks of an encoding come from. The version begins the SHA-256 of the list.
pub fn source(encoding: Encoding) -> Result<Source, Error> {
    let found = source::listed(SOURCES)?.into_iter().find(|source| source.name == encoding.name());
    found.ok_or_else(|| Error::internal(format!("data/sources.json lacks {}", encoding.name())))
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn the_lists_are_those_that_openai_publishes() {
        for (encoding, list) in [
            (Encoding::O200kBase, &include_bytes!("../data/o200k_base.tiktoken")[..]),
            (Encoding::Cl100kBase, &include_bytes!("../data/cl100k_base.tiktoken")[..]),
        ] {
            let digest: String = Sha256::digest(list).iter().map(|byte| format!("{byte:02x}")).collect();
            let version = source(encoding).unwrap().version;
            assert!(version.len() == 12 && digest.starts_with(&version), "{digest}");
        }
    }

    #[test]
    fn every_single_byte_is_a_token_and_every_rank_is_one() {
        for (encoding, count) in [(Encoding::O200kBase, 199_998), (Encoding::Cl100kBase, 100_256)] {
            let ranks = Ranks::of(encoding).unwrap();
            assert!((0..=u8::MAX).all(|byte| ranks.get(&[byte]).is_some_and(|rank| rank < 256)));
            assert_eq!(ranks.0.len(), count);
        }
    }
}
