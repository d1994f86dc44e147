//! `/v1/responses`: OpenAI's Responses API, and the responses that it stores.

use std::sync::Arc;

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use tollbridge_api::error::{ApiError, Code, internal, not_found};
use tollbridge_api::list_page::{OpenAiPage, Page};
use tollbridge_api::operation::{Operation, text};
use tollbridge_api::schemas::pounds_or_null;
use tollbridge_core::time::now_ms;
use tollbridge_gateway::limits::{INFERENCE_BODY_BYTES_MAX, RESPONSE_ID_BYTES_MAX};
use tollbridge_gateway::{ClientFormat, InferenceEndpoint, StoredResponse, StoredResponseError};
use tollbridge_store::SubmitError;
use tollbridge_web::admit::{Caller, RequestId};
use tollbridge_web::body::JsonRequest;
use tollbridge_web::{AppState, Path, Routes};

use crate::chat::{MODEL_ERRORS, answer, model_schema};

/// Maximum page size of a list of input items.
const RESPONSE_INPUT_PAGE_MAX: usize = 100;
/// Default page size of a list of input items.
const RESPONSE_INPUT_PAGE: usize = 20;

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    Routes::new("inference")
        .post(
            "/v1/responses",
            create,
            Operation::new(
                "createResponse",
                "Response",
                "A response from a model, in the format of OpenAI's Responses API; with `stream`, as server-sent \
                events. It is stored for 30 days unless `store` is false.",
            )
            .alias("/api/v1/responses")
            .body_schema(request_schema())
            .answer_schema(200, "The response", response_schema())
            .or_events()
            .errors(&MODEL_ERRORS),
        )
        .get(
            "/v1/responses/{id}",
            show,
            Operation::new("showResponse", "Read a response", "A response that this account has stored.")
                .alias("/api/v1/responses/{id}")
                .answer_schema(200, "The response", response_schema()),
        )
        .delete(
            "/v1/responses/{id}",
            delete,
            Operation::new("deleteResponse", "Delete a response", "Deletes a response and its input at once.")
                .alias("/api/v1/responses/{id}")
                .answer::<DeletedResponse>(200, "The response was deleted"),
        )
        .get(
            "/v1/responses/{id}/input_items",
            input_items,
            Operation::new("listResponseInput", "List the input of a response", "The input of a stored response.")
                .alias("/api/v1/responses/{id}/input_items")
                .query("after", false, "The id of the item after which the page starts")
                .query_as(
                    "limit",
                    false,
                    "The maximum number to return",
                    &json!({ "type": "integer", "minimum": 1, "maximum": RESPONSE_INPUT_PAGE_MAX, "default": RESPONSE_INPUT_PAGE }),
                )
                .query_as("order", false, "Newest or oldest first", &json!({ "enum": ["desc", "asc"], "default": "desc" }))
                .answer::<OpenAiPage<ResponseItem>>(200, "A page of items"),
        )
        // Above the usual limit, because images are embedded in the request.
        .body_limit(INFERENCE_BODY_BYTES_MAX)
}

#[derive(Serialize, JsonSchema)]
struct DeletedResponse {
    id: String,
    #[schemars(extend("const" = "response"))]
    object: &'static str,
    #[schemars(extend("const" = true))]
    deleted: bool,
}

