//! What a client reads to find its way: RFC 9728 for the resource, RFC 8414
//! for the server that gives tokens for it, which is this one.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderValue;
use serde_json::{Value, json};
use tollbridge_api::operation::Operation;

use crate::state::AppState;
use crate::state::Routes;

/// What a token may do: list and call bridges and agents, and pay for them.
pub(crate) const SCOPE: &str = "call";

const RESOURCE: &str = "/.well-known/oauth-protected-resource";
/// Where clients look first.
const MCP_RESOURCE: &str = "/.well-known/oauth-protected-resource/mcp";

/// The routes of this area.
pub(crate) fn routes() -> Routes {
    let metadata = || json!({ "type": "object" });
    Routes::new("protocols")
        .get(
            RESOURCE,
            protected_resource,
            Operation::new("protectedResource", "Protected resource", "Who gives tokens for /mcp (RFC 9728).")
                .alias(MCP_RESOURCE)
                .answer_schema(200, "The metadata", metadata()),
        )
        .get(
            "/.well-known/oauth-authorization-server",
            authorization_server,
            Operation::new("authorizationServer", "Authorization server", "How to get a token (RFC 8414).")
                .answer_schema(200, "The metadata", metadata()),
        )
}

/// The one thing that tokens are for.
pub(crate) fn resource(app: &AppState) -> String {
    format!("{}/mcp", app.settings.base_url)
}

/// What a refused caller of `/mcp` is told: where to find out how to get in.
pub(crate) fn challenge(app: &AppState, error: Option<&str>) -> HeaderValue {
    let error = error.map(|error| format!("error=\"{error}\", ")).unwrap_or_default();
    let base = &app.settings.base_url;
    let text = format!("Bearer {error}resource_metadata=\"{base}{MCP_RESOURCE}\", scope=\"{SCOPE}\"");
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("Bearer"))
}

async fn protected_resource(State(app): State<Arc<AppState>>) -> Json<Value> {
    Json(json!({
        "resource": resource(&app),
        "authorization_servers": [app.settings.base_url],
        "scopes_supported": [SCOPE],
        "bearer_methods_supported": ["header"],
        "resource_name": app.settings.display_name,
        "resource_documentation": format!("{}/docs", app.settings.base_url),
    }))
}

async fn authorization_server(State(app): State<Arc<AppState>>) -> Json<Value> {
    let base = &app.settings.base_url;
    Json(json!({
        "issuer": base,
        "authorization_endpoint": format!("{base}/oauth/authorize"),
        "token_endpoint": format!("{base}/oauth/token"),
        "registration_endpoint": format!("{base}/oauth/register"),
        "revocation_endpoint": format!("{base}/oauth/revoke"),
        "jwks_uri": format!("{base}/.well-known/jwks.json"),
        "scopes_supported": [SCOPE],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
        "service_documentation": format!("{base}/docs"),
    }))
}
