//! Ranks of tokens, as far as texts need them, from the host's table.
//!
//! The table groups tokens by their first three bytes. What begins anywhere in a text is so found by the bytes of the
//! text alone: once for the beginnings of pieces, then once for the insides of pieces that are not one token.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

use tollbridge_sdk::{Error, tables::Table};

/// Bytes of a token that it is grouped by; as in data/make.py.
const HEAD: usize = 3;
/// Groups that are asked for at once: the largest of them together fit one answer of the host; as in data/make.py.
const KEYS: usize = 150;
/// Groups that are asked for at all; beyond this the whole table is taken.
const ASKED_MAX: usize = 12_000;
/// Entries that are read at once when it is …
const PAGE: u32 = 1_000;
/// … and how often, at most: 300,000 entries would be ten times the largest table.
const PAGES_MAX: usize = 300;

/// The ranks known so far.
#[derive(Debug)]
pub struct Ranks {
    table: Table,
    known: HashMap<Vec<u8>, u32, BuildHasherDefault<Fnv>>,
    asked: PrefixSet,
}

/// A set of one to three bytes each: a bit for every one there can be, 2 MiB, so that a long text is noted quickly.
#[derive(Debug)]
struct PrefixSet(Vec<u64>);

impl PrefixSet {
    /// Three bytes take their number; two and one come after all of these.
    const TWO: usize = 1 << 24;
    const ONE: usize = Self::TWO + (1 << 16);

    fn new() -> Self {
        Self(vec![0; (Self::ONE + 256) / 64])
    }

    fn fill(&mut self) {
        self.0.fill(u64::MAX);
    }

    fn insert(&mut self, head: &[u8]) {
        let number = head.iter().fold(0usize, |number, byte| number << 8 | usize::from(*byte));
        let bit = match head.len() {
            3 => number,
            2 => Self::TWO + number,
            1 => Self::ONE + number,
            _ => return,
        };
        if let Some(word) = self.0.get_mut(bit / 64) {
            *word |= 1 << (bit % 64);
        }
    }

    /// Those that are not in `asked`, which has them afterwards.
    fn news(&self, asked: &mut Self) -> Vec<Vec<u8>> {
        let mut missing = Vec::new();
        for (place, (word, known)) in self.0.iter().zip(&mut asked.0).enumerate() {
            let mut left = *word & !*known;
            *known |= *word;
            while left != 0 {
                missing.push(Self::bytes(place * 64 + left.trailing_zeros() as usize));
                left &= left - 1;
            }
        }
        missing
    }

    fn bytes(bit: usize) -> Vec<u8> {
        let byte = |shift: usize| (bit >> shift & 0xff) as u8;
        match bit {
            Self::ONE.. => vec![byte(0)],
            Self::TWO.. => vec![byte(8), byte(0)],
            _ => vec![byte(16), byte(8), byte(0)],
        }
    }
}

/// FNV-1a: quick for keys of some bytes, and the keys are those of a table, not chosen by callers.
#[derive(Debug)]
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

impl Ranks {
    /// Opens the table of an encoding.
    pub fn open(name: &str) -> Result<Self, Error> {
        Ok(Self { table: Table::open(name)?, known: HashMap::default(), asked: PrefixSet::new() })
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
        let mut heads = PrefixSet::new();
        pieces.clone().for_each(|piece| heads.insert(piece.get(..HEAD).unwrap_or(piece)));
        self.ask(&heads)?;
        let mut insides = PrefixSet::new();
        for piece in pieces.filter(|piece| self.get(piece).is_none()) {
            for length in 1..=HEAD {
                piece.windows(length).for_each(|head| insides.insert(head));
            }
        }
        self.ask(&insides)
    }

    fn ask(&mut self, heads: &PrefixSet) -> Result<(), Error> {
        let heads = heads.news(&mut self.asked);
        if heads.len() > ASKED_MAX {
            return self.all();
        }
        for chunk in heads.chunks(KEYS) {
            let keys: Vec<String> = chunk.iter().map(|head| hex(head)).collect();
            for (key, group) in keys.iter().zip(self.table.get_many(&keys)?) {
                group.map(|group| self.group(key, &group)).transpose()?;
            }
        }
        Ok(())
    }

    /// Takes the whole table: fewer calls of the host than asking for very many heads, most of which begin no token.
    fn all(&mut self) -> Result<(), Error> {
        self.asked.fill();
        let mut start = String::new();
        for _ in 0..PAGES_MAX {
            let page = self.table.scan(&start, PAGE);
            let Some(last) = page.last() else { return Ok(()) };
            start = format!("{}\0", last.key);
            for entry in &page {
                self.group(&entry.key, &entry.value)?;
            }
        }
        Err(Error::unavailable("a table of token ranks is larger than this bridge can read"))
    }

    /// Learns the tokens of one entry.
    fn group(&mut self, key: &str, group: &str) -> Result<(), Error> {
        let broken = || Error::unavailable(format!("a table of token ranks is broken at {key}"));
        let head = unhex(key).ok_or_else(broken)?;
        for entry in group.split(' ') {
            let (tail, rank) = entry.split_once(',').ok_or_else(broken)?;
            let mut token = head.clone();
            token.extend(unbase64(tail).ok_or_else(broken)?);
            self.known.insert(token, rank.parse().map_err(|_| broken())?);
        }
        Ok(())
    }
}

fn unhex(key: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = key.chars().map(|sign| sign.to_digit(16).map(|digit| digit as u8)).collect();
    Some(digits?.chunks(2).map(|pair| pair.iter().fold(0u8, |byte, digit| byte << 4 | digit)).collect())
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
    fn heads_come_back() {
        let (mut heads, mut asked) = (PrefixSet::new(), PrefixSet::new());
        for head in ["a", "ab", "abc", "abc", "\0\0\0", "\0"] {
            heads.insert(head.as_bytes());
        }
        let mut news = heads.news(&mut asked);
        news.sort();
        assert_eq!(news, [&b"\0"[..], b"\0\0\0", b"a", b"ab", b"abc"]);
        assert!(heads.news(&mut asked).is_empty());
    }

    #[test]
    fn base64_of_rfc_4648() {
        for (text, expect) in [("", ""), ("Zg", "f"), ("Zm8", "fo"), ("Zm9v", "foo"), ("Zm9vYmFy", "foobar")] {
            assert_eq!(unbase64(text).as_deref(), Some(expect.as_bytes()));
        }
        assert_eq!(unbase64("Z*"), None);
    }
}
