//! Admission: the first step for every request on the public listener.
//!
//! It assigns the request id, authenticates the caller, applies the rate limits, and adds their
//! state to the headers of every response, including errors and unknown paths. It wraps the router
//! instead of being one of its layers, because the router clones its layers for every request.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use aide::generate::GenContext;
use aide::openapi::Operation;
use aide::operation::OperationInput;
use axum::Router;
use axum::body::Body;
use axum::extract::{FromRequestParts, OptionalFromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::FutureExt;
use tollbridge_access::{AccessDenied, AccessError, Admission, AuthRequirement, Principal, RateLimitStatus, Scope};
use tollbridge_api::error::{ApiError, Code};
use tollbridge_api::error_shape::REQUEST_ID;
use tollbridge_api::routes::BodyLimit;
use tollbridge_connections::limits::HEADERS_BYTES_MAX;
use tollbridge_core::fair_limiter::FairShare;
use tollbridge_core::time::now_ms;
use tollbridge_paywall::authorization::authorization_at;
use tollbridge_paywall::call_headers::INTENT;
use tollbridge_paywall::mpp;
use tollbridge_paywall::wallet::PAYMENT_SIGNATURE;
use tower::ServiceExt as _;

use crate::client_of::client_of;
use crate::error_mapping::access_error;
use crate::forward::unavailable;
use crate::host_choice::catch_up_for;
use crate::operation_inputs::require_key;
use crate::state::AppState;
use crate::unauthorized::{MCP_PATH, unauthorized};

/// The id that identifies a request in the log and in the response.
#[derive(Clone, Debug)]
pub struct RequestId(pub Arc<str>);

/// Extractor of the caller's account; requires a key with the scope `call`.
pub struct Caller(pub Arc<Principal>);

/// Response extension: the account whose key authenticated the request.
#[derive(Clone)]
pub struct AnsweredTo(pub Arc<Principal>);

/// Extractor of the tenant whose concurrency slots the call uses: the caller's account
/// or, for a call without an account, the client's address.
pub struct Share(pub FairShare);

/// Extractor of the caller's account; requires a key with the scope `manage`.
pub struct Manager(pub Arc<Principal>);

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit-minute");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining-minute");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// Prefixes of the paths on which payments are made and inspected.
const PAYMENT_PATHS: [&str; 3] = ["/pay/", "/v1/payments/", "/api/v1/payments/"];

/// Authenticates a request, applies the rate limits, and passes it to `routes` or refuses
/// it.
pub async fn admit(app: &AppState, routes: Router, mut request: Request) -> Response {
    let id = request_id();
    let client = client_of(app, &request);
    let now = now_ms();
    let authorization = match authorization_at(request.uri().path(), request.headers()) {
        Ok(authorization) => authorization,
        Err(error) => return finish(error.into_response(), &id, app.access.rate_limit_status(None, client, now)),
    };
    if request.uri().path().starts_with("/health/") {
        // Load balancers poll these paths every second, so they are exempt from rate limits.
        let rate_limit = app.access.rate_limit_status(authorization.as_deref(), client, now);
        return finish(answer(routes, request).await, &id, rate_limit);
    }
    // Other hosts may have acknowledged writes that this leader has not read yet.
    if let Some(peers) = app.peers.as_ref().filter(|peers| peers.is_leader())
        && let Err(error) = catch_up_for(peers, app, (request.method(), request.uri()), authorization.as_deref()).await
    {
        tracing::warn!(%error, "cannot read the latest writes of other hosts");
        return finish(unavailable(), &id, app.access.rate_limit_status(None, client, now));
    }
    // OAuth tokens are valid only at the MCP endpoint; a refusal there points to the
    // metadata from which a client learns where to get a token.
    let at_mcp = request.uri().path() == MCP_PATH;
    // A request without a key that makes or carries a payment has a separate rate limit,
    // because the call that it pays for already counts against the limit of the client's
    // address.
    let pays = authorization.is_none() && serves_payment(&request);
    match counted(app, authorization.as_deref(), client, (at_mcp, pays)).await {
        Ok(admission) => {
            let rate_limit = admission.rate_limit;
            let principal = admission.principal.clone();
            request.extensions_mut().insert(admission);
            request.extensions_mut().insert(RequestId(id.clone()));
            request.extensions_mut().insert(client);
            request.extensions_mut().insert(BodyLimit(app.settings.body_limit));
            let mut response = finish(answer(routes, request).await, &id, rate_limit);
            if let Some(principal) = principal {
                response.extensions_mut().insert(AnsweredTo(principal));
            }
            response
        }
        Err(denied) => {
            let error = if at_mcp { unauthorized(app, &denied.reason) } else { access_error(&denied.reason) };
            finish(error.into_response(), &id, denied.rate_limit)
        }
    }
}

