//! Stripe's own books: every line of its balance, for comparing with ours.

use serde::Deserialize;

use super::super::processor::{BalanceTransaction, ProcessorError};
use super::{StripeProcessor, sterling};
use tollbridge_core::money::Millipence;

/// Lines on one page, the most that Stripe gives.
const PAGE: &str = "100";

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
    available: Vec<Amount>,
    pending: Vec<Amount>,
}

#[derive(Deserialize)]
struct Amount {
    amount: i64,
    currency: String,
}

impl StripeProcessor {
    /// One page of lines from a time (Unix seconds) on, newest first, and
    /// whether there are more after the last of them.
    pub async fn movements(
        &self,
        since_s: u64,
        after: Option<&str>,
    ) -> Result<(Vec<BalanceTransaction>, bool), ProcessorError> {
        let since = since_s.to_string();
        let mut query = vec![("limit", PAGE), ("created[gte]", since.as_str())];
        query.extend(after.map(|id| ("starting_after", id)));
        let page: Page = self.get("/v1/balance_transactions", &query).await?;
        let lines = page.data.into_iter().map(|line| {
            Ok(BalanceTransaction {
                amount: sterling(line.amount, Some(&line.currency))?,
                fee: sterling(line.fee, Some(&line.currency))?,
                id: line.id,
                kind: line.kind,
                source: line.source,
                created_s: line.created,
            })
        });
        Ok((lines.collect::<Result<_, ProcessorError>>()?, page.has_more))
    }

    /// What Stripe has for us, available or on its way.
    pub async fn balance(&self) -> Result<Millipence, ProcessorError> {
        let balance: Balance = self.get("/v1/balance", &[]).await?;
        let pounds = balance.available.iter().chain(&balance.pending).filter(|amount| amount.currency == "gbp");
        let pence: i64 = pounds.fold(0, |sum, amount| sum.saturating_add(amount.amount));
        sterling(pence, Some("gbp"))
    }
}
