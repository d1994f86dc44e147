//! Admission: every request on the public listener passes here first.
//!
//! It gives the request its id, authenticates the caller, counts it
//! against the rate limits, and puts their state into the headers of every
//! response, errors and unknown paths included. It stands around the router, not among
//! its layers: the router copies those for every request.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

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
use tollbridge_core::fair_limiter::FairShare;
use tollbridge_core::limits::HEADERS_BYTES_MAX;
use tollbridge_core::time::now_ms;

use crate::client_of::client_of;
use crate::error_mapping::access::access_error;
use crate::forward::away;
use crate::mcp::unauthorized::{PATH, unauthorized};
use crate::state::AppState;
use tollbridge_connections::RequestHandler;
use tollbridge_paywall::call_headers::{INTENT, authorization_at};
use tollbridge_paywall::mpp;
use tollbridge_paywall::wallet::PAYMENT_SIGNATURE;

/// The id under which operator and caller find a request.
#[derive(Clone, Debug)]
pub(crate) struct RequestId(pub Arc<str>);

/// The account of the key, for routes that need one with the scope `call`.
pub(crate) struct Caller(pub Arc<Principal>);

/// In the extensions of an answer: whose key came with the request.
#[derive(Clone)]
pub(crate) struct AnsweredTo(pub Arc<Principal>);

/// Whose share of places the call takes: its account's, or its address's.
pub(crate) struct Share(pub FairShare);

/// The account of the key, for routes that need one with the scope `manage`.
pub(crate) struct Manager(pub Arc<Principal>);

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit-minute");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining-minute");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// Where payments are read and made.
const PAYMENT_PATHS: [&str; 3] = ["/pay/", "/v1/payments/", "/api/v1/payments/"];

/// Lets a request in to `routes`, or refuses it.
pub(crate) async fn admit(app: &AppState, routes: Router, mut request: Request) -> Response {
    let id = request_id();
    let client = client_of(app, &request);
    let now = now_ms();
    let authorization = match authorization_at(request.uri().path(), request.headers()) {
        Ok(authorization) => authorization,
        Err(error) => return finish(error.into_response(), &id, app.access.rate_limit_status(None, client, now)),
    };
    if request.uri().path().starts_with("/health/") {
        // Load balancers ask every second; that is not what limits are for.
        let standing = app.access.rate_limit_status(authorization.as_deref(), client, now);
        return finish(answer(routes, request).await, &id, standing);
    }
    // What another host has just answered must be known here.
    if let Some(peers) = app.peers.as_ref().filter(|peers| peers.leads())
        && let Err(error) = peers.look_for(app, (request.method(), request.uri()), authorization.as_deref()).await
    {
        tracing::warn!(%error, "what other hosts have written cannot be seen");
        return finish(away(), &id, app.access.rate_limit_status(None, client, now));
    }
    // Tokens are for one endpoint alone, which says in its refusals how to get one.
    let at_mcp = request.uri().path() == PATH;
    let pays = authorization.is_none() && serves_payment(&request);
    match counted(app, authorization.as_deref(), client, (at_mcp, pays)).await {
        Ok(admission) => {
            let standing = admission.rate_limit;
            let principal = admission.principal.clone();
            request.extensions_mut().insert(admission);
            request.extensions_mut().insert(RequestId(id.clone()));
            request.extensions_mut().insert(client);
            request.extensions_mut().insert(BodyLimit(app.settings.body_limit));
            let mut response = finish(answer(routes, request).await, &id, standing);
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

/// Lets a call in or not, and counts it.
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

/// Whether it is one of the requests by which a call is paid for, or the call with
/// its payment.
fn serves_payment(request: &Request) -> bool {
    let path = request.uri().path();
    PAYMENT_PATHS.iter().any(|prefix| path.starts_with(prefix))
        || request.headers().contains_key(INTENT)
        || request.headers().contains_key(PAYMENT_SIGNATURE)
        || mpp::has_credential(request.headers())
}

/// Headers and body of the answer to bytes that are no request, as every other
/// error has them. Where they came from is all that is known of their sender.
pub(crate) fn refusal(app: &AppState, status: StatusCode, peer: IpAddr) -> (HeaderMap, Bytes) {
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
    let standing = app.access.rate_limit_status(None, peer.to_canonical(), now_ms());
    let (head, _) = finish(response, &request_id(), standing).into_parts();
    (head.headers, body.to_string().into())
}

/// The answer of the routes; a panic among them is one, too.
async fn answer(routes: Router, request: Request) -> Response {
    AssertUnwindSafe(routes.answer(request)).catch_unwind().await.unwrap_or_else(|_| {
        // The panic hook has logged where; the client learns only that it was us.
        ApiError::new(Code::Internal, "internal error").into_response()
    })
}

fn finish(mut response: Response, id: &str, standing: RateLimitStatus) -> Response {
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, value);
    }
    headers.insert(LIMIT, HeaderValue::from(standing.limit_minute));
    headers.insert(REMAINING, HeaderValue::from(standing.remaining_minute));
    headers.insert(RESET, HeaderValue::from(standing.reset_unix_s));
    response
}

/// Six random bytes for each start of the server, then a count: no two requests
/// share one, and none costs a system call.
fn request_id() -> Arc<str> {
    static START: LazyLock<String> = LazyLock::new(|| {
        let mut start = [0; 6];
        // Without randomness ids repeat after a restart, which harms nobody but the log's reader.
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

    /// No key is fine; a key without the scope is not.
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
