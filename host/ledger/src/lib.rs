//! The ledger: double-entry postings in a chain of sealed records, a Merkle
//! tree over them, signed checkpoints, proofs, and a verifier that needs none
//! of it to be trusted. `docs/ledger-format.md` specifies the bytes.
//!
//! Invariants:
//! 1. A record's bytes follow from its draft and its place, and nothing in
//!    this room changes or removes one.
//! 2. The postings of a record follow from its body.
//! 3. A checkpoint is signed only for a size that is on disk, only one root is
//!    ever signed for a size, and only after the tree of the one before was
//!    checked to be a prefix.
//!
//! Tamper-evident, not tamper-proof: what nobody outside has seen can be
//! rewritten by whoever has the key.

mod bodies;
mod books;
mod canon;
mod chain;
mod chart;
mod checkpoint;
mod earning;
mod entry;
pub mod events;
mod export;
mod glance;
pub mod idempotency;
mod inference;
mod nested;
mod notary;
mod parties;
mod policy;
mod proof;
mod record;
mod records;
mod settlement;
mod tasks;
pub mod tree;
mod verify;

#[cfg(test)]
mod nested_tests;
#[cfg(test)]
mod sabotage_tests;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use bodies::{
    Earnings, Event, Grant, Mode, Payer, Payment, PluginAct, PluginKind, PluginVerb, Policy, PublisherAct,
    PublisherVerb, RecordedShares, Refund, RefundStage, Route, TaskFacts, Topup, salted,
};
pub use books::BooksError;
pub use chain::Chain;
pub use chart::{LedgerAccount, is_party};
pub use checkpoint::{Checkpoint, CheckpointError, CheckpointKey, CheckpointSigner, SignedCheckpoint, origin_of};
pub use earning::{BudgetFunding, Earn, FundingSource, Purpose, Transfer};
pub use entry::{Entry, EntryError};
pub use export::{ExportError, verify_store};
pub use glance::{Glance, Moved};
pub use inference::InferenceCharge;
pub use nested::{Nested, NestedCosts, split_tree};
pub use notary::{Notary, NotaryError, ProofFailure, Sealed, Seen, random_tx};
pub use parties::{Parties, PartiesError};
pub use policy::{PolicyInForce, PolicyProblem};
pub use proof::{Consistency, HexHash, Proof, ProofContext, ProofError, ProofReport};
pub use record::{Leg, Record, RecordError, seal_of};
pub use records::Records;
pub use settlement::{Dispute, DisputeStage, Fee, Purchase, Release, Released, Withdraw, WithdrawStage};
pub use tasks::{TaskMoney, TaskStage, task_id, tx_of_task};
pub use verify::{Failure, Problem, Report, Trust, verify};

use tollbridge_core::limits::NODE_LEVEL_KEPT_MIN;
use tollbridge_store::{Change, Collection, Expect, Hash, Head, Put, Store, StoreError};
use tree::Nodes;

/// Reads a store's ledger, signs checkpoints of it and makes proofs.
pub struct Ledger {
    store: Arc<dyn Store>,
    signer: CheckpointSigner,
}

/// Why the ledger cannot answer, or must not sign.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("record {seq} is missing; restore the data folder from a backup")]
    MissingRecord { seq: u64 },
    #[error("node {index} of level {level} of the tree is missing; restore the data folder from a backup")]
    MissingNode { level: u8, index: u64 },
    #[error("record {seq} is damaged: {source}")]
    Record { seq: u64, source: RecordError },
    #[error("the newest record is not record {seq}; restore the data folder from a backup")]
    Misplaced { seq: u64 },
    #[error("the stored checkpoint of size {size} is damaged: {why}")]
    Checkpoint { size: u64, why: String },
    #[error("the ledger has {found} records, but a checkpoint covers {signed}: the data folder was set back")]
    RolledBack { signed: u64, found: u64 },
    #[error("the first {size} records are not those of the checkpoint of that size: the ledger was rewritten")]
    Rewritten { size: u64 },
    #[error("there is no record yet, so there is nothing to sign")]
    Empty,
    #[error("from size {from} to size {to} nothing can be proven; the ledger has {size} records")]
    Range { from: u64, to: u64, size: u64 },
    #[error(transparent)]
    Key(#[from] CheckpointError),
}

/// A checkpoint as it is kept in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCheckpoint {
    pub signed: SignedCheckpoint,
    /// The key that signed it, of which the store remembers each.
    pub key: CheckpointKey,
    /// Unix time, milliseconds.
    pub time_ms: u64,
}

/// The answer to a wish for a checkpoint.
#[derive(Debug)]
pub enum Checkpointing {
    /// The tree has not grown since this one.
    Unchanged(StoredCheckpoint),
    /// A new one. It may be shown only after `change` is durable; a refusal of
    /// `change` means that another task was quicker, so ask again.
    New { checkpoint: StoredCheckpoint, change: Box<Change> },
}

/// Row of `Collection::Checkpoints`.
#[derive(Serialize, Deserialize)]
struct Row {
    note: String,
    key: String,
    time_ms: u64,
}

