//! HTTP layer of the fake: authentication, idempotency, faults.

use std::collections::BTreeMap;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Query, Request, State as Extract};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use serde_json::{Value, json};

use super::fault::Fault;
use super::tokens::TOKENS_VERSION;
use super::world::{Fields, Kept, VERSION};
use super::{SECRET_KEY, State};

/// Maximum size of a request body.
const BODY_MAX: usize = 64 << 10;

pub(super) fn router(state: State) -> Router {
    Router::new().route("/oauth/authorize", get(authorize)).fallback(handle).with_state(state)
}

/// Grants the authorization immediately, and redirects back with a code.
async fn authorize(Extract(state): Extract<State>, Query(query): Query<BTreeMap<String, String>>) -> Response {
    let known = query.get("client_id").map(String::as_str) == Some(super::CLIENT_ID);
    let (Some(back), Some(token), true) = (query.get("redirect_uri"), query.get("state"), known) else {
        return (StatusCode::BAD_REQUEST, "no such application").into_response();
    };
    let code = state.lock().authorize();
    Redirect::to(&format!("{back}?state={token}&code={code}&scope=read_write")).into_response()
}

async fn handle(Extract(state): Extract<State>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = axum::body::to_bytes(body, BODY_MAX).await else { return StatusCode::BAD_REQUEST.into_response() };
    let (method, path) = (parts.method.as_str().to_owned(), parts.uri.path().to_owned());
    let fields = match method.as_str() {
        "GET" => parse(parts.uri.query().unwrap_or_default().as_bytes()),
        _ => parse(&body),
    };
    let fault = {
        let mut world = state.lock();
        world.asked.push((method.clone(), path.clone()));
        let makes_tokens = method == "POST" && path == "/v1/payment_intents";
        let version = if makes_tokens { TOKENS_VERSION } else { VERSION };
        world.inspect(&method, &path, header(&parts.headers, "stripe-version") == Some(version), &parts.headers);
        world.faults.take(&method, &path)
    };
    if !authentic(&parts.headers) {
        return error(401, "invalid_request_error", "", "Invalid API Key provided");
    }
    let key = header(&parts.headers, "idempotency-key").map(str::to_owned);
    answer(&state, &method, &path, fields, key.filter(|_| method == "POST"), fault).await
}

/// Performs a request at most once per idempotency key, with the queued fault if there is
/// one.
async fn answer(
    state: &State,
    method: &str,
    path: &str,
    fields: Fields,
    key: Option<String>,
    fault: Option<Fault>,
) -> Response {
    match &fault {
        Some(Fault::LostBefore) => return broken(),
        Some(Fault::Conflict) => {
            return error(409, "invalid_request_error", "idempotency_key_in_use", "in flight");
        }
        Some(Fault::TooMany) => return error(429, "invalid_request_error", "rate_limit", "too many"),
        Some(Fault::Missing) => return error(404, "invalid_request_error", "resource_missing", "no such thing"),
        Some(Fault::WaitBefore(gate)) => gate.pass().await,
        _ => {}
    }
    let fingerprint = format!("{method} {path} {fields:?}");
    if let Some(key) = &key {
        match state.lock().keys.get(key) {
            Some(kept) if kept.fingerprint != fingerprint => {
                let message = "Keys for idempotent requests can only be used with the same parameters";
                return error(400, "idempotency_error", "", message);
            }
            Some(kept) => return respond(kept.status, &kept.body, true),
            None => {}
        }
    }
    let before = matches!(fault, Some(Fault::ErrorBefore));
    let oops = json!({ "error": { "type": "api_error", "message": "An unknown error occurred" } });
    let done = if before { Ok((500, oops.clone())) } else { state.lock().act(method, path, &fields) };
    let (status, body) = match (done, &fault) {
        // Validation failed: nothing is stored.
        (Err(refusal), _) => return respond(refusal.0, &refusal.1, false),
        (Ok(_), Some(Fault::ErrorAfter)) => (500, oops),
        (Ok(done), _) => done,
    };
    if let Some(key) = key {
        state.lock().keys.insert(key, Kept { fingerprint, status, body: body.clone() });
    }
    match fault {
        Some(Fault::LostAfter) => broken(),
        Some(Fault::WaitAfter(gate)) => {
            gate.pass().await;
            respond(status, &body, false)
        }
        _ => respond(status, &body, false),
    }
}

fn respond(status: u16, body: &Value, replayed: bool) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, axum::Json(body.clone())).into_response();
    let headers = response.headers_mut();
    headers.insert("request-id", axum::http::HeaderValue::from_static("req_fake"));
    if replayed {
        headers.insert("idempotent-replayed", axum::http::HeaderValue::from_static("true"));
    }
    response
}

fn error(status: u16, kind: &str, code: &str, message: &str) -> Response {
    let mut error = json!({ "type": kind, "message": message });
    if !code.is_empty() {
        error["code"] = code.into();
    }
    respond(status, &json!({ "error": error }), false)
}

/// Returns an answer whose body is truncated.
fn broken() -> Response {
    let pieces = [Ok(Bytes::from_static(b"{\"id\":")), Err(std::io::Error::other("the line is cut"))];
    Body::from_stream(futures_util::stream::iter(pieces)).into_response()
}

fn authentic(headers: &HeaderMap) -> bool {
    let given = header(headers, "authorization").unwrap_or_default();
    given == format!("Bearer {SECRET_KEY}")
}

fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

/// Parses form fields. If a field is repeated, which is the client's mistake, the last
/// value wins.
fn parse(bytes: &[u8]) -> Fields {
    let text = String::from_utf8_lossy(bytes);
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(name), decode(value))
        })
        .collect()
}

/// Decodes percent-encoding, and `+` as a space.
fn decode(text: &str) -> String {
    let (mut out, mut bytes) = (Vec::new(), text.bytes());
    while let Some(byte) = bytes.next() {
        let digits = |bytes: &mut std::str::Bytes<'_>| [bytes.next().unwrap_or(b'0'), bytes.next().unwrap_or(b'0')];
        match byte {
            b'+' => out.push(b' '),
            b'%' => {
                let pair = digits(&mut bytes);
                let pair = std::str::from_utf8(&pair).unwrap_or("3f");
                out.push(u8::from_str_radix(pair, 16).unwrap_or(b'?'));
            }
            other => out.push(other),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
