//! HTTP: routes, errors, pages. The only room that knows axum; it decides
//! nothing, it translates.
//!
//! Invariants: every public route is behind the door (`admit`); every error has
//! one shape (`error`); no error text of another room reaches a client unless
//! it was written for clients.

mod a2a;
mod account;
mod admin;
mod admit;
mod agents;
mod body;
mod bridges;
mod checkout_session;
mod connect;
mod docs;
mod eager;
mod earning;
mod error;
mod health;
mod inference;
mod ledger;
mod listen;
mod marketplace;
mod mcp;
mod notify;
mod oauth;
mod openapi;
mod openapi_agents;
mod openapi_earning;
mod openapi_money;
mod openapi_oauth;
mod openapi_webhooks;
mod oracle;
mod owner;
mod pages;
mod path;
mod pay;
mod payments;
mod reputation;
mod resources;
mod rules;
mod schemas;
mod server;
mod stripe_events;
mod webhooks;
mod withdrawals;

use std::fmt::Display;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use tower_http::cors::{Any, CorsLayer};

use tollbridge_access::AccessControl;
use tollbridge_agents::a2a::A2aService;
use tollbridge_agents::{AgentService, DeployService, PluginStatsIndexer};
use tollbridge_core::config::Network;
use tollbridge_core::money::Millipence;
use tollbridge_core::signing::Keyring;
use tollbridge_gateway::Gateway;
use tollbridge_ledger::Notary;
use tollbridge_market::accounts::{Accounts, Payouts, Withdrawals};
use tollbridge_market::catalog::Catalog;
use tollbridge_market::checkout::Checkout;
use tollbridge_market::earning::EarningService;
use tollbridge_market::reputation::Reputation;
use tollbridge_payment::{PaymentAuthorizer, PaymentService, StripeWebhookSecret};
use tollbridge_store::Writer;
use tollbridge_webhooks::Webhooks;

use error::{ApiError, Code};
use tollbridge_core::clock::now_ms;

pub use admin::{Admin, admin_router};
pub use health::Readiness;
pub use listen::{Heard, listen};
pub use server::{Answers, serve};

/// What the routes work with.
pub struct Shared {
    pub settings: Settings,
    pub access: Arc<AccessControl>,
    pub accounts: Arc<Accounts>,
    pub catalog: Arc<Catalog>,
    pub checkout: Arc<Checkout>,
    pub gateway: Arc<Gateway>,
    pub agents: Arc<AgentService>,
    pub deployments: Arc<DeployService>,
    pub plugin_stats: Arc<PluginStatsIndexer>,
    pub payments: Arc<PaymentAuthorizer>,
    pub payment_service: Arc<PaymentService>,
    pub payouts: Arc<Payouts>,
    pub withdrawals: Arc<Withdrawals>,
    /// Signing secret of the events that Stripe sends.
    pub event_secret: Option<StripeWebhookSecret>,
    /// What Pro costs; none when it is not for sale.
    pub pro_price: Option<Millipence>,
    pub notary: Arc<Notary>,
    pub writer: Arc<Writer>,
    pub readiness: Arc<Readiness>,
    pub a2a: A2aService,
    /// Public halves of the keys that sign what this host says.
    pub keys: Arc<Keyring>,
    pub webhooks: Arc<Webhooks>,
    pub earning: Arc<EarningService>,
    pub reputation: Reputation,
}

/// What the routes need to know of the configuration.
pub struct Settings {
    /// Without a slash at its end.
    pub base_url: String,
    pub display_name: String,
    pub require_key: bool,
    pub sandbox: bool,
    /// Largest request body, bytes.
    pub body_limit: usize,
    /// Proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<Network>,
    /// Header that carries the signature of a webhook.
    pub signature_header: String,
}

