//! Earning, reputation and notification in the OpenAPI document.

use serde_json::{Map, Value, json};

use crate::error::Code;
use crate::openapi::{Body, JSON, Operation, keyed, read};
use tollbridge_core::limits::MEMORY_KEPT_S_MAX;

const fn paid(path: &'static str, id: &'static str, summary: &'static str, body: &'static str) -> Operation {
    Operation {
        method: "post",
        path,
        id,
        summary,
        key: true,
        success: (200, JSON),
        errors: &[
            Code::PaymentRequired,
            Code::PlatformRules,
            Code::AlreadySealed,
            Code::NotFound,
            Code::ContentType,
            Code::IdempotencyReused,
            Code::InProgress,
            Code::NotLoaded,
        ],
        body: Some(Body::Json(body)),
        also: &[],
    }
}

pub(super) const OPERATIONS: &[Operation] = &[
    keyed(read("/v1/earn/1", "listEarnTasks", "Tasks that pay at the moment", &[])),
    paid("/v1/earn/1", "earn", "Hand in the result of a task; pays 78 p, once for each account and task", "EarnClaim"),
    paid("/v1/a2a/settle", "settle", "An agent of yours pays an agent of somebody else from your credit", "Settle"),
    paid(
        "/v1/memory/store",
        "storeMemory",
        "Store an item in an agent's memory, at the price of the server",
        "MemoryItem",
    ),
    keyed(read("/v1/memory/{agent}/{key}", "readMemory", "An item that this account stored", &[Code::NotFound])),
    Operation {
        method: "delete",
        path: "/v1/memory/{agent}/{key}",
        id: "deleteMemory",
        summary: "Forget an item that this account stored",
        key: true,
        success: (204, ""),
        errors: &[Code::NotFound],
        body: None,
        also: &[],
    },
    read(
        "/api/v1/reputation",
        "reputation",
        "What an account earned here, as of a signed checkpoint, with proofs; ?user_id=, &after=, &limit=",
        &[Code::Invalid, Code::NotFound],
    ),
    Operation {
        method: "post",
        path: "/api/v1/notify",
        id: "notify",
        summary: "Hear of what is coming, by e-mail",
        key: false,
        success: (202, JSON),
        errors: &[Code::Invalid, Code::ContentType],
        body: Some(Body::Json("Notify")),
        also: &[],
    },
];

/// Shapes of bodies.
pub(super) fn schemas() -> Map<String, Value> {
    let text = || json!({ "type": "string" });
    let mut schemas = Map::new();
    let mut shape = |name: &str, required: &[&str], properties: Value| {
        let shape = json!({
            "type": "object",
            "required": required,
            "additionalProperties": false,
            "properties": properties,
        });
        schemas.insert(name.to_owned(), shape);
    };
    shape("EarnClaim", &["task", "result"], json!({ "task": text(), "result": {} }));
    let amount = json!({ "type": "string", "pattern": "^[0-9]{1,5}(\\.[0-9]{1,2})?$", "description": "Pounds" });
    shape(
        "Settle",
        &["from_agent", "to_agent", "amount_gbp"],
        json!({ "from_agent": text(), "to_agent": text(), "amount_gbp": amount }),
    );
    let ttl = json!({ "type": ["integer", "null"], "minimum": 1, "maximum": MEMORY_KEPT_S_MAX });
    shape(
        "MemoryItem",
        &["agent", "key", "value"],
        json!({ "agent": text(), "key": { "type": "string", "pattern": "^[A-Za-z0-9_.:-]{1,128}$" }, "value": {}, "ttl_seconds": ttl }),
    );
    shape("Notify", &["email"], json!({ "email": { "type": "string", "format": "email", "maxLength": 254 } }));
    schemas
}
