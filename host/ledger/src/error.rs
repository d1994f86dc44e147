//! Errors of reading the ledger and of creating proofs and checkpoints.

use tollbridge_store::StoreError;

use crate::checkpoint::CheckpointError;
use crate::record::RecordError;

/// The reason why the ledger cannot be read or a checkpoint cannot be signed.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum LedgerError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("record {seq} is missing; restore the data folder from a backup")]
    MissingRecord { seq: u64 },
    #[error("node {index} of level {level} of the tree is missing; restore the data folder from a backup")]
    MissingNode { level: u8, index: u64 },
    #[error("record {seq} is damaged: {source}")]
    Record { seq: u64, source: RecordError },
    #[error("record {seq} should be the newest but is not; restore the data folder from a backup")]
    Misplaced { seq: u64 },
    #[error("the stored checkpoint of size {size} is damaged: {why}")]
    Checkpoint { size: u64, why: String },
    #[error("the ledger has {found} records, but a checkpoint covers {signed}: the data folder was rolled back")]
    RolledBack { signed: u64, found: u64 },
    #[error("the first {size} records do not match the checkpoint of that size: the ledger was rewritten")]
    Rewritten { size: u64 },
    #[error("there is no record yet, so there is nothing to sign")]
    Empty,
    #[error("cannot prove growth from size {from} to size {to}; the ledger has {size} records")]
    Range { from: u64, to: u64, size: u64 },
    #[error(transparent)]
    Key(#[from] CheckpointError),
}

/// The reason why no proof can be made for a seal.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum ProofUnavailable {
    #[error("no record has this seal")]
    Unknown,
    #[error("record {seq} is sealed, but no checkpoint covers it yet; ask again shortly")]
    NotCovered { seq: u64 },
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}
