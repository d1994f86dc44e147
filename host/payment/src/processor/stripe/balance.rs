//! Stripe's own books: balance, balance lines and fees.

use serde::Deserialize;
use tollbridge_core::money::Millipence;

use super::super::balance_transaction::{BalanceTransaction, ProcessorFee};
use super::super::error::LookupError;
use super::amount::parse_pence;
use super::client::StripeClient;
use super::http::path_segment;

/// Lines per page, the maximum that Stripe allows.
const PAGE_LINES: &str = "100";

#[derive(Deserialize)]
struct Page {
    data: Vec<Line>,
    has_more: bool,
}

#[derive(Deserialize)]
struct Line {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    source: Option<String>,
    amount: i64,
    fee: i64,
    currency: String,
    created: u64,
}

#[derive(Deserialize)]
struct Balance {
    available: Vec<BalanceAmount>,
    pending: Vec<BalanceAmount>,
}

#[derive(Deserialize)]
struct BalanceAmount {
    amount: i64,
    currency: String,
}

/// A payment intent whose charge is expanded to include its balance transaction.
#[derive(Deserialize)]
struct ExpandedPaymentIntent {
    latest_charge: Option<ExpandedCharge>,
}

#[derive(Deserialize)]
struct ExpandedCharge {
    balance_transaction: Option<FeeLine>,
}

/// The fee of a line of Stripe's books.
#[derive(Deserialize)]
pub(super) struct FeeLine {
    id: String,
    fee: i64,
    currency: String,
}

impl FeeLine {
    pub(super) fn into_fee(self) -> Result<ProcessorFee, LookupError> {
        Ok(ProcessorFee { amount: parse_pence(self.fee, Some(&self.currency))?, transaction: self.id })
    }
}

/// Returns one page of lines since `since_s` (Unix seconds), newest first, and
/// whether older lines follow.
pub(super) async fn balance_transactions(
    client: &StripeClient,
    since_s: u64,
    after: Option<&str>,
) -> Result<(Vec<BalanceTransaction>, bool), LookupError> {
    let since = since_s.to_string();
    let mut query = vec![("limit", PAGE_LINES), ("created[gte]", since.as_str())];
    query.extend(after.map(|id| ("starting_after", id)));
    let page: Page = client.get("/v1/balance_transactions", &query).await?;
    let lines = page.data.into_iter().map(|line| {
        Ok(BalanceTransaction {
            amount: parse_pence(line.amount, Some(&line.currency))?,
            fee: parse_pence(line.fee, Some(&line.currency))?,
            id: line.id,
            kind: line.kind,
            source: line.source,
            created_s: line.created,
        })
    });
    Ok((lines.collect::<Result<_, LookupError>>()?, page.has_more))
}

/// Returns the balance that Stripe holds for this server, available or pending.
pub(super) async fn balance(client: &StripeClient) -> Result<Millipence, LookupError> {
    let balance: Balance = client.get("/v1/balance", &[]).await?;
    let amounts = balance.available.iter().chain(&balance.pending).filter(|amount| amount.currency == "gbp");
    let pence: i64 = amounts.fold(0, |sum, amount| sum.saturating_add(amount.amount));
    Ok(parse_pence(pence, Some("gbp"))?)
}

pub(super) async fn fee_of(client: &StripeClient, payment: &str) -> Result<Option<ProcessorFee>, LookupError> {
    let path = format!("/v1/payment_intents/{}", path_segment(payment));
    let intent: ExpandedPaymentIntent = client.get(&path, &[("expand[]", "latest_charge.balance_transaction")]).await?;
    let line = intent.latest_charge.and_then(|charge| charge.balance_transaction);
    line.map(FeeLine::into_fee).transpose()
}
