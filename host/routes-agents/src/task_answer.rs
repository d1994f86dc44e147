//! The response to a task: its output with a proof, or the address of a task still running.

use axum::Json;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use tollbridge_agents::{InvocationOutcome, TaskProof};
use tollbridge_api::error::ApiError;
use tollbridge_market::checkout::CallAnswer;
use tollbridge_paywall::call_headers::{PAYMENT_REMAINING, REPLAYED, add_seal_headers, header_value};

/// The header that names the agent chosen for a routed task.
pub(crate) const AGENT: HeaderName = HeaderName::from_static("x-agent");

/// Builds the response for the outcome of an invocation.
pub(crate) fn task_response(outcome: InvocationOutcome) -> Result<Response, ApiError> {
    match outcome {
        InvocationOutcome::Completed { task_id, answer, proof } => done(&task_id, answer, &proof),
        InvocationOutcome::Accepted { task_id } => Ok(accepted(&task_id)),
    }
}

// This type only documents the response: `around` writes the JSON, so that the bytes of
// the agent's output stay unchanged.
/// The answer of an agent, with its proof.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AnsweredTask {
    task_id: String,
    #[schemars(extend("const" = "completed"))]
    status: &'static str,
    output: Value,
    proof: TaskProof,
}

/// A task that continues in the background after the response.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AcceptedTask<'a> {
    task_id: &'a str,
    #[schemars(extend("const" = "working"))]
    status: &'static str,
    output: (),
    proof: (),
    /// The path of the task.
    task: &'a str,
}

/// Builds an [`AnsweredTask`].
fn done(task_id: &str, answer: CallAnswer, proof: &TaskProof) -> Result<Response, ApiError> {
    let (body, names, remaining, replayed) = match answer {
        CallAnswer::Paid { sealed, remaining, .. } => {
            let names = (*sealed.tx(), *sealed.seal());
            (sealed.into_body(), Some(names), remaining, false)
        }
        CallAnswer::Replayed(recovered) => (recovered.body, Some((recovered.tx, recovered.seal)), None, true),
        CallAnswer::Free(body) => (body, None, None, false),
    };
    let mut response = json_response(StatusCode::OK, around(task_id, &body, proof));
    response.headers_mut().insert(AGENT, header_value(proof.slug())?);
    if let Some((tx, seal)) = names {
        add_seal_headers(&mut response, &tx, &seal)?;
    }
    if let Some(remaining) = remaining {
        response.headers_mut().insert(PAYMENT_REMAINING, header_value(&remaining.pounds())?);
    }
    if replayed {
        response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    }
    Ok(response)
}

fn around(task_id: &str, output: &[u8], proof: &TaskProof) -> Bytes {
    let mut text = Vec::with_capacity(output.len().saturating_add(2_048));
    text.extend_from_slice(br#"{"task_id":"#);
    text.extend_from_slice(Value::from(task_id).to_string().as_bytes());
    text.extend_from_slice(br#","status":"completed","output":"#);
    text.extend_from_slice(output);
    text.extend_from_slice(br#","proof":"#);
    text.extend_from_slice(json!(proof).to_string().as_bytes());
    text.push(b'}');
    text.into()
}

fn json_response(status: StatusCode, body: Bytes) -> Response {
    (status, [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response()
}

/// Builds the response for a task that continues in the background.
fn accepted(task_id: &str) -> Response {
    let path = format!("/v1/tasks/{task_id}");
    let body = AcceptedTask { task_id, status: "working", output: (), proof: (), task: &path };
    let mut response = (StatusCode::ACCEPTED, Json(body)).into_response();
    if let Ok(value) = HeaderValue::from_str(&path) {
        response.headers_mut().insert(header::LOCATION, value);
    }
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(1));
    response
}
