//! Machine-readable product lists for programs that search before they call.
//!
//! Invariant: lists are informative only. Only the 402 response to a call has an offer
//! that can be signed or paid.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Value, json};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_core::time::now_ms;
use tollbridge_market::catalog::{Offer, Snapshot, advert_in_full};
use tollbridge_x402::{DiscoveredResource, PaymentRequirements, Token};

use crate::Paywall;

/// Returns every bridge and agent that can be called now, with its price, as x402
/// resources.
pub fn entries_of(paywall: &Paywall, catalog: &Snapshot) -> Vec<DiscoveredResource> {
    payable(catalog).filter_map(|offer| entry(paywall, offer)).collect()
}

fn entry(paywall: &Paywall, offer: &Offer) -> Option<DiscoveredResource> {
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
        resource: format!("{}{}", paywall.base_url, paid_path(offer.kind, &offer.name)),
        kind: "http".to_owned(),
        version: 2,
        accepts: vec![list_price(paywall, offer)?],
        last_updated: now_ms() / 1000,
        metadata: metadata.as_object().cloned().unwrap_or_default(),
    })
}

/// Returns the path of a product for callers without an account, who pay with the
/// request.
pub fn paid_path(kind: PluginKind, name: &str) -> String {
    match kind {
        PluginKind::Bridge => format!("/v1/oracle/{name}"),
        PluginKind::Agent => format!("/v1/paid/agents/{name}"),
    }
}

/// Returns the catalog's offers that can currently be sold for a payment.
fn payable(catalog: &Snapshot) -> impl Iterator<Item = &Arc<Offer>> {
    let all = catalog.live(PluginKind::Bridge).chain(catalog.live(PluginKind::Agent));
    all.filter(|offer| !offer.price.is_zero() && catalog.unmet_need(offer).is_none())
}

fn list_price(paywall: &Paywall, offer: &Offer) -> Option<PaymentRequirements> {
    paywall.payments.wallet_rail.as_deref()?.list_price(offer.price, now_ms() / 1000)
}

/// Returns a number that changes whenever prices for wallets change, even if the catalog
/// does not.
pub fn price_version(paywall: &Paywall) -> u64 {
    let Some(rail) = paywall.payments.wallet_rail.as_deref() else { return 0 };
    let rate = rail.rate();
    // Version 1 means that there is no current exchange rate, so wallets cannot pay. A
    // rate's time is therefore raised to at least 2.
    let penny = tollbridge_core::money::Millipence::new(1000);
    rail.list_price(penny, now_ms() / 1000).map_or(1, |_| rate.as_of_s().max(2))
}

/// Returns the `x-payment-info` of an offer: the members defined by
/// `draft-payment-discovery-00` and those that x402 lists read. Kept short, because every
/// paid operation of the OpenAPI document contains it.
pub fn payment_info(paywall: &Paywall, offer: &Offer) -> Option<Value> {
    if offer.price.is_zero() {
        return None;
    }
    let mut offers = Vec::new();
    let mut info = serde_json::Map::new();
    if let Some(listed) = list_price(paywall, offer) {
        offers.push(json!({
            "intent": "charge",
            "method": "evm",
            "amount": listed.amount,
            "currency": listed.asset,
        }));
        info.insert("protocols".to_owned(), json!(["x402"]));
        if let Some(dollars) =
            paywall.payments.wallet_rail.as_deref().and_then(|rail| in_dollars(rail.token(), &listed))
        {
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

/// Converts an amount of a chain's native USDC to dollars; `None` for other tokens.
fn in_dollars(token: &Token, listed: &PaymentRequirements) -> Option<String> {
    Token::usdc(token.chain).filter(|usdc| usdc.address == token.address)?;
    let unit = 10_u128.checked_pow(u32::from(token.decimals))?;
    let (whole, part) = (listed.amount.get().checked_div(unit)?, listed.amount.get().checked_rem(unit)?);
    let part = format!("{part:0width$}", width = usize::from(token.decimals));
    Some(format!("{whole}.{part}").trim_end_matches('0').trim_end_matches('.').to_owned())
}

/// Describes the products and how to buy them, in Markdown, for language models.
pub fn in_words(paywall: &Paywall) -> String {
    let catalog = paywall.catalog.snapshot();
    let (site, base) = (&paywall.display_name, &paywall.base_url);
    let mut said = format!(
        "# {site}\n\n> {site} sells calls to data bridges and agents over HTTP. Prices are in pounds; each paid answer \
         is sealed in a ledger that anyone can check.\n\n"
    );
    said.push_str(&how_to_pay(paywall));
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
         [x402]({base}/.well-known/x402): products for wallets, with schemas\n- [MCP]({base}/mcp): the same \
         bridges and agents as tools\n"
    );
    said
}

fn how_to_pay(paywall: &Paywall) -> String {
    let mut said = "POST JSON to `/v1/oracle/BRIDGE`, or `{\"input\": …}` to `/v1/paid/agents/AGENT`. A call without \
                    payment is answered with 402, the price and the ways to pay:\n\n"
        .to_owned();
    if let Some(rail) = paywall.payments.wallet_rail.as_deref() {
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
         cost more. `HEAD` on the route of a call returns its price.\n",
    );
    said
}

/// Flattens a publisher's text to one line without Markdown.
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
