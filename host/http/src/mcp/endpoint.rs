//! The endpoint: who may use it, and the transport.

use std::sync::{Arc, OnceLock};

use axum::body::Body;
use axum::extract::{FromRequest, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, Full};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use tollbridge_access::oauth::is_loopback_uri;
use tollbridge_access::{AccessError, Admission, Scope};
use tollbridge_api::components::reference;
use tollbridge_api::error::{ApiError, Code};
use tollbridge_api::operation::{Operation, integer, object, text};

use crate::body::{RawBytes, keeps_platform_rules};
use crate::mcp::server::McpServer;
use crate::mcp::unauthorized::{PATH, unauthorized};
use crate::state::AppState;
use crate::state::Routes;

/// Complaints of the transport that are plain text have no more than this.
const TEXT_BYTES_MAX: usize = 4 << 10;

/// The same for everybody who pays with the call.
const PAID_PATH: &str = "/v1/paid/mcp";

type Service = StreamableHttpService<McpServer, NeverSessionManager>;

/// The routes of this area.
pub(crate) fn routes() -> Routes {
    let service: Arc<OnceLock<Service>> = Arc::default();
    let serve_at = |door: Door| {
        let service = service.clone();
        move |State(app): State<Arc<AppState>>, request: Request| async move {
            let service = service.get_or_init(|| new_service(&app)).clone();
            serve(service, &app, door, request).await
        }
    };
    let operation = Operation::new(
        "mcp",
        "Model Context Protocol",
        "MCP over HTTP, in both its eras; a call that tells its progress answers with text/event-stream. See docs/mcp.md.",
    )
    .key()
    .body_schema(message_schema())
    .answer_schema(200, "The response", json!({ "type": "object" }))
    .empty(202, "A notification was taken")
    .answer_schema(400, "This is no message, or its headers say otherwise", problem_schema())
    .answer_schema(404, "There is no such method", problem_schema())
    .answer_schema(406, "Accept must name application/json and text/event-stream", problem_schema())
    .errors(&[Code::ContentType, Code::LacksScope]);
    let mut paid = operation.clone().optional_key();
    paid.id = "paidMcp";
    paid.summary = "Model Context Protocol, paid with the call";
    paid.description = "The same tools for who has no account: a call that is not paid answers with what x402 asks for, \
                        and one with a wallet's payment in _meta[\"x402/payment\"] is paid by it. See docs/paying.md.";
    Routes::new("protocols").any(PATH, serve_at(Door::Account), operation).any(PAID_PATH, serve_at(Door::Open), paid)
}

/// Who is let in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Door {
    /// Who has a key or a token; others are told where to get one, which is how
    /// clients of OAuth find their way in.
    Account,
    /// Everybody: calls are paid as they are made.
    Open,
}

fn new_service(app: &Arc<AppState>) -> Service {
    let server = McpServer::new(app.clone());
    Service::new(move || Ok(server.clone()), Arc::default(), config(app))
}

/// A message of JSON-RPC.
fn message_schema() -> Value {
    json!({
        "type": "object",
        "required": ["jsonrpc", "method"],
        "properties": {
            "jsonrpc": { "const": "2.0" },
            "id": { "type": ["string", "integer"], "description": "Left out in notifications" },
            "method": { "type": "string" },
            "params": { "type": "object" },
        },
    })
}

/// An error of this server, or of JSON-RPC.
fn problem_schema() -> Value {
    let error = object(&json!({ "code": integer(), "message": text() }));
    json!({
        "anyOf": [
            reference("schemas", "Error"),
            { "type": "object", "required": ["jsonrpc", "error"], "properties": { "error": error } },
        ],
    })
}

/// No session, plain JSON unless there is progress to tell.
fn config(app: &AppState) -> StreamableHttpServerConfig {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(app.settings.body_limit);
    let base = &app.settings.base_url;
    if !is_loopback_uri(base) {
        // A name of the world is checked by TLS, and nobody gets in without a
        // token, which no other site's page has.
        return config.disable_allowed_hosts().disable_allowed_origins();
    }
    // On one's own machine, a page of another site could be made to look like
    // one of this server's (DNS rebinding).
    let local = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];
    config.with_allowed_origins(local).enforce_origin_validation()
}

async fn serve(service: Service, app: &AppState, door: Door, request: Request) -> Response {
    if let Err(error) = let_in(app, door, request.extensions().get::<Admission>()) {
        return error.into_response();
    }
    let (parts, body) = request.into_parts();
    // Read here, where bodies are bounded in time too.
    let mut reading = Request::new(body);
    *reading.extensions_mut() = parts.extensions.clone();
    let body = match RawBytes::from_request(reading, &()).await {
        Ok(RawBytes(body)) => body,
        Err(error) => return error.into_response(),
    };
    if let Err(error) = keeps_platform_rules(&body) {
        return error.into_response();
    }
    let response = service.handle(Request::from_parts(parts, Full::new(body))).await;
    complaint(response.map(Body::new)).await
}

/// Whether a caller may be here; else what it is told.
fn let_in(app: &AppState, door: Door, admission: Option<&Admission>) -> Result<(), ApiError> {
    match admission.and_then(|admission| admission.principal.as_ref()) {
        None if door == Door::Open && !app.settings.require_key => Ok(()),
        Some(principal) if principal.scopes.allow(Scope::Call) => Ok(()),
        Some(_) => Err(unauthorized(app, &AccessError::MissingScope(Scope::Call))),
        None => Err(unauthorized(app, &AccessError::MissingKey)),
    }
}

/// What the transport says in plain text, in the shape of this server's errors.
async fn complaint(response: Response) -> Response {
    let status = response.status();
    if !(status.is_client_error() || status.is_server_error()) || is_json(response.headers()) {
        return response;
    }
    let (parts, body) = response.into_parts();
    let text = match http_body_util::Limited::new(body, TEXT_BYTES_MAX).collect().await {
        Ok(text) => String::from_utf8_lossy(&text.to_bytes()).into_owned(),
        Err(_) => String::new(),
    };
    let code = match status {
        StatusCode::METHOD_NOT_ALLOWED => Code::MethodNotAllowed,
        StatusCode::PAYLOAD_TOO_LARGE => Code::TooLarge,
        StatusCode::UNSUPPORTED_MEDIA_TYPE => Code::ContentType,
        status if status.is_server_error() => Code::Internal,
        _ => Code::Invalid,
    };
    let text = if text.is_empty() { status.to_string() } else { text };
    let mut error = ApiError::new(code, text).status(status).into_response();
    if let Some(allow) = parts.headers.get(header::ALLOW) {
        error.headers_mut().insert(header::ALLOW, allow.clone());
    }
    error
}

fn is_json(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"))
}
