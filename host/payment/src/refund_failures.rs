//! Refunds that fail: at once, or weeks after they were paid. The money returns to the
//! payer's balance, unless a dispute takes it.
//!
//! Invariants: returned money is never available to the payer while a dispute has a
//! shortfall; each step is a single write, so that a later attempt can continue after a
//! crash; after the first step the processor is never asked for the refund again.

use tollbridge_ledger::{Payer, RefundStage};
use tollbridge_store::{Change, Draft, OutboxEvent, Put, SubmitError};

use super::context::BookingTurn;
use super::disputes::UnresolvedDispute;
use super::error::PaymentError;
use super::event_counters::{CountedRefund, count_refund};
use super::processor::ProcessorRefund;
use super::quote::IntentHandle;
use super::refund_row::{RefundKeyRange, RefundRow, RefundStatus};
use super::refund_step::RefundStep;
use super::refunds::Refunds;
use super::report::ReconcileReport;
use crate::limits::{REVIEW_MS_MAX, REVIEWED_PER_ROUND_MAX};

impl Refunds {
    /// Looks up the refund with this server's id `id`, after an event about it. Does
    /// nothing if this server did not make the refund.
    ///
    /// # Errors
    ///
    /// Fails if the processor's answer is unclear or a write fails.
    pub async fn follow_up(&self, id: &str, now_ms: u64) -> Result<(), PaymentError> {
        let Some((_, row)) = RefundKeyRange::find(&self.context.db, id)? else { return Ok(()) };
        let payment = row.payment.as_deref().unwrap_or_default();
        match self.context.processor.find_refund(id, payment).await? {
            Some(refund) => self.take(&row, RefundStep::from(refund), None, now_ms).await.map(drop),
            None => Ok(()),
        }
    }

    /// Records the processor's latest status of the refund with this server's id `id`.
    pub(crate) async fn apply_to(&self, id: &str, refund: &ProcessorRefund, now_ms: u64) -> Result<(), PaymentError> {
        match RefundKeyRange::find(&self.context.db, id)? {
            Some((_, row)) => self.take(&row, RefundStep::from(refund.clone()), None, now_ms).await.map(drop),
            None => Ok(()),
        }
    }

    /// Looks up paid refunds again when their review is due.
    pub(crate) async fn review_paid(&self, now_ms: u64, report: &mut ReconcileReport) -> Result<(), PaymentError> {
        let since_ms = |row: &RefundRow| Some(row.created_ms);
        for due in self.reviews.due(&self.context.db, now_ms, REVIEWED_PER_ROUND_MAX, since_ms)? {
            report.count(self.review(&due.row, now_ms).await)?;
        }
        Ok(())
    }

    /// Looks up a paid refund again; returns true if no further change is expected.
    async fn review(&self, row: &RefundRow, now_ms: u64) -> Result<bool, PaymentError> {
        let payment = row.payment.as_deref().unwrap_or_default();
        match self.context.processor.find_refund(&row.id, payment).await? {
            Some(ProcessorRefund::Failed { reason }) => self.fail(row, &reason, None, now_ms).await,
            _ if now_ms.saturating_sub(row.created_ms) > REVIEW_MS_MAX => {
                let puts = row.moved(RefundKeyRange::Paid, RefundKeyRange::Past, row)?;
                self.write(puts, None, Vec::new()).await.map(|_| true)
            }
            _ => Ok(false),
        }
    }

