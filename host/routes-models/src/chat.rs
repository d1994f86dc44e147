//! `POST /v1/chat/completions`, `/v1/completions` and `/v1/embeddings`.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::StreamExt;
use serde_json::{Value, json};
use tollbridge_access::Principal;
use tollbridge_api::error::{ApiError, Code};
use tollbridge_api::operation::{Operation, list, text};
use tollbridge_api::schemas::pounds_or_null;
use tollbridge_core::money::Millipence;
use tollbridge_core::time::now_ms;
use tollbridge_gateway::limits::INFERENCE_BODY_BYTES_MAX;
use tollbridge_gateway::{
    ClientFormat, ClientRequest, EVENT_STREAM_TYPE, GatewayResponse, InferenceEndpoint, Recording, RoutingPriority,
    RoutingReport, SettledCharge,
};
use tollbridge_paywall::call_headers::{IDEMPOTENCY_KEY, REPLAYED, SEAL, TRANSACTION, hex_header};
use tollbridge_store::Hash;
use tollbridge_web::admit::{Caller, RequestId};
use tollbridge_web::body::JsonRequest;
use tollbridge_web::{AppState, Routes};

use crate::billing::{billed_caller, exact};
use crate::errors::gateway_error_for;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// The header in which the official clients count their retries.
const RETRY_COUNT: &str = "x-stainless-retry-count";
const PROVIDER: HeaderName = HeaderName::from_static("x-provider");
const PROVIDER_MODEL: HeaderName = HeaderName::from_static("x-provider-model");
const ATTEMPTS: HeaderName = HeaderName::from_static("x-attempts");
const COST: HeaderName = HeaderName::from_static("x-cost-gbp");
const CHARGED: HeaderName = HeaderName::from_static("x-charged-gbp");

/// Error codes of the routes that call a model.
pub(crate) const MODEL_ERRORS: [Code; 6] = [
    Code::ModelNotFound,
    Code::PaymentRequired,
    Code::NoProvider,
    Code::AlreadySealed,
    Code::IdempotencyReused,
    Code::InProgress,
];

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    Routes::new("inference")
        .post(
            "/v1/chat/completions",
            chat,
            Operation::new(
                "chat",
                "Chat completion",
                "A chat completion in OpenAI's format; with `stream`, as server-sent events.",
            )
            .alias("/api/v1/chat/completions")
            .body_schema(chat_schema())
            .answer_schema(200, "The completion", json!({ "type": "object" }))
            .or_events()
            .errors(&MODEL_ERRORS),
        )
        .post(
            "/v1/completions",
            completions,
            Operation::new(
                "complete",
                "Completion of a prompt",
                "The continuation of a prompt, in OpenAI's legacy completions format; with `stream`, as \
                server-sent events.",
            )
            .alias("/api/v1/completions")
            .body_schema(completions_schema())
            .answer_schema(200, "The completion", json!({ "type": "object" }))
            .or_events()
            .errors(&MODEL_ERRORS),
        )
        .post(
            "/v1/embeddings",
            embeddings,
            Operation::new("embed", "Embeddings", "Embedding vectors of texts, in OpenAI's format.")
                .alias("/api/v1/embeddings")
                .body_schema(embeddings_schema())
                .answer_schema(200, "The vectors", json!({ "type": "object" }))
                .errors(&MODEL_ERRORS),
        )
        // Above the usual limit, because images are embedded in the request.
        .body_limit(INFERENCE_BODY_BYTES_MAX)
}

pub(crate) fn model_schema() -> Value {
    let text = "An id from the list of models, or `auto`";
    json!({ "type": "string", "minLength": 1, "maxLength": 256, "description": text })
}

pub(crate) fn chat_schema() -> Value {
    json!({
        "type": "object",
        "required": ["model", "messages"],
        "description": "OpenAI's members; unknown members are passed on to the provider",
        "properties": {
            "model": model_schema(),
            "messages": { "type": "array", "minItems": 1, "items": { "type": "object", "required": ["role"] } },
            "stream": { "type": ["boolean", "null"] },
            "max_completion_tokens": { "type": ["integer", "null"], "minimum": 1 },
            "max_tokens": { "type": ["integer", "null"], "minimum": 1 },
            "n": { "type": ["integer", "null"], "minimum": 1, "maximum": 128 },
            "max_cost_gbp": pounds_or_null(),
        },
    })
}

fn completions_schema() -> Value {
    json!({
        "type": "object",
        "required": ["model", "prompt"],
        "properties": {
            "model": model_schema(),
            "prompt": {
                "anyOf": [
                    { "type": "string" },
                    { "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 1 },
                ],
            },
            "stream": { "type": ["boolean", "null"] },
            "max_tokens": { "type": ["integer", "null"], "minimum": 1, "description": "Default: 16" },
            "n": { "type": ["integer", "null"], "minimum": 1, "maximum": 128 },
            "echo": { "enum": [false, null] },
            "suffix": { "type": "null" },
            "best_of": { "enum": [1, null] },
            "logprobs": { "type": "null" },
            "max_cost_gbp": pounds_or_null(),
        },
    })
}

pub(crate) fn embeddings_schema() -> Value {
    let tokens = list(&json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX }));
    json!({
        "type": "object",
        "required": ["model", "input"],
        "properties": {
            "model": model_schema(),
            "input": {
                "anyOf": [{ "type": "string" }, list(&text()), tokens, list(&tokens)],
                "description": "A string, a list of strings, or tokens",
            },
            "encoding_format": { "enum": ["float", "base64"] },
            "max_cost_gbp": pounds_or_null(),
        },
    })
}

