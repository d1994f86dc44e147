//! The public router: every route, CORS, fallbacks, and the admission
//! middleware around them.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderName, Method, header};
use axum::middleware::from_fn;
use axum::response::Response;
use tower_http::cors::{Any, CorsLayer};

use crate::error::{ApiError, Code, not_found};
use crate::page_headers::page_headers;
use crate::server::RequestHandler;
use crate::state::AppState;
use crate::{
    a2a, account, admit, agents, bridges, checkout_session, connect, docs, earning, health, inference, ledger,
    marketplace, mcp, notify, oauth, openapi, oracle, owner, pages, pay, payments, reputation, resources, rules,
    stripe_events, tasks, webhooks, withdrawals,
};

/// Every public route.
pub fn router(app: Arc<AppState>) -> Public {
    router_with(app, Router::new())
}

/// Every public route and some more, behind the same door. Benchmarks put the
/// native twin of a plugin there.
pub fn router_with(app: Arc<AppState>, more: Router<Arc<AppState>>) -> Public {
    let open = Router::new()
        .merge(more)
        .merge(oracle::routes())
        .merge(inference::routes())
        .merge(bridges::routes())
        .merge(agents::routes())
        .merge(tasks::routes())
        .merge(marketplace::routes())
        .merge(owner::routes())
        .merge(payments::routes())
        .merge(account::routes())
        .merge(withdrawals::routes())
        .merge(checkout_session::routes())
        .merge(stripe_events::routes())
        .merge(resources::routes())
        .merge(webhooks::routes())
        .merge(earning::routes())
        .merge(notify::routes())
        .merge(reputation::routes())
        .merge(rules::routes())
        .merge(ledger::routes())
        .merge(a2a::routes())
        .merge(oauth::metadata::routes())
        .merge(oauth::register::routes())
        .merge(oauth::token::routes())
        .merge(mcp::endpoint::routes(&app))
        .merge(health::routes())
        .merge(openapi::routes())
        // Below CORS: a fallback that is set above it would answer preflights.
        .method_not_allowed_fallback(wrong_method)
        .layer(cors());
    let pages =
        Router::new().merge(pay::routes()).merge(connect::routes()).merge(docs::routes()).layer(from_fn(page_headers));
    let routes = open
        .merge(pages)
        .merge(pages::routes::routes())
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
        .with_state(app.clone());
    Public { app, routes }
}

/// The routes with what stands around them all: the door, and error pages for
/// browsers.
#[derive(Clone)]
pub struct Public {
    app: Arc<AppState>,
    routes: Router,
}

impl RequestHandler for Public {
    async fn answer(self, request: Request) -> Response {
        let head = request.method() == Method::HEAD;
        let browser = pages::errors::is_asked_by_browser(&request);
        let response = admit::admit(&self.app, self.routes, request).await;
        match (head, browser) {
            (true, _) => without_body(response),
            (false, true) => pages::errors::as_page(&self.app, response).await,
            (false, false) => response,
        }
    }
}

/// What a HEAD is answered with. The router does the same for its routes, but
/// not for what the door refuses.
fn without_body(mut response: Response) -> Response {
    let length = response.body().size_hint().exact().filter(|length| *length > 0);
    if let Some(length) = length {
        response.headers_mut().entry(header::CONTENT_LENGTH).or_insert(length.into());
    }
    *response.body_mut() = Body::empty();
    response
}

/// Public and bearer routes carry no cookies, so any page may call them.
fn cors() -> CorsLayer {
    let name = HeaderName::from_static;
    CorsLayer::new()
        .allow_origin(Any)
        // The same for every origin, so caches need not tell them apart.
        .vary([])
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        .allow_headers([
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            name("x-payment-intent-id"),
            name("x-payment-source"),
            name("idempotency-key"),
            name("mcp-protocol-version"),
            name("mcp-session-id"),
            name("mcp-method"),
            name("mcp-name"),
            name("last-event-id"),
            name("x-max-cost-gbp"),
        ])
        .expose_headers([
            name("x-ratelimit-limit-minute"),
            name("x-ratelimit-remaining-minute"),
            name("x-ratelimit-reset"),
            name("x-request-id"),
            name("x-transaction-id"),
            name("x-worm-seal"),
            name("x-payment-remaining"),
            name("x-provider"),
            name("x-provider-model"),
            name("x-attempts"),
            name("x-cost-gbp"),
            name("x-charged-gbp"),
            name("x-should-retry"),
            name("idempotent-replayed"),
            header::RETRY_AFTER,
            header::WWW_AUTHENTICATE,
        ])
}

async fn unknown_path(request: Request) -> ApiError {
    not_found(format!("there is no {}", request.uri().path())).hint("GET /openapi.json lists every route")
}

async fn wrong_method(request: Request) -> ApiError {
    let (method, path) = (request.method(), request.uri().path());
    ApiError::new(Code::MethodNotAllowed, format!("{path} does not take {method}; see /openapi.json"))
}
