//! The inference routes in `/openapi.json`.

use serde_json::{Value, json};

use crate::error::Code;
use crate::openapi::{Body, JSON, Operation, keyed, read};

const ERRORS: &[Code] = &[
    Code::ModelNotFound,
    Code::PaymentRequired,
    Code::NoProvider,
    Code::AlreadySealed,
    Code::IdempotencyReused,
    Code::InProgress,
    Code::ContentType,
    Code::LacksScope,
];

const fn ask(path: &'static str, id: &'static str, summary: &'static str, body: &'static str) -> Operation {
    Operation {
        method: "post",
        path,
        id,
        summary,
        key: true,
        success: (200, JSON),
        errors: ERRORS,
        body: Some(Body::Json(body)),
        also: &[],
    }
}

/// Every route of this folder.
pub const OPERATIONS: &[Operation] = &[
    ask(
        "/v1/chat/completions",
        "chat",
        "A chat completion, as OpenAI's; with `stream` as server-sent events",
        "ChatRequest",
    ),
    ask("/api/v1/chat/completions", "chat_api", "The same", "ChatRequest"),
    ask("/v1/embeddings", "embed", "Vectors of texts, as OpenAI's", "EmbeddingsRequest"),
    ask("/api/v1/embeddings", "embed_api", "The same", "EmbeddingsRequest"),
    ask("/v1/inference/route", "routeInference", "A completion by the model that the host chooses", "RouteRequest"),
    read("/v1/models", "listModels", "Models of all active providers, with their prices", &[]),
    read("/api/v1/models", "listModels_api", "The same", &[]),
    read("/v1/models/{id}", "showModel", "One model", &[Code::ModelNotFound]),
    read("/api/v1/models/{id}", "showModel_api", "The same", &[Code::ModelNotFound]),
    read("/api/v1/health", "inferenceHealth", "How many providers are active, and how each is", &[]),
    keyed(read(
        "/v1/usage",
        "usage",
        "Tokens and cost by key, plugin and provider",
        &[Code::Invalid, Code::LacksScope],
    )),
];

/// What they take.
pub fn schemas() -> Value {
    let model = json!({ "type": "string", "minLength": 1, "maxLength": 256, "description": "An id from the list of models, or `auto`" });
    let cost = json!({ "type": ["string", "null"], "pattern": "^[0-9]{1,6}(\\.[0-9]{1,2})?$", "description": "The most that it may cost, pounds" });
    json!({
        "ChatRequest": {
            "type": "object",
            "required": ["model", "messages"],
            "description": "OpenAI's members, and any others: they are passed on to the provider",
            "properties": {
                "model": model,
                "messages": { "type": "array", "minItems": 1, "items": { "type": "object", "required": ["role"] } },
                "stream": { "type": ["boolean", "null"] },
                "max_completion_tokens": { "type": ["integer", "null"], "minimum": 1 },
                "max_tokens": { "type": ["integer", "null"], "minimum": 1 },
                "n": { "type": ["integer", "null"], "minimum": 1, "maximum": 128 },
                "max_cost_gbp": cost,
            },
        },
        "EmbeddingsRequest": {
            "type": "object",
            "required": ["model", "input"],
            "properties": {
                "model": model,
                "input": { "type": ["string", "array"] },
                "max_cost_gbp": cost,
            },
        },
        "RouteRequest": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "task": { "type": ["string", "null"] },
                "priority": { "enum": ["cheap", "balanced", "fast", "quality", "cost", "price", "latency", "speed"] },
                "prompt": { "type": "string", "minLength": 1 },
                "messages": { "type": "array", "minItems": 1, "items": { "type": "object", "required": ["role"] } },
                "max_tokens": { "type": ["integer", "null"], "minimum": 1 },
                "temperature": { "type": ["number", "null"], "minimum": 0, "maximum": 2 },
                "max_cost_gbp": cost,
                "dry_run": { "type": "boolean" },
            },
            "oneOf": [{ "required": ["prompt"] }, { "required": ["messages"] }],
        },
    })
}
