//! The stored row of an order.

use serde::{Deserialize, Serialize};
use tollbridge_store::{Collection, Expect, Put};

use super::error::PaymentError;
use super::processor::PaymentPage;
use super::quote::{IntentHandle, Quote, QuoteTerms};

/// Row of `Collection::Orders`, under the handle of the intent. The row has all data
/// needed to repeat exactly the same order at the processor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OrderRow {
    pub(crate) terms: QuoteTerms,
    /// Time of the first request, Unix milliseconds. The same number identifies the
    /// attempt.
    pub(crate) opened_ms: u64,
    /// Unix time in seconds until which the order can be paid.
    pub(crate) expires_s: u64,
    /// The processor's id of the page; `None` until the processor has answered.
    pub(crate) session: Option<String>,
    pub(crate) url: Option<String>,
}

impl OrderRow {
    /// Creates an order that was not sent to the processor yet.
    pub(crate) fn placed(quote: &Quote, expires_s: u64, now_ms: u64) -> Self {
        Self { terms: quote.terms.clone(), opened_ms: now_ms, expires_s, session: None, url: None }
    }

    /// Stores the page that the processor has opened.
    pub(crate) fn open(&mut self, page: &PaymentPage) {
        (self.session, self.url) = (Some(page.session.clone()), Some(page.url.clone()));
    }

    pub(crate) fn quote(&self, handle: &IntentHandle) -> Quote {
        Quote { handle: handle.clone(), terms: self.terms.clone() }
    }
}

/// Returns the write that stores the row of an order; `None` removes the row.
pub(crate) fn put(handle: &IntentHandle, row: Option<&OrderRow>, expect: Expect) -> Result<Put, PaymentError> {
    let value = row.map(serde_json::to_vec).transpose()?;
    Ok(Put { collection: Collection::Orders, key: handle.as_str().to_owned(), value, expect })
}
