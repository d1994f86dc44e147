//! Webhooks in the OpenAPI document.

use serde_json::{Map, Value, json};

use crate::error::Code;
use crate::openapi::{Body, JSON, Operation, keyed, read};
use tollbridge_core::limits::{WEBHOOK_OVERLAP_MS_MAX, WEBHOOK_SECRET_BYTES_MAX, WEBHOOK_SECRET_BYTES_MIN};
use tollbridge_ledger::events;

const fn write(
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    success: (u16, &'static str),
    body: Option<Body>,
) -> Operation {
    let errors = &[Code::NotFound, Code::Invalid, Code::AlreadySealed, Code::LacksScope, Code::ContentType];
    Operation { method: "post", path, id, summary, key: true, success, errors, body, also: &[] }
}

pub(super) const OPERATIONS: &[Operation] = &[
    write(
        "/v1/webhooks",
        "registerWebhook",
        "Hear of events at an address of yours; the secret is shown this once",
        (201, JSON),
        Some(Body::Json("NewWebhook")),
    ),
    keyed(read("/v1/webhooks", "listWebhooks", "Webhooks of the account", &[Code::LacksScope])),
    keyed(read(
        "/v1/webhooks/{id}",
        "showWebhook",
        "One webhook with how many deliveries arrived, wait and failed",
        &[Code::NotFound, Code::LacksScope],
    )),
    Operation {
        method: "delete",
        path: "/v1/webhooks/{id}",
        id: "deleteWebhook",
        summary: "Delete a webhook and what waits for it",
        key: true,
        success: (204, ""),
        errors: &[Code::NotFound, Code::LacksScope],
        body: None,
        also: &[],
    },
    write(
        "/v1/webhooks/{id}/secret",
        "rollWebhookSecret",
        "A new secret; the old one signs beside it for a while",
        (200, JSON),
        Some(Body::OptionalJson("RollSecret")),
    ),
    write(
        "/v1/webhooks/{id}/enable",
        "enableWebhook",
        "Send again to a receiver that had answered 410",
        (204, ""),
        None,
    ),
    keyed(read(
        "/v1/webhooks/{id}/attempts",
        "listWebhookAttempts",
        "The latest attempts, newest first",
        &[Code::NotFound, Code::LacksScope],
    )),
    write(
        "/v1/webhooks/{id}/replay",
        "replayWebhook",
        "Send again: one event, what was given up, or all since a time",
        (202, JSON),
        Some(Body::Json("Replay")),
    ),
    Operation {
        method: "post",
        path: "/v1/webhooks/{id}/verify",
        id: "verifyWebhook",
        summary: "Whether the signature header of this request is that of its body",
        key: true,
        success: (200, JSON),
        errors: &[Code::NotFound, Code::EventSignature, Code::LacksScope],
        body: Some(Body::Bytes),
        also: &[],
    },
    write("/v1/webhooks/test", "testWebhooks", "Send a test event to every webhook of the account", (202, JSON), None),
    write(
        "/api/v1/webhooks/test",
        "testWebhooks_api",
        "Send a test event to every webhook of the account",
        (202, JSON),
        None,
    ),
];

/// Shapes of bodies.
pub(super) fn schemas() -> Map<String, Value> {
    let names: Vec<&str> = events::ALL.iter().map(|(name, _)| *name).chain(["*"]).collect();
    let secret = json!({ "type": ["string", "null"], "minLength": WEBHOOK_SECRET_BYTES_MIN, "maxLength": WEBHOOK_SECRET_BYTES_MAX });
    let mut schemas = Map::new();
    schemas.insert(
        "NewWebhook".to_owned(),
        json!({
            "type": "object",
            "required": ["url", "events"],
            "additionalProperties": false,
            "properties": {
                "url": { "type": "string", "format": "uri" },
                "events": { "type": "array", "minItems": 1, "items": { "enum": names } },
                "secret": secret,
            },
        }),
    );
    schemas.insert(
        "RollSecret".to_owned(),
        json!({
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "secret": secret,
                "overlap_ms": { "type": ["integer", "null"], "minimum": 0, "maximum": WEBHOOK_OVERLAP_MS_MAX },
            },
        }),
    );
    schemas.insert(
        "Replay".to_owned(),
        json!({
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "event_id": { "type": ["string", "null"] },
                "dead": { "type": "boolean" },
                "since_ms": { "type": ["integer", "null"], "minimum": 0 },
            },
        }),
    );
    schemas
}
