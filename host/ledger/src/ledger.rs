//! The ledger of one data folder: its records, Merkle tree, checkpoints and proofs.

use std::ops::Range;
use std::sync::Arc;

use tollbridge_store::{Change, Hash, Head, Store, StoreError};

use crate::checkpoint::{Checkpoint, CheckpointKey, CheckpointSigner, origin_of};
use crate::error::{LedgerError, ProofUnavailable};
use crate::limits::NODE_LEVEL_KEPT_MIN;
use crate::proof::{Consistency, HexHash, Proof};
use crate::record::Record;
use crate::records::Records;
use crate::stored_checkpoint::{Checkpointing, StoredCheckpoint, newest, put};
use crate::tree;
use crate::tree::Nodes;

/// Reads the ledger of a store, signs its checkpoints and creates proofs.
pub struct Ledger {
    pub(super) store: Arc<dyn Store>,
    pub(super) signer: CheckpointSigner,
}

impl Ledger {
    /// Opens the ledger of a store and checks that its newest checkpoint matches the
    /// records. `seed` is the secret key for signing checkpoints. `host` names the ledger
    /// if it has no checkpoint yet; after that, the name never changes.
    pub fn open(store: Arc<dyn Store>, seed: &[u8; 32], host: &str) -> Result<Self, LedgerError> {
        let newest = newest(store.as_ref())?;
        let origin = match &newest {
            Some(newest_checkpoint) => newest_checkpoint.signed.checkpoint.origin.clone(),
            None => origin_of(host)?,
        };
        let ledger = Self { store, signer: CheckpointSigner::new(&origin, seed)? };
        if let Some(newest_checkpoint) = &newest {
            ledger.check_grown_from(&newest_checkpoint.signed.checkpoint)?;
        }
        Ok(ledger)
    }

    /// Returns the ledger's name in checkpoints.
    pub fn origin(&self) -> String {
        self.signer.public().name().to_owned()
    }

    /// Returns the public half of the current signing key.
    pub fn key(&self) -> CheckpointKey {
        self.signer.public()
    }

    /// Returns the number of records and the newest seal.
    pub fn head(&self) -> Result<Head, LedgerError> {
        Ok(self.store.head()?)
    }

    /// Returns the bytes of a record and its parsed contents.
    pub fn record(&self, seq: u64) -> Result<Option<(Vec<u8>, Record)>, LedgerError> {
        let Some(bytes) = self.store.record(seq)? else { return Ok(None) };
        let record = Record::parse(&bytes).map_err(|source| LedgerError::Record { seq, source })?;
        Ok(Some((bytes, record)))
    }

    /// Returns the records in a range of numbers, in order.
    pub fn records(&self, range: Range<u64>) -> Records<'_> {
        Records::new(self.store.as_ref(), range)
    }

    /// Returns the newest checkpoint on disk.
    pub fn newest_checkpoint(&self) -> Result<Option<StoredCheckpoint>, LedgerError> {
        newest(self.store.as_ref())
    }

    /// Returns a checkpoint over all records on disk: the stored one if no record was
    /// added since, otherwise a new one, which the caller must write. `now_ms` is stored
    /// with the note but not signed.
    pub fn checkpoint(&self, now_ms: u64) -> Result<Checkpointing, LedgerError> {
        let size = self.store.head()?.size;
        let before = self.newest_checkpoint()?;
        if let Some(newest_checkpoint) = &before {
            self.check_grown_from(&newest_checkpoint.signed.checkpoint)?;
        }
        match before {
            Some(newest_checkpoint) if newest_checkpoint.signed.checkpoint.size >= size => {
                Ok(Checkpointing::Unchanged(newest_checkpoint))
            }
            None if size == 0 => Err(LedgerError::Empty),
            _ => {
                let signed = self.signer.sign(size, self.root(size)?);
                let checkpoint = StoredCheckpoint { signed, key: self.signer.public(), time_ms: now_ms };
                let change = Change { puts: vec![put(&checkpoint)?], ..Change::default() };
                Ok(Checkpointing::New { checkpoint, change: Box::new(change) })
            }
        }
    }

    /// Checks that the records still match an older checkpoint, such as the newest one in
    /// the file outside the database.
    pub fn check_grown_from(&self, older: &Checkpoint) -> Result<(), LedgerError> {
        let size = self.store.head()?.size;
        if older.size > size {
            return Err(LedgerError::RolledBack { signed: older.size, found: size });
        }
        let path = tree::consistency(&self.nodes(), older.size, size)?;
        let (now, old) = (self.root(size)?, &older.root);
        if tree::verify_consistency(older.size, size, old, &now, &path) {
            Ok(())
        } else {
            Err(LedgerError::Rewritten { size: older.size })
        }
    }

    /// Proves that the newest checkpoint covers the record with this seal. If `from` is
    /// given, also proves that the tree of the first `from` records is a prefix of the
    /// checkpoint's tree.
    pub fn proof(&self, seal: &Hash, from: Option<u64>) -> Result<Proof, ProofUnavailable> {
        let store = |error: StoreError| ProofUnavailable::Ledger(error.into());
        let seq = self.store.seq_of_seal(seal).map_err(store)?.ok_or(ProofUnavailable::Unknown)?;
        let newest = self.newest_checkpoint()?.filter(|newest| newest.signed.checkpoint.size > seq);
        let newest = newest.ok_or(ProofUnavailable::NotCovered { seq })?.signed;
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

    /// Proves that the tree of the first `from` records is a prefix of the tree of the
    /// first `to` records.
    pub fn consistency(&self, from: u64, to: u64) -> Result<Vec<Hash>, LedgerError> {
        let size = self.store.head()?.size;
        if from > to || to > size {
            return Err(LedgerError::Range { from, to, size });
        }
        tree::consistency(&self.nodes(), from, to)
    }

    /// Returns the root of the tree over the first `size` records.
    pub fn root(&self, size: u64) -> Result<Hash, LedgerError> {
        tree::root(&self.nodes(), size)
    }

    pub(super) fn nodes(&self) -> StoredNodes<'_> {
        StoredNodes(self.store.as_ref())
    }
}

/// The tree nodes of a store: low nodes are computed from the records, the others are
/// stored.
pub(super) struct StoredNodes<'s>(pub(super) &'s dyn Store);

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
