//! `/.well-known/agent-card.json` and `/.well-known/agent.json`: this server's agent cards.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use tollbridge_agents::a2a::{Card, Cards, ProtocolVersion};
use tollbridge_api::conditional::Version;
use tollbridge_api::error::{ApiError, internal};
use tollbridge_api::operation::Operation;
use tollbridge_core::time::now_ms;
use tollbridge_web::{AppState, Routes};

use crate::a2a::request::version;

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let known = "The card still matches If-None-Match or If-Modified-Since";
    Routes::new("protocols")
        .get(
            "/.well-known/agent-card.json",
            signed,
            Operation::new(
                "showAgentCard",
                "Agent card",
                "The signed A2A agent card, with every skill, for versions 0.3.0 and 1.0; `A2A-Version: 1.0` \
                selects the pure 1.0 format.",
            )
            .answer::<Card>(200, "The card")
            .empty(304, known),
        )
        .get(
            "/.well-known/agent.json",
            plain,
            Operation::new(
                "showPlainAgentCard",
                "Plain agent card",
                "The A2A agent card without signatures and security.",
            )
            .answer::<Card>(200, "The card")
            .empty(304, known),
        )
}

async fn signed(
    State(app): State<Arc<AppState>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let query = form_urlencoded::parse(query.as_deref().unwrap_or_default().as_bytes()).into_owned();
    let query: BTreeMap<String, String> = query.collect();
    let cards = cards(&app)?;
    // The card lists the supported versions, so a request for an unknown version still gets it.
    let text = match version(&headers, &query) {
        Ok(ProtocolVersion::V1) => &cards.version_1,
        Ok(ProtocolVersion::V0_3) | Err(_) => &cards.signed,
    };
    let mut response = card(text, &cards, &headers);
    response.headers_mut().insert(header::VARY, HeaderValue::from_static(ProtocolVersion::HEADER));
    Ok(response)
}

async fn plain(State(app): State<Arc<AppState>>, headers: HeaderMap) -> Result<Response, ApiError> {
    let cards = cards(&app)?;
    Ok(card(&cards.plain, &cards, &headers))
}

fn cards(app: &AppState) -> Result<Arc<Cards>, ApiError> {
    app.a2a.cards.cards(now_ms()).map_err(|error| internal(&error))
}

/// Answers with a card, or with 304 if the client's copy is current. Cards change only with the
/// configuration and the signing key, so clients may cache them.
fn card(text: &str, cards: &Cards, asked: &HeaderMap) -> Response {
    let version = Version::of(text, cards.made_ms);
    let mut response = match version.is_known(asked) {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => ([(header::CONTENT_TYPE, "application/json")], text.to_owned()).into_response(),
    };
    let headers = response.headers_mut();
    headers.extend(version.headers());
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=300"));
    response
}
