//! The price list for programs that compare offers before they call: `/llms.txt`, the
//! x402 resource list at `/.well-known/x402`, and `x-payment-info` in `/openapi.json`.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_api::bridges::PaymentInfo;
use tollbridge_api::document::Document;
use tollbridge_api::error::ApiError;
use tollbridge_api::operation::{Operation, TEXT};
use tollbridge_market::catalog::{Offer, Snapshot};
use tollbridge_paywall::discovery::{entries_of, in_words, payment_info, price_version};
use tollbridge_web::{AppState, Routes};
use tollbridge_x402::{DiscoveredResource, DiscoveryPage, Pagination};

/// Maximum number of entries in a page, as x402 specifies.
const PAGE_MAX: usize = 100;
const INSTRUCTIONS: &str = "POST the body that `metadata.bazaar` describes. The 402 answer has the header \
    PAYMENT-REQUIRED; sign its entry of `accepts`, with `extra.offer`, and send the same request with \
    PAYMENT-SIGNATURE. The entries here have no offer and cannot be paid. A call that fails costs nothing, and the \
    same signature sent again gets the stored answer.";

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let listed: Arc<Mutex<Option<Listed>>> = Arc::default();
    let resources = move |State(app): State<Arc<AppState>>, query: Result<Query<Page>, QueryRejection>| async move {
        let Query(page) = query.map_err(|error| ApiError::invalid("", format!("bad query: {error}")))?;
        Ok::<_, ApiError>(Json(page_of(&app, &listed, &page)?))
    };
    Routes::new("payments")
        .get(
            "/.well-known/x402",
            resources,
            Operation::new(
                "paidResources",
                "Resources that wallets can pay for",
                "Every bridge and agent that can be called now, with its price, as an x402 resource list. The 402 \
                answer of a call says what to sign.",
            )
            .answer::<PaidResources>(200, "The list"),
        )
        .get(
            "/llms.txt",
            llms,
            Operation::new("llms", "For models", "What this server sells and how to buy it, in Markdown.")
                .media(200, "The text", TEXT),
        )
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Page {
    /// Maximum number of entries in the page.
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: Option<usize>,
    /// Number of entries to skip.
    offset: Option<usize>,
}

/// Resources that wallets can pay for.
#[derive(Serialize, JsonSchema)]
struct PaidResources {
    /// The version of this list.
    version: u64,
    /// The addresses of the items.
    resources: Vec<String>,
    instructions: &'static str,
    #[serde(flatten)]
    page: DiscoveryPage,
}

/// The cached entries of one catalog at one exchange rate.
struct Listed {
    catalog: Weak<Snapshot>,
    version: u64,
    entries: Arc<Vec<DiscoveredResource>>,
}

fn page_of(app: &AppState, listed: &Mutex<Option<Listed>>, page: &Page) -> Result<PaidResources, ApiError> {
    let limit = page.limit.unwrap_or(PAGE_MAX);
    if !(1..=PAGE_MAX).contains(&limit) {
        return Err(ApiError::invalid("", format!("limit must be from 1 to {PAGE_MAX}")));
    }
    let offset = page.offset.unwrap_or(0);
    let entries = entries(app, listed);
    let items: Vec<DiscoveredResource> = entries.iter().skip(offset).take(limit).cloned().collect();
    let resources = items.iter().map(|item| item.resource.clone()).collect();
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let pagination = Pagination { limit: count(limit), offset: count(offset), total: count(entries.len()) };
    let page = DiscoveryPage { version: 2, items, pagination };
    Ok(PaidResources { version: 1, resources, instructions: INSTRUCTIONS, page })
}

fn entries(app: &AppState, listed: &Mutex<Option<Listed>>) -> Arc<Vec<DiscoveredResource>> {
    let (catalog, version) = (app.catalog.snapshot(), price_version(&app.paywall));
    let mut listed = listed.lock().unwrap_or_else(PoisonError::into_inner);
    match &*listed {
        // The weak reference keeps the allocation, so an equal pointer means the same catalog.
        Some(known) if std::ptr::eq(known.catalog.as_ptr(), Arc::as_ptr(&catalog)) && known.version == version => {
            known.entries.clone()
        }
        _ => {
            let entries = Arc::new(entries_of(&app.paywall, &catalog));
            *listed = Some(Listed { catalog: Arc::downgrade(&catalog), version, entries: entries.clone() });
            entries
        }
    }
}

/// Returns `/openapi.json` with the prices of calls.
pub(crate) fn openapi(app: &AppState, document: &Document, headers: &HeaderMap) -> Response {
    let of = |offer: &Offer| payment_info(&app.paywall, offer);
    document
        .rendered(&app.catalog.snapshot(), &PaymentInfo { version: price_version(&app.paywall), of: &of })
        .answer(headers)
}

/// Serves `/llms.txt`.
async fn llms(State(app): State<Arc<AppState>>) -> Response {
    let headers = [(header::CONTENT_TYPE, "text/plain; charset=utf-8"), (header::CACHE_CONTROL, "no-cache")];
    (headers, in_words(&app.paywall)).into_response()
}
