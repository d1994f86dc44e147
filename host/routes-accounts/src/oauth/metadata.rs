//! Discovery documents for OAuth clients: RFC 9728 for the resource, and RFC 8414 for its
//! authorization server, which is this server.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_api::operation::Operation;
use tollbridge_web::unauthorized::{MCP_METADATA_PATH, TOKEN_SCOPE};
use tollbridge_web::{AppState, Routes};

/// The grant types of a token request.
pub(crate) const GRANT_TYPES: [&str; 2] = ["authorization_code", "refresh_token"];

const RESOURCE: &str = "/.well-known/oauth-protected-resource";

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    Routes::new("protocols")
        .get(
            RESOURCE,
            protected_resource,
            Operation::new("protectedResource", "Protected resource", "The authorization server for /mcp (RFC 9728).")
                .alias(MCP_METADATA_PATH)
                .answer::<ProtectedResource>(200, "The metadata"),
        )
        .get(
            "/.well-known/oauth-authorization-server",
            authorization_server,
            Operation::new("authorizationServer", "Authorization server", "How to get a token (RFC 8414).")
                .answer::<AuthorizationServer>(200, "The metadata"),
        )
}

/// Returns the address of the one resource for which tokens are issued.
pub(crate) fn resource(app: &AppState) -> String {
    format!("{}/mcp", app.settings.base_url)
}

/// Metadata of the resource that tokens are for (RFC 9728).
#[derive(Serialize, JsonSchema)]
struct ProtectedResource {
    resource: String,
    authorization_servers: [String; 1],
    scopes_supported: [&'static str; 1],
    bearer_methods_supported: [&'static str; 1],
    resource_name: String,
    resource_documentation: String,
}

/// Metadata of the server that issues tokens (RFC 8414).
#[derive(Serialize, JsonSchema)]
struct AuthorizationServer {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    registration_endpoint: String,
    revocation_endpoint: String,
    jwks_uri: String,
    scopes_supported: [&'static str; 1],
    response_types_supported: [&'static str; 1],
    response_modes_supported: [&'static str; 1],
    grant_types_supported: [&'static str; 2],
    token_endpoint_auth_methods_supported: [&'static str; 1],
    revocation_endpoint_auth_methods_supported: [&'static str; 1],
    code_challenge_methods_supported: [&'static str; 1],
    authorization_response_iss_parameter_supported: bool,
    service_documentation: String,
}

async fn protected_resource(State(app): State<Arc<AppState>>) -> Json<ProtectedResource> {
    Json(ProtectedResource {
        resource: resource(&app),
        authorization_servers: [app.settings.base_url.clone()],
        scopes_supported: [TOKEN_SCOPE],
        bearer_methods_supported: ["header"],
        resource_name: app.settings.display_name.clone(),
        resource_documentation: format!("{}/docs", app.settings.base_url),
    })
}

async fn authorization_server(State(app): State<Arc<AppState>>) -> Json<AuthorizationServer> {
    let base = &app.settings.base_url;
    Json(AuthorizationServer {
        issuer: base.clone(),
        authorization_endpoint: format!("{base}/oauth/authorize"),
        token_endpoint: format!("{base}/oauth/token"),
        registration_endpoint: format!("{base}/oauth/register"),
        revocation_endpoint: format!("{base}/oauth/revoke"),
        jwks_uri: format!("{base}/.well-known/jwks.json"),
        scopes_supported: [TOKEN_SCOPE],
        response_types_supported: ["code"],
        response_modes_supported: ["query"],
        grant_types_supported: GRANT_TYPES,
        token_endpoint_auth_methods_supported: ["none"],
        revocation_endpoint_auth_methods_supported: ["none"],
        code_challenge_methods_supported: ["S256"],
        authorization_response_iss_parameter_supported: true,
        service_documentation: format!("{base}/docs"),
    })
}
