//! The newest entries of the two indexes (seal -> number, transaction id ->
//! number), kept in memory until they can be written together.
//!
//! Keys are digests, so an entry written at once dirties a page of its own in
//! each index; that was three quarters of what a sealed call cost. Here they
//! wait, and each commit moves a slice of neighbours (keys with the same first
//! byte) into the tables, going round the key space. Nothing is lost with the
//! memory: the records say it all, and opening reads back the newest of them.
//!
//! Invariants:
//! 1. Every durable record is in the tables, or here, or in both.
//! 2. Every record below the row `INDEXED_KEY` is in the tables.
//! 3. At most `INDEX_WAITING_MAX` entries of each index wait, beside those of
//!    one batch and what opening brought back.

use std::collections::HashMap;
use std::sync::LazyLock;

use tollbridge_core::limits::INDEX_SLICES_PER_COMMIT_MAX;

use super::sealing::Hash;

/// Entries of both indexes.
#[derive(Debug, Default)]
pub(super) struct IndexEntries {
    seals: Slices,
    txs: Slices,
}

/// Entries of one batch.
#[derive(Debug, Default)]
pub(super) struct NewIndexEntries {
    /// Transaction id, seal, number.
    all: Vec<(Hash, Hash, u64)>,
    txs: HashMap<Hash, u64>,
}

/// One index, a map for each slice of the key space: found at once, and moved
/// a slice at a time.
#[derive(Debug)]
struct Slices {
    maps: Vec<HashMap<Hash, u64>>,
    len: usize,
}

/// What waits, and how far round the key space the moving has come.
#[derive(Debug, Default)]
pub(super) struct RecentIndex {
    waiting: IndexEntries,
    /// How many may wait.
    max_waiting: usize,
    /// Number of records that are durable.
    size: u64,
    /// First byte of the keys that move next.
    slice: u8,
    /// Number of records when this round began.
    round_from: u64,
}

/// What one commit moves: the slices from `first` on, and what is then known.
#[derive(Debug, Default)]
pub(super) struct MergePlan {
    slices: Vec<u8>,
    round_from: u64,
    /// The new value of the row `INDEXED_KEY`, when a round ended.
    pub(super) indexed_below: Option<u64>,
}

impl IndexEntries {
    pub(super) const fn len(&self) -> usize {
        self.txs.len
    }

    pub(super) fn insert(&mut self, tx: Hash, seal: Hash, seq: u64) {
        self.txs.insert(tx, seq);
        self.seals.insert(seal, seq);
    }

    pub(super) fn seq_of_seal(&self, seal: &Hash) -> Option<u64> {
        self.seals.get(seal)
    }

    pub(super) fn seq_of_tx(&self, tx: &Hash) -> Option<u64> {
        self.txs.get(tx)
    }
}

impl NewIndexEntries {
    pub(super) const fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.txs.clear();
    }

    pub(super) fn insert(&mut self, tx: Hash, seal: Hash, seq: u64) {
        self.all.push((tx, seal, seq));
        self.txs.insert(tx, seq);
    }

    pub(super) fn seq_of_tx(&self, tx: &Hash) -> Option<u64> {
        self.txs.get(tx).copied()
    }
}

impl RecentIndex {
    /// After opening: what was read back, of a chain of `size` records; `max_waiting`
    /// may wait.
    pub(super) const fn new(waiting: IndexEntries, size: u64, max_waiting: usize) -> Self {
        Self { waiting, max_waiting, size, slice: 0, round_from: size }
    }

    pub(super) const fn waiting(&self) -> &IndexEntries {
        &self.waiting
    }

    /// What a commit that adds `fresh` records should move.
    pub(super) fn plan(&self, fresh: usize) -> MergePlan {
        let mut plan = MergePlan { slices: Vec::new(), round_from: self.round_from, indexed_below: None };
        let mut left = self.waiting.len() + fresh;
        let mut slice = self.slice;
        while left > self.max_waiting && plan.slices.len() < INDEX_SLICES_PER_COMMIT_MAX {
            left = left.saturating_sub(self.waiting.txs.slice(slice).len());
            plan.slices.push(slice);
            slice = slice.wrapping_add(1);
            if slice == 0 {
                // What waited when the round began has been passed by now.
                plan.indexed_below = Some(plan.round_from);
                plan.round_from = self.size;
            }
        }
        plan
    }

    /// Seals to write, in key order but for the turn of the round.
    pub(super) fn moving_seals(&self, plan: &MergePlan) -> impl Iterator<Item = (Hash, u64)> {
        plan.slices.iter().flat_map(|slice| self.waiting.seals.sorted(*slice))
    }

    /// Transaction ids to write, likewise.
    pub(super) fn moving_txs(&self, plan: &MergePlan) -> impl Iterator<Item = (Hash, u64)> {
        plan.slices.iter().flat_map(|slice| self.waiting.txs.sorted(*slice))
    }

    /// After the commit: what was moved goes, what is new comes.
    pub(super) fn turn(&mut self, plan: &MergePlan, fresh: &NewIndexEntries) {
        for slice in &plan.slices {
            self.waiting.seals.clear(*slice);
            self.waiting.txs.clear(*slice);
            self.slice = slice.wrapping_add(1);
        }
        self.round_from = plan.round_from;
        self.size = self.size.saturating_add(u64::try_from(fresh.len()).unwrap_or(u64::MAX));
        for (tx, seal, seq) in &fresh.all {
            self.waiting.insert(*tx, *seal, *seq);
        }
    }
}

#[cfg(any(test, feature = "testing"))]
impl RecentIndex {
    /// For tests that damage the index.
    pub(super) const fn waiting_mut(&mut self) -> &mut IndexEntries {
        &mut self.waiting
    }
}

#[cfg(any(test, feature = "testing"))]
impl IndexEntries {
    pub(super) fn retain_txs(&mut self, keep: impl Fn(u64) -> bool) {
        self.txs.maps.iter_mut().for_each(|map| map.retain(|_, seq| keep(*seq)));
    }

    pub(super) fn point_all_seals_to(&mut self, target: u64) {
        self.seals.maps.iter_mut().flat_map(HashMap::values_mut).for_each(|seq| *seq = target);
    }
}

impl Default for Slices {
    fn default() -> Self {
        Self { maps: (0..=u8::MAX).map(|_| HashMap::new()).collect(), len: 0 }
    }
}

impl Slices {
    fn slice(&self, first: u8) -> &HashMap<Hash, u64> {
        static EMPTY: LazyLock<HashMap<Hash, u64>> = LazyLock::new(HashMap::new);
        self.maps.get(usize::from(first)).unwrap_or(&EMPTY)
    }

    fn get(&self, key: &Hash) -> Option<u64> {
        self.slice(first_byte(key)).get(key).copied()
    }

    fn insert(&mut self, key: Hash, seq: u64) {
        if let Some(map) = self.maps.get_mut(usize::from(first_byte(&key))) {
            self.len += usize::from(map.insert(key, seq).is_none());
        }
    }

    fn clear(&mut self, first: u8) {
        if let Some(map) = self.maps.get_mut(usize::from(first)) {
            self.len -= map.len();
            map.clear();
        }
    }

    /// Entries of a slice, in key order.
    fn sorted(&self, first: u8) -> Vec<(Hash, u64)> {
        let mut entries: Vec<(Hash, u64)> = self.slice(first).iter().map(|(key, seq)| (*key, *seq)).collect();
        entries.sort_unstable();
        entries
    }
}

fn first_byte(key: &Hash) -> u8 {
    key.first().copied().unwrap_or_default()
}
