//! `/api/v1/reputation`: the verifiable earnings of an account, and of the platform as a whole.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tollbridge_api::error::{ApiError, Code, internal, not_found};
use tollbridge_api::operation::{Operation, boolean, integer, list, nullable, text};
use tollbridge_core::time::now_ms;
use tollbridge_core::time::rfc3339;
use tollbridge_ledger::IndexError;
use tollbridge_ledger::is_party;
use tollbridge_market::reputation::{PLATFORM, ProvenRecord, ReputationError};
use tollbridge_store::SubmitError;

use crate::admit::Caller;
use crate::state::AppState;
use crate::state::Routes;

/// Default number of records in a page.
const PAGE: usize = 20;

/// The limits of the proofs.
const STATEMENT: &str = "Each listed record is in the ledger under the signed checkpoint: recompute the root from \
    leaf_hash, seq and inclusion, and verify the checkpoint with a key from /.well-known/jwks.json or one you \
    kept. The content of a record, the completeness of the list, and the totals are claims of the host: the bodies \
    of records are for their parties, who read them at /v1/ledger/record/{seal}.";

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let answer = json!({
        "user_id": text(),
        "totals": { "type": "object" },
        "tree_size": integer(),
        "root": text(),
        "checkpoint": text(),
        "records": list(&json!({ "type": "object" })),
        "next": nullable(integer()),
        "statement": text(),
        "worm_sealed": boolean(),
    });
    let operation = Operation::new(
        "reputation",
        "Reputation of an account or of the platform",
        "An account's earnings as of a signed checkpoint, with proofs. Without a key and without `user_id`, the \
        platform's total activity and its own share.",
    )
    .optional_key()
    .members(200, "Totals and proven records", &answer);
    Routes::new("ledger").get("/api/v1/reputation", reputation, operation)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReputationQuery {
    /// The account; by default that of the key, or without a key `platform`, which stands for all
    /// accounts.
    user_id: Option<String>,
    /// `next` of the previous page.
    after: Option<u64>,
    /// Records in the page.
    limit: Option<usize>,
}

async fn reputation(
    State(app): State<Arc<AppState>>,
    caller: Option<Caller>,
    query: Result<Query<ReputationQuery>, axum::extract::rejection::QueryRejection>,
) -> Result<Json<Value>, ApiError> {
    let Query(query) = query.map_err(|error| ApiError::invalid("", error.body_text()))?;
    let own = caller.map(|Caller(principal)| principal.account_id.clone());
    let user = query.user_id.or(own).unwrap_or_else(|| PLATFORM.to_owned());
    if user != PLATFORM {
        let unknown = || not_found("no such account");
        if !is_party(&user) {
            return Err(unknown());
        }
        app.accounts.account(&user).map_err(|error| if error.is_missing() { unknown() } else { internal(&error) })?;
    }
    let limit = query.limit.unwrap_or(PAGE);
    let report = app.reputation.report(&user, query.after, limit, now_ms()).await.map_err(refused)?;
    let (totals, checkpoint) = (report.totals, &report.checkpoint);
    Ok(Json(json!({
        "user_id": user,
        "totals": {
            "calls": totals.calls,
            "tasks": totals.tasks,
            "transfers": totals.transfers,
            "earned_gbp": totals.earned.display_gbp(),
            "earned_millipence": totals.earned.get(),
            "first_at": totals.first_ms.map(rfc3339),
            "last_at": totals.last_ms.map(rfc3339),
        },
        "tree_size": checkpoint.checkpoint.size,
        "root": hex::encode(checkpoint.checkpoint.root),
        "checkpoint": checkpoint.note(),
        "records": report.records.iter().map(counted).collect::<Vec<_>>(),
        "next": report.next,
        "statement": STATEMENT,
        "worm_sealed": true,
    })))
}

/// Renders a record with its proof, whose checkpoint may be newer than that of the totals.
fn counted(one: &ProvenRecord) -> Value {
    json!({
        "seq": one.seq,
        "worm_seal": hex::encode(one.proof.seal),
        "kind": one.row.kind,
        "at": rfc3339(one.row.time_ms),
        "earned_millipence": one.row.earned.get(),
        "leaf_hash": hex::encode(one.proof.leaf_hash),
        "tree_size": one.proof.tree_size,
        "root": hex::encode(one.proof.root),
        "inclusion": one.inclusion(),
    })
}

fn refused(error: ReputationError) -> ApiError {
    match error {
        ReputationError::Counting => ApiError::new(Code::Overloaded, error.to_string()).retry_after(1),
        ReputationError::Index(IndexError::Submit(SubmitError::Busy)) => {
            ApiError::new(Code::Overloaded, error.to_string()).retry_after(1)
        }
        other => internal(&other),
    }
}
