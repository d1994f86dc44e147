//! How records get their place in the chain.

use crate::change::Draft;

/// A SHA-256 digest.
pub type Hash = [u8; 32];

/// A draft that got its place: the bytes that are kept and what commits to them.
#[derive(Clone, Debug)]
pub struct SealedRecord {
    pub seq: u64,
    /// SHA-256 of `bytes`.
    pub seal: Hash,
    /// The record in canonical form.
    pub bytes: Vec<u8>,
    /// Nodes of the Merkle tree that this record completed and that are kept.
    pub nodes: Vec<TreeNode>,
}

/// A complete subtree: `index` counts subtrees of 2^level leaves from the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeNode {
    pub level: u8,
    pub index: u64,
    pub hash: Hash,
}

/// Gives drafts their place in the chain. Supplied by the ledger; called only
/// by the single writer, in order, for drafts that will be kept.
pub trait Sealer: Send {
    fn seal(&mut self, draft: &Draft) -> SealedRecord;
}

/// Size and end of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Head {
    /// Number of records.
    pub size: u64,
    /// Seal of the newest record; zeros when there is none.
    pub seal: Hash,
}