/// Admits a call or refuses it, and counts it against the rate limits.
async fn counted(
    app: &AppState,
    authorization: Option<&str>,
    client: IpAddr,
    (at_mcp, pays): (bool, bool),
) -> Result<Admission, AccessDenied> {
    let admit = || match (at_mcp, pays) {
        (true, _) => app.access.admit_token_or_key(authorization, client, now_ms(), AuthRequirement::Optional),
        (false, true) => app.access.admit_payment(client, now_ms()),
        (false, false) => app.access.admit(authorization, client, now_ms(), AuthRequirement::Optional),
    };
    app.access.admit_among_hosts(admit).await
}

/// Returns whether a request is for a payment page or payment route, or is a call that
/// carries its payment.
fn serves_payment(request: &Request) -> bool {
    let path = request.uri().path();
    PAYMENT_PATHS.iter().any(|prefix| path.starts_with(prefix))
        || request.headers().contains_key(INTENT)
        || request.headers().contains_key(PAYMENT_SIGNATURE)
        || mpp::has_credential(request.headers())
}

/// Builds headers and body for bytes that are not a valid HTTP request, in the format of every
/// other error. Only the sender's address is known.
pub fn refusal(app: &AppState, status: StatusCode, peer: IpAddr) -> (HeaderMap, Bytes) {
    let message = match status {
        StatusCode::URI_TOO_LONG => "the address of the request is too long; send parameters in the body".to_owned(),
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => {
            format!("the headers have more than 100 lines or {HEADERS_BYTES_MAX} bytes; send fewer")
        }
        _ => "this is not a valid HTTP request; compare its first line and headers with RFC 9112".to_owned(),
    };
    let (headers, body) = ApiError::invalid("", message).into_parts();
    let mut response = Response::new(Body::empty());
    *response.headers_mut() = headers;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let rate_limit = app.access.rate_limit_status(None, peer.to_canonical(), now_ms());
    let (head, _) = finish(response, &request_id(), rate_limit).into_parts();
    (head.headers, body.to_string().into())
}

/// Runs the routes; a panic becomes an internal error.
async fn answer(routes: Router, request: Request) -> Response {
    let answered = routes.oneshot(request).map(|response| response.unwrap_or_else(|never| match never {}));
    AssertUnwindSafe(answered).catch_unwind().await.unwrap_or_else(|_| {
        // The panic hook has logged the location; the client sees only a server error.
        ApiError::new(Code::Internal, "internal error").into_response()
    })
}

fn finish(mut response: Response, id: &str, rate_limit: RateLimitStatus) -> Response {
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, value);
    }
    headers.insert(LIMIT, HeaderValue::from(rate_limit.limit_minute));
    headers.insert(REMAINING, HeaderValue::from(rate_limit.remaining_minute));
    headers.insert(RESET, HeaderValue::from(rate_limit.reset_unix_s));
    response
}

/// Returns a request id: six random bytes, chosen once per server start, and a counter.
/// The ids are unique, and creating one needs no system call.
fn request_id() -> Arc<str> {
    static START: LazyLock<String> = LazyLock::new(|| {
        let mut start = [0; 6];
        // Without randomness ids repeat after a restart, which only affects readers of the log.
        let _ = getrandom::fill(&mut start);
        format!("req_{}", hex::encode(start))
    });
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{}{count:012x}", *START).into()
}

fn principal(parts: &Parts, scope: Scope) -> Result<Arc<Principal>, ApiError> {
    let admission = parts.extensions.get::<Admission>();
    match admission.and_then(|admission| admission.principal.clone()) {
        Some(principal) if principal.scopes.allow(scope) => Ok(principal),
        Some(_) => Err(access_error(&AccessError::MissingScope(scope))),
        None => Err(access_error(&AccessError::MissingKey)),
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        principal(parts, Scope::Call).map(Self)
    }
}

impl<S: Send + Sync> OptionalFromRequestParts<S> for Caller {
    type Rejection = ApiError;

    /// Returns `None` for a request without a key; refuses a key that lacks the scope.
    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Option<Self>, ApiError> {
        match parts.extensions.get::<Admission>().is_some_and(|admission| admission.principal.is_some()) {
            true => principal(parts, Scope::Call).map(|principal| Some(Self(principal))),
            false => Ok(None),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Manager {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        principal(parts, Scope::Manage).map(Self)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Share {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let share = parts.extensions.get::<Admission>().map(|admission| Self(admission.share()));
        share.ok_or_else(|| ApiError::new(Code::Internal, "the request was not admitted"))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for RequestId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let id = parts.extensions.get::<Self>().cloned();
        id.ok_or_else(|| ApiError::new(Code::Internal, "the request has no id"))
    }
}

impl OperationInput for Caller {
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        require_key(operation);
    }
}

impl OperationInput for Manager {
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        require_key(operation);
    }
}

impl OperationInput for RequestId {}
impl OperationInput for Share {}
