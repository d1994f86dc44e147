//! Dynamic client registration (RFC 7591).
//!
//! Every client is public: a secret kept by an unverified program proves nothing beyond
//! PKCE. If a client asks for anything else, the response states what it actually gets,
//! as the RFC allows.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Extension, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tollbridge_access::oauth::RegistrationError;
use tollbridge_api::error::{ApiError, Code};
use tollbridge_api::operation::Operation;
use tollbridge_core::time::now_ms;
use tollbridge_market::accounts::DelegationError;
use tollbridge_store::SubmitError;
use tollbridge_web::body::JsonBytes;
use tollbridge_web::unauthorized::TOKEN_SCOPE;
use tollbridge_web::{AppState, Routes};

use crate::oauth::error::OauthError;
use crate::oauth::metadata::GRANT_TYPES;

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let operation = Operation::new(
        "registerClient",
        "Register a client",
        "Registers a client for OAuth (RFC 7591); its tokens are valid for /mcp.",
    )
    .body_schema(registration_schema())
    .answer::<Registration>(201, "The registration");
    Routes::new("protocols").post("/oauth/register", register, operation)
}

fn registration_schema() -> Value {
    json!({
        "type": "object",
        "required": ["redirect_uris"],
        "properties": {
            "redirect_uris": {
                "type": "array",
                "minItems": 1,
                "maxItems": 10,
                "items": {
                    "type": "string",
                    "maxLength": 1000,
                    "pattern": "^https://[a-z0-9]+([.][a-z0-9]+)+(/[A-Za-z0-9/_-]*)?$",
                },
                "description": "An address that matches the pattern, http on a loopback address, or an app's own \
                    scheme",
            },
            "client_name": { "type": ["string", "null"], "maxLength": 80 },
        },
    })
}

/// The members of a registration that are used; others are ignored, as the RFC requires.
#[derive(Deserialize)]
struct Metadata {
    #[serde(default)]
    redirect_uris: Vec<String>,
    #[serde(default)]
    client_name: Option<String>,
    #[serde(default)]
    grant_types: Option<Vec<String>>,
    #[serde(default)]
    response_types: Option<Vec<String>>,
}

/// A registered client.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ClientRegistration")]
struct Registration {
    client_id: String,
    /// Unix time in seconds.
    client_id_issued_at: u64,
    client_name: String,
    redirect_uris: Vec<String>,
    grant_types: [&'static str; 2],
    response_types: [&'static str; 1],
    #[schemars(extend("const" = "none"))]
    token_endpoint_auth_method: &'static str,
    #[schemars(extend("const" = TOKEN_SCOPE))]
    scope: &'static str,
}

async fn register(
    State(app): State<Arc<AppState>>,
    Extension(address): Extension<IpAddr>,
    JsonBytes(body): JsonBytes,
) -> Result<Response, ApiError> {
    let answer = match serde_json::from_slice::<Metadata>(&body) {
        Ok(metadata) => take(&app, address, metadata).await,
        Err(error) => Err(OauthError::new("invalid_client_metadata", format!("invalid registration: {error}"))),
    };
    Ok(answer.unwrap_or_else(IntoResponse::into_response))
}

/// Registers a client.
async fn take(app: &AppState, address: IpAddr, metadata: Metadata) -> Result<Response, OauthError> {
    let lacks = |list: &Option<Vec<String>>, one: &str| {
        list.as_ref().is_some_and(|list| !list.is_empty() && !list.iter().any(|value| value == one))
    };
    if lacks(&metadata.grant_types, "authorization_code") || lacks(&metadata.response_types, "code") {
        let text = "only the authorization_code grant with response type code is supported";
        return Err(OauthError::new("invalid_client_metadata", text));
    }
    let name = metadata.client_name.unwrap_or_default();
    let registering = app.accounts.delegations.register(&name, metadata.redirect_uris, address, now_ms());
    let client = registering.await.map_err(refused)?;
    let body = Registration {
        client_id: client.id,
        client_id_issued_at: client.created_ms / 1000,
        client_name: client.name,
        redirect_uris: client.redirect_uris,
        grant_types: GRANT_TYPES,
        response_types: ["code"],
        token_endpoint_auth_method: "none",
        scope: TOKEN_SCOPE,
    };
    Ok((StatusCode::CREATED, [(header::CACHE_CONTROL, "no-store")], Json(body)).into_response())
}

fn refused(error: DelegationError) -> OauthError {
    let text = error.to_string();
    match error {
        DelegationError::TooMany { retry_after_s } => OauthError::later(Code::RateLimited, text, retry_after_s),
        DelegationError::Client(RegistrationError::Full) => OauthError::later(Code::Overloaded, text, 3600),
        DelegationError::Client(RegistrationError::Name) => OauthError::new("invalid_client_metadata", text),
        DelegationError::Client(RegistrationError::NoRedirects | RegistrationError::Redirect(_)) => {
            OauthError::new("invalid_redirect_uri", text)
        }
        DelegationError::Submit(SubmitError::Busy) => OauthError::later(Code::Overloaded, text, 1),
        other => OauthError::internal(&other),
    }
}
