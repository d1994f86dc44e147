//! Refunds: money returned to the payer. First, the refund is recorded in the ledger as
//! owed; then the processor is asked to pay it, under an id that is durable before the
//! request; finally it is paid, or the money returns to its source
//! (`refund_failures.rs`).
//!
//! Rows of `Collection::Refunds`: `open/<id>`, `paid/<id>` and `past/<id>` are refunds,
//! `gone/<name>` is a delisting; `disputed/`, `spent/`, `taken/` and `unbooked/` belong
//! to disputes.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use tollbridge_core::money::Millipence;
use tollbridge_core::planted::Defect;
use tollbridge_ledger::Payer;
use tollbridge_store::{Collection, Refusal, Rows, SubmitError};

use super::context::{BookingTurn, PaymentContext};
use super::declined::PaymentDeclined;
use super::error::PaymentError;
use super::event_counters::{CountedRefund, count_refund};
use super::intent::IntentRow;
use super::processor::ProcessorPayment;
use super::quote::{IntentHandle, PRODUCT_PREFIX, Quote, QuoteTerms};
use super::recorder::{PaidBy, PaymentRecorder};
use super::refund_row::{RefundKeyRange, RefundRow, RefundStatus, refund_id};
use super::refund_step::{RefundStep, after_look_up, after_request};
use super::report::ReconcileReport;
use super::review_schedule::ReviewSchedule;

/// Creates refunds and follows them to completion.
pub struct Refunds {
    pub(crate) recorder: Arc<PaymentRecorder>,
    pub(crate) context: Arc<PaymentContext>,
    /// The schedule by which paid refunds are looked up again.
    pub(crate) reviews: ReviewSchedule,
}

impl Refunds {
    /// Refunds the remainder of a payment, or a part of it in whole pence. `reason` is a
    /// short code.
    ///
    /// # Errors
    ///
    /// Returns [`PaymentError::NothingRemaining`], [`PaymentError::BeyondRemainder`] or
    /// [`PaymentError::FundsInUse`]; fails if a write fails. An unclear answer of the
    /// processor is not an error: the refund then remains owed.
    pub async fn refund(
        &self,
        intent: &str,
        part: Option<Millipence>,
        reason: &str,
        now_ms: u64,
    ) -> Result<RefundRow, PaymentError> {
        let (handle, paid) =
            self.context.payments.intents.find_paid(intent, now_ms).map_err(|declined| match declined {
                PaymentDeclined::UnknownIntent if intent.starts_with("pi_") => PaymentError::NothingRemaining,
                declined => declined.into(),
            })?;
        let id = refund_id(handle.as_str(), now_ms);
        let all = self.refundable(&handle, &paid)?;
        let amount = part.unwrap_or(all);
        if amount > all || amount.get().rem_euclid(1_000) != 0 {
            return Err(PaymentError::BeyondRemainder { asked: amount, all });
        }
        self.refund_amount(&handle, paid, (id, amount), reason, now_ms).await
    }

