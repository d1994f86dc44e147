//! A sealed record, and the facts that a proof document establishes.

use serde::{Deserialize, Serialize};

/// A sealed record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// SHA-256 of the record's bytes in hex; called `worm_seal` in the API.
    pub seal: String,
    /// Position of the record in the chain, from 0.
    pub seq: u64,
    /// The record in canonical JSON, whose digest is `seal`. Present only if the calling account is
    /// a party to the record.
    #[serde(default)]
    pub body: Option<String>,
}

/// The result of verifying a proof document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The document is valid and proves these facts.
    Proven(Proven),
    /// The document is not valid; the text is the reason.
    NotProven(String),
}

/// The facts established by a proof document about a record in the ledger.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proven {
    /// Seal of the record, hex.
    pub seal: String,
    /// Position of the record in the chain, from 0.
    pub seq: u64,
    /// Number of records that the signed checkpoint covers.
    pub tree_size: u64,
    /// Name of the ledger that the signed checkpoint belongs to.
    pub origin: String,
    /// Name of the key that signed the checkpoint, one that this host trusts.
    pub key: String,
    /// Whether the record itself was passed along with the proof document and matches it.
    /// If false, only the document was verified.
    pub record_checked: bool,
}