/// An item of a response's input, as the client sent it.
#[derive(Serialize, JsonSchema)]
#[schemars(extend("required" = ["type"], "properties" = { "type": { "type": "string" } }))]
struct ResponseItem(#[schemars(with = "Map<String, Value>")] Value);

fn request_schema() -> Value {
    let nullable = |kind: &str| json!({ "type": [kind, "null"] });
    json!({
        "type": "object",
        "required": ["model"],
        "description": "OpenAI's members; unknown members are passed on to the provider",
        "properties": {
            "model": model_schema(),
            "input": {
                "type": ["string", "array", "null"],
                "items": { "type": "object" },
                "description": "A string or a list of items",
            },
            "instructions": nullable("string"),
            "stream": nullable("boolean"),
            "store": nullable("boolean"),
            "previous_response_id": {
                "type": ["string", "null"], "minLength": 1, "maxLength": RESPONSE_ID_BYTES_MAX,
                "description": "The id of a response that this account has stored",
            },
            "max_output_tokens": { "type": ["integer", "null"], "minimum": 1 },
            "metadata": nullable("object"),
            "reasoning": nullable("object"),
            "text": nullable("object"),
            "tools": { "type": ["array", "null"], "items": { "type": "object", "required": ["type"] } },
            "tool_choice": { "type": ["string", "object", "null"] },
            "parallel_tool_calls": nullable("boolean"),
            "background": { "enum": [false, null] },
            "service_tier": { "enum": ["auto", "default", null] },
            "max_cost_gbp": pounds_or_null(),
        },
    })
}

fn response_schema() -> Value {
    json!({
        "type": "object",
        "required": ["id", "object", "status", "output"],
        "properties": {
            "id": text(),
            "object": { "const": "response" },
            "status": { "enum": ["completed", "incomplete"] },
            "output": { "type": "array", "items": { "type": "object", "required": ["type"] } },
            "store": { "type": "boolean", "description": "Whether the response is stored" },
        },
    })
}

async fn create(
    State(app): State<Arc<AppState>>,
    RequestId(request_id): RequestId,
    Caller(principal): Caller,
    JsonRequest { headers, body }: JsonRequest,
) -> Result<Response, ApiError> {
    answer(&app, &request_id, &principal, &headers, body, (ClientFormat::Responses, InferenceEndpoint::Chat)).await
}

async fn show(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Json<Value>, ApiError> {
    for (name, value) in pairs(query.as_deref()) {
        match name.as_str() {
            "include" | "include[]" | "include_obfuscation" => {}
            "stream" if value == "false" => {}
            "stream" | "starting_after" => {
                return Err(ApiError::invalid("", "stream: a stored response is returned whole; leave `stream` out"));
            }
            _ => return Err(unknown_parameter(&name)),
        }
    }
    let StoredResponse { response, .. } = find(&app, &principal.account_id, &id)?;
    Ok(Json(response))
}

async fn delete(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    Path(id): Path<String>,
) -> Result<Json<DeletedResponse>, ApiError> {
    let removed = app.gateway.responses().delete(&principal.account_id, &id, now_ms()).await.map_err(refused)?;
    if !removed {
        return Err(unknown(&id));
    }
    Ok(Json(DeletedResponse { id, object: "response", deleted: true }))
}

async fn input_items(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Json<OpenAiPage<ResponseItem>>, ApiError> {
    let (mut after, mut limit, mut newest_first) = (None, RESPONSE_INPUT_PAGE, true);
    for (name, value) in pairs(query.as_deref()) {
        match name.as_str() {
            "after" => after = Some(value),
            "limit" => {
                let number = value.parse().ok().filter(|number| (1..=RESPONSE_INPUT_PAGE_MAX).contains(number));
                let wrong = || ApiError::invalid("", format!("limit must be from 1 to {RESPONSE_INPUT_PAGE_MAX}"));
                limit = number.ok_or_else(wrong)?;
            }
            "order" if value == "asc" || value == "desc" => newest_first = value == "desc",
            "order" => return Err(ApiError::invalid("", "order must be asc or desc")),
            "include" | "include[]" => {}
            _ => return Err(unknown_parameter(&name)),
        }
    }
    let StoredResponse { mut input, .. } = find(&app, &principal.account_id, &id)?;
    if newest_first {
        input.reverse();
    }
    let from = match after {
        None => 0,
        Some(after) => {
            let at = input.iter().position(|item| item.get("id").and_then(Value::as_str) == Some(after.as_str()));
            let wrong = || ApiError::invalid("", format!("after: `{}` is not an item of this response", short(&after)));
            at.ok_or_else(wrong)?.saturating_add(1)
        }
    };
    let left = input.get(from..).unwrap_or_default();
    let page: Vec<ResponseItem> = left.iter().take(limit).cloned().map(ResponseItem).collect();
    let has_more = left.len() > page.len();
    Ok(Json(Page::new(page, |ResponseItem(item)| item.get("id")?.as_str(), has_more).into()))
}

/// Parses a query into pairs, in which a name may repeat; some clients write lists as `include[]`.
fn pairs(query: Option<&str>) -> Vec<(String, String)> {
    form_urlencoded::parse(query.unwrap_or_default().as_bytes()).into_owned().collect()
}

fn find(app: &AppState, account: &str, id: &str) -> Result<StoredResponse, ApiError> {
    let found = app.gateway.responses().find(account, id, now_ms()).map_err(|error| internal(&error))?;
    found.ok_or_else(|| unknown(id))
}

fn unknown(id: &str) -> ApiError {
    not_found(format!(
        "this account has no stored response `{}`; it may have expired after 30 days, been deleted, or never been \
        stored",
        short(id)
    ))
}

fn unknown_parameter(name: &str) -> ApiError {
    ApiError::invalid("", format!("unknown query parameter `{}`", short(name)))
}

fn short(text: &str) -> String {
    text.chars().take(80).collect()
}

fn refused(error: StoredResponseError) -> ApiError {
    match error {
        StoredResponseError::Submit(SubmitError::Busy) => {
            ApiError::new(Code::Overloaded, error.to_string()).retry_after(1)
        }
        other => internal(&other),
    }
}
