//! Records before and after they get their place in the chain.

use tollbridge_core::money::Millipence;

/// A SHA-256 digest.
pub type Hash = [u8; 32];

/// One leg of a transaction; a positive amount is owed to the account. The postings of a
/// record sum to zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posting {
    /// Name in the chart of accounts, for example `credit:acct_x`.
    pub account: String,
    /// Amount in millipence.
    pub amount: Millipence,
    /// Whether the account may not become negative.
    pub guarded: bool,
}

/// A record before it has a place in the chain.
#[derive(Clone, Debug)]
pub struct Draft {
    /// `policy`, `payment`, `route`, `grant`, `plugin`, …
    pub kind: &'static str,
    /// Transaction id, unique for ever; a repeat is refused.
    pub tx: Hash,
    /// Unix time, milliseconds.
    pub time_ms: u64,
    /// Money movements; they sum to zero.
    pub postings: Vec<Posting>,
    /// Further content of the record: a JSON object in canonical form. No personal data and
    /// no plugin output.
    pub body: Vec<u8>,
}

/// A draft with its place in the chain: the stored bytes and their commitments.
#[derive(Clone, Debug)]
pub struct SealedRecord {
    /// Number of the record.
    pub seq: u64,
    /// SHA-256 of `bytes`.
    pub seal: Hash,
    /// The record in canonical form.
    pub bytes: Vec<u8>,
    /// Stored nodes of the Merkle tree that this record completed.
    pub nodes: Vec<TreeNode>,
}

/// A complete subtree: `index` counts subtrees of 2^level leaves from the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeNode {
    /// Height above the leaves.
    pub level: u8,
    /// Position on its level, from the left.
    pub index: u64,
    /// Hash of the subtree.
    pub hash: Hash,
}

/// Size and head of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Head {
    /// Number of records.
    pub size: u64,
    /// Seal of the newest record; zeros if there is none.
    pub seal: Hash,
}
