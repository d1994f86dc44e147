//! Orders: a quote that somebody is about to pay at the processor.
//!
//! Invariants: at most one open page of the processor per intent; the row of an
//! order is durable before the processor is asked, and says enough to ask for
//! the very same order again; it goes when the payment is in the books, or
//! when the processor says that it cannot be paid any more.

use serde::{Deserialize, Serialize};

use super::cashier::{PaymentError, PaymentOutcome, PaymentService, ReconcileReport};
use super::processor::{PaymentOrder, PaymentOrderStatus, PaymentPage, ProcessorError};
use super::quote::{IntentHandle, Quote, QuoteTerms};
use tollbridge_core::limits::{ORDER_LOOKUP_MS_MIN, ORDER_OPEN_S, ORDERS_REMEMBERED_MAX, RECONCILED_PER_ROUND_MAX};
use tollbridge_store::{Change, Collection, Expect, Put, Refusal, SubmitError};

/// Row of `Collection::Orders`, under the handle of the intent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct OrderRow {
    pub(super) terms: QuoteTerms,
    /// Unix milliseconds; also tells attempts apart.
    opened_ms: u64,
    expires_s: u64,
    /// Unknown until the processor has answered.
    session: Option<String>,
    url: Option<String>,
}

/// An order that can be paid now.
#[derive(Clone, Debug)]
pub struct OpenPaymentPage {
    pub url: String,
    /// Unix time, seconds.
    pub expires_s: u64,
}

/// What came of opening an order.
#[derive(Clone, Debug)]
pub enum PaymentPageOutcome {
    Open(OpenPaymentPage),
    /// It is paid already.
    AlreadyPaid,
}

impl PaymentService {
    /// Opens the processor's page for a quote, or finds the one that is open.
    pub async fn open_order(&self, quote: &Quote, now_ms: u64) -> Result<PaymentPageOutcome, PaymentError> {
        let handle = &quote.handle;
        if self.payments.row(handle)?.is_some() {
            return Ok(PaymentPageOutcome::AlreadyPaid);
        }
        self.processor.ready()?;
        if let Some(row) = self.order_row(handle)? {
            // Whoever opens it a second time may have paid it the first time.
            if self.follow_order(handle, &row).await?.is_some() {
                return Ok(PaymentPageOutcome::AlreadyPaid);
            }
        }
        let row = match self.order_row(handle)? {
            Some(row) => row,
            None => self.place_order(quote, now_ms).await?,
        };
        let (url, expires_s) = (row.url.clone(), row.expires_s);
        match url {
            Some(url) => Ok(PaymentPageOutcome::Open(OpenPaymentPage { url, expires_s })),
            None => Ok(PaymentPageOutcome::Open(OpenPaymentPage {
                url: self.ask_for_page(handle, row).await?.url,
                expires_s,
            })),
        }
    }

    /// Looks whether an intent was paid that is not paid as far as we know, at
    /// most once in some seconds. What the processor does not say is an error,
    /// so that nobody is asked to pay twice.
    pub async fn arrived(&self, intent_id: &str, now_ms: u64) -> Result<(), PaymentError> {
        if self.processor.is_sandbox() {
            return Ok(());
        }
        let Ok(quote) = self.payments.book.verify_intent_id(intent_id) else { return Ok(()) };
        self.look(&quote.handle, now_ms).await
    }

    /// The same for a handle, such as an event names.
    pub async fn look(&self, handle: &IntentHandle, now_ms: u64) -> Result<(), PaymentError> {
        if self.payments.row(handle)?.is_some() || self.order_row(handle)?.is_none() {
            return Ok(());
        }
        if !self.may_look(handle.as_str(), now_ms, ORDER_LOOKUP_MS_MIN) {
            let why = "an order is open, and it was asked about it a moment ago".to_owned();
            return Err(ProcessorError::OutcomeUnknown(why).into());
        }
        self.look_now(handle).await.map(drop)
    }

    /// Looks at once: the processor has said that there is something to see.
    pub async fn look_now(&self, handle: &IntentHandle) -> Result<Option<PaymentOutcome>, PaymentError> {
        match self.order_row(handle)? {
            Some(row) => self.follow_order(handle, &row).await,
            None => Ok(self.payments.row(handle)?.map(|_| PaymentOutcome::AlreadyPaid)),
        }
    }

    pub(super) async fn follow_orders(&self, now_ms: u64, done: &mut ReconcileReport) -> Result<(), PaymentError> {
        if self.processor.is_sandbox() {
            return Ok(());
        }
        for (key, value) in self.store.list(Collection::Orders, "", RECONCILED_PER_ROUND_MAX)? {
            let row: OrderRow = serde_json::from_slice(&value)?;
            let handle = IntentHandle::from_row_key(key);
            // Mostly somebody asks, or an event comes; the older, the less often.
            let wait = (now_ms.saturating_sub(row.opened_ms) / 10).max(3 * ORDER_LOOKUP_MS_MIN);
            if self.may_look(&format!("follow {}", handle.as_str()), now_ms, wait) {
                done.count(self.follow_order(&handle, &row).await.map(|paid| paid.is_some()))?;
            }
        }
        Ok(())
    }

