//! Read access to the ledger, and verification of proofs.

use futures_util::future::BoxFuture;
use tollbridge_store::Hash;

use super::error::ServiceError;

/// Reads sealed records and verifies proofs. Its futures wait for the disk.
pub trait LedgerReader: Send + Sync {
    /// Returns a record by its seal, or by its transaction id if `account` is a party to the
    /// record.
    fn record(
        &self,
        id: RecordId,
        account: Option<String>,
    ) -> BoxFuture<'_, Result<Option<LedgerRecord>, ServiceError>>;

    /// Returns the proof document (JSON) of the record with this seal.
    fn proof(&self, seal: Hash) -> BoxFuture<'_, Result<Option<String>, ServiceError>>;

    /// Verifies a proof document; if `record` (the canonical text of a record's body) is given,
    /// also verifies that the proof is about that record.
    fn verify(&self, document: String, record: Option<String>) -> BoxFuture<'_, Result<ProofVerdict, ServiceError>>;
}

/// A guest's reference to a record: a seal or a transaction id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordId {
    /// The record's seal.
    Seal(Hash),
    /// The transaction id that is in the record.
    Transaction(Hash),
}

/// A sealed record in the form that a guest may see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerRecord {
    /// The record's seal.
    pub seal: Hash,
    /// Position of the record in the ledger, from 0.
    pub seq: u64,
    /// Canonical text of the record's body, if the account is a party to the record.
    pub body: Option<String>,
}

/// The outcome of verifying a proof document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProofVerdict {
    /// The proof is valid and proves these facts.
    Proven(VerifiedProof),
    /// The proof is invalid, for this reason.
    NotProven(String),
}

/// The facts that a proof document proves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedProof {
    /// Seal of the record.
    pub seal: Hash,
    /// The record's position in the ledger, from 0.
    pub seq: u64,
    /// Number of records in the tree that the checkpoint signs.
    pub tree_size: u64,
    /// Origin line of the checkpoint.
    pub origin: String,
    /// Name of the key that signed the checkpoint.
    pub key: String,
    /// Whether the text of the record was also compared, not only its seal.
    pub record_checked: bool,
}
