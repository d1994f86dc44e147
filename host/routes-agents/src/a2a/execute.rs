//! `POST /v1/a2a/execute`: the JSON-RPC endpoint that the agent cards name.
//!
//! A missing key is HTTP 401, as the protocol requires. Every other error is a JSON-RPC
//! error with HTTP 200, which carries this server's own error code in addition to the
//! protocol's. `A2A-Version` selects the protocol version; the default is 0.3.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tollbridge_agents::a2a::{ProtocolVersion, RpcError, RpcErrorKind, RpcMethod, rpc, v1};
use tollbridge_api::error::{ApiError, Code};
use tollbridge_api::operation::Operation;
use tollbridge_web::admit::{Caller, RequestId};
use tollbridge_web::{AppState, Routes};

use crate::a2a::refusal::refuse;
use crate::a2a::request::A2aRequest;
use crate::rpc_response::RpcResponse;

/// The error message for a body that is not JSON.
pub(super) const SEND_JSON: &str = "send the body as Content-Type: application/json";

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let operation = Operation::new(
        "a2aExecute",
        "A2A over JSON-RPC",
        "A2A over JSON-RPC 2.0: version 1.0 with `A2A-Version: 1.0`, otherwise 0.3.0. Protocol errors come with \
        HTTP 200. See docs/a2a.md.",
    )
    // Some clients append an empty path to the endpoint's address.
    .alias("/v1/a2a/execute/")
    .body_schema(request_schema())
    .answer::<RpcResponse>(200, "The response");
    Routes::new("protocols").post("/v1/a2a/execute", execute, operation)
}

/// Returns the schema of the request envelope; the protocol defines `params`.
fn request_schema() -> Value {
    let methods = [RpcMethod::names(ProtocolVersion::V0_3), RpcMethod::names(ProtocolVersion::V1)].concat();
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
    id: RequestId,
    Caller(principal): Caller,
    request: A2aRequest,
) -> Result<Response, ApiError> {
    let version = match request.version() {
        Ok(version) => version,
        // A request for an unsupported version is answered in the format of the newest
        // version.
        Err(error) => return Ok(response(ProtocolVersion::V1, &id_of(&request), Err(error))),
    };
    if !request.is_json {
        let error = match version {
            ProtocolVersion::V0_3 => return Err(ApiError::new(Code::ContentType, SEND_JSON)),
            ProtocolVersion::V1 => RpcError::new(RpcErrorKind::ContentType, SEND_JSON),
        };
        return Ok(response(version, &Value::Null, Err(error)));
    }
    let context = request.context(&app, version, &principal, &id)?;
    Ok(match rpc::read(&request.body, version) {
        Ok(call) => {
            let result = app.a2a.answer(context, call.method, call.params).await;
            response(version, &call.id, result.map_err(|error| refuse(&app, error)))
        }
        Err((id, error)) => response(version, &id, Err(error)),
    })
}

/// Returns the id of a request that is refused before it is parsed.
fn id_of(request: &A2aRequest) -> Value {
    match rpc::read(&request.body, ProtocolVersion::V1) {
        Ok(request) => request.id,
        Err((id, _)) => id,
    }
}

fn response(version: ProtocolVersion, id: &Value, result: Result<Value, RpcError>) -> Response {
    let body = match (result, version) {
        (Ok(result), _) => rpc::success(id, result),
        (Err(error), ProtocolVersion::V0_3) => error.response(id),
        (Err(error), ProtocolVersion::V1) => v1::errors::response(&error, id),
    };
    let headers = [(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"))];
    (headers, Json(body)).into_response()
}