async fn chat(
    State(app): State<Arc<AppState>>,
    RequestId(request_id): RequestId,
    Caller(principal): Caller,
    JsonRequest { headers, body }: JsonRequest,
) -> Result<Response, ApiError> {
    answer(&app, &request_id, &principal, &headers, body, (ClientFormat::Chat, InferenceEndpoint::Chat)).await
}

async fn completions(
    State(app): State<Arc<AppState>>,
    RequestId(request_id): RequestId,
    Caller(principal): Caller,
    JsonRequest { headers, body }: JsonRequest,
) -> Result<Response, ApiError> {
    answer(&app, &request_id, &principal, &headers, body, (ClientFormat::Completions, InferenceEndpoint::Chat)).await
}

async fn embeddings(
    State(app): State<Arc<AppState>>,
    RequestId(request_id): RequestId,
    Caller(principal): Caller,
    JsonRequest { headers, body }: JsonRequest,
) -> Result<Response, ApiError> {
    answer(&app, &request_id, &principal, &headers, body, (ClientFormat::Chat, InferenceEndpoint::Embeddings)).await
}

/// Calls the gateway in the format of the route.
pub(crate) async fn answer(
    app: &AppState,
    request_id: &str,
    principal: &Principal,
    headers: &HeaderMap,
    body: Bytes,
    (format, endpoint): (ClientFormat, InferenceEndpoint),
) -> Result<Response, ApiError> {
    ask(app, request_id, principal, headers, (body, None), (format, endpoint)).await
}

/// Calls the gateway, with the recording of a transcription request.
pub(crate) async fn ask(
    app: &AppState,
    request_id: &str,
    principal: &Principal,
    headers: &HeaderMap,
    (body, recording): (Bytes, Option<Recording>),
    (format, endpoint): (ClientFormat, InferenceEndpoint),
) -> Result<Response, ApiError> {
    let text = |name: &str| headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let request = ClientRequest {
        caller: billed_caller(principal),
        request_id: request_id.to_owned(),
        now_ms: now_ms(),
        endpoint,
        format,
        body,
        recording,
        priority: RoutingPriority::Balanced,
        idempotency_key: text(IDEMPOTENCY_KEY),
        repeat: is_repeat(headers),
    };
    respond(app.gateway.handle(request).await.map_err(|error| gateway_error_for(app, principal, error))?)
}

/// Checks whether a client library marks the request as a retry.
pub(crate) fn is_repeat(headers: &HeaderMap) -> bool {
    let count = headers.get(RETRY_COUNT).and_then(|count| count.to_str().ok()?.trim().parse::<u32>().ok());
    count.is_some_and(|count| count > 0)
}

/// Builds the response, with routing and billing details in its headers.
pub(crate) fn respond(answer: GatewayResponse) -> Result<Response, ApiError> {
    match answer {
        GatewayResponse::Complete { settled, content_type, report } => {
            let mut response = whole(settled.body.clone(), HeaderValue::from_static(content_type));
            name(response.headers_mut(), &report);
            bill(response.headers_mut(), &settled);
            Ok(response)
        }
        GatewayResponse::Stream { bytes, report } => {
            let mut response = stream(Body::from_stream(bytes.map(Ok::<_, Infallible>)), EVENT_STREAM_TYPE);
            name(response.headers_mut(), &report);
            Ok(response)
        }
        GatewayResponse::Replayed(replay) => {
            let mut response = match replay.content_type.as_ref() {
                EVENT_STREAM_TYPE => stream(Body::from(replay.body), EVENT_STREAM_TYPE),
                kind => whole(replay.body, HeaderValue::from_str(kind).unwrap_or(JSON)),
            };
            seal(response.headers_mut(), &replay.tx, &replay.seal);
            response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
            Ok(response)
        }
    }
}

fn whole(body: impl Into<Body>, content_type: HeaderValue) -> Response {
    let headers =
        [(header::CONTENT_TYPE, content_type), (header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"))];
    (headers, body.into()).into_response()
}

fn stream(body: Body, content_type: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(content_type)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        // Proxies would otherwise buffer the events.
        (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ];
    (headers, body).into_response()
}

fn name(headers: &mut HeaderMap, report: &RoutingReport) {
    let mut put = |name: HeaderName, text: &str| {
        headers.extend(HeaderValue::from_str(text).ok().map(|value| (name, value)));
    };
    put(PROVIDER, &report.provider);
    put(PROVIDER_MODEL, &report.model);
    put(ATTEMPTS, &(report.failed.len() + 1).to_string());
}

fn bill(headers: &mut HeaderMap, settled: &SettledCharge) {
    let mut put = |name: HeaderName, amount: Millipence| {
        headers.extend(HeaderValue::from_str(&exact(amount)).ok().map(|value| (name, value)));
    };
    put(COST, settled.cost);
    put(CHARGED, settled.charged);
    if let Some(sealed) = &settled.sealed {
        seal(headers, sealed.tx(), sealed.seal());
    }
}

fn seal(headers: &mut HeaderMap, tx: &Hash, seal: &Hash) {
    headers.extend(hex_header::<67>("tx_", tx).ok().map(|value| (TRANSACTION, value)));
    headers.extend(hex_header::<64>("", seal).ok().map(|value| (SEAL, value)));
}
