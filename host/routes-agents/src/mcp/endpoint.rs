//! The MCP endpoint: access control and transport.

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
use tollbridge_api::operation::Operation;
use tollbridge_web::body::{RawBytes, keeps_platform_rules};
use tollbridge_web::unauthorized::{MCP_PATH, unauthorized};
use tollbridge_web::{AppState, Routes};

use crate::mcp::server::McpServer;
use crate::rpc_response::RpcResponse;

/// Size limit of plain-text error messages from the transport.
const TEXT_BYTES_MAX: usize = 4 << 10;

/// The endpoint without accounts, where each call is paid for.
const PAID_PATH: &str = "/v1/paid/mcp";

type Service = StreamableHttpService<McpServer, NeverSessionManager>;

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let service: Arc<OnceLock<Service>> = Arc::default();
    let serve_at = |access: EndpointAccess| {
        let service = service.clone();
        move |State(app): State<Arc<AppState>>, request: Request| async move {
            let service = service.get_or_init(|| new_service(&app)).clone();
            serve(service, &app, access, request).await
        }
    };
    let operation = Operation::new(
        "mcp",
        "Model Context Protocol",
        "MCP over HTTP, in both protocol generations; a call that reports progress answers with text/event-stream. \
        See docs/mcp.md.",
    )
    .key()
    .body_schema(message_schema())
    .answer::<RpcResponse>(200, "The response")
    .empty(202, "The notification was accepted")
    .answer_schema(400, "The body is not a message, or the headers contradict it", problem_schema())
    .answer_schema(404, "There is no such method", problem_schema())
    .answer_schema(406, "Accept must name application/json and text/event-stream", problem_schema())
    .errors(&[Code::ContentType, Code::LacksScope]);
    let mut paid = operation.clone().optional_key();
    paid.id = "paidMcp";
    paid.summary = "Model Context Protocol, with payment per call";
    paid.description = "The same tools for callers without an account: an unpaid call returns the x402 payment \
        requirements, and a wallet's payment in _meta[\"x402/payment\"] pays for a call. See docs/paying.md.";
    Routes::new("protocols").any(MCP_PATH, serve_at(EndpointAccess::Account), operation).any(
        PAID_PATH,
        serve_at(EndpointAccess::Public),
        paid,
    )
}

/// The clients that an endpoint admits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EndpointAccess {
    /// Clients with a key or a token. A refusal says where to get one; from that, OAuth
    /// clients discover the authorization server.
    Account,
    /// All clients; each call carries its own payment.
    Public,
}

fn new_service(app: &Arc<AppState>) -> Service {
    let server = McpServer::new(app.clone());
    Service::new(move || Ok(server.clone()), Arc::default(), config(app))
}

/// Returns the schema of a JSON-RPC message.
fn message_schema() -> Value {
    json!({
        "type": "object",
        "required": ["jsonrpc", "method"],
        "properties": {
            "jsonrpc": { "const": "2.0" },
            "id": { "type": ["string", "integer"], "description": "Absent in notifications" },
            "method": { "type": "string" },
            "params": { "type": "object" },
        },
    })
}

/// Returns the schema of an error of this server, or of JSON-RPC.
fn problem_schema() -> Value {
    json!({
        "anyOf": [
            reference("schemas", "Error"),
            {
                "type": "object",
                "required": ["jsonrpc", "error"],
                "properties": {
                    "error": {
                        "type": "object",
                        "required": ["code", "message"],
                        "properties": { "code": { "type": "integer" }, "message": { "type": "string" } },
                    },
                },
            },
        ],
    })
}

/// Configures the transport: no sessions, and plain JSON unless there is progress to report.
fn config(app: &AppState) -> StreamableHttpServerConfig {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(app.settings.body_limit);
    let base = &app.settings.base_url;
    if !is_loopback_uri(base) {
        // Host and origin need no checks here: TLS verifies a public host name, and a
        // page of another site has no token or payment to send.
        return config.disable_allowed_hosts().disable_allowed_origins();
    }
    // On a local machine, another site's page could pose as a page of this server (DNS
    // rebinding).
    let local = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];
    config.with_allowed_origins(local).enforce_origin_validation()
}

async fn serve(service: Service, app: &AppState, access: EndpointAccess, request: Request) -> Response {
    if let Err(error) = check_access(app, access, request.extensions().get::<Admission>()) {
        return error.into_response();
    }
    let (parts, body) = request.into_parts();
    // Read the body here, so that the limits on time and memory apply to it.
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
    into_api_error(response.map(Body::new)).await
}

/// Checks whether a caller may use this endpoint.
fn check_access(app: &AppState, access: EndpointAccess, admission: Option<&Admission>) -> Result<(), ApiError> {
    match admission.and_then(|admission| admission.principal.as_ref()) {
        None if access == EndpointAccess::Public && !app.settings.require_key => Ok(()),
        Some(principal) if principal.scopes.allow(Scope::Call) => Ok(()),
        Some(_) => Err(unauthorized(app, &AccessError::MissingScope(Scope::Call))),
        None => Err(unauthorized(app, &AccessError::MissingKey)),
    }
}

/// Converts the transport's plain-text errors to this server's error format.
async fn into_api_error(response: Response) -> Response {
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
