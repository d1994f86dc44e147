//! Deliveries of one webhook: secrets, attempts, replay, and signature checks.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tollbridge_api::error::{ApiError, Code};
use tollbridge_api::operation::Operation;
use tollbridge_core::time::now_ms;
use tollbridge_core::timestamp::Timestamp;
use tollbridge_web::admit::Manager;
use tollbridge_web::body::{JsonBody, JsonBytes, RawBytes, parse};
use tollbridge_web::{AppState, Path, Routes};
use tollbridge_webhooks::limits::{WEBHOOK_OVERLAP_MS_MAX, WEBHOOK_SECRET_CHARS_MAX, WEBHOOK_SECRET_CHARS_MIN};
use tollbridge_webhooks::{AttemptView, OVERLAP_MS, Replay};

use crate::error_mapping::webhooks::webhook_error;

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let errors = [Code::AlreadySealed, Code::InProgress];
    Routes::new("webhooks")
        .post(
            "/v1/webhooks/{id}/secret",
            roll,
            Operation::new(
                "rollWebhookSecret",
                "Replace a secret",
                "Makes a new secret; for a while, events are also signed with the old one.",
            )
            .optional_body::<RollBody>()
            .answer::<NewSecret>(200, "The new secret")
            .errors(&errors),
        )
        .post(
            "/v1/webhooks/{id}/enable",
            enable,
            Operation::new(
                "enableWebhook",
                "Enable a webhook",
                "Resumes deliveries to a receiver that had answered 410.",
            )
            .empty(204, "Deliveries resume")
            .errors(&errors),
        )
        .get(
            "/v1/webhooks/{id}/attempts",
            attempts,
            Operation::new("listWebhookAttempts", "List attempts", "The latest attempts, newest first.")
                .answer::<Attempts>(200, "The attempts"),
        )
        .post(
            "/v1/webhooks/{id}/replay",
            replay,
            Operation::new(
                "replayWebhook",
                "Replay events",
                "Sends events again: one event, all failed ones, or all since a time.",
            )
            .answer::<Queued>(202, "The events are queued")
            .errors(&errors),
        )
        .post(
            "/v1/webhooks/{id}/verify",
            verify,
            Operation::new(
                "verifyWebhook",
                "Check a signature",
                "Checks whether the signature header of this request matches its body.",
            )
            .answer::<SignatureCheck>(200, "The signature is valid")
            .errors(&[Code::EventSignature]),
        )
}

#[derive(Serialize, JsonSchema)]
struct NewSecret {
    id: String,
    secret: String,
    /// The time at which the previous secret stops signing.
    previous_signs_until: Timestamp,
}

#[derive(Serialize, JsonSchema)]
struct Attempts {
    attempts: Vec<AttemptView>,
}

#[derive(Serialize, JsonSchema)]
struct Queued {
    queued: usize,
}

#[derive(Serialize, JsonSchema)]
struct SignatureCheck {
    #[schemars(extend("const" = true))]
    valid: bool,
}

#[derive(Default, Deserialize, JsonSchema)]
#[schemars(rename = "RollSecret")]
#[serde(deny_unknown_fields)]
struct RollBody {
    #[schemars(length(min = WEBHOOK_SECRET_CHARS_MIN, max = WEBHOOK_SECRET_CHARS_MAX))]
    secret: Option<String>,
    /// Time for which the old secret remains in use, in milliseconds.
    #[schemars(range(max = WEBHOOK_OVERLAP_MS_MAX))]
    overlap_ms: Option<u64>,
}

async fn roll(
    State(app): State<Arc<AppState>>,
    Manager(principal): Manager,
    Path(id): Path<String>,
    JsonBytes(bytes): JsonBytes,
) -> Result<Json<NewSecret>, ApiError> {
    let body: RollBody = optional(&bytes)?;
    let overlap = body.overlap_ms.unwrap_or(OVERLAP_MS);
    let secret = app.webhooks.roll(&principal.account_id, &id, body.secret, overlap).await.map_err(webhook_error)?;
    let previous_signs_until = Timestamp::from_ms(now_ms().saturating_add(overlap));
    Ok(Json(NewSecret { id, secret, previous_signs_until }))
}

async fn enable(
    State(app): State<Arc<AppState>>,
    Manager(principal): Manager,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    app.webhooks.enable(&principal.account_id, &id).await.map_err(webhook_error)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lists the latest attempts, newest first.
async fn attempts(
    State(app): State<Arc<AppState>>,
    Manager(principal): Manager,
    Path(id): Path<String>,
) -> Result<Json<Attempts>, ApiError> {
    let shown = app.webhooks.show(&principal.account_id, &id).await.map_err(webhook_error)?;
    Ok(Json(Attempts { attempts: shown.progress.attempts.into_iter().rev().map(AttemptView::new).collect() }))
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Replay", extend("oneOf" = replay_forms()))]
#[serde(deny_unknown_fields)]
struct ReplayBody {
    event_id: Option<String>,
    #[serde(default)]
    dead: bool,
    since_ms: Option<u64>,
}

/// Returns the schemas of the three kinds of replay request, of which exactly one must
/// match.
fn replay_forms() -> Value {
    let no = json!({ "not": { "const": true } });
    let absent = json!({ "type": "null" });
    let form = |member: &str, with: Value| {
        let mut properties = json!({ "event_id": absent, "dead": no, "since_ms": absent });
        if let Some(place) = properties.get_mut(member) {
            *place = with;
        }
        json!({ "required": [member], "properties": properties })
    };
    let there = json!({ "not": { "type": "null" } });
    json!([form("event_id", there.clone()), form("dead", json!({ "const": true })), form("since_ms", there)])
}

async fn replay(
    State(app): State<Arc<AppState>>,
    Manager(principal): Manager,
    Path(id): Path<String>,
    JsonBody(body): JsonBody<ReplayBody>,
) -> Result<(StatusCode, Json<Queued>), ApiError> {
    let what = match body {
        ReplayBody { event_id: Some(id), dead: false, since_ms: None } => Replay::Event(id),
        ReplayBody { event_id: None, dead: true, since_ms: None } => Replay::Dead,
        ReplayBody { event_id: None, dead: false, since_ms: Some(since) } => Replay::Since(since),
        _ => return Err(ApiError::invalid("", "name exactly one of event_id, dead: true and since_ms")),
    };
    let queued = app.webhooks.replay(&principal.account_id, &id, &what).await.map_err(webhook_error)?;
    Ok((StatusCode::ACCEPTED, Json(Queued { queued })))
}

/// Checks the signature header of this request against its body, so that the developer of a
/// receiver can debug mismatches.
async fn verify(
    State(app): State<Arc<AppState>>,
    Manager(principal): Manager,
    Path(id): Path<String>,
    headers: HeaderMap,
    RawBytes(body): RawBytes,
) -> Result<Json<SignatureCheck>, ApiError> {
    let name = &app.settings.signature_header;
    let given = headers.get(name).and_then(|value| value.to_str().ok());
    let wrong = |message: String| ApiError::new(Code::EventSignature, message);
    let given = given.ok_or_else(|| wrong(format!("send the signature as the header {name}")))?;
    match app.webhooks.verifies(&principal.account_id, &id, &body, given).map_err(webhook_error)? {
        true => Ok(Json(SignatureCheck { valid: true })),
        false => Err(wrong(
            "webhook signature invalid; recompute the lower-case hex HMAC-SHA256 of the raw body with the webhook secret"
                .to_owned(),
        )),
    }
}

fn optional<T: Default + serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    if bytes.is_empty() {
        return Ok(T::default());
    }
    parse(bytes)
}
