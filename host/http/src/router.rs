//! The public router: every route, CORS, fallbacks, and the admission
//! middleware around them.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use aide::openapi::OpenApi;
use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::from_fn;
use axum::response::Response;
use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt};
use tollbridge_api::document::Document;
use tollbridge_api::error::{ApiError, Code, not_found};
use tollbridge_api::error_shape::ErrorShape;
use tollbridge_api::request_meter::RequestMeter;
use tollbridge_api::routes::begin;
use tollbridge_connections::{ConnectionLimits, RequestHandler, transport_security};
use tollbridge_paywall::price::{self, PRICE};
use tollbridge_routes_accounts::{account_pages, browser_routes};
use tollbridge_site::{Site, errors, page_headers};
use tollbridge_web::admit::AnsweredTo;
use tollbridge_web::forward::{Forwarding, forward};
use tollbridge_web::{AppState, Routes, admit};
use tollbridge_x402 as x402;
use tower_http::cors::{Any, CorsLayer};
use tracing::Instrument as _;

use crate::{did, discovery, facilitator, health, ledger, openapi, rules};

/// Paths of account pages and of the registry, which are not in the OpenAPI document.
const OTHER_PATHS: [&str; 4] = ["/account", "/account/{*page}", "/v2/", "/v2/{*path}"];

/// Returns all public routes.
pub fn router(app: Arc<AppState>) -> PublicRouter {
    router_with(app, Router::new())
}

/// Returns all public routes and `more`, behind the same admission. Benchmarks add a plugin's
/// native counterpart this way.
pub fn router_with(app: Arc<AppState>, more: Router<Arc<AppState>>) -> PublicRouter {
    let document = Arc::new(OnceLock::new());
    let (programs, pages, described, meter) = describe(&app.settings.display_name, &app.settings.base_url, &document);
    let open = more
        .merge(programs)
        // Set before the CORS layer: a fallback outside that layer would answer preflight
        // requests.
        .method_not_allowed_fallback(wrong_method)
        .layer(cors());
    let pages = pages.layer(from_fn(page_headers));
    let routes = open
        .merge(pages)
        .merge(account_pages())
        .merge(tollbridge_site::routes(site(&app), &document))
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
        .with_state(app.clone());
    // One of the handlers serves the document that describes all handlers, so it can be
    // set only now.
    document.get_or_init(|| described);
    let meter = Arc::new(meter.logging(app.settings.logged_requests));
    let transport_security = transport_security(&app.settings.base_url);
    PublicRouter { app, routes, meter, transport_security }
}

/// Builds the routes for programs and for browsers, the document that describes them, and the meter
/// that counts their requests.
fn describe(
    title: &str,
    base_url: &str,
    document: &Arc<OnceLock<Document>>,
) -> (Router<Arc<AppState>>, Router<Arc<AppState>>, Document, RequestMeter) {
    begin();
    let (programs, pages) = (program_routes(document), browser_routes());
    let mut api = OpenApi::default();
    let (programs, mut documented) = programs.finish(&mut api);
    let (pages, documented_pages) = pages.finish(&mut api);
    documented.extend(documented_pages);
    let meter = RequestMeter::new(&documented, &[tollbridge_site::PATHS.as_slice(), &OTHER_PATHS].concat());
    (programs, pages, Document::new(title, base_url, &api, &documented), meter)
}

/// Returns the routes that pages of any origin may call, because they use no cookies.
fn program_routes(document: &Arc<OnceLock<Document>>) -> Routes {
    tollbridge_routes_agents::routes()
        .merge(facilitator::routes())
        .merge(did::routes())
        .merge(tollbridge_routes_models::routes())
        .merge(tollbridge_routes_accounts::routes())
        .merge(rules::routes())
        .merge(ledger::routes())
        .merge(discovery::routes())
        .merge(health::routes())
        .merge(openapi::routes(document))
}

/// Returns the state of the public pages.
fn site(app: &AppState) -> Arc<Site> {
    Arc::new(Site {
        name: app.settings.display_name.clone(),
        base_url: app.settings.base_url.clone(),
        sandbox: app.settings.sandbox,
        catalog: app.catalog.clone(),
        requests: app.requests.clone(),
        qualifications: app.qualifications.clone(),
        plugin_stats: app.plugin_stats.clone(),
    })
}

