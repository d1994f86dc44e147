//! The HTTP+JSON binding of A2A 1.0: the operations of the JSON-RPC binding, each at its own
//! address below `/v1/a2a`.
//!
//! Only the envelope differs: parameters come from path, query and body, and an error is an HTTP
//! status with `google.rpc.Status` in the body.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value};
use tollbridge_access::Principal;
use tollbridge_agents::a2a::{ProtocolVersion, RpcMethod};
use tollbridge_agents::a2a::{RpcError, RpcErrorKind};
use tollbridge_web::admit::{Caller, RequestId};
use tollbridge_web::{AppState, Path, Routes};

use crate::a2a::execute::SEND_JSON;
use crate::a2a::refusal::{from_api, refuse};
use crate::a2a::request::A2aRequest;
use crate::a2a::{operations, rest_error};

/// The protocol's media type, for clients that ask for it.
const MEDIA: &str = "application/a2a+json";

type App = State<Arc<AppState>>;

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    Routes::new("protocols")
        .post("/v1/a2a/message:send", send, operations::send())
        .post("/v1/a2a/message:stream", stream, operations::stream())
        .get("/v1/a2a/tasks", list, operations::list())
        .get("/v1/a2a/tasks/{task_id}", get, operations::get())
        .post("/v1/a2a/tasks/{task_id}", act, operations::act())
        .get("/v1/a2a/tasks/{task_id}/pushNotificationConfigs", pushes, operations::list_push())
        .post("/v1/a2a/tasks/{task_id}/pushNotificationConfigs", set_push, operations::set_push())
        .get("/v1/a2a/tasks/{task_id}/pushNotificationConfigs/{config_id}", push, operations::get_push())
        .delete("/v1/a2a/tasks/{task_id}/pushNotificationConfigs/{config_id}", delete_push, operations::delete_push())
        .get("/v1/a2a/extendedAgentCard", extended_card, operations::extended_card())
}

async fn send(State(app): App, id: RequestId, Caller(principal): Caller, request: A2aRequest) -> Response {
    serve(&app, &principal, &id, &request, RpcMethod::Send, &[]).await
}

async fn stream(State(app): App, id: RequestId, Caller(principal): Caller, request: A2aRequest) -> Response {
    serve(&app, &principal, &id, &request, RpcMethod::Stream, &[]).await
}

async fn list(State(app): App, id: RequestId, Caller(principal): Caller, request: A2aRequest) -> Response {
    serve(&app, &principal, &id, &request, RpcMethod::List, &[]).await
}

async fn get(
    State(app): App,
    id: RequestId,
    Caller(principal): Caller,
    Path(task): Path<String>,
    request: A2aRequest,
) -> Response {
    let (method, task) = match task.strip_suffix(":subscribe") {
        Some(task) => (RpcMethod::Resubscribe, task),
        None => (RpcMethod::Get, task.as_str()),
    };
    serve(&app, &principal, &id, &request, method, &[("id", task)]).await
}

/// Handles `{task}:cancel` and `{task}:subscribe`.
async fn act(
    State(app): App,
    id: RequestId,
    Caller(principal): Caller,
    Path(path): Path<String>,
    request: A2aRequest,
) -> Response {
    let (method, task) = match path.rsplit_once(':') {
        Some((task, "cancel")) => (RpcMethod::Cancel, task),
        Some((task, "subscribe")) => (RpcMethod::Resubscribe, task),
        _ => {
            let detail = "append `:cancel` or `:subscribe` to the task's id";
            return rest_error::response(&RpcError::new(RpcErrorKind::MethodNotFound, detail));
        }
    };
    serve(&app, &principal, &id, &request, method, &[("id", task)]).await
}

async fn pushes(
    State(app): App,
    id: RequestId,
    Caller(principal): Caller,
    Path(task): Path<String>,
    request: A2aRequest,
) -> Response {
    serve(&app, &principal, &id, &request, RpcMethod::ListPush, &[("taskId", &task)]).await
}

async fn set_push(
    State(app): App,
    id: RequestId,
    Caller(principal): Caller,
    Path(task): Path<String>,
    request: A2aRequest,
) -> Response {
    serve(&app, &principal, &id, &request, RpcMethod::SetPush, &[("taskId", &task)]).await
}