/// Why there is no proof for a seal.
#[derive(Debug, thiserror::Error)]
pub enum NoProof {
    #[error("no record has this seal")]
    Unknown,
    #[error("record {seq} is sealed, but no checkpoint covers it yet; ask again shortly")]
    NotCovered { seq: u64 },
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

impl Ledger {
    /// Opens the ledger of a store and checks that its newest checkpoint still
    /// holds. `seed` is the secret for checkpoints; `host` names the ledger if
    /// it has no checkpoint yet: the origin stays for life.
    pub fn open(store: Arc<dyn Store>, seed: &[u8; 32], host: &str) -> Result<Self, LedgerError> {
        let newest = newest(store.as_ref())?;
        let origin = match &newest {
            Some(found) => found.signed.checkpoint.origin.clone(),
            None => origin_of(host)?,
        };
        let ledger = Self { store, signer: CheckpointSigner::new(&origin, seed)? };
        if let Some(found) = &newest {
            ledger.check_grown_from(&found.signed.checkpoint)?;
        }
        Ok(ledger)
    }

    /// The origin that checkpoints carry.
    pub fn origin(&self) -> String {
        self.signer.public().name().to_owned()
    }

    /// The key that signs from now on.
    pub fn key(&self) -> CheckpointKey {
        self.signer.public()
    }

    /// Size and newest seal.
    pub fn head(&self) -> Result<Head, LedgerError> {
        Ok(self.store.head()?)
    }

    /// The bytes of a record and what they say.
    pub fn record(&self, seq: u64) -> Result<Option<(Vec<u8>, Record)>, LedgerError> {
        let Some(bytes) = self.store.record(seq)? else { return Ok(None) };
        let record = Record::parse(&bytes).map_err(|source| LedgerError::Record { seq, source })?;
        Ok(Some((bytes, record)))
    }

    /// Records in their order.
    pub fn records(&self, range: Range<u64>) -> Records<'_> {
        Records::new(self.store.as_ref(), range)
    }

    /// The newest checkpoint that is on disk.
    pub fn newest_checkpoint(&self) -> Result<Option<StoredCheckpoint>, LedgerError> {
        newest(self.store.as_ref())
    }

    /// A checkpoint over all that is on disk: the stored one if the tree has
    /// not grown, else a new one for the caller to write. `now_ms` is kept
    /// beside the note and not signed.
    pub fn checkpoint(&self, now_ms: u64) -> Result<Checkpointing, LedgerError> {
        let size = self.store.head()?.size;
        let before = self.newest_checkpoint()?;
        if let Some(found) = &before {
            self.check_grown_from(&found.signed.checkpoint)?;
        }
        match before {
            Some(found) if found.signed.checkpoint.size >= size => Ok(Checkpointing::Unchanged(found)),
            None if size == 0 => Err(LedgerError::Empty),
            _ => {
                let signed = self.signer.sign(size, self.root(size)?);
                let checkpoint = StoredCheckpoint { signed, key: self.signer.public(), time_ms: now_ms };
                let change = Change { puts: vec![put(&checkpoint)?], ..Change::default() };
                Ok(Checkpointing::New { checkpoint, change: Box::new(change) })
            }
        }
    }

    /// Checks that an older checkpoint, for example the newest one in the file
    /// outside the database, is one of this ledger as it is now.
    pub fn check_grown_from(&self, older: &Checkpoint) -> Result<(), LedgerError> {
        let found = self.store.head()?.size;
        if older.size > found {
            return Err(LedgerError::RolledBack { signed: older.size, found });
        }
        let path = tree::consistency(&self.nodes(), older.size, found)?;
        let (now, old) = (self.root(found)?, &older.root);
        if tree::verify_consistency(older.size, found, old, &now, &path) {
            Ok(())
        } else {
            Err(LedgerError::Rewritten { size: older.size })
        }
    }

    /// Proof that the record with this seal is under the newest checkpoint,
    /// and, if asked, that the tree of `from` records is a prefix of its tree.
    pub fn proof(&self, seal: &Hash, from: Option<u64>) -> Result<Proof, NoProof> {
        let store = |error: StoreError| NoProof::Ledger(error.into());
        let seq = self.store.seq_of_seal(seal).map_err(store)?.ok_or(NoProof::Unknown)?;
        let newest = self.newest_checkpoint()?.filter(|newest| newest.signed.checkpoint.size > seq);
        let newest = newest.ok_or(NoProof::NotCovered { seq })?.signed;
        let Checkpoint { size, root, .. } = newest.checkpoint;
        let hex = |hashes: Vec<Hash>| hashes.into_iter().map(HexHash).collect::<Vec<_>>();
        let consistency = match from {
            Some(from) => Some(Consistency { from, hashes: hex(self.consistency(from, size)?) }),
            None => None,
        };
        Ok(Proof {
            seal: *seal,
            seq,
            leaf_hash: self.nodes().node(0, seq)?,
            tree_size: size,
            root,
            inclusion: hex(tree::inclusion(&self.nodes(), seq, size)?),
            checkpoint: newest.note().to_owned(),
            consistency,
        })
    }

