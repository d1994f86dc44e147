//! What is sold, for programs that look before they call: `/llms.txt`, the list of
//! x402 at `/.well-known/x402`, and `x-payment-info` in `/openapi.json`.
//!
//! Invariant: lists only tell. What is paid is what the answer 402 of a call asks
//! for; nothing in a list can be signed or paid.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use axum::Json;
use axum::extract::{Query, State, rejection::QueryRejection};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tollbridge_api::document::{Document, PaymentInfo};
use tollbridge_api::error::ApiError;
use tollbridge_api::operation::{Operation, TEXT, integer, list, object, text};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_core::time::now_ms;
use tollbridge_market::catalog::{Offer, Snapshot, advert_in_full};
use tollbridge_x402::{DiscoveredResource, DiscoveryPage, Pagination, PaymentRequirements, Token};

use crate::state::AppState;
use crate::state::Routes;

/// Most entries of a page, as x402 has it.
const PAGE_MAX: usize = 100;
const INSTRUCTIONS: &str = "POST the body that `metadata.bazaar` describes. The answer 402 has the header \
    PAYMENT-REQUIRED; sign its entry of `accepts`, with `extra.offer`, and send the same request with \
    PAYMENT-SIGNATURE. The entries here have no offer and cannot be paid. A call that fails costs nothing, and the \
    same signature sent again gets the stored answer.";

