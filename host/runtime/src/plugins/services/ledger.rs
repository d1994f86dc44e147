//! Read access to the ledger, and verification of proofs.

use futures_util::future::BoxFuture;
use tollbridge_store::Hash;

use super::error::ServiceError;

/// Reads sealed records and verifies proofs. Waits for the disk.
pub trait LedgerReader: Send + Sync {
    /// Returns a record by its seal; or by its transaction id, if `account` is a party to it.
    fn record(
        &self,
        id: RecordId,
        account: Option<String>,
    ) -> BoxFuture<'_, Result<Option<LedgerRecord>, ServiceError>>;

    /// Returns the proof document, JSON, of the record with this seal.
    fn proof(&self, seal: Hash) -> BoxFuture<'_, Result<Option<String>, ServiceError>>;

    /// Verifies a proof document, and that it is about `record` if one is given
    /// (the canonical text of its body).
    fn verify(&self, document: String, record: Option<String>) -> BoxFuture<'_, Result<ProofVerdict, ServiceError>>;
}

/// A guest's reference to a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordId {
    /// The record's seal.
    Seal(Hash),
    /// The transaction that it records.
    Transaction(Hash),
}

/// A sealed record in the form that a guest may see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerRecord {
    /// The record's seal.
    pub seal: Hash,
    /// Its position in the ledger, from 0.
    pub seq: u64,
    /// Its canonical text, if the account is a party to it.
    pub body: Option<String>,
}

/// The outcome of verifying a proof document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProofVerdict {
    /// The proof is valid, and this is what it proves.
    Proven(VerifiedProof),
    /// The reason why it proves nothing.
    NotProven(String),
}

/// The facts that a proof document proves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedProof {
    /// Seal of the record.
    pub seal: Hash,
    /// The record's position in the ledger, from 0.
    pub seq: u64,
    /// Records in the tree that the checkpoint signs.
    pub tree_size: u64,
    /// Origin line of the checkpoint.
    pub origin: String,
    /// Name of the key that signed the checkpoint.
    pub key: String,
    /// Whether the record's own text was compared, not only its seal.
    pub record_checked: bool,
}