/// The public routes, wrapped in forwarding, admission and error pages for browsers.
#[derive(Clone)]
pub struct PublicRouter {
    app: Arc<AppState>,
    routes: Router,
    meter: Arc<RequestMeter>,
    /// The `Strict-Transport-Security` header, for browsers.
    transport_security: Option<HeaderValue>,
}

impl PublicRouter {
    async fn answer_client(&self, request: Request) -> Response {
        let request = match forward(&self.app, request).await {
            Forwarding::Here(request) => request,
            Forwarding::Answered(response) => return response,
        };
        let head = request.method() == Method::HEAD;
        let browser = errors::is_asked_by_browser(&request);
        // Only browsers use this header.
        let policy = self.transport_security.as_ref().filter(|_| errors::wants_page(request.headers()));
        let shape = ErrorShape::of(&request);
        let price_request = price::price_request(&request);
        let begun = self.meter.begin(&request);
        let response = admit::admit(&self.app, self.routes.clone(), request).instrument(begun.span()).await;
        let account = response.extensions().get::<AnsweredTo>().map(|AnsweredTo(by)| by.account_id.as_str().into());
        self.app.requests.push(self.meter.end(begun, &response, account));
        let mut response = shape.apply(response).await;
        if let Some(price_request) = price_request {
            // The routes refuse HEAD; a HEAD request for a price gets 200 instead.
            price::add_price(&self.app.paywall, &price_request, &mut response);
        }
        if let Some(policy) = policy {
            response.headers_mut().entry(header::STRICT_TRANSPORT_SECURITY).or_insert(policy.clone());
        }
        match (head, browser) {
            (true, _) => without_body(response),
            (false, true) => errors::as_page(&self.app.settings.display_name, response).await,
            (false, false) => response,
        }
    }
}

impl RequestHandler for PublicRouter {
    fn answer(self: Arc<Self>, request: Request) -> BoxFuture<'static, Response> {
        async move { self.answer_client(request).await }.boxed()
    }

    fn connection_limits(&self) -> ConnectionLimits {
        self.app.settings.connections.clone()
    }

    fn refusal(&self, status: StatusCode, peer: IpAddr) -> Option<(HeaderMap, Bytes)> {
        let refusal = admit::refusal(&self.app, status, peer);
        self.meter.refuse_unread(status, &refusal.0);
        Some(refusal)
    }
}

/// Removes the body of a HEAD response. The router does this for its routes, but not for refusals
/// by admission.
fn without_body(mut response: Response) -> Response {
    let length = response.body().size_hint().exact().filter(|length| *length > 0);
    if let Some(length) = length {
        response.headers_mut().entry(header::CONTENT_LENGTH).or_insert(length.into());
    }
    *response.body_mut() = Body::empty();
    response
}

/// Allows all origins, because public and bearer routes use no cookies.
fn cors() -> CorsLayer {
    let name = HeaderName::from_static;
    CorsLayer::new()
        .allow_origin(Any)
        // The headers are the same for every origin, so caches need not distinguish them.
        .vary([])
        .allow_methods([Method::GET, Method::HEAD, Method::POST, Method::DELETE])
        .allow_headers([
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            name("a2a-extensions"),
            name("a2a-version"),
            name("x-a2a-extensions"),
            name("anthropic-beta"),
            name("anthropic-dangerous-direct-browser-access"),
            name("anthropic-version"),
            name("x-api-key"),
            name("x-payment-intent-id"),
            name("x-payment-source"),
            name(x402::PAYMENT_SIGNATURE),
            name("payment-authorization"),
            name("accept-payment"),
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
            name("x-payment-intent-id"),
            name("payment-receipt"),
            name("x-provider"),
            name("x-provider-model"),
            name("x-attempts"),
            name("x-cost-gbp"),
            name("x-charged-gbp"),
            name("x-should-retry"),
            name("idempotent-replayed"),
            PRICE,
            name(x402::PAYMENT_REQUIRED),
            name(x402::PAYMENT_RESPONSE),
            header::LINK,
            header::RETRY_AFTER,
            header::WWW_AUTHENTICATE,
        ])
}

async fn unknown_path(request: Request) -> ApiError {
    let hint = match ErrorShape::of_path(request.uri().path()) {
        ErrorShape::Own => "GET /openapi.json lists every route",
        _ => {
            "of the OpenAI and Anthropic APIs, this server offers chat completions, responses, messages, \
            completions, embeddings, images, speech, transcriptions, files, batches and models"
        }
    };
    not_found(format!("there is no {}", request.uri().path())).hint(hint)
}

