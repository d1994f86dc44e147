//! A sealed record, and the facts that a proof document proves.

use serde::{Deserialize, Serialize};

/// A sealed record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// SHA-256 of the record's bytes, hex: the API calls it `worm_seal`.
    pub seal: String,
    /// Position in the chain, from 0.
    pub seq: u64,
    /// The record in canonical JSON; `seal` is its digest. Only if the calling account is a party
    /// to it.
    #[serde(default)]
    pub body: Option<String>,
}

/// The verdict of the host's verifier on a proof document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The document is valid and proves these facts.
    Proven(Proven),
    /// The document is not valid, with the reason.
    NotProven(String),
}

/// The facts that a proof document proves: that a record is in the ledger.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proven {
    /// Seal of the record, hex.
    pub seal: String,
    /// Position of the record in the chain, from 0.
    pub seq: u64,
    /// Number of records under the signed checkpoint.
    pub tree_size: u64,
    /// The ledger that signed.
    pub origin: String,
    /// The signing key, which this host trusts.
    pub key: String,
    /// Whether the record was given and matches the proof.
    pub record_checked: bool,
}
