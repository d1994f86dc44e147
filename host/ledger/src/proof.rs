//! The proof document: proves offline that a record is in the ledger.
//!
//! Invariant: nothing in a document is trusted; `verify` recomputes all of it from the
//! leaf hash and a key that the reader trusts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tollbridge_core::limits::PROOF_BYTES_MAX;
use tollbridge_store::Hash;

use super::checkpoint::{CheckpointError, CheckpointKey, SignedCheckpoint};
use super::explanation::explanation;
use super::record::{Record, RecordError, seal_of};
use super::tree::{leaf_hash, verify_consistency, verify_inclusion};

/// A proof that a record is in the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LedgerProof")]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// Seal of the record.
    #[serde(with = "hex::serde")]
    #[schemars(with = "String")]
    pub seal: Hash,
    /// Number of the record.
    pub seq: u64,
    /// Hash of the record's leaf in the Merkle tree.
    #[serde(with = "hex::serde")]
    #[schemars(with = "String")]
    pub leaf_hash: Hash,
    /// Number of records in the tree for which the proof is made.
    pub tree_size: u64,
    /// Root of that tree.
    #[serde(with = "hex::serde")]
    #[schemars(with = "String")]
    pub root: Hash,
    /// Audit path from the leaf to the root.
    pub inclusion: Vec<HexHash>,
    /// The checkpoint of that tree, a signed note.
    pub checkpoint: String,
    /// Proof that an earlier tree is a prefix of this one, if requested.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schemars(with = "Consistency")]
    pub consistency: Option<Consistency>,
}

/// Proof that the tree of the first `from` records is a prefix of the document's tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Consistency {
    /// Size of the earlier tree.
    pub from: u64,
    /// Nodes of the proof.
    pub hashes: Vec<HexHash>,
}

/// A hash that is serialized as hex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct HexHash(
    #[serde(with = "hex::serde")]
    #[schemars(with = "String")]
    pub Hash,
);

/// The reader's trusted keys, and further data to compare with the document.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProofContext<'a> {
    /// Trusted keys; at least one.
    pub keys: &'a [CheckpointKey],
    /// The bytes of the record, if the reader has them.
    pub record: Option<&'a [u8]>,
    /// An older checkpoint that the ledger must extend.
    pub since: Option<&'a SignedCheckpoint>,
}

/// The facts that a document proves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProofReport {
    /// Number of the record.
    pub seq: u64,
    /// Number of records in the tree for which the proof is made.
    pub tree_size: u64,
    /// Name of the ledger.
    pub origin: String,
    /// The key that signed the checkpoint.
    pub key: String,
    /// Whether the record's bytes were checked, which ties the seal to the leaf hash.
    pub record_checked: bool,
    /// Size of the older checkpoint that the ledger extends, if the reader passed one.
    pub since: Option<u64>,
}

/// The reason why a proof document is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum ProofError {
    #[error("not a proof document: {0}")]
    Malformed(String),
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    #[error("the size or root of the checkpoint differs from that of the document")]
    OtherTree,
    #[error("the path does not lead from the leaf to the root")]
    NotIncluded,
    #[error("the record does not match the proof")]
    OtherRecord,
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error("the older checkpoint is of another ledger: {0}")]
    OtherLedger(String),
    #[error("the document does not prove consistency from size {0}; request a proof from that size")]
    NoConsistency(u64),
    #[error("the ledger has been rewritten: the tree of size {from} is not a prefix of that of size {to}")]
    Inconsistent { from: u64, to: u64 },
}

impl Proof {
    /// Parses a proof document.
    pub fn parse(json: &str) -> Result<Self, ProofError> {
        if json.len() > PROOF_BYTES_MAX {
            return Err(ProofError::Malformed(format!("longer than {PROOF_BYTES_MAX} bytes")));
        }
        serde_json::from_str(json).map_err(|error| ProofError::Malformed(explanation(&error)))
    }

    /// Returns the document as JSON.
    pub fn to_json(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(members)) => members,
            // Unreachable: a struct of hashes and numbers serializes to an object.
            _ => Map::new(),
        }
    }

    /// Checks everything that the document claims, offline.
    pub fn verify(&self, context: &ProofContext<'_>) -> Result<ProofReport, ProofError> {
        let signed = SignedCheckpoint::parse(&self.checkpoint)?;
        let key = signed.verify(context.keys)?;
        let checkpoint = &signed.checkpoint;
        if checkpoint.origin != key.name() {
            return Err(ProofError::OtherLedger(checkpoint.origin.clone()));
        }
        if checkpoint.size != self.tree_size || checkpoint.root != self.root {
            return Err(ProofError::OtherTree);
        }
        let path = plain(&self.inclusion);
        if !verify_inclusion(&self.leaf_hash, self.seq, self.tree_size, &path, &self.root) {
            return Err(ProofError::NotIncluded);
        }
        if let Some(bytes) = context.record {
            let same = seal_of(bytes) == self.seal && leaf_hash(bytes) == self.leaf_hash;
            if !same || Record::parse(bytes)?.seq != self.seq {
                return Err(ProofError::OtherRecord);
            }
        }
        if let Some(since) = context.since {
            self.check_since(since, context.keys, &checkpoint.origin)?;
        }
        Ok(ProofReport {
            seq: self.seq,
            tree_size: self.tree_size,
            origin: checkpoint.origin.clone(),
            key: key.to_string(),
            record_checked: context.record.is_some(),
            since: context.since.map(|since| since.checkpoint.size),
        })
    }

    fn check_since(&self, since: &SignedCheckpoint, keys: &[CheckpointKey], origin: &str) -> Result<(), ProofError> {
        since.verify(keys)?;
        let old = &since.checkpoint;
        if old.origin != origin {
            return Err(ProofError::OtherLedger(old.origin.clone()));
        }
        let path = match &self.consistency {
            Some(proven) if proven.from == old.size => plain(&proven.hashes),
            // Equal or empty trees need no proof.
            _ if old.size == self.tree_size || old.size == 0 => Vec::new(),
            _ => return Err(ProofError::NoConsistency(old.size)),
        };
        if verify_consistency(old.size, self.tree_size, &old.root, &self.root, &path) {
            Ok(())
        } else {
            Err(ProofError::Inconsistent { from: old.size, to: self.tree_size })
        }
    }
}

fn plain(hashes: &[HexHash]) -> Vec<Hash> {
    hashes.iter().map(|hash| hash.0).collect()
}
