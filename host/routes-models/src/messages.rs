//! `/v1/messages`: Anthropic's Messages API.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use tollbridge_api::error::ApiError;
use tollbridge_api::operation::{Operation, list, text};
use tollbridge_api::schemas::pounds_or_null;
use tollbridge_gateway::limits::INFERENCE_BODY_BYTES_MAX;
use tollbridge_gateway::{ClientFormat, InferenceEndpoint};
use tollbridge_web::admit::{Caller, RequestId};
use tollbridge_web::body::JsonRequest;
use tollbridge_web::{AppState, Routes};

use crate::chat::{MODEL_ERRORS, answer, model_schema};
use crate::errors::gateway_error_for;

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    Routes::new("inference")
        .post(
            "/v1/messages",
            create,
            Operation::new(
                "createMessage",
                "Message",
                "A message from a model, in the format of Anthropic's Messages API; with `stream`, as server-sent \
                events. `x-api-key` may also carry the key.",
            )
            .alias("/api/v1/messages")
            .body_schema(request_schema(true))
            .answer_schema(200, "The message", message_schema())
            .or_events()
            .errors(&MODEL_ERRORS),
        )
        .post(
            "/v1/messages/count_tokens",
            count_tokens,
            Operation::new(
                "countMessageTokens",
                "Count tokens",
                "The number of input tokens of a message: counted by Anthropic if the request would go there, \
                otherwise estimated. Free of charge.",
            )
            .alias("/api/v1/messages/count_tokens")
            .body_schema(request_schema(false))
            .answer::<TokenCount>(200, "The count")
            .errors(&MODEL_ERRORS),
        )
        // Above the usual limit, because images are embedded in the request.
        .body_limit(INFERENCE_BODY_BYTES_MAX)
}

fn request_schema(with_limit: bool) -> Value {
    let nullable = |kind: &str| json!({ "type": [kind, "null"] });
    let message = json!({
        "type": "object",
        "required": ["role", "content"],
        "properties": {
            "role": { "enum": ["user", "assistant"] },
            "content": { "type": ["string", "array"], "items": { "type": "object", "required": ["type"] } },
        },
    });
    let mut required = vec!["model", "messages"];
    let mut limit =
        json!({ "type": "integer", "minimum": 1, "description": "Maximum length of the answer, in tokens" });
    if with_limit {
        required.push("max_tokens");
    } else {
        limit = json!({ "type": ["integer", "null"] });
    }
    json!({
        "type": "object",
        "required": required,
        "description": "Anthropic's members; unknown members are passed on to the provider",
        "properties": {
            "model": model_schema(),
            "messages": { "type": "array", "minItems": 1, "items": message },
            "max_tokens": limit,
            "system": { "type": ["string", "array", "null"], "items": { "type": "object" } },
            "stream": nullable("boolean"),
            "stop_sequences": { "type": ["array", "null"], "items": text() },
            "tools": { "type": ["array", "null"], "items": { "type": "object" } },
            "tool_choice": tool_choice_schema(),
            "thinking": nullable("object"),
            "metadata": nullable("object"),
            "output_config": nullable("object"),
            "service_tier": { "enum": ["auto", "standard_only", null] },
            "max_cost_gbp": pounds_or_null(),
        },
    })
}

fn tool_choice_schema() -> Value {
    json!({
        "type": ["object", "null"],
        "properties": { "type": { "enum": ["auto", "any", "none", "tool"] }, "name": { "type": "string" } },
        "required": ["type"],
        "if": { "properties": { "type": { "const": "tool" } }, "required": ["type"] },
        "then": { "required": ["name"] },
    })
}

fn message_schema() -> Value {
    let block = json!({ "type": "object", "required": ["type"] });
    json!({
        "type": "object",
        "required": ["id", "type", "role", "content", "stop_reason", "usage"],
        "properties": {
            "id": text(),
            "type": { "const": "message" },
            "role": { "const": "assistant" },
            "content": list(&block),
            "usage": { "type": "object" },
        },
    })
}

#[derive(Serialize, JsonSchema)]
struct TokenCount {
    input_tokens: u64,
    /// Whether the count is an estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    estimated: Option<bool>,
}

async fn create(
    State(app): State<Arc<AppState>>,
    RequestId(request_id): RequestId,
    Caller(principal): Caller,
    JsonRequest { headers, body }: JsonRequest,
) -> Result<Response, ApiError> {
    answer(&app, &request_id, &principal, &headers, body, (ClientFormat::Messages, InferenceEndpoint::Chat)).await
}

async fn count_tokens(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    JsonRequest { body, .. }: JsonRequest,
) -> Result<Json<TokenCount>, ApiError> {
    let counted = app.gateway.count_tokens(&body).await.map_err(|error| gateway_error_for(&app, &principal, error))?;
    let estimated = counted.is_estimated.then_some(true);
    Ok(Json(TokenCount { input_tokens: counted.input_tokens, estimated }))
}