impl Shared {
    /// Route, price and version of every bridge that serves.
    pub fn offers(&self) -> Vec<(String, String, String)> {
        let snapshot = self.catalog.snapshot();
        let live = snapshot.live(tollbridge_runtime::registry::Kind::Bridge);
        live.map(|offer| (format!("/v1/oracle/{}", offer.name), offer.price.pounds(), offer.version_text.clone()))
            .collect()
    }

    /// Route and input of the bridge that is the shortest to call, by the first
    /// examples of all: for showing how it is done.
    pub fn shortest_call(&self) -> Option<(String, String)> {
        let snapshot = self.catalog.snapshot();
        let calls = snapshot.live(tollbridge_runtime::registry::Kind::Bridge).filter_map(|offer| {
            let example = offer.plugin.description().examples.first()?;
            Some((format!("/v1/oracle/{}", offer.name), example.input.to_string()))
        });
        // It is shown between single quotes.
        calls.filter(|(_, input)| !input.contains('\'')).min_by_key(|(_, input)| input.len())
    }
}

/// Every public route.
pub fn router(shared: Arc<Shared>) -> Public {
    router_with(shared, Router::new())
}

/// Every public route and some more, behind the same door. Benchmarks put the
/// native twin of a plugin there.
pub fn router_with(shared: Arc<Shared>, more: Router<Arc<Shared>>) -> Public {
    let open = Router::new()
        .merge(more)
        .merge(oracle::routes())
        .merge(inference::routes())
        .merge(bridges::routes())
        .merge(agents::routes())
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
        .merge(oauth::routes())
        .merge(mcp::routes(&shared))
        .merge(health::routes())
        .merge(openapi::routes())
        // Below CORS: a fallback that is set above it would answer preflights.
        .method_not_allowed_fallback(wrong_method)
        .layer(cors());
    let pages =
        Router::new().merge(pay::routes()).merge(connect::routes()).merge(docs::routes()).layer(from_fn(page_headers));
    let routes = open
        .merge(pages)
        .merge(pages::layered())
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
        .with_state(shared.clone());
    Public { shared, routes }
}

/// The routes with what stands around them all: the door, and error pages for
/// browsers.
#[derive(Clone)]
pub struct Public {
    shared: Arc<Shared>,
    routes: Router,
}

impl Answers for Public {
    async fn answer(self, request: Request) -> Response {
        let head = request.method() == Method::HEAD;
        let browser = pages::errors::is_asked_by_browser(&request);
        let response = admit::admit(&self.shared, self.routes, request).await;
        match (head, browser) {
            (true, _) => without_body(response),
            (false, true) => pages::errors::as_page(&self.shared, response).await,
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

/// Pages run no scripts, load nothing from elsewhere and cannot be framed.
async fn page_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    secure(response.headers_mut());
    response
}

fn secure(headers: &mut HeaderMap) {
    let policy = "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
    // A consent may name one more address that its form leads to.
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(policy));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
}

async fn unknown_path(request: Request) -> ApiError {
    not_found(format!("there is no {}", request.uri().path())).hint("GET /openapi.json lists every route")
}

async fn wrong_method(request: Request) -> ApiError {
    let (method, path) = (request.method(), request.uri().path());
    ApiError::new(Code::MethodNotAllowed, format!("{path} does not take {method}; see /openapi.json"))
}

/// Something that is not there, or not for this caller.
fn not_found(message: impl Into<String>) -> ApiError {
    ApiError::new(Code::NotFound, message)
}

/// Our own mistake: the log gets the truth, the client an apology.
fn internal(error: &impl Display) -> ApiError {
    tracing::error!(%error, "a request failed");
    ApiError::new(Code::Internal, "internal error; the request id finds it in the operator's log")
}

/// `2026-01-31T12:00:00Z` of a Unix time in milliseconds.
fn rfc3339(ms: u64) -> String {
    let ms = i64::try_from(ms).unwrap_or(i64::MAX);
    jiff::Timestamp::from_millisecond(ms).map_or_else(|_| String::new(), |time| time.to_string())
}
