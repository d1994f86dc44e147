//! The stored row of an order.

use serde::{Deserialize, Serialize};
use tollbridge_store::{Collection, Expect, Put};

use super::error::PaymentError;
use super::processor::PaymentPage;
use super::quote::{IntentHandle, Quote, QuoteTerms};

/// Row of `Collection::Orders`, under the handle of the intent. It says enough to
/// ask the processor for the very same order again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OrderRow {
    pub(crate) terms: QuoteTerms,
    /// Unix milliseconds; also tells attempts apart.
    pub(crate) opened_ms: u64,
    /// Unix time in seconds until which it can be paid.
    pub(crate) expires_s: u64,
    /// Unknown until the processor has answered.
    pub(crate) session: Option<String>,
    pub(crate) url: Option<String>,
}

impl OrderRow {
    /// An order that the processor has not been asked for yet.
    pub(crate) fn placed(quote: &Quote, expires_s: u64, now_ms: u64) -> Self {
        Self { terms: quote.terms.clone(), opened_ms: now_ms, expires_s, session: None, url: None }
    }

    /// The processor has opened its page.
    pub(crate) fn open(&mut self, page: &PaymentPage) {
        (self.session, self.url) = (Some(page.session.clone()), Some(page.url.clone()));
    }

    pub(crate) fn quote(&self, handle: &IntentHandle) -> Quote {
        Quote { handle: handle.clone(), terms: self.terms.clone() }
    }
}

/// Writes the row of an order, or removes it.
pub(crate) fn put(handle: &IntentHandle, row: Option<&OrderRow>, expect: Expect) -> Result<Put, PaymentError> {
    let value = row.map(serde_json::to_vec).transpose()?;
    Ok(Put { collection: Collection::Orders, key: handle.as_str().to_owned(), value, expect })
}
