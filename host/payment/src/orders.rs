//! Orders: quotes with a payment page at the processor.
//!
//! Invariants: an intent has at most one open page at the processor; the row of an
//! order is durable before the processor is asked; it is removed when the payment is
//! recorded, or when the processor says that it can no longer be paid.

use std::sync::Arc;

use tollbridge_core::planted::Defect;
use tollbridge_store::{Change, Collection, Expect, Refusal, SubmitError};

use super::context::PaymentContext;
use super::error::PaymentError;
use super::order_row::{OrderRow, put};
use super::order_step::{OrderStep, after_status};
use super::processor::{LostPage, PaymentOrder, PaymentPage, ProcessorError};
use super::quote::{IntentHandle, Quote};
use super::recorder::{PaidBy, PaymentOutcome, PaymentRecorder, unpaid};
use super::report::ReconcileReport;
use super::review_schedule::ReviewSchedule;
use crate::limits::{LOOKUPS_PER_ROUND_MAX, ORDER_LOOKUP_MS_MIN, ORDER_REPEAT_MS_MAX};

/// Time for which an order at the processor can be paid. Stripe requires at least half an
/// hour.
const ORDER_OPEN_S: u64 = 31 * 60;

/// A page where an order can be paid now.
#[derive(Clone, Debug)]
pub struct OpenPaymentPage {
    /// URL to send the buyer to.
    pub url: String,
    /// Unix time in seconds until which the page can be paid.
    pub expires_s: u64,
}

/// The result of opening an order.
#[derive(Clone, Debug)]
pub enum PaymentPageOutcome {
    /// The order can be paid.
    Open(OpenPaymentPage),
    /// The order is already paid.
    AlreadyPaid,
}

/// Opens orders at the processor and looks up whether they were paid.
pub struct PaymentOrders {
    pub(crate) recorder: Arc<PaymentRecorder>,
    pub(crate) context: Arc<PaymentContext>,
    /// Base URL of the pages to which buyers return; no trailing slash.
    pub(crate) base_url: String,
    pub(crate) schedule: ReviewSchedule,
}

impl PaymentOrders {
    /// Opens the processor's page for a quote, or returns the one that is open.
    ///
    /// # Errors
    ///
    /// Returns [`PaymentError::QuoteExpired`]; fails if the processor returns an error
    /// or a write fails.
    pub async fn open(&self, quote: &Quote, now_ms: u64) -> Result<PaymentPageOutcome, PaymentError> {
        let handle = &quote.handle;
        if self.context.payments.intents.row(handle)?.is_some() {
            return Ok(PaymentPageOutcome::AlreadyPaid);
        }
        self.context.processor.ensure_configured()?;
        if let Some(row) = self.row(handle)? {
            // A buyer who opens the page again may have paid the first time.
            if self.reconcile_order(handle, &row, now_ms).await?.is_some() {
                return Ok(PaymentPageOutcome::AlreadyPaid);
            }
        }
        let row = match self.row(handle)? {
            Some(row) => Some(row),
            None => self.place(quote, now_ms).await?,
        };
        let Some(row) = row else { return Ok(PaymentPageOutcome::AlreadyPaid) };
        let expires_s = row.expires_s;
        let url = match row.url.clone() {
            Some(url) => url,
            None => self.request_page(handle, row).await?.url,
        };
        Ok(PaymentPageOutcome::Open(OpenPaymentPage { url, expires_s }))
    }

    /// Asks the processor whether an intent without a recorded payment was paid; one
    /// intent is asked about at most once every few seconds. An unclear answer is an
    /// error, so that no buyer is asked to pay twice.
    ///
    /// # Errors
    ///
    /// Fails if the processor's answer is unclear or a write fails.
    pub async fn check_intent(&self, intent_id: &str, now_ms: u64) -> Result<(), PaymentError> {
        if self.context.processor.is_sandbox() {
            return Ok(());
        }
        let Ok(quote) = self.context.payments.quotes.signer.verify_intent_id(intent_id) else { return Ok(()) };
        self.check(&quote.handle, now_ms).await
    }

    /// Same as [`PaymentOrders::check_intent`], for an intent given by its public handle.
    ///
    /// # Errors
    ///
    /// Same as [`PaymentOrders::check_intent`].
    pub async fn check(&self, handle: &IntentHandle, now_ms: u64) -> Result<(), PaymentError> {
        if self.context.payments.intents.row(handle)?.is_some() || self.row(handle)?.is_none() {
            return Ok(());
        }
        if !self.context.throttle.try_acquire(handle.as_str(), now_ms, ORDER_LOOKUP_MS_MIN) {
            let reason = "the open order was looked up a moment ago".to_owned();
            return Err(ProcessorError::OutcomeUnknown(reason).into());
        }
        self.check_now(handle, now_ms).await.map(drop)
    }

    /// Asks the processor at once whether an intent was paid, after an event about it.
    /// Returns `None` if the intent is unpaid.
    ///
    /// # Errors
    ///
    /// Same as [`PaymentOrders::check_intent`].
    pub async fn check_now(&self, handle: &IntentHandle, now_ms: u64) -> Result<Option<PaymentOutcome>, PaymentError> {
        match self.row(handle)? {
            Some(row) => self.reconcile_order(handle, &row, now_ms).await,
            None => Ok(self.context.payments.intents.row(handle)?.map(|_| PaymentOutcome::AlreadyPaid)),
        }
    }