    /// Proof that the tree of `from` records is a prefix of that of `to`.
    pub fn consistency(&self, from: u64, to: u64) -> Result<Vec<Hash>, LedgerError> {
        let size = self.store.head()?.size;
        if from > to || to > size {
            return Err(LedgerError::Range { from, to, size });
        }
        tree::consistency(&self.nodes(), from, to)
    }

    /// Root of the first `size` records.
    pub fn root(&self, size: u64) -> Result<Hash, LedgerError> {
        tree::root(&self.nodes(), size)
    }

    fn nodes(&self) -> StoredNodes<'_> {
        StoredNodes(self.store.as_ref())
    }
}

/// The tree of a store: low subtrees from the records, the rest as it was stored.
struct StoredNodes<'s>(&'s dyn Store);

impl Nodes for StoredNodes<'_> {
    type Error = LedgerError;

    fn node(&self, level: u8, index: u64) -> Result<Hash, LedgerError> {
        if level >= NODE_LEVEL_KEPT_MIN {
            return self.0.node(level, index)?.ok_or(LedgerError::MissingNode { level, index });
        }
        if level > 0 {
            let left = index.saturating_mul(2);
            return Ok(tree::inner_hash(&self.node(level - 1, left)?, &self.node(level - 1, left.saturating_add(1))?));
        }
        let bytes = self.0.record(index)?.ok_or(LedgerError::MissingRecord { seq: index })?;
        Ok(tree::leaf_hash(&bytes))
    }
}

/// Key of a checkpoint's row: sorts by size.
fn row_key(size: u64) -> String {
    format!("{size:020}")
}

fn put(checkpoint: &StoredCheckpoint) -> Result<Put, LedgerError> {
    let size = checkpoint.signed.checkpoint.size;
    let note = checkpoint.signed.note().to_owned();
    let row = Row { note, key: checkpoint.key.to_string(), time_ms: checkpoint.time_ms };
    let value = serde_json::to_vec(&row).map_err(|error| LedgerError::Checkpoint { size, why: error.to_string() })?;
    // Absent: for one size there is never a second checkpoint.
    Ok(Put { collection: Collection::Checkpoints, key: row_key(size), value: Some(value), expect: Expect::Absent })
}

/// The newest checkpoint of a store. The store lists upwards only, so this
/// gallops down from the head, where the newest one nearly always is.
fn newest(store: &dyn Store) -> Result<Option<StoredCheckpoint>, LedgerError> {
    let mut high = store.head()?.size;
    if let Some(beyond) = first_above(store, Some(high))? {
        // More was signed than there is; whoever looks at it will say so.
        return load(store, beyond).map(Some);
    }
    let (mut low, mut step) = (None, 1);
    while low.is_none() && high > 0 {
        let probe = high.saturating_sub(step);
        low = first_above(store, Some(probe))?;
        if low.is_none() {
            high = probe;
        }
        step = step.saturating_mul(2);
    }
    let Some(mut low) = low else { return Ok(None) };
    while low < high {
        let middle = low + (high - low) / 2;
        match first_above(store, Some(middle))? {
            Some(size) => low = size,
            None => high = middle,
        }
    }
    load(store, low).map(Some)
}

/// Size of the smallest checkpoint above a size, or of the smallest of all.
fn first_above(store: &dyn Store, size: Option<u64>) -> Result<Option<u64>, LedgerError> {
    let after = size.map(row_key).unwrap_or_default();
    let Some((key, _)) = store.list(Collection::Checkpoints, &after, 1)?.into_iter().next() else {
        return Ok(None);
    };
    match key.parse::<u64>() {
        Ok(found) if row_key(found) == key && size.is_none_or(|size| found > size) => Ok(Some(found)),
        _ => Err(LedgerError::Checkpoint { size: size.unwrap_or(0), why: format!("`{key}` is not a size") }),
    }
}

/// The checkpoint of a size, its signature verified.
fn load(store: &dyn Store, size: u64) -> Result<StoredCheckpoint, LedgerError> {
    let damaged = |why: String| LedgerError::Checkpoint { size, why };
    let value = store.get(Collection::Checkpoints, &row_key(size))?;
    let value = value.ok_or_else(|| damaged("it is gone".to_owned()))?;
    let row: Row = serde_json::from_slice(&value).map_err(|error| damaged(error.to_string()))?;
    let key: CheckpointKey = row.key.parse().map_err(|error: CheckpointError| damaged(error.to_string()))?;
    let signed = SignedCheckpoint::parse(&row.note).map_err(|error| damaged(error.to_string()))?;
    signed.verify(std::slice::from_ref(&key)).map_err(|error| damaged(error.to_string()))?;
    if signed.checkpoint.size != size || signed.checkpoint.origin != key.name() {
        return Err(damaged("it is filed under another size or key".to_owned()));
    }
    Ok(StoredCheckpoint { signed, key, time_ms: row.time_ms })
}
