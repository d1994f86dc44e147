//! The admin listener: loopback only, for the operator's command line and for Prometheus. Every
//! command needs the token that `serve` writes into the data folder; metrics do not.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use bytes::Bytes;
use metrics_exporter_prometheus::PrometheusHandle;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use subtle::ConstantTimeEq;
use tollbridge_api::error::{ApiError, Code, internal, not_found};
use tollbridge_core::time::now_ms;
use tollbridge_ledger::Notary;
use tollbridge_operator::{Actor, Command, OperatorError, OperatorService, Role};

use crate::sessions::Sessions;

/// The header that names the operator for the audit log.
pub const OPERATOR: &str = "x-operator";

/// The state of the admin routes.
pub struct AdminState {
    /// The service that carries out commands.
    pub operator: Arc<OperatorService>,
    /// The notary, whose ledger is exported.
    pub notary: Arc<Notary>,
    /// The token that every command must carry.
    pub token: String,
    /// Sessions of the console.
    pub console: Arc<Sessions>,
    /// Metrics for Prometheus.
    pub metrics: PrometheusHandle,
}

/// Returns the routes of the admin listener.
pub fn admin_router(admin: Arc<AdminState>) -> Router {
    Router::new()
        .route("/command", post(command))
        .route("/ledger/export", get(export))
        .route("/console-link", post(console_link))
        .layer(from_fn_with_state(admin.clone(), require_token))
        .route("/metrics", get(metrics))
        .fallback(|| async { not_found("no such route on the admin listener") })
        .with_state(admin)
}

async fn require_token(State(admin): State<Arc<AdminState>>, request: Request, next: Next) -> Response {
    if has_token(request.headers(), &admin.token) {
        return next.run(request).await;
    }
    let message = "the admin listener needs the token from admin.json in the data folder";
    ApiError::new(Code::KeyInvalid, message).into_response()
}

fn has_token(headers: &HeaderMap, token: &str) -> bool {
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let given = given.and_then(|text| text.strip_prefix("Bearer ")).unwrap_or_default();
    bool::from(given.as_bytes().ct_eq(token.as_bytes()))
}

/// Parses a JSON body.
fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(body).map_err(|error| ApiError::invalid("", format!("invalid body: {error}")))
}

async fn command(
    State(admin): State<Arc<AdminState>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<Value>, ApiError> {
    let command: Command = read(&body)?;
    // Every holder of the token may run any command. The name is only for the audit log,
    // and is not verified.
    let name = headers.get(OPERATOR).and_then(|name| name.to_str().ok()).unwrap_or("unknown");
    let actor = Actor::new(name, Role::Admin).map_err(|error| ApiError::invalid("", error.to_string()))?;
    admin.operator.execute(&actor, command).await.map(Json).map_err(refused)
}

/// The operator for whom a console link is made.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Invitation {
    /// Name, for the audit log.
    pub name: String,
    /// Role.
    pub role: Role,
}

/// A single-use token that opens a session of the console.
#[derive(Debug, Serialize, Deserialize)]
pub struct ConsoleLink {
    /// The token, which the link to the console carries in its query.
    pub link: String,
}

/// Creates a single-use token that opens a session of the console and expires after
/// five minutes.
async fn console_link(State(admin): State<Arc<AdminState>>, body: Bytes) -> Result<Json<ConsoleLink>, ApiError> {
    let Invitation { name, role } = read(&body)?;
    let actor = Actor::new(&name, role).map_err(|error| ApiError::invalid("/name", error.to_string()))?;
    let link = admin.console.link(actor, now_ms()).map_err(|error| internal(&error))?;
    Ok(Json(ConsoleLink { link }))
}

/// Streams an export of the whole ledger. An error aborts the transfer, so that a partial export
/// never looks complete.
async fn export(State(admin): State<Arc<AdminState>>) -> Response {
    let (chunks, received) = tokio::sync::mpsc::channel(16);
    tokio::task::spawn_blocking(move || {
        let mut out = BufWriter::with_capacity(64 << 10, Chunks(chunks.clone()));
        if let Err(error) = admin.notary.ledger().export(&mut out) {
            let _ = chunks.blocking_send(Err(io::Error::other(error.to_string())));
        }
    });
    let chunks = futures_util::stream::unfold(received, async |mut received| {
        let chunk = received.recv().await?;
        Some((chunk, received))
    });
    ([(header::CONTENT_TYPE, "application/jsonl")], Body::from_stream(chunks)).into_response()
}

/// A writer that passes each chunk to the task that sends the response.
struct Chunks(tokio::sync::mpsc::Sender<io::Result<Bytes>>);

impl Write for Chunks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.0.blocking_send(Ok(Bytes::copy_from_slice(bytes)));
        sent.map(|()| bytes.len()).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

async fn metrics(State(admin): State<Arc<AdminState>>) -> Response {
    let text = admin.metrics.render();
    (StatusCode::OK, [(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
}

fn refused(error: OperatorError) -> ApiError {
    match error {
        OperatorError::NotFound(message) => not_found(message),
        OperatorError::Refused(message) => ApiError::invalid("", message),
        OperatorError::Failed(message) => internal(&message),
    }
}
