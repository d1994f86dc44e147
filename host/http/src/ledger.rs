//! Public proofs of the ledger, and records for their parties.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollbridge_api::error::{ApiError, Code, internal, not_found};
use tollbridge_api::operation::{Operation, TEXT};
use tollbridge_core::signing::{Jwk, PublicKey};
use tollbridge_core::time::now_ms;
use tollbridge_ledger::{LedgerError, NotaryError, Proof, ProofFailure, ProofUnavailable};
use tollbridge_store::{Hash, SubmitError};
use tollbridge_web::admit::Caller;
use tollbridge_web::{AppState, Path, Routes};

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    Routes::new("ledger")
        .get(
            "/checkpoint",
            checkpoint,
            Operation::new("checkpoint", "Checkpoint", "The signed head of the ledger, a C2SP signed note.").media(
                200,
                "The signed note",
                TEXT,
            ),
        )
        .get(
            "/v1/ledger/proof/{seal}",
            proof,
            Operation::new("proveSeal", "Prove a record", "Proof that the record with this seal is in the ledger.")
                .answer::<Proof>(200, "The proof"),
        )
        .get(
            "/v1/ledger/record/{seal}",
            record,
            Operation::new("readRecord", "Read a record", "The sealed record itself, for its parties.")
                .answer::<SealedRecord>(200, "The record, and the exact text whose SHA-256 is the seal"),
        )
        .get(
            "/.well-known/jwks.json",
            keys,
            Operation::new("publicKeys", "Public keys", "Public keys that verify what this host signs.")
                .answer::<KeySet>(200, "A JSON Web Key Set"),
        )
}

#[derive(Serialize, JsonSchema)]
struct SealedRecord {
    seq: u64,
    worm_seal: String,
    record: Value,
    /// The exact text whose SHA-256 is the seal.
    canonical: String,
}

#[derive(Serialize, JsonSchema)]
struct KeySet {
    keys: Vec<Jwk>,
}

/// Returns the signed head of the log: a C2SP signed note.
async fn checkpoint(State(app): State<Arc<AppState>>) -> Result<Response, ApiError> {
    let signed = app.notary.checkpoint(now_ms()).await.map_err(|error| unsigned(&error))?;
    let headers = [(header::CONTENT_TYPE, "text/plain; charset=utf-8"), (header::CACHE_CONTROL, "no-cache")];
    Ok((headers, signed.note().to_owned()).into_response())
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ProofQuery {
    /// Tree size of an older checkpoint; adds a consistency proof for it.
    from: Option<u64>,
}

/// Proves that a record is in the log, without disclosing its content.
async fn proof(
    State(app): State<Arc<AppState>>,
    Path(seal): Path<String>,
    query: Result<Query<ProofQuery>, axum::extract::rejection::QueryRejection>,
) -> Result<Json<Proof>, ApiError> {
    let Query(query) = query.map_err(|error| ApiError::invalid("", format!("bad query: {error}")))?;
    app.notary.proof(&parse(&seal)?, query.from, now_ms()).await.map(Json).map_err(unproven)
}

/// Returns the body of a record, to its parties only.
async fn record(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    Path(seal): Path<String>,
) -> Result<Json<SealedRecord>, ApiError> {
    let hash = parse(&seal)?;
    let stored = app.notary.record_for(&hash, &principal.account_id).map_err(|error| internal(&error))?;
    let (seq, bytes) = stored.ok_or_else(|| not_found("no record of this account has this seal"))?;
    let text = String::from_utf8(bytes).map_err(|error| internal(&error))?;
    // Include the exact text: its SHA-256 is the seal.
    let record: Value = serde_json::from_str(&text).map_err(|error| internal(&error))?;
    Ok(Json(SealedRecord { seq, worm_seal: hex::encode(hash), record, canonical: text }))
}

/// Returns the public keys that verify this host's signatures, each for one purpose.
async fn keys(State(app): State<Arc<AppState>>) -> Json<KeySet> {
    let checkpoints = app.notary.ledger().key();
    let kid = hex::encode(checkpoints.key_id());
    let verifier_key = Some(checkpoints.to_string());
    let mut keys = vec![Jwk { verifier_key, ..Jwk::ed25519(kid, &checkpoints.public_bytes(), "checkpoints") }];
    keys.extend(app.keys.public().iter().map(PublicKey::jwk));
    Json(KeySet { keys })
}

fn parse(seal: &str) -> Result<Hash, ApiError> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(seal, &mut bytes)
        .map_err(|_| ApiError::invalid("", "a seal is 64 hexadecimal digits, as in X-Worm-Seal"))?;
    Ok(bytes)
}

fn unproven(failure: ProofFailure) -> ApiError {
    match failure {
        ProofFailure::None(ProofUnavailable::Unknown) => not_found("no record has this seal"),
        ProofFailure::None(ProofUnavailable::Ledger(error @ LedgerError::Range { .. })) => {
            ApiError::invalid("", error.to_string())
        }
        ProofFailure::None(error) => internal(&error),
        ProofFailure::Notary(error) => unsigned(&error),
    }
}

fn unsigned(error: &NotaryError) -> ApiError {
    match error {
        NotaryError::Submit(SubmitError::Busy) => {
            ApiError::new(Code::Overloaded, "too many requests for a checkpoint; try again").retry_after(1)
        }
        other => internal(other),
    }
}
