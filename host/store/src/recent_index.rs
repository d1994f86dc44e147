//! The newest entries of the two indexes (seal -> number, transaction id -> number), kept
//! in memory until they can be written together.
//!
//! Keys are digests, so an index entry written immediately modifies a separate page in
//! each index, which used to cause three quarters of the cost of a sealed call. Instead,
//! new entries wait in memory. Each commit moves slices of them (all keys with the same
//! first byte) into the tables, cycling through the key space. A crash loses nothing: the
//! records contain all the information, and opening the store rebuilds the newest entries
//! from them.
//!
//! Invariants:
//! 1. Every durable record is indexed in the tables, in memory, or both.
//! 2. Every record below the number in the row `INDEXED_KEY` is indexed in the tables.
//! 3. At most `INDEX_WAITING_MAX` entries of each index wait in memory, besides those of
//!    the current batch and those rebuilt when the store was opened.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::sealing::Hash;

/// Maximum number of slices of the key space (out of 256) that one commit writes to the
/// indexes. It bounds the work of a commit after a start that replayed many entries.
const INDEX_SLICES_PER_COMMIT_MAX: usize = 16;

/// Waiting entries of both indexes.
#[derive(Debug, Default)]
pub(super) struct IndexEntries {
    seals: Slices,
    txs: Slices,
}

/// New entries of one batch.
#[derive(Debug, Default)]
pub(super) struct NewIndexEntries {
    /// Transaction id, seal and number of each record.
    all: Vec<(Hash, Hash, u64)>,
    txs: HashMap<Hash, u64>,
}

/// One index, with one map for each slice of the key space: a look-up reads one map, and
/// a slice moves as a whole.
#[derive(Debug)]
struct Slices {
    maps: Vec<HashMap<Hash, u64>>,
    len: usize,
}

/// The index entries waiting in memory, and the progress of the current round through the
/// key space.
#[derive(Debug, Default)]
pub(super) struct RecentIndex {
    waiting: IndexEntries,
    /// Maximum number of waiting entries.
    max_waiting: usize,
    /// Number of durable records.
    size: u64,
    /// The slice to move next: the first byte of its keys.
    slice: u8,
    /// Number of records at the start of this round.
    round_from: u64,
}

/// The slices that one commit moves into the tables, and the index state after that
/// commit.
#[derive(Debug, Default)]
pub(super) struct MergePlan {
    slices: Vec<u8>,
    round_from: u64,
    /// New value of the row `INDEXED_KEY`, if this commit completes a round.
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
    /// Creates the index when a store is opened: `waiting` holds the entries rebuilt from
    /// the newest of its `size` records.
    pub(super) const fn new(waiting: IndexEntries, size: u64, max_waiting: usize) -> Self {
        Self { waiting, max_waiting, size, slice: 0, round_from: size }
    }

    pub(super) const fn waiting(&self) -> &IndexEntries {
        &self.waiting
    }

    /// Plans which slices to move in a commit that adds `fresh` records.
    pub(super) fn plan(&self, fresh: usize) -> MergePlan {
        let mut plan = MergePlan { slices: Vec::new(), round_from: self.round_from, indexed_below: None };
        let mut left = self.waiting.len() + fresh;
        let mut slice = self.slice;
        while left > self.max_waiting && plan.slices.len() < INDEX_SLICES_PER_COMMIT_MAX {
            left = left.saturating_sub(self.waiting.txs.slice(slice).len());
            plan.slices.push(slice);
            slice = slice.wrapping_add(1);
            if slice == 0 {
                // Every slice that was waiting when the round began has been moved.
                plan.indexed_below = Some(plan.round_from);
                plan.round_from = self.size;
            }
        }
        plan
    }

    /// Returns the seals to write, in key order except where the round wraps.
    pub(super) fn moving_seals(&self, plan: &MergePlan) -> impl Iterator<Item = (Hash, u64)> {
        plan.slices.iter().flat_map(|slice| self.waiting.seals.sorted(*slice))
    }

    /// Returns the transaction ids to write, in key order except where the round wraps.
    pub(super) fn moving_txs(&self, plan: &MergePlan) -> impl Iterator<Item = (Hash, u64)> {
        plan.slices.iter().flat_map(|slice| self.waiting.txs.sorted(*slice))
    }

    /// Applies a plan after its commit: removes the moved entries and adds the new ones.
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
    /// Returns the waiting entries mutably, so that tests can damage them.
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

    /// Returns the entries whose keys begin with the byte `first`, in key order.
    fn sorted(&self, first: u8) -> Vec<(Hash, u64)> {
        let mut entries: Vec<(Hash, u64)> = self.slice(first).iter().map(|(key, seq)| (*key, *seq)).collect();
        entries.sort_unstable();
        entries
    }
}

fn first_byte(key: &Hash) -> u8 {
    key.first().copied().unwrap_or_default()
}
