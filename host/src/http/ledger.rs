//! What anyone may check of the ledger, and what parties may read.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::admit::Caller;
use super::error::ApiError;
use super::{Shared, internal, not_found, now_ms};
use crate::ledger::LedgerError;
use crate::store::Hash;

pub fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/checkpoint", get(checkpoint))
        .route("/v1/ledger/proof/{seal}", get(proof))
        .route("/v1/ledger/record/{seal}", get(record))
        .route("/.well-known/jwks.json", get(keys))
}

/// The signed head of the log: a C2SP signed note.
async fn checkpoint(State(shared): State<Arc<Shared>>) -> Result<Response, ApiError> {
    let note = shared.ledger.checkpoint(&shared.writer, now_ms()).await.map_err(|error| internal(&error))?;
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], note).into_response())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProofQuery {
    /// Tree size of an older checkpoint: adds a proof that it still holds.
    from: Option<u64>,
}

/// Proof that a record is in the log. Says nothing of what the record says.
async fn proof(
    State(shared): State<Arc<Shared>>,
    Path(seal): Path<String>,
    query: Result<Query<ProofQuery>, axum::extract::rejection::QueryRejection>,
) -> Result<Json<Value>, ApiError> {
    let Query(query) = query.map_err(|error| ApiError::invalid("", format!("bad query: {error}")))?;
    let seal = parse(&seal)?;
    let proof = shared.ledger.proof(&shared.writer, &seal, query.from, now_ms()).await.map_err(refused)?;
    Ok(Json(proof))
}

/// The body of a record, to its parties only.
async fn record(
    State(shared): State<Arc<Shared>>,
    Caller(principal): Caller,
    Path(seal): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let seal = parse(&seal)?;
    let (seq, record) = shared.ledger.record_for(&seal, &principal.account_id).map_err(refused)?;
    Ok(Json(json!({ "seq": seq, "worm_seal": hex::encode(seal), "record": record })))
}

/// Public keys that verify what this host signs.
async fn keys(State(shared): State<Arc<Shared>>) -> Json<Value> {
    Json(json!({ "keys": shared.ledger.public_keys() }))
}

fn parse(seal: &str) -> Result<Hash, ApiError> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(seal, &mut bytes)
        .map_err(|_| ApiError::invalid("", "a seal is 64 hexadecimal digits, as in X-Worm-Seal"))?;
    Ok(bytes)
}

fn refused(error: LedgerError) -> ApiError {
    match error {
        LedgerError::NoSuchRecord => not_found("no record has this seal"),
        LedgerError::BadRange { .. } => ApiError::invalid("", error.to_string()),
        other => internal(&other),
    }
}