    /// Asks the processor how far an order has come, and follows.
    async fn follow_order(
        &self,
        handle: &IntentHandle,
        row: &OrderRow,
    ) -> Result<Option<PaymentOutcome>, PaymentError> {
        let session = match &row.session {
            Some(session) => session.clone(),
            // A crash, or an answer that never came: the same order once more.
            None => self.ask_for_page(handle, row.clone()).await?.session,
        };
        match self.processor.order(&session).await? {
            PaymentOrderStatus::Open => Ok(None),
            PaymentOrderStatus::Expired => {
                self.forget_order(handle, row).await?;
                Ok(None)
            }
            PaymentOrderStatus::Paid(paid) => {
                let quote = Quote { handle: handle.clone(), terms: row.terms.clone() };
                let ours = paid.handle.as_deref() == Some(handle.as_str());
                if !ours || paid.amount != quote.terms.charge {
                    let what = format!("order {session} was paid with {} for another intent or amount", paid.amount);
                    return Err(ProcessorError::OutcomeUnknown(what).into());
                }
                self.book_payment(&quote, Some(paid.reference), row.opened_ms).await.map(Some)
            }
        }
    }

    /// Writes down that an order is about to be opened.
    async fn place_order(&self, quote: &Quote, now_ms: u64) -> Result<OrderRow, PaymentError> {
        if quote.terms.expires_s < now_ms / 1000 {
            return Err(PaymentError::QuoteExpired);
        }
        let expires_s = quote.terms.expires_s.max((now_ms / 1000).saturating_add(ORDER_OPEN_S));
        let row = OrderRow { terms: quote.terms.clone(), opened_ms: now_ms, expires_s, session: None, url: None };
        let put = put(&quote.handle, Some(&row), Expect::Absent)?;
        match self.writer.submit(Change { puts: vec![put], ..Change::default() }).await {
            Ok(_) => Ok(row),
            // Somebody else has just opened it: theirs is the one.
            Err(SubmitError::Refused(Refusal::Unexpected { .. })) => {
                self.order_row(&quote.handle)?.ok_or(PaymentError::Conflict)
            }
            Err(error) => Err(PaymentError::Write(error)),
        }
    }

    /// Asks for the page of a placed order and keeps its address.
    async fn ask_for_page(&self, handle: &IntentHandle, mut row: OrderRow) -> Result<PaymentPage, PaymentError> {
        let before = serde_json::to_vec(&row)?;
        let quote = Quote { handle: handle.clone(), terms: row.terms.clone() };
        let order = PaymentOrder {
            handle: handle.as_str().to_owned(),
            attempt: row.opened_ms,
            amount: row.terms.charge,
            title: row.terms.title(),
            expires_s: row.expires_s,
            return_url: format!("{}/pay/{}", self.base_url, self.payments.book.pay_token(&quote)),
        };
        let opened = self.processor.open(&order).await?;
        (row.session, row.url) = (Some(opened.session.clone()), Some(opened.url.clone()));
        let kept = put(handle, Some(&row), Expect::Exactly(before))?;
        match self.writer.submit(Change { puts: vec![kept], ..Change::default() }).await {
            // Somebody else kept the same page first.
            Ok(_) | Err(SubmitError::Refused(Refusal::Unexpected { .. })) => Ok(opened),
            Err(error) => Err(PaymentError::Write(error)),
        }
    }

    async fn forget_order(&self, handle: &IntentHandle, row: &OrderRow) -> Result<(), PaymentError> {
        let gone = put(handle, None, Expect::Exactly(serde_json::to_vec(row)?))?;
        match self.writer.submit(Change { puts: vec![gone], ..Change::default() }).await {
            Ok(_) | Err(SubmitError::Refused(_)) => Ok(()),
            Err(error) => Err(PaymentError::Write(error)),
        }
    }

    fn order_row(&self, handle: &IntentHandle) -> Result<Option<OrderRow>, PaymentError> {
        let row = self.store.get(Collection::Orders, handle.as_str())?;
        Ok(row.map(|bytes| serde_json::from_slice(&bytes)).transpose()?)
    }

    /// Whether the last look-up is long enough ago; then this is the last one.
    pub(super) fn may_look(&self, name: &str, now_ms: u64, wait_ms: u64) -> bool {
        let mut looked = self.looked.lock();
        if looked.len() >= ORDERS_REMEMBERED_MAX {
            looked.retain(|_, last| last.saturating_add(ORDER_LOOKUP_MS_MIN) > now_ms);
            if looked.len() >= ORDERS_REMEMBERED_MAX {
                looked.clear();
            }
        }
        let last = looked.entry(name.to_owned()).or_default();
        let may = last.saturating_add(wait_ms) <= now_ms;
        if may {
            *last = now_ms;
        }
        may
    }
}

pub(super) fn put(handle: &IntentHandle, row: Option<&OrderRow>, expect: Expect) -> Result<Put, PaymentError> {
    let value = row.map(serde_json::to_vec).transpose()?;
    Ok(Put { collection: Collection::Orders, key: handle.as_str().to_owned(), value, expect })
}
