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

use std::collections::BTreeMap;
use std::ops::Bound;

use super::Hash;
use crate::limits::INDEX_SLICES_PER_COMMIT_MAX;

/// Entries of both indexes, in key order.
#[derive(Debug, Default)]
pub(super) struct Entries {
    seals: BTreeMap<Hash, u64>,
    txs: BTreeMap<Hash, u64>,
}

/// What waits, and how far round the key space the moving has come.
#[derive(Debug)]
pub(super) struct Recent {
    waiting: Entries,
    /// How many may wait.
    most: usize,
    /// Number of records that are durable.
    size: u64,
    /// First byte of the keys that move next.
    slice: u8,
    /// Number of records when this round began.
    round_from: u64,
}

/// What one commit moves: the slices from `first` on, and what is then known.
#[derive(Debug, Default)]
pub(super) struct Move {
    slices: Vec<u8>,
    round_from: u64,
    /// The new value of the row `INDEXED_KEY`, when a round ended.
    pub(super) indexed_below: Option<u64>,
}

impl Entries {
    pub(super) fn len(&self) -> usize {
        self.txs.len()
    }

    pub(super) fn insert(&mut self, tx: Hash, seal: Hash, seq: u64) {
        self.txs.insert(tx, seq);
        self.seals.insert(seal, seq);
    }

    pub(super) fn seq_of_seal(&self, seal: &Hash) -> Option<u64> {
        self.seals.get(seal).copied()
    }

    pub(super) fn seq_of_tx(&self, tx: &Hash) -> Option<u64> {
        self.txs.get(tx).copied()
    }
}

impl Recent {
    /// After opening: what was read back, of a chain of `size` records; `most`
    /// may wait.
    pub(super) const fn new(waiting: Entries, size: u64, most: usize) -> Self {
        Self { waiting, most, size, slice: 0, round_from: size }
    }

    pub(super) const fn waiting(&self) -> &Entries {
        &self.waiting
    }

    /// What a commit that adds `fresh` records should move.
    pub(super) fn plan(&self, fresh: usize) -> Move {
        let mut plan = Move { slices: Vec::new(), round_from: self.round_from, indexed_below: None };
        let mut left = self.waiting.len() + fresh;
        let mut slice = self.slice;
        while left > self.most && plan.slices.len() < INDEX_SLICES_PER_COMMIT_MAX {
            left = left.saturating_sub(of_slice(&self.waiting.txs, slice).count());
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
    pub(super) fn moving_seals(&self, plan: &Move) -> impl Iterator<Item = (&Hash, &u64)> {
        plan.slices.iter().flat_map(|slice| of_slice(&self.waiting.seals, *slice))
    }

    /// Transaction ids to write, likewise.
    pub(super) fn moving_txs(&self, plan: &Move) -> impl Iterator<Item = (&Hash, &u64)> {
        plan.slices.iter().flat_map(|slice| of_slice(&self.waiting.txs, *slice))
    }

    /// After the commit: what was moved goes, what is new comes.
    pub(super) fn turn(&mut self, plan: &Move, fresh: Entries) {
        for slice in &plan.slices {
            remove_slice(&mut self.waiting.seals, *slice);
            remove_slice(&mut self.waiting.txs, *slice);
            self.slice = slice.wrapping_add(1);
        }
        self.round_from = plan.round_from;
        self.size = self.size.saturating_add(u64::try_from(fresh.txs.len()).unwrap_or(u64::MAX));
        self.waiting.seals.extend(fresh.seals);
        self.waiting.txs.extend(fresh.txs);
    }
}

/// Bounds of the keys with this first byte.
fn bounds(slice: u8) -> (Bound<Hash>, Bound<Hash>) {
    let (mut first, mut last) = ([0; 32], [u8::MAX; 32]);
    if let (Some(low), Some(high)) = (first.first_mut(), last.first_mut()) {
        (*low, *high) = (slice, slice);
    }
    (Bound::Included(first), Bound::Included(last))
}

fn of_slice(entries: &BTreeMap<Hash, u64>, slice: u8) -> impl Iterator<Item = (&Hash, &u64)> {
    entries.range(bounds(slice))
}

fn remove_slice(entries: &mut BTreeMap<Hash, u64>, slice: u8) {
    let keys: Vec<Hash> = of_slice(entries, slice).map(|(key, _)| *key).collect();
    for key in keys {
        entries.remove(&key);
    }
}