/// The routes of this area.
pub(crate) fn routes() -> Routes {
    let listed: Arc<Mutex<Option<Listed>>> = Arc::default();
    let resources = move |State(app): State<Arc<AppState>>, query: Result<Query<Page>, QueryRejection>| async move {
        let Query(page) = query.map_err(|error| ApiError::invalid("", format!("bad query: {error}")))?;
        Ok::<_, ApiError>(Json(page_of(&app, &listed, &page)?))
    };
    let pagination = object(&json!({ "limit": integer(), "offset": integer(), "total": integer() }));
    Routes::new("payments")
        .get(
            "/.well-known/x402",
            resources,
            Operation::new(
                "paidResources",
                "What wallets can pay for",
                "Every bridge and agent that can be called now and what it costs, as x402 lists resources. The \
                 answer 402 of a call says what to sign.",
            )
            .members(
                200,
                "The list",
                &json!({
                    "version": integer(),
                    "x402Version": integer(),
                    "resources": list(&text()),
                    "items": list(&json!({ "type": "object" })),
                    "pagination": pagination,
                    "instructions": text(),
                }),
            ),
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
    /// Entries of the page.
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: Option<usize>,
    /// Entries before it.
    offset: Option<usize>,
}

/// The entries of one catalog at one rate.
struct Listed {
    catalog: Weak<Snapshot>,
    version: u64,
    entries: Arc<Vec<DiscoveredResource>>,
}

fn page_of(app: &AppState, listed: &Mutex<Option<Listed>>, page: &Page) -> Result<Value, ApiError> {
    let limit = page.limit.unwrap_or(PAGE_MAX);
    if !(1..=PAGE_MAX).contains(&limit) {
        return Err(ApiError::invalid("", format!("limit is from 1 to {PAGE_MAX}")));
    }
    let offset = page.offset.unwrap_or(0);
    let entries = entries(app, listed);
    let items: Vec<DiscoveredResource> = entries.iter().skip(offset).take(limit).cloned().collect();
    let resources: Vec<&str> = items.iter().map(|item| item.resource.as_str()).collect();
    let mut answer = json!({ "version": 1, "resources": resources, "instructions": INSTRUCTIONS });
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let pagination = Pagination { limit: count(limit), offset: count(offset), total: count(entries.len()) };
    let page = DiscoveryPage { version: 2, items, pagination };
    if let (Some(answer), Ok(Value::Object(page))) = (answer.as_object_mut(), serde_json::to_value(&page)) {
        answer.extend(page);
    }
    Ok(answer)
}

fn entries(app: &AppState, listed: &Mutex<Option<Listed>>) -> Arc<Vec<DiscoveredResource>> {
    let (catalog, version) = (app.catalog.snapshot(), price_version(app));
    let mut listed = listed.lock().unwrap_or_else(PoisonError::into_inner);
    match &*listed {
        Some(known) if std::ptr::eq(known.catalog.as_ptr(), Arc::as_ptr(&catalog)) && known.version == version => {
            known.entries.clone()
        }
        _ => {
            let entries: Vec<_> = payable(&catalog).filter_map(|offer| entry(app, offer)).collect();
            let entries = Arc::new(entries);
            *listed = Some(Listed { catalog: Arc::downgrade(&catalog), version, entries: entries.clone() });
            entries
        }
    }
}

fn entry(app: &AppState, offer: &Offer) -> Option<DiscoveredResource> {
    let mut metadata = json!({
        "name": offer.name,
        "description": offer.purpose,
        "provider": offer.publisher,
        "category": offer.kind.as_str(),
        "priceGbp": offer.price.pounds(),
    });
    if let (Some(metadata), Some(advert)) =
        (metadata.as_object_mut(), advert_in_full(offer.kind, offer.plugin.description()))
    {
        metadata.insert("bazaar".to_owned(), serde_json::to_value(advert).unwrap_or_default());
    }
    Some(DiscoveredResource {
        resource: format!("{}{}", app.settings.base_url, paid_path(offer.kind, &offer.name)),
        kind: "http".to_owned(),
        version: 2,
        accepts: vec![list_price(app, offer)?],
        last_updated: now_ms() / 1000,
        metadata: metadata.as_object().cloned().unwrap_or_default(),
    })
}

/// Where whoever pays with the request calls an offer.
pub(crate) fn paid_path(kind: PluginKind, name: &str) -> String {
    match kind {
        PluginKind::Bridge => format!("/v1/oracle/{name}"),
        PluginKind::Agent => format!("/v1/paid/agents/{name}"),
    }
}

/// What can be sold now.
fn payable(catalog: &Snapshot) -> impl Iterator<Item = &Arc<Offer>> {
    let all = catalog.live(PluginKind::Bridge).chain(catalog.live(PluginKind::Agent));
    all.filter(|offer| !offer.price.is_zero() && catalog.unmet_need(offer).is_none())
}

fn list_price(app: &AppState, offer: &Offer) -> Option<PaymentRequirements> {
    app.payments.wallet()?.list_price(offer.price, now_ms() / 1000)
}

/// Changes when wallets pay something else for the same catalog.
fn price_version(app: &AppState) -> u64 {
    let Some(rail) = app.payments.wallet() else { return 0 };
    let rate = rail.rate();
    // Without a rate that holds wallets pay nothing.
    let penny = tollbridge_core::money::Millipence::new(1000);
    rail.list_price(penny, now_ms() / 1000).map_or(1, |_| rate.as_of_s().max(2))
}

/// `/openapi.json` with what calls cost.
pub(crate) fn openapi(app: &AppState, document: &Document, headers: &HeaderMap) -> Response {
    let of = |offer: &Offer| payment_info(app, offer);
    document.rendered(&app.catalog.snapshot(), &PaymentInfo { version: price_version(app), of: &of }).answer(headers)
}

/// `x-payment-info` of an offer: what `draft-payment-discovery-00` has, and beside
/// it what lists of x402 read. Short: it stands in every operation that is sold.
fn payment_info(app: &AppState, offer: &Offer) -> Option<Value> {
    if offer.price.is_zero() {
        return None;
    }
    let mut offers = Vec::new();
    let mut info = serde_json::Map::new();
    if let Some(listed) = list_price(app, offer) {
        offers.push(json!({
            "intent": "charge",
            "method": "evm",
            "amount": listed.amount,
            "currency": listed.asset,
        }));
        info.insert("protocols".to_owned(), json!(["x402"]));
        if let Some(dollars) = app.payments.wallet().and_then(|rail| in_dollars(rail.token(), &listed)) {
            info.insert("price".to_owned(), json!({ "mode": "fixed", "currency": "USD", "amount": dollars }));
        }
    }
    let pence = offer.price.pence_floor();
    let whole = offer.price.get() == pence.saturating_mul(1000);
    offers.push(json!({
        "intent": "charge",
        "method": "pay-link",
        "amount": if whole { Value::String(pence.to_string()) } else { Value::Null },
        "currency": "gbp",
    }));
    info.insert("offers".to_owned(), offers.into());
    Some(info.into())
}

/// An amount of a network's own USDC as dollars; of other tokens nothing is known.
fn in_dollars(token: &Token, listed: &PaymentRequirements) -> Option<String> {
    Token::usdc(token.chain).filter(|usdc| usdc.address == token.address)?;
    let unit = 10_u128.checked_pow(u32::from(token.decimals))?;
    let (whole, part) = (listed.amount.get().checked_div(unit)?, listed.amount.get().checked_rem(unit)?);
    let part = format!("{part:0width$}", width = usize::from(token.decimals));
    Some(format!("{whole}.{part}").trim_end_matches('0').trim_end_matches('.').to_owned())
}

/// `/llms.txt`.
async fn llms(State(app): State<Arc<AppState>>) -> Response {
    let catalog = app.catalog.snapshot();
    let (site, base) = (&app.settings.display_name, &app.settings.base_url);
    let mut said = format!(
        "# {site}\n\n> {site} sells calls to data bridges and agents over HTTP. Prices are in pounds; each paid answer \
         is sealed in a ledger that anyone can check.\n\n"
    );
    said.push_str(&how_to_pay(&app));
    for (kind, title) in [(PluginKind::Bridge, "Bridges"), (PluginKind::Agent, "Agents")] {
        let _ = write!(said, "\n## {title}\n\n");
        for offer in catalog.live(kind).filter(|offer| catalog.unmet_need(offer).is_none()) {
            let path = match kind {
                PluginKind::Bridge => format!("/api/v1/bridges/{}", offer.name),
                PluginKind::Agent => format!("/api/v1/agents/{}", offer.name),
            };
            let (purpose, price) = (one_line(&offer.purpose), offer.price.pounds());
            let _ = writeln!(said, "- [{}]({base}{path}): {purpose} £{price} a call.", offer.name);
        }
    }
    let _ = write!(
        said,
        "\n## More\n\n- [OpenAPI]({base}/openapi.json): every route\n- [Documentation]({base}/docs): for people\n- \
         [x402]({base}/.well-known/x402): what wallets can pay for, with schemas\n- [MCP]({base}/mcp): the same \
         bridges and agents as tools\n"
    );
    let headers = [(header::CONTENT_TYPE, "text/plain; charset=utf-8"), (header::CACHE_CONTROL, "no-cache")];
    (headers, said).into_response()
}

fn how_to_pay(app: &AppState) -> String {
    let mut said = "POST JSON to `/v1/oracle/BRIDGE`, or `{\"input\": …}` to `/v1/paid/agents/AGENT`. A call without \
                    payment is answered with 402, which says what it costs and how to pay:\n\n"
        .to_owned();
    if let Some(rail) = app.payments.wallet() {
        let token = rail.token();
        let _ = writeln!(
            said,
            "- x402 version 2: sign what the header `PAYMENT-REQUIRED` asks for ({} on {}) and repeat the request \
             with `PAYMENT-SIGNATURE`. No account is needed.",
            token.name, token.chain
        );
    }
    said.push_str(
        "- Pay link: open or POST `payment.payment_link`, then repeat with `X-Payment-Intent-Id`.\n- Credit: with an \
         API key, `X-Payment-Source: credit`.\n\nA call that fails costs nothing. `X-Max-Cost-GBP` refuses calls that \
         cost more. `HEAD` on the route of a call says its price.\n",
    );
    said
}

/// What an author wrote, in one line that is no Markdown of its own.
fn one_line(text: &str) -> String {
    let plain = text.replace(['[', ']', '<', '>', '`', '#', '*'], " ");
    let words: Vec<&str> = plain.split_whitespace().collect();
    let line = words.join(" ");
    if line.ends_with(['.', '!', '?']) { line } else { format!("{line}.") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tollbridge_x402::{Amount, ChainId};

    #[test]
    fn dollars_are_those_of_a_known_token() {
        let token = Token::usdc(ChainId::BASE_SEPOLIA).unwrap();
        let listed = |amount| PaymentRequirements {
            scheme: "exact".to_owned(),
            network: ChainId::BASE_SEPOLIA.network(),
            amount: Amount::new(amount),
            asset: String::new(),
            pay_to: String::new(),
            max_timeout_seconds: 60,
            extra: serde_json::Map::new(),
            other: serde_json::Map::new(),
        };
        for (amount, dollars) in [(62_500, "0.0625"), (1_000_000, "1"), (1, "0.000001"), (2_500_000, "2.5")] {
            assert_eq!(in_dollars(&token, &listed(amount)).as_deref(), Some(dollars));
        }
        let other = Token { address: "0x1111111111111111111111111111111111111111".parse().unwrap(), ..token };
        assert_eq!(in_dollars(&other, &listed(1)), None);
    }

    #[test]
    fn an_author_cannot_begin_a_section() {
        assert_eq!(
            one_line("Checks it\n\n## Pay [here](https://evil.example)"),
            "Checks it Pay here (https://evil.example)."
        );
    }
}
