//! Ranks of tokens, as far as texts need them, from the host's table.
//!
//! The table groups tokens by their first three bytes. What begins anywhere in a text is so found by the bytes of the
//! text alone: once for the beginnings of pieces, then once for the insides of pieces that are not one token.

use std::collections::{BTreeSet, HashMap};

use tollbridge_sdk::{Error, tables::Table};

/// Bytes of a token that it is grouped by; as in data/make.py.
const HEAD: usize = 3;
/// Groups that are asked for at once: the largest of them together fit one answer of the host; as in data/make.py.
const KEYS: usize = 150;

/// The ranks known so far.
#[derive(Debug)]
pub struct Ranks {
    table: Table,
    known: HashMap<Vec<u8>, u32>,
    asked: BTreeSet<Vec<u8>>,
}

impl Ranks {
    /// Opens the table of an encoding.
    pub fn open(name: &str) -> Result<Self, Error> {
        Ok(Self { table: Table::open(name)?, known: HashMap::new(), asked: BTreeSet::new() })
    }

    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The rank of a token; none if these bytes are no token.
    pub fn get(&self, token: &[u8]) -> Option<u32> {
        self.known.get(token).copied()
    }

    /// Learns what pieces can need: tokens at their beginnings, and in those that are not one token everywhere.
    pub fn learn<'t>(&mut self, pieces: impl Iterator<Item = &'t [u8]> + Clone) -> Result<(), Error> {
        self.ask(pieces.clone().map(|piece| piece.get(..HEAD).unwrap_or(piece).to_vec()).collect())?;
        let mut insides = BTreeSet::new();
        for piece in pieces {
            if self.get(piece).is_none() {
                insides.extend(piece.windows(HEAD).map(<[u8]>::to_vec));
                insides.extend(piece.windows(2).map(<[u8]>::to_vec));
                insides.extend(piece.iter().map(|byte| vec![*byte]));
            }
        }
        self.ask(insides)
    }

    fn ask(&mut self, heads: BTreeSet<Vec<u8>>) -> Result<(), Error> {
        let heads: Vec<Vec<u8>> = heads.difference(&self.asked).cloned().collect();
        for chunk in heads.chunks(KEYS) {
            let keys: Vec<String> = chunk.iter().map(|head| hex(head)).collect();
            let groups = self.table.get_many(&keys)?;
            for (head, group) in chunk.iter().zip(groups) {
                for entry in group.iter().flat_map(|group| group.split(' ')) {
                    let broken = || Error::unavailable(format!("a table of token ranks is broken at {}", hex(head)));
                    let (tail, rank) = entry.split_once(',').ok_or_else(broken)?;
                    let mut token = head.clone();
                    token.extend(unbase64(tail).ok_or_else(broken)?);
                    self.known.insert(token, rank.parse().map_err(|_| broken())?);
                }
            }
        }
        self.asked.extend(heads);
        Ok(())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Base64 without padding.
fn unbase64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let (mut held, mut bits) = (0u32, 0u32);
    for letter in text.bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        held = (held << 6 | u32::from(value)) & 0xffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_rfc_4648() {
        for (text, expect) in [("", ""), ("Zg", "f"), ("Zm8", "fo"), ("Zm9v", "foo"), ("Zm9vYmFy", "foobar")] {
            assert_eq!(unbase64(text).as_deref(), Some(expect.as_bytes()));
        }
        assert_eq!(unbase64("Z*"), None);
    }
}