    /// Records that a refund cannot reach the payer; returns true when everything is
    /// recorded. Disputes with a shortfall take their part; the remainder returns to the
    /// payer's balance.
    pub(crate) async fn fail(
        &self,
        row: &RefundRow,
        reason: &str,
        turn: Option<&BookingTurn<'_>>,
        now_ms: u64,
    ) -> Result<bool, PaymentError> {
        let _own = match turn {
            Some(_) => None,
            None => Some(self.context.booking_turn().await),
        };
        // Another task may have changed the row while this one waited for its booking
        // turn.
        let Some((shelf, mut row)) = RefundKeyRange::find(&self.context.db, &row.id)? else { return Ok(true) };
        match row.state {
            RefundStatus::Failed { .. } => return Ok(true),
            RefundStatus::Paid => match self.reclaim_refund(&row, shelf, reason, now_ms).await? {
                Some(returned) => row = returned,
                None => return Ok(false),
            },
            RefundStatus::Owed | RefundStatus::Failing { .. } => {}
        }
        tracing::warn!(refund = row.id, reason, "the payment processor does not pay a refund");
        let account = self.account_of(&row.payer)?;
        for dispute in UnresolvedDispute::of_payer(&self.context.db, account.as_deref(), &row.payer)? {
            let Some(relief) = dispute.relief(&row.payer, row.left())? else { continue };
            let relieved = row.relieved.checked_add(relief.amount()).unwrap_or(row.amount);
            let state = RefundStatus::Failing { reason: reason.to_owned() };
            let after = RefundRow { relieved, state, ..row.clone() };
            let (after, shelf, events) = match after.left().is_zero() {
                true => {
                    let events = after.failure_events(account.as_deref(), reason, now_ms);
                    let state = RefundStatus::Failed { reason: reason.to_owned() };
                    (RefundRow { state, ..after }, RefundKeyRange::Past, events)
                }
                false => (after, RefundKeyRange::Open, Vec::new()),
            };
            let mut puts = row.moved(RefundKeyRange::Open, shelf, &after)?;
            let record = relief.record(&row.id, now_ms)?;
            puts.extend(relief.into_puts());
            if !self.write(puts, Some(record), events).await? {
                return Ok(false);
            }
            row = after;
            if shelf == RefundKeyRange::Past {
                count_refund(CountedRefund::Failed, row.amount);
                return Ok(true);
            }
        }
        // Disputes have not taken the whole refund: the remainder returns to the payer's
        // balance.
        let Change { puts, record, outbox, .. } = row.failed(account.as_deref(), reason, now_ms)?;
        let is_written = self.write(puts, record, outbox).await?;
        if is_written {
            count_refund(CountedRefund::Failed, row.amount);
        }
        Ok(is_written)
    }

    /// Records that a refund came back after it was paid; returns `None` if another task
    /// has changed the row.
    async fn reclaim_refund(
        &self,
        row: &RefundRow,
        shelf: RefundKeyRange,
        reason: &str,
        now_ms: u64,
    ) -> Result<Option<RefundRow>, PaymentError> {
        let returned = RefundRow { state: RefundStatus::Failing { reason: reason.to_owned() }, ..row.clone() };
        let puts = row.moved(shelf, RefundKeyRange::Open, &returned)?;
        let record = row.record(RefundStage::Returned, None, now_ms)?;
        Ok(self.write(puts, Some(record), Vec::new()).await?.then_some(returned))
    }

    /// Returns the account that belongs to the payer, if there is one.
    fn account_of(&self, payer: &Payer) -> Result<Option<String>, PaymentError> {
        Ok(match payer {
            Payer::Account(account) | Payer::Task { account, .. } => Some(account.clone()),
            Payer::Intent(handle) => {
                let intent = self.context.payments.intents.row(&IntentHandle::from_row_key(handle.clone()))?;
                intent.and_then(|intent| intent.account)
            }
        })
    }

    /// Writes the rows; returns false if another task has changed them first.
    async fn write(
        &self,
        puts: Vec<Put>,
        record: Option<Draft>,
        outbox: Vec<OutboxEvent>,
    ) -> Result<bool, PaymentError> {
        match self.context.db.submit(Change { puts, record, outbox, ..Change::default() }).await {
            Ok(_) => Ok(true),
            Err(SubmitError::Refused(_)) => Ok(false),
            Err(error) => Err(PaymentError::Write(error)),
        }
    }
}
