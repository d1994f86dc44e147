//! Discovery documents for OAuth clients: RFC 9728 for the resource, and RFC 8414 for its
//! authorization server, which is this server.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderValue;
use serde_json::{Value, json};
use tollbridge_api::operation::Operation;

use crate::state::AppState;
use crate::state::Routes;

/// The one scope of a token: list and call bridges and agents, and pay for them.
pub(crate) const SCOPE: &str = "call";

const RESOURCE: &str = "/.well-known/oauth-protected-resource";
/// The address that MCP clients try first.
const MCP_RESOURCE: &str = "/.well-known/oauth-protected-resource/mcp";

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let metadata = || json!({ "type": "object" });
    Routes::new("protocols")
        .get(
            RESOURCE,
            protected_resource,
            Operation::new("protectedResource", "Protected resource", "The authorization server for /mcp (RFC 9728).")
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

/// Returns the address of the one resource for which tokens are issued.
pub(crate) fn resource(app: &AppState) -> String {
    format!("{}/mcp", app.settings.base_url)
}

/// Returns the challenge for a refused caller of `/mcp`: where to find the metadata.
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
