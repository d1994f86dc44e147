//! The chain gives each draft its position, as the store's `Sealer`.
//!
//! Invariants: sequence numbers have no gaps; each record contains the seal of the
//! previous one; time never decreases (if the clock was set back, the last time is
//! repeated); the frontier is the right edge of the tree over all records so far.

use tollbridge_store::{Draft, Hash, SealedRecord, Sealer, Store, StoreError, TreeNode};

use super::error::LedgerError;
use super::ledger::StoredNodes;
use super::record::RecordError;
use super::record::{Record, encode, seal_of};
use super::tree::{Nodes, inner_hash, leaf_hash};
use crate::limits::NODE_LEVEL_KEPT_MIN;

/// The state at the end of the chain, from which the next draft is sealed.
#[derive(Clone, Debug)]
pub struct Chain {
    next: u64,
    prev: Hash,
    time_ms: u64,
    /// Roots of the complete subtrees, from the left; one per set bit of `next`.
    frontier: Vec<Hash>,
}

impl Chain {
    /// Returns an empty chain.
    pub const fn new() -> Self {
        Self { next: 0, prev: [0; 32], time_ms: 0, frontier: Vec::new() }
    }

    /// Restores the chain of a store from the newest record and the stored tree nodes.
    pub fn resume(store: &dyn Store) -> Result<Self, LedgerError> {
        let head = store.head()?;
        let Some(newest) = head.size.checked_sub(1) else {
            return Ok(Self::new());
        };
        let bytes = store.record(newest)?.ok_or(LedgerError::MissingRecord { seq: newest })?;
        let damaged = |source: RecordError| LedgerError::Record { seq: newest, source };
        let record = Record::parse(&bytes).map_err(damaged)?;
        if record.seq != newest || seal_of(&bytes) != head.seal {
            return Err(LedgerError::Misplaced { seq: newest });
        }
        let mut frontier = Vec::new();
        let mut start = 0_u64;
        for level in (0..u64::BITS).rev().filter(|level| head.size >> level & 1 == 1) {
            let (index, level) = (start >> level, u8::try_from(level).unwrap_or(u8::MAX));
            frontier.push(StoredNodes(store).node(level, index)?);
            start += 1 << level;
        }
        Ok(Self { next: head.size, prev: head.seal, time_ms: record.time_ms, frontier })
    }

    /// Returns the number of records.
    pub const fn size(&self) -> u64 {
        self.next
    }

    /// Returns the seal of the newest record; zeros if there is no record.
    pub const fn newest_seal(&self) -> Hash {
        self.prev
    }

    /// Returns the root of the tree over all records.
    pub fn root(&self) -> Hash {
        let joined = self.frontier.iter().rev().copied().reduce(|right, left| inner_hash(&left, &right));
        joined.unwrap_or_else(super::tree::empty_root)
    }

    /// Appends the next record's bytes to the chain and the tree. Returns the record's
    /// seal and the completed nodes to store. Low nodes are not stored: they can be
    /// recomputed from a few records, and would make up most of each write.
    pub(super) fn append(&mut self, bytes: &[u8], time_ms: u64) -> (Hash, Vec<TreeNode>) {
        let mut nodes = Vec::new();
        let (mut level, mut index, mut hash) = (0, self.next, leaf_hash(bytes));
        while index & 1 == 1 {
            // A right subtree always has its left neighbour in the frontier.
            let Some(left) = self.frontier.pop() else { break };
            hash = inner_hash(&left, &hash);
            level += 1;
            index >>= 1;
            if level >= NODE_LEVEL_KEPT_MIN {
                nodes.push(TreeNode { level, index, hash });
            }
        }
        self.frontier.push(hash);
        self.next += 1;
        self.prev = seal_of(bytes);
        self.time_ms = time_ms;
        (self.prev, nodes)
    }
}

impl Default for Chain {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealer for Chain {
    fn seal(&mut self, draft: &Draft) -> SealedRecord {
        let (seq, time_ms) = (self.next, self.time_ms.max(draft.time_ms));
        let bytes = encode(draft, seq, &self.prev, time_ms);
        let (seal, nodes) = self.append(&bytes, time_ms);
        SealedRecord { seq, seal, bytes, nodes }
    }

    fn resume_from(&mut self, store: &dyn Store) -> Result<(), StoreError> {
        let doing = "reading the end of the chain";
        *self = Self::resume(store).map_err(|source| StoreError { doing, source: source.into() })?;
        Ok(())
    }
}