async fn wrong_method(request: Request) -> ApiError {
    let (method, path) = (request.method(), request.uri().path());
    ApiError::new(Code::MethodNotAllowed, format!("{path} does not accept {method}; see /openapi.json"))
}

#[cfg(test)]
mod refusal_tests;

#[cfg(test)]
mod documented_tests;

#[cfg(test)]
mod tests {
    use tollbridge_api::bridges::PaymentInfo;
    use tollbridge_market::catalog::Snapshot;

    use super::*;

    /// No payment information for any offer.
    pub(super) const UNPAID: PaymentInfo<'static> = PaymentInfo { version: 0, of: &|_| None };

    /// The path of the document without a catalog's bridges, as checked in.
    const SNAPSHOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");

    fn described() -> Document {
        describe("Tollbridge", "https://tollbridge.example", &Arc::default()).2
    }

    #[test]
    fn the_document_is_the_one_in_the_repository() {
        let document = described().with_offers(&Snapshot::default(), &UNPAID);
        if std::env::var_os("RENEW_OPENAPI").is_some() {
            let text = serde_json::to_string_pretty(&document).unwrap();
            std::fs::write(SNAPSHOT, format!("{text}\n")).unwrap();
        }
        let stored: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(SNAPSHOT).unwrap()).unwrap();
        assert!(
            stored == document,
            "docs/openapi.json does not match the routes; if the change is intended, renew it with \
            `RENEW_OPENAPI=1 cargo test -p tollbridge-http router` and review the difference"
        );
    }

    /// Operations whose response bodies are defined elsewhere: by model providers,
    /// plugins or the OpenAPI specification.
    const OTHERS: [&str; 10] = [
        "callBridge",
        "chat",
        "complete",
        "draw",
        "embed",
        "openapi",
        "paidChat",
        "paidEmbeddings",
        "recoverAnswer",
        "transcribe",
    ];

    /// Checks whether a schema describes its content, beyond requiring an object or a
    /// list.
    fn is_described(document: &serde_json::Value, schema: &serde_json::Value) -> bool {
        if let Some(target) = schema.get("$ref").and_then(serde_json::Value::as_str) {
            return is_described(document, document.pointer(target.trim_start_matches('#')).unwrap());
        }
        let forms = ["anyOf", "oneOf"].iter().find_map(|name| schema.get(name)?.as_array());
        forms.map_or_else(
            || ["properties", "items", "additionalProperties"].iter().any(|name| schema.get(name).is_some()),
            |forms| forms.iter().all(|form| is_described(document, form)),
        )
    }

    #[test]
    fn answers_have_types_unless_others_define_them() {
        let document = described().with_offers(&Snapshot::default(), &UNPAID);
        let mut opaque = std::collections::BTreeSet::new();
        let paths = document.get("paths").and_then(serde_json::Value::as_object).unwrap();
        for operation in paths.values().flat_map(|methods| methods.as_object().unwrap().values()) {
            let answers = operation.get("responses").and_then(serde_json::Value::as_object).unwrap();
            let schemas = answers.values().filter_map(|one| one.pointer("/content/application~1json/schema"));
            if !schemas.into_iter().all(|schema| is_described(&document, schema)) {
                opaque.insert(operation.get("operationId").and_then(serde_json::Value::as_str).unwrap());
            }
        }
        assert_eq!(opaque, std::collections::BTreeSet::from(OTHERS));
    }

    #[test]
    fn ids_are_unique_and_everything_is_described() {
        let document = described().with_offers(&Snapshot::default(), &UNPAID);
        let paths = document.get("paths").and_then(serde_json::Value::as_object).unwrap();
        let mut ids = std::collections::BTreeSet::new();
        for (path, methods) in paths {
            for (method, operation) in methods.as_object().unwrap() {
                let text = |name: &str| operation.get(name).and_then(serde_json::Value::as_str).unwrap_or_default();
                assert!(
                    ids.insert(text("operationId").to_owned()),
                    "{method} {path}: another operation has the same operationId"
                );
                assert!(
                    !text("summary").is_empty() && !text("description").is_empty(),
                    "{method} {path} has no description"
                );
                let statuses = operation.get("responses").and_then(serde_json::Value::as_object).unwrap();
                assert!(statuses.keys().any(|status| status < &"400".to_owned()), "{method} {path} never succeeds");
            }
        }
        assert_eq!(ids.len(), described().lines().len());
    }
}
