//! Reputation as the API shows it.

use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_core::timestamp::Timestamp;

use super::service::{ProvenRecord, ReputationReport};

/// Statement, in every report, of what the proofs show and what they do not show.
const STATEMENT: &str = "Each listed record is in the ledger under the signed checkpoint: recompute the root from \
    leaf_hash, seq and inclusion, and verify the checkpoint with a key from /.well-known/jwks.json or one you \
    kept. The content of a record, the completeness of the list, and the totals are claims of the host: the bodies \
    of records are for their parties, who read them at /v1/ledger/record/{seal}.";

/// An account's earnings, as the API shows them.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ReputationReport")]
pub struct ReputationView {
    user_id: String,
    totals: Totals,
    tree_size: u64,
    root: String,
    /// The signed checkpoint.
    checkpoint: String,
    records: Vec<RecordView>,
    /// Value of `after` that requests the next page.
    next: Option<u64>,
    /// Statement of what the proofs show and do not show.
    statement: &'static str,
    worm_sealed: bool,
}

/// The sealed activity of an account.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ReputationTotals")]
struct Totals {
    calls: u64,
    tasks: u64,
    transfers: u64,
    earned_gbp: String,
    earned_millipence: i64,
    first_at: Option<Timestamp>,
    last_at: Option<Timestamp>,
}

/// A record with its proof, whose checkpoint may be newer than that of the totals.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CountedRecord")]
struct RecordView {
    seq: u64,
    worm_seal: String,
    kind: String,
    at: Timestamp,
    earned_millipence: i64,
    leaf_hash: String,
    tree_size: u64,
    root: String,
    inclusion: Vec<String>,
}

impl ReputationView {
    /// Creates the view of a report on an account.
    pub fn new(user_id: String, report: &ReputationReport) -> Self {
        let (totals, checkpoint) = (report.totals, &report.checkpoint);
        Self {
            user_id,
            totals: Totals {
                calls: totals.calls,
                tasks: totals.tasks,
                transfers: totals.transfers,
                earned_gbp: totals.earned.display_gbp(),
                earned_millipence: totals.earned.get(),
                first_at: totals.first_ms.map(Timestamp::from_ms),
                last_at: totals.last_ms.map(Timestamp::from_ms),
            },
            tree_size: checkpoint.checkpoint.size,
            root: hex::encode(checkpoint.checkpoint.root),
            checkpoint: checkpoint.note().to_owned(),
            records: report.records.iter().map(RecordView::new).collect(),
            next: report.next,
            statement: STATEMENT,
            worm_sealed: true,
        }
    }
}

impl RecordView {
    fn new(one: &ProvenRecord) -> Self {
        Self {
            seq: one.seq,
            worm_seal: hex::encode(one.proof.seal),
            kind: one.row.kind.clone(),
            at: Timestamp::from_ms(one.row.time_ms),
            earned_millipence: one.row.earned.get(),
            leaf_hash: hex::encode(one.proof.leaf_hash),
            tree_size: one.proof.tree_size,
            root: hex::encode(one.proof.root),
            inclusion: one.inclusion(),
        }
    }
}
