//! Blocking: which pairs are compared at all. Two records are when they share a key; small blocks come first, until
//! the number of pairs that one call may compare is used up.

use std::collections::HashMap;

use crate::column::Column;
use crate::input::Kind;

/// Most pairs that are compared.
pub const MOST_PAIRS: usize = 200_000;
/// Most pairs that are looked at to find those, as many blocks hold the same ones.
const MOST_TRIED: usize = 3_000_000;
/// Larger blocks are not compared: a key that so many records share tells nothing.
const LARGEST_BLOCK: usize = 400;
/// Lists of at most so many records are compared completely.
const COMPLETE_TO: usize = 250;

/// Pairs of records (places in both lists together, the smaller first), in order.
pub struct Pairs {
    pub pairs: Vec<(usize, usize)>,
    /// Keys that were used, in words.
    pub keys: Vec<String>,
    /// Blocks that were left out because they are too large, or because the pairs of one call were used up.
    pub skipped: usize,
}

/// The pairs to compare. `second` is the place at which the second list begins; none with one list.
#[must_use]
pub fn pairs(columns: &[Column], count: usize, second: Option<usize>) -> Pairs {
    let wanted = |a: usize, b: usize| second.is_none_or(|second| a < second && b >= second);
    if count <= COMPLETE_TO {
        let all = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
        return Pairs {
            pairs: all.filter(|(a, b)| wanted(*a, *b)).collect(),
            keys: vec!["none: all pairs are compared".to_owned()],
            skipped: 0,
        };
    }
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    let mut keys = Vec::new();
    for (name, by_key) in all_keys(columns, count) {
        let mut of_key: Vec<Vec<usize>> = by_key.into_values().filter(|block| block.len() > 1).collect();
        if !of_key.is_empty() {
            keys.push(name);
            blocks.append(&mut of_key);
        }
    }
    // Equal sizes in order of their records, so that hashing does not decide.
    blocks.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    let mut seen = PairSet::new(count);
    let mut skipped = 0;
    let mut tried = 0;
    for block in blocks {
        let cost = block.len() * (block.len() - 1) / 2;
        tried += cost;
        if block.len() > LARGEST_BLOCK || seen.pairs + cost > MOST_PAIRS || tried > MOST_TRIED {
            skipped += 1;
            continue;
        }
        for (place, a) in block.iter().enumerate() {
            block.iter().skip(place + 1).filter(|b| wanted(*a, **b)).for_each(|b| seen.add(*a, *b));
        }
    }
    Pairs { pairs: seen.into_pairs(), keys, skipped }
}

/// Pairs as a table of bits, row by row: 3 MiB for the most records, and several times as quick as a set.
struct PairSet {
    bits: Vec<u64>,
    records: usize,
    pairs: usize,
}

impl PairSet {
    fn new(records: usize) -> Self {
        Self { bits: vec![0; (records * records).div_ceil(64)], records, pairs: 0 }
    }

    fn add(&mut self, a: usize, b: usize) {
        let place = a * self.records + b;
        if let Some(word) = self.bits.get_mut(place / 64) {
            let bit = 1 << (place % 64);
            self.pairs += usize::from(*word & bit == 0);
            *word |= bit;
        }
    }

    /// In order.
    fn into_pairs(self) -> Vec<(usize, usize)> {
        let mut pairs = Vec::with_capacity(self.pairs);
        for (place, word) in self.bits.into_iter().enumerate().filter(|(_, word)| *word != 0) {
            let set = (0..64).filter(|bit| word >> bit & 1 == 1).map(|bit| place * 64 + bit);
            pairs.extend(set.map(|place| (place / self.records, place % self.records)));
        }
        pairs
    }
}

type Blocks = HashMap<String, Vec<usize>>;

/// Keys of every field, and of pairs of coarse keys where one alone tells too little.
fn all_keys(columns: &[Column], count: usize) -> Vec<(String, Blocks)> {
    let mut keys = Vec::new();
    for column in columns {
        keys.push((format!("{} exactly", column.name), group(count, |record| Some(column.value(record)?.key.clone()))));
        if matches!(column.kind, Kind::Phone | Kind::Date | Kind::Code) {
            keys.push((
                format!("last five of {}", column.name),
                group(count, |record| {
                    let value = column.value(record)?;
                    (value.key.len() >= 7).then(|| value.end(5))
                }),
            ));
        }
        if column.kind == Kind::Email {
            keys.push((
                format!("part before the @ of {}", column.name),
                group(count, |record| column.value(record)?.key.split('@').next().map(str::to_owned)),
            ));
        }
    }
    let coarse: Vec<&Column> = columns.iter().filter(|column| column.kind != Kind::Number).collect();
    for (place, first) in coarse.iter().enumerate() {
        for other in coarse.iter().skip(place + 1) {
            let key = |record: usize| {
                let (a, b) = (first.value(record)?, other.value(record)?);
                Some(format!("{}|{}", a.start(3), b.start(3)))
            };
            keys.push((format!("first three of {} and of {}", first.name, other.name), group(count, key)));
        }
    }
    // Swapped members: the same two words in either order.
    let names: Vec<&&Column> = coarse.iter().filter(|column| column.kind == Kind::Name).take(2).collect();
    if let [first, second] = names.as_slice() {
        let key = |record: usize| {
            let mut both = [first.value(record)?.start(4), second.value(record)?.start(4)];
            both.sort();
            Some(both.concat())
        };
        keys.push((format!("first four of {} and {} in any order", first.name, second.name), group(count, key)));
    }
    keys
}

fn group(count: usize, key: impl Fn(usize) -> Option<String>) -> Blocks {
    let mut blocks = Blocks::new();
    for record in 0..count {
        if let Some(key) = key(record) {
            blocks.entry(key).or_default().push(record);
        }
    }
    blocks
}