async fn push(
    State(app): App,
    id: RequestId,
    Caller(principal): Caller,
    Path((task, config)): Path<(String, String)>,
    request: A2aRequest,
) -> Response {
    serve(&app, &principal, &id, &request, RpcMethod::GetPush, &[("taskId", &task), ("id", &config)]).await
}

async fn delete_push(
    State(app): App,
    id: RequestId,
    Caller(principal): Caller,
    Path((task, config)): Path<(String, String)>,
    request: A2aRequest,
) -> Response {
    serve(&app, &principal, &id, &request, RpcMethod::DeletePush, &[("taskId", &task), ("id", &config)]).await
}

async fn extended_card(State(app): App, id: RequestId, Caller(principal): Caller, request: A2aRequest) -> Response {
    serve(&app, &principal, &id, &request, RpcMethod::ExtendedCard, &[]).await
}

/// Runs an operation and builds its response; `named` has the parameters of the path.
async fn serve(
    app: &AppState,
    principal: &Principal,
    id: &RequestId,
    request: &A2aRequest,
    method: RpcMethod,
    named: &[(&str, &str)],
) -> Response {
    let answer = async {
        match request.version()? {
            ProtocolVersion::V1 => {}
            ProtocolVersion::V0_3 => {
                let detail = "these URLs serve version 1.0; send A2A-Version: 1.0";
                return Err(ProtocolVersion::unsupported(detail));
            }
        }
        let params = params(request, named)?;
        let context = request.context(app, ProtocolVersion::V1, principal, id).map_err(from_api)?;
        app.a2a.answer(context, method, params).await.map_err(|error| refuse(app, error))
    };
    match answer.await {
        Ok(result) => {
            let mut response = Json(result).into_response();
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media(&request.headers)));
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
            response
        }
        Err(error) => rest_error::response(&error),
    }
}

/// Collects an operation's parameters from query, body and path; later sources override earlier
/// ones.
fn params(request: &A2aRequest, named: &[(&str, &str)]) -> Result<Map<String, Value>, RpcError> {
    if !request.is_json {
        return Err(RpcError::new(RpcErrorKind::ContentType, SEND_JSON));
    }
    let mut params = Map::new();
    for (name, text) in &request.query {
        let value = match (name.as_str(), text.as_str()) {
            (_, "") => continue,
            ("includeArtifacts", "true") => Value::Bool(true),
            ("includeArtifacts", "false") => Value::Bool(false),
            (_, text) => text.into(),
        };
        params.insert(name.clone(), value);
    }
    if !request.body.is_empty() {
        let body: Value = serde_json::from_slice(&request.body)
            .map_err(|error| RpcError::new(RpcErrorKind::Parse, error.to_string()))?;
        let Value::Object(body) = body else {
            return Err(RpcError::new(RpcErrorKind::InvalidRequest, "the body must be an object"));
        };
        params.extend(body);
    }
    params.extend(named.iter().map(|(name, text)| ((*name).to_owned(), Value::from(*text))));
    Ok(params)
}

/// Returns the protocol's media type if the client uses it, otherwise `application/json`.
fn media(headers: &HeaderMap) -> &'static str {
    let mut accepted =
        [header::ACCEPT, header::CONTENT_TYPE].into_iter().filter_map(|name| headers.get(name)?.to_str().ok());
    if accepted.any(|value| value.contains(MEDIA)) { MEDIA } else { "application/json" }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    fn request(query: &[(&str, &str)], body: &'static str) -> A2aRequest {
        let query: BTreeMap<String, String> =
            query.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        A2aRequest { headers: HeaderMap::new(), query, body: body.into(), is_json: true }
    }

    #[test]
    fn the_path_comes_before_body_and_query() {
        let query = [("id", "q"), ("pageSize", "2"), ("includeArtifacts", "true"), ("status", "")];
        let read = params(&request(&query, r#"{"id":"b","url":"u"}"#), &[("id", "p")]).unwrap();
        assert_eq!(Value::Object(read), json!({ "id": "p", "url": "u", "pageSize": "2", "includeArtifacts": true }));
        assert_eq!(params(&request(&[], "[]"), &[]).unwrap_err().kind, RpcErrorKind::InvalidRequest);
        assert_eq!(params(&request(&[], "{"), &[]).unwrap_err().kind, RpcErrorKind::Parse);
        let other = A2aRequest { is_json: false, ..request(&[], "x") };
        assert_eq!(params(&other, &[]).unwrap_err().kind, RpcErrorKind::ContentType);
    }
}
