//! A sealed record, and what a proof document proves.

use serde::{Deserialize, Serialize};

/// A sealed record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// SHA-256 of the record's bytes, hex: what callers know as `worm_seal`.
    pub seal: String,
    /// Its place in the chain, from 0.
    pub seq: u64,
    /// The record in canonical JSON, of which `seal` is the digest. Only when
    /// the calling account is a party to it.
    #[serde(default)]
    pub body: Option<String>,
}

/// The verdict of the host's verifier on a proof document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The document proves this.
    Proven(Proven),
    /// Why the document proves nothing.
    NotProven(String),
}

/// What a proof document proves: that a record is in the ledger.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proven {
    /// Seal of the record, hex.
    pub seal: String,
    /// The record's place in the chain, from 0.
    pub seq: u64,
    /// Records under the signed checkpoint.
    pub tree_size: u64,
    /// The ledger that signed.
    pub origin: String,
    /// The key that signed, one that this host trusts.
    pub key: String,
    /// Whether the record was given and is the one of the proof.
    pub record_checked: bool,
}