    /// Returns the refundable amount of a payment.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub fn refundable(&self, handle: &IntentHandle, paid: &IntentRow) -> Result<Millipence, PaymentError> {
        let remaining = self.context.db.balance(&paid.payer(handle).ledger_account().to_string())?;
        // Cards are refunded in whole pence; a fraction of a penny stays on the balance.
        Ok(Millipence::from_pence(remaining.min(paid.charge).pence_floor()).unwrap_or_default())
    }

    /// Records a second payment of an intent that is already paid, and refunds it. The
    /// buyer made it at another page of the processor; it is recorded under a separate
    /// handle. Idempotent.
    pub(crate) async fn refund_duplicate(
        &self,
        first: &IntentRow,
        payment: ProcessorPayment,
        now_ms: u64,
    ) -> Result<(), PaymentError> {
        let digest = Sha256::new().chain_update(b"tollbridge second payment v1").chain_update(&payment.reference);
        let handle = IntentHandle::from_row_key(hex::encode(digest.finalize().split_at(16).0));
        let terms = QuoteTerms {
            // Remove the product prefix: recording the payment for the product would
            // deliver the product a second time.
            bridge: first.bridge.trim_start_matches(PRODUCT_PREFIX).to_owned(),
            price: payment.amount,
            charge: payment.amount,
            expires_s: now_ms / 1000,
            account: None,
        };
        let quote = Quote { handle: handle.clone(), terms };
        let paid = PaidBy::Processor { reference: Some(payment.reference) };
        self.recorder.book(&quote, &paid, now_ms).await?;
        let Some(row) = self.context.payments.intents.row(&handle)? else { return Ok(()) };
        let id = refund_id(handle.as_str(), 0);
        match self.refund_remainder(&handle, row, id, "paid_twice", now_ms).await {
            Ok(_) | Err(PaymentError::NothingRemaining) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Refunds the remainder of a payment, at most the amount paid, under `id`.
    pub(crate) async fn refund_remainder(
        &self,
        handle: &IntentHandle,
        paid: IntentRow,
        id: String,
        reason: &str,
        now_ms: u64,
    ) -> Result<RefundRow, PaymentError> {
        let amount = self.refundable(handle, &paid)?;
        self.refund_amount(handle, paid, (id, amount), reason, now_ms).await
    }

    async fn refund_amount(
        &self,
        handle: &IntentHandle,
        paid: IntentRow,
        (id, amount): (String, Millipence),
        reason: &str,
        now_ms: u64,
    ) -> Result<RefundRow, PaymentError> {
        let payer = paid.payer(handle);
        let (payment, reason, state) = (paid.reference, reason.to_owned(), RefundStatus::Owed);
        let relieved = Millipence::ZERO;
        let row = RefundRow { id, payer, payment, amount, reason, created_ms: now_ms, state, relieved };
        self.record_refund(&row, now_ms).await?;
        match self.reconcile_refund(&row, None, now_ms).await {
            Ok(_) | Err(PaymentError::Processor(_)) => {
                Ok(RefundKeyRange::find(&self.context.db, &row.id)?.map_or(row, |(_, now)| now))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the unfinished refunds.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub fn open(&self) -> Result<Vec<RefundRow>, PaymentError> {
        let prefix = RefundKeyRange::Open.prefix();
        let open = Rows::of(self.context.db.store(), Collection::Refunds).with_prefix(prefix);
        open.map(|row| Ok(serde_json::from_slice(&row?.1)?)).collect()
    }

    /// Continues every unfinished refund: looks it up at the processor, requests it if
    /// necessary, and records the result. `report` counts the results.
    pub(crate) async fn reconcile(&self, now_ms: u64, report: &mut ReconcileReport) -> Result<(), PaymentError> {
        for row in self.open()? {
            report.count(self.reconcile_refund(&row, None, now_ms).await)?;
        }
        Ok(())
    }

    /// Continues the unfinished refunds of one payer. `turn` proves that the caller holds
    /// the lock for booking disputes and failed refunds.
    pub(crate) async fn reconcile_payer(
        &self,
        payer: &Payer,
        turn: &BookingTurn<'_>,
        now_ms: u64,
    ) -> Result<(), PaymentError> {
        for row in self.open()?.iter().filter(|row| row.payer == *payer) {
            self.reconcile_refund(row, Some(turn), now_ms).await?;
        }
        Ok(())
    }

    /// Moves the money off the payer's balance, so that it can no longer be spent.
    async fn record_refund(&self, row: &RefundRow, now_ms: u64) -> Result<(), PaymentError> {
        let hold = self.recorder.hold_remainder(&row.payer.ledger_account(), row.amount).await?;
        let written = self.context.db.submit(row.owed(now_ms)?).await;
        drop(hold);
        match written {
            Ok(_) => {
                count_refund(CountedRefund::Owed, row.amount);
                Ok(())
            }
            Err(SubmitError::Refused(Refusal::Insufficient { .. })) => Err(PaymentError::NothingRemaining),
            Err(error) => Err(PaymentError::Write(error)),
        }
    }

    /// Requests an owed refund from the processor; returns true when the refund is
    /// finished.
    pub(crate) async fn reconcile_refund(
        &self,
        row: &RefundRow,
        turn: Option<&BookingTurn<'_>>,
        now_ms: u64,
    ) -> Result<bool, PaymentError> {
        if let RefundStatus::Failing { reason } = &row.state {
            return self.fail(row, reason, turn, now_ms).await;
        }
        let payment = row.payment.as_deref().unwrap_or_default();
        let mut step = after_look_up(self.context.processor.find_refund(&row.id, payment).await)?;
        if step == RefundStep::Request {
            step = after_request(self.context.processor.refund(&row.id, payment, row.amount).await)?;
        }
        self.take(row, step, turn, now_ms).await
    }

    /// Records the next step of an owed or paid refund; returns true when the refund is
    /// finished.
    pub(crate) async fn take(
        &self,
        row: &RefundRow,
        step: RefundStep,
        turn: Option<&BookingTurn<'_>>,
        now_ms: u64,
    ) -> Result<bool, PaymentError> {
        match step {
            RefundStep::Request | RefundStep::Wait => Ok(false),
            RefundStep::Pay { reference } if row.state == RefundStatus::Owed => self.pay(row, reference, now_ms).await,
            RefundStep::Pay { .. } => Ok(true),
            RefundStep::Fail { .. } if row.state == RefundStatus::Paid && Defect::LateTruthIgnored.is_planted() => {
                Ok(true)
            }
            RefundStep::Fail { reason } => self.fail(row, &reason, turn, now_ms).await,
        }
    }

    async fn pay(&self, row: &RefundRow, reference: String, now_ms: u64) -> Result<bool, PaymentError> {
        // Sandbox refunds never fail after they are paid, so they need no review.
        let shelf = if self.context.processor.is_sandbox() { RefundKeyRange::Past } else { RefundKeyRange::Paid };
        match self.context.db.submit(row.paid(shelf, reference, now_ms)?).await {
            Ok(_) => {
                count_refund(CountedRefund::Paid, row.amount);
                Ok(true)
            }
            // Another task has already recorded this step.
            Err(SubmitError::Refused(_)) => Ok(true),
            Err(error) => Err(PaymentError::Write(error)),
        }
    }
}
