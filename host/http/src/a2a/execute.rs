//! `POST /v1/a2a/execute`: the JSON-RPC endpoint of the cards.
//!
//! A missing key is HTTP 401, as the protocol wants; every other error is inside
//! JSON-RPC with HTTP 200, with this server's own code in
//! `error.data.code`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};
use tollbridge_agents::AgentError;
use tollbridge_agents::a2a::message::{SendParams, id, object, required, task_query};
use tollbridge_agents::a2a::rpc::{self, RpcError, RpcErrorKind, RpcMethod, RpcRequest};
use tollbridge_agents::a2a::{A2aHandler, HandlerError, RequestContext, TaskStoreError};
use tollbridge_core::time::now_ms;
use tollbridge_market::catalog::OfferError;
use tollbridge_market::checkout::{CheckoutError, PaymentSource};
use tollbridge_store::{Refusal, SubmitError};

use crate::admit::{Caller, RequestId};
use crate::body::JsonRequest;
use crate::call_headers::{max_cost, source, spend_limit};
use crate::error::{ApiError, Code, internal};
use crate::error_mapping::agents::agent_error;
use crate::openapi::operation::Operation;
use crate::openapi::routes::Routes;
use crate::state::AppState;

/// The routes of this area.
pub(crate) fn routes() -> Routes {
    let operation = Operation::new(
        "a2aExecute",
        "A2A over JSON-RPC",
        "A2A 0.3.0 over JSON-RPC 2.0; errors of the protocol come with HTTP 200. See docs/a2a.md.",
    )
    .body_schema(request_schema())
    .answer_schema(200, "The response", json!({ "type": "object", "required": ["jsonrpc"] }));
    Routes::new("protocols").post("/v1/a2a/execute", execute, operation)
}

/// The envelope of a request; the protocol says what `params` has in it.
fn request_schema() -> Value {
    let methods = RpcMethod::ALL.map(|(name, _)| name);
    json!({
        "type": "object",
        "required": ["jsonrpc", "method"],
        "properties": {
            "jsonrpc": { "const": "2.0" },
            "id": { "type": ["string", "integer", "null"] },
            "method": { "enum": methods },
            "params": { "type": "object" },
        },
    })
}

async fn execute(
    State(app): State<Arc<AppState>>,
    RequestId(request_id): RequestId,
    Caller(principal): Caller,
    JsonRequest { headers, body }: JsonRequest,
) -> Result<Response, ApiError> {
    // Agents are paid from credit unless an intent is named.
    let source = match source(&headers)? {
        PaymentSource::Nothing => PaymentSource::Credit,
        other => other,
    };
    let (spend, max_cost) = (spend_limit(&principal), max_cost(&headers)?);
    let response = match rpc::read(&body) {
        Ok(request) => {
            let context = RequestContext {
                account: principal.account_id.clone(),
                share: principal.share(),
                request_id: request_id.to_string(),
                now_ms: now_ms(),
                source,
                spend,
                max_cost,
            };
            let id = request.id.clone();
            match answer(&app.a2a.handler, context, request).await {
                Ok(result) => rpc::success(&id, result),
                Err(error) => refuse(&app, error).response(&id),
            }
        }
        Err((id, error)) => error.response(&id),
    };
    let headers = [(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"))];
    Ok((headers, Json(response)).into_response())
}

async fn answer(
    handler: &Arc<A2aHandler>,
    context: RequestContext,
    request: RpcRequest,
) -> Result<Value, HandlerError> {
    let RpcRequest { method, mut params, .. } = request;
    match method {
        RpcMethod::Send => handler.send(context, SendParams::read(params)?).await,
        RpcMethod::Get => {
            let (id, history_length) = task_query(&params)?;
            handler.get(&context, &id, history_length).await
        }
        RpcMethod::Cancel => handler.cancel(&context, &task_query(&params)?.0).await,
        RpcMethod::SetPush => {
            let task = text(&params, "taskId")?;
            let config = object(&mut params, "pushNotificationConfig", "/params")?;
            handler.set_push(&context, &task, required(config, "pushNotificationConfig", "/params")?).await
        }
        RpcMethod::GetPush => {
            let config = id(&params, "pushNotificationConfigId", "/params")?;
            handler.push(&context, &text(&params, "id")?, config.as_deref())
        }
        RpcMethod::ListPush => handler.pushes(&context, &text(&params, "id")?),
        RpcMethod::DeletePush => {
            handler.delete_push(&context, &text(&params, "id")?, &text(&params, "pushNotificationConfigId")?).await
        }
        RpcMethod::Stream | RpcMethod::Resubscribe => {
            let detail = "the card says streaming false; use message/send, and tasks/get or push notifications";
            Err(RpcError::new(RpcErrorKind::Unsupported, detail).into())
        }
        RpcMethod::ExtendedCard => {
            Err(RpcError::new(RpcErrorKind::NoExtendedCard, "the public card is the whole card").into())
        }
    }
}

fn text(params: &Map<String, Value>, name: &str) -> Result<String, RpcError> {
    required(id(params, name, "/params")?, name, "/params")
}

/// An error of the desk as the protocol tells it.
fn refuse(app: &AppState, error: HandlerError) -> RpcError {
    let message = error.to_string();
    let coded = |code: Code| from_api(ApiError::new(code, message.clone()));
    match error {
        HandlerError::Rpc(error) => error,
        // No agent is what the caller of a skill would correct by another skill.
        // One that is there and cannot serve may serve again.
        HandlerError::Agents(AgentError::Call(CheckoutError::Offer(why)))
            if !matches!(why, OfferError::NotLoaded { .. }) =>
        {
            let detail = "the agent of this skill is not deployed here, or is disabled; try another skill";
            RpcError::params("/params/message/metadata/capability", detail).with("code", "E007")
        }
        HandlerError::Agents(error) => from_api(agent_error(app, error)),
        HandlerError::Busy
        | HandlerError::Store(TaskStoreError::Submit(SubmitError::Refused(Refusal::Unexpected { .. }))) => {
            from_api(ApiError::new(Code::InProgress, HandlerError::Busy.to_string()).retry_after(1))
        }
        HandlerError::MessageIdReused => coded(Code::IdempotencyReused),
        HandlerError::Store(TaskStoreError::Full) => coded(Code::Overloaded),
        HandlerError::Store(TaskStoreError::Submit(SubmitError::Busy)) => {
            from_api(ApiError::new(Code::Overloaded, "too many changes wait to be written").retry_after(1))
        }
        HandlerError::OutcomeUnknown => coded(Code::Internal),
        HandlerError::Store(_) | HandlerError::NoRandomness => from_api(internal(&message)),
    }
}

/// An error of this server inside JSON-RPC: its code, its text and what else
/// its body would say.
fn from_api(error: ApiError) -> RpcError {
    let kind = match error.code {
        Code::PaymentRequired => RpcErrorKind::PaymentRequired,
        Code::Invalid | Code::NotFound | Code::PlatformRules | Code::IdempotencyReused => RpcErrorKind::InvalidParams,
        _ => RpcErrorKind::Internal,
    };
    let (detail, data) = error.into_data();
    RpcError { kind, detail, data }
}