    /// Looks up the open orders, older ones less often. Most payments are found earlier,
    /// by a request or an event.
    pub(crate) async fn reconcile(&self, now_ms: u64, report: &mut ReconcileReport) -> Result<(), PaymentError> {
        if self.context.processor.is_sandbox() {
            return Ok(());
        }
        let since_ms = |row: &OrderRow| Some(row.opened_ms);
        let mut due = self.schedule.due(&self.context.db, now_ms, LOOKUPS_PER_ROUND_MAX, since_ms)?;
        if Defect::OrdersSwapped.is_planted()
            && let [one, other, ..] = due.as_mut_slice()
        {
            std::mem::swap(&mut one.row, &mut other.row);
        }
        for due in due {
            let handle = IntentHandle::from_row_key(due.key);
            report.count(self.reconcile_order(&handle, &due.row, now_ms).await.map(|paid| paid.is_some()))?;
        }
        Ok(())
    }

    /// Looks up the status of an order at the processor, and records the payment if it
    /// was paid.
    async fn reconcile_order(
        &self,
        handle: &IntentHandle,
        row: &OrderRow,
        now_ms: u64,
    ) -> Result<Option<PaymentOutcome>, PaymentError> {
        let session = match &row.session {
            Some(session) => session.clone(),
            // The response was lost, or the host crashed: repeat the request while the
            // processor still recognizes its idempotency key.
            None if now_ms.saturating_sub(row.opened_ms) < ORDER_REPEAT_MS_MAX => {
                self.request_page(handle, row.clone()).await?.session
            }
            None => {
                let lost = LostPage { handle: handle.as_str(), attempt: row.opened_ms, expires_s: row.expires_s };
                match self.context.processor.find_page(&lost).await? {
                    Some(page) => self.store_page(handle, row.clone(), page).await?.session,
                    // The page was never opened and never will be.
                    None => return self.remove(handle, row).await.map(|()| None),
                }
            }
        };
        let quote = row.quote(handle);
        let status = self.context.processor.order_status(&session).await;
        match after_status(&quote, &session, status)? {
            OrderStep::Wait => Ok(None),
            OrderStep::Remove => {
                self.remove(handle, row).await?;
                Ok(None)
            }
            OrderStep::Book(payment) => {
                let paid = PaidBy::Processor { reference: Some(payment.reference) };
                self.recorder.book(&quote, &paid, row.opened_ms).await.map(Some)
            }
        }
    }

    /// Stores an order before its page is requested. If another request has stored an
    /// order for the same quote first, returns that order; `None` if it was deleted because
    /// it was paid.
    async fn place(&self, quote: &Quote, now_ms: u64) -> Result<Option<OrderRow>, PaymentError> {
        if quote.terms.expires_s < now_ms / 1000 {
            return Err(PaymentError::QuoteExpired);
        }
        let expires_s = quote.terms.expires_s.max((now_ms / 1000).saturating_add(ORDER_OPEN_S));
        let row = OrderRow::placed(quote, expires_s, now_ms);
        let puts = vec![put(&quote.handle, Some(&row), Expect::Absent)?, unpaid(&quote.handle)];
        match self.context.write_rows(puts).await {
            // Another request has just stored an order; use that one.
            Err(PaymentError::Conflict) => self.row(&quote.handle),
            written => written.map(|()| Some(row)),
        }
    }

    /// Requests the page of a stored order and stores the page's address.
    async fn request_page(&self, handle: &IntentHandle, row: OrderRow) -> Result<PaymentPage, PaymentError> {
        let order = PaymentOrder {
            handle: handle.as_str().to_owned(),
            attempt: row.opened_ms,
            amount: row.terms.charge,
            title: row.terms.title(),
            expires_s: row.expires_s,
            return_url: format!(
                "{}/pay/{}",
                self.base_url,
                self.context.payments.quotes.signer.pay_token(&row.quote(handle))
            ),
        };
        let page = self.context.processor.open_page(&order).await?;
        self.store_page(handle, row, page).await
    }

    async fn store_page(
        &self,
        handle: &IntentHandle,
        mut row: OrderRow,
        page: PaymentPage,
    ) -> Result<PaymentPage, PaymentError> {
        let before = serde_json::to_vec(&row)?;
        row.open(&page);
        let with_page = put(handle, Some(&row), Expect::Exactly(before))?;
        match self.context.db.submit(Change { puts: vec![with_page], ..Change::default() }).await {
            // Refused because another request has already stored the same page.
            Ok(_) | Err(SubmitError::Refused(Refusal::Unexpected { .. })) => Ok(page),
            Err(error) => Err(PaymentError::Write(error)),
        }
    }

    async fn remove(&self, handle: &IntentHandle, row: &OrderRow) -> Result<(), PaymentError> {
        let removal = put(handle, None, Expect::Exactly(serde_json::to_vec(row)?))?;
        match self.context.db.submit(Change { puts: vec![removal], ..Change::default() }).await {
            Ok(_) | Err(SubmitError::Refused(_)) => Ok(()),
            Err(error) => Err(PaymentError::Write(error)),
        }
    }

    fn row(&self, handle: &IntentHandle) -> Result<Option<OrderRow>, PaymentError> {
        let row = self.context.db.get(Collection::Orders, handle.as_str())?;
        Ok(row.map(|bytes| serde_json::from_slice(&bytes)).transpose()?)
    }
}

#[cfg(test)]
#[path = "orders_tests.rs"]
mod tests;
