//! Records before and after they are assigned a position in the chain.

use tollbridge_core::money::Millipence;

/// A SHA-256 digest.
pub type Hash = [u8; 32];

/// One posting of a transaction: an amount added to an account's balance. A positive
/// balance is owed to the account. The postings of a record sum to zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posting {
    /// Name in the chart of accounts, for example `credit:acct_x`.
    pub account: String,
    /// Amount in millipence.
    pub amount: Millipence,
    /// Whether the change is refused if the account's balance would become negative.
    pub guarded: bool,
}

/// A record that has no position in the chain yet.
#[derive(Clone, Debug)]
pub struct Draft {
    /// Kind of the record: `policy`, `payment`, `route`, `grant`, `plugin`, …
    pub kind: &'static str,
    /// Transaction id, unique for ever; a second record with the same id is refused.
    pub tx: Hash,
    /// Unix time, milliseconds.
    pub time_ms: u64,
    /// Money movements; they sum to zero.
    pub postings: Vec<Posting>,
    /// Further content of the record: a JSON object in canonical form, without personal
    /// data or plugin output.
    pub body: Vec<u8>,
}

/// A record with its position in the chain: its stored bytes, its hash, and the tree
/// nodes that it completes.
#[derive(Clone, Debug)]
pub struct SealedRecord {
    /// Number of the record.
    pub seq: u64,
    /// SHA-256 of `bytes`.
    pub seal: Hash,
    /// The record in canonical form.
    pub bytes: Vec<u8>,
    /// Nodes of the Merkle tree that this record completed, to be stored.
    pub nodes: Vec<TreeNode>,
}

/// A complete subtree of the Merkle tree: `index` counts the subtrees of 2^level leaves
/// from the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeNode {
    /// Height of the subtree above the leaves.
    pub level: u8,
    /// Position among the subtrees of this level, from the left.
    pub index: u64,
    /// Hash of the subtree.
    pub hash: Hash,
}

/// Size of the record chain, and seal of its newest record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Head {
    /// Number of records.
    pub size: u64,
    /// Seal of the newest record; zeros if there is none.
    pub seal: Hash,
}
