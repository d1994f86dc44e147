//! Charges: asks the processor to charge a token, and records the payment.

use std::sync::Arc;

use tollbridge_core::planted::Defect;
use tollbridge_store::{Collection, Expect, Put};

use super::charge_row::{ChargeRow, ChargeState, OPEN, booked_key, open_key};
use super::token_payment::TokenPayment;
use crate::context::PaymentContext;
use crate::declined::{CredentialDeclined, PaymentDeclined};
use crate::error::PaymentError;
use crate::limits::{LOOKUPS_PER_ROUND_MAX, ORDER_REPEAT_MS_MAX};
use crate::processor::{ProcessorError, ProcessorPayment, TokenCharge, TokenChargeStatus};
use crate::quote::IntentHandle;
use crate::recorder::{PaidBy, PaymentOutcome, PaymentRecorder, unpaid};
use crate::report::ReconcileReport;
use crate::review_schedule::{DueRow, ReviewSchedule};
use crate::wallet::settlement_row::put;

/// Charges the tokens that come with calls.
pub struct TokenCharges {
    pub(crate) context: Arc<PaymentContext>,
    pub(crate) recorder: Arc<PaymentRecorder>,
    schedule: ReviewSchedule,
}

/// Whether the charge may have been requested before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attempt {
    /// The charge was not requested before.
    First,
    /// The charge may have been requested before.
    Again,
}

impl TokenCharges {
    pub(crate) fn new(context: Arc<PaymentContext>, recorder: Arc<PaymentRecorder>) -> Self {
        Self { context, recorder, schedule: ReviewSchedule::of(Collection::Settlements, OPEN) }
    }

    /// Charges a token and records the payment; does nothing if the payment is already
    /// recorded.
    ///
    /// # Errors
    ///
    /// Returns [`PaymentError::Declined`] if no money moved, [`PaymentError::Processor`]
    /// if it may have moved (repeat the call to learn the outcome), or an error if a
    /// write fails.
    pub async fn collect(&self, payment: &TokenPayment, now_ms: u64) -> Result<(), PaymentError> {
        let handle = &payment.quote.handle;
        // The payment may have been recorded after this token was read.
        if self.context.payments.intents.row(handle)?.is_some() {
            return self.booked(payment);
        }
        self.context.processor.ensure_configured()?;
        let Some((row, attempt)) = self.begin(payment, now_ms).await? else { return self.booked(payment) };
        if let ChargeState::Refused(reason) = &row.state {
            return Err(refused(payment, reason));
        }
        match self.ask(payment, &row, attempt, now_ms).await {
            Ok(TokenChargeStatus::Paid(paid)) => self.book(handle, &row, paid, now_ms).await,
            Ok(TokenChargeStatus::Refused(reason)) | Err(ProcessorError::Rejected { message: reason, .. }) => {
                self.set_refused(handle, &row, &reason).await?;
                Err(refused(payment, &reason))
            }
            Ok(TokenChargeStatus::Pending) => {
                Err(ProcessorError::OutcomeUnknown("the charge is being processed".to_owned()).into())
            }
            Err(error) => {
                tracing::warn!(intent = payment.handle(), %error, "the outcome of a charge is unknown");
                Err(error.into())
            }
        }
    }

    /// Requests the charge. An earlier request is looked up first: repeating it may
    /// return only a stored error without details. If no charge is found, it is requested
    /// again only while the challenge is valid and the processor remembers its
    /// idempotency key; otherwise its outcome stays unknown for now.
    async fn ask(
        &self,
        payment: &TokenPayment,
        row: &ChargeRow,
        attempt: Attempt,
        now_ms: u64,
    ) -> Result<TokenChargeStatus, ProcessorError> {
        let processor = &self.context.processor;
        if attempt == Attempt::Again {
            if let Some(found) = processor.find_token_charge(payment.handle(), row.began_ms).await? {
                return Ok(found);
            }
            let holds = now_ms / 1000 < payment.expires_s;
            if !holds || now_ms.saturating_sub(row.began_ms) > ORDER_REPEAT_MS_MAX {
                return Err(ProcessorError::OutcomeUnknown("the charge is not found yet".to_owned()));
            }
        }
        let title = row.terms.title();
        let charge = TokenCharge {
            handle: payment.handle(),
            challenge_id: payment.challenge_id(),
            token: payment.token.expose_token(),
            amount: row.terms.charge,
            title: &title,
        };
        processor.charge_token(&charge).await
    }

    /// Looks up charges with an unknown outcome, and removes charges that were not made
    /// and can no longer be made.
    pub(crate) async fn reconcile(&self, now_ms: u64, report: &mut ReconcileReport) -> Result<(), PaymentError> {
        if self.context.processor.is_sandbox() {
            return Ok(());
        }
        let since_ms = |row: &ChargeRow| (row.is_asked() || row.is_over(now_ms)).then_some(row.began_ms);
        for due in self.schedule.due(&self.context.db, now_ms, LOOKUPS_PER_ROUND_MAX, since_ms)? {
            report.count(self.look_up(due, now_ms).await)?;
        }
        Ok(())
    }

    /// Looks up the charge of an intent at once, because an event about its payment may
    /// arrive before the charge is known.
    ///
    /// # Errors
    ///
    /// Fails if the charge is not found yet or a write fails.
    pub(crate) async fn check_now(&self, handle: &IntentHandle, now_ms: u64) -> Result<(), PaymentError> {
        let Some(row) = self.row(handle)? else { return Ok(()) };
        match self.context.processor.find_token_charge(handle.as_str(), row.began_ms).await? {
            Some(TokenChargeStatus::Paid(paid)) => self.book(handle, &row, paid, now_ms).await,
            _ => Err(ProcessorError::OutcomeUnknown("the charge is not found yet".to_owned()).into()),
        }
    }

    /// Looks up the outcome of a charge; returns true once it is known.
    async fn look_up(&self, due: DueRow<ChargeRow>, now_ms: u64) -> Result<bool, PaymentError> {
        let (handle, row) = (IntentHandle::from_row_key(due.key), due.row);
        if !row.is_asked() {
            return self.forget(&handle, due.bytes).await.map(|()| true);
        }
        match self.context.processor.find_token_charge(handle.as_str(), row.began_ms).await? {
            Some(TokenChargeStatus::Paid(paid)) => self.book(&handle, &row, paid, now_ms).await.map(|()| true),
            Some(TokenChargeStatus::Refused(reason)) => self.set_refused(&handle, &row, &reason).await.map(|()| true),
            None if row.is_over(now_ms) => self.forget(&handle, due.bytes).await.map(|()| true),
            Some(TokenChargeStatus::Pending) | None => Ok(false),
        }
    }

    /// Stores durably that a charge is about to be requested, and returns the row and
    /// whether the charge may have been requested before; `None` if the intent was paid
    /// meanwhile.
    pub(super) async fn begin(
        &self,
        payment: &TokenPayment,
        now_ms: u64,
    ) -> Result<Option<(ChargeRow, Attempt)>, PaymentError> {
        let handle = &payment.quote.handle;
        if let Some(row) = self.row(handle)? {
            return same_token(payment, row).map(|row| Some((row, Attempt::Again)));
        }
        let row = ChargeRow::new(payment.taken(), payment.quote.terms.clone(), now_ms);
        if Defect::TokenChargedEarly.is_planted() {
            return Ok(Some((row, Attempt::First)));
        }
        match self.write(vec![put(open_key(handle), Some(&row), Expect::Absent)?, unpaid(handle)]).await {
            // Another request began first, and its payment may already be recorded.
            Err(PaymentError::Conflict) => {
                let row = self.row(handle)?.map(|row| same_token(payment, row)).transpose()?;
                Ok(row.map(|row| (row, Attempt::Again)))
            }
            written => written.map(|()| Some((row, Attempt::First))),
        }
    }

    /// Checks that the recorded payment was made with this token.
    fn booked(&self, payment: &TokenPayment) -> Result<(), PaymentError> {
        match self.context.payments.credentials.is_paid_by(payment)? {
            true => Ok(()),
            false => Err(other_token(payment)),
        }
    }

    async fn book(
        &self,
        handle: &IntentHandle,
        row: &ChargeRow,
        paid: ProcessorPayment,
        now_ms: u64,
    ) -> Result<(), PaymentError> {
        if paid.amount != row.terms.charge || paid.handle.as_deref() != Some(handle.as_str()) {
            let intent = handle.as_str();
            tracing::error!(intent, reference = paid.reference, amount = %paid.amount, "a charge is not as requested");
            return Err(ProcessorError::OutcomeUnknown("the charge differs from the one requested".to_owned()).into());
        }
        let rows = vec![
            put(open_key(handle), None::<&ChargeRow>, Expect::Any)?,
            put(booked_key(handle), Some(&row.taken), Expect::Any)?,
        ];
        let paid = PaidBy::Token { reference: paid.reference, rows };
        match self.recorder.book(&row.quote(handle), &paid, now_ms).await? {
            PaymentOutcome::Recorded => Ok(()),
            // Another task recorded the payment before this row was removed.
            PaymentOutcome::AlreadyPaid => {
                self.write(vec![put(open_key(handle), None::<&ChargeRow>, Expect::Any)?]).await
            }
        }
    }

    async fn set_refused(&self, handle: &IntentHandle, row: &ChargeRow, reason: &str) -> Result<(), PaymentError> {
        let refused = ChargeRow { state: ChargeState::Refused(reason.to_owned()), ..row.clone() };
        let before = serde_json::to_vec(row)?;
        match self.write(vec![put(open_key(handle), Some(&refused), Expect::Exactly(before))?]).await {
            // Another task has written a later outcome of the same charge.
            Err(PaymentError::Conflict) => Ok(()),
            written => written,
        }
    }

    async fn forget(&self, handle: &IntentHandle, bytes: Vec<u8>) -> Result<(), PaymentError> {
        match self.write(vec![put(open_key(handle), None::<&ChargeRow>, Expect::Exactly(bytes))?]).await {
            Err(PaymentError::Conflict) => Ok(()),
            written => written,
        }
    }

    async fn write(&self, puts: Vec<Put>) -> Result<(), PaymentError> {
        self.context.write_rows(puts).await
    }

    fn row(&self, handle: &IntentHandle) -> Result<Option<ChargeRow>, PaymentError> {
        let bytes = self.context.db.get(Collection::Settlements, &open_key(handle))?;
        Ok(bytes.map(|bytes| serde_json::from_slice(&bytes)).transpose()?)
    }
}

/// Checks that the row has the token of this payment, because only one token may pay for
/// a challenge.
fn same_token(payment: &TokenPayment, row: ChargeRow) -> Result<ChargeRow, PaymentError> {
    // `checked_s` may differ between repeats; only the stored time matters.
    match row.taken.token_sha256 == payment.taken().token_sha256 {
        true => Ok(row),
        false => Err(other_token(payment)),
    }
}

fn other_token(payment: &TokenPayment) -> PaymentError {
    declined(CredentialDeclined::OtherToken { challenge_id: payment.challenge_id.clone() })
}

fn refused(payment: &TokenPayment, reason: &str) -> PaymentError {
    let (challenge_id, reason) = (payment.challenge_id.clone(), reason.to_owned());
    declined(CredentialDeclined::Refused { challenge_id, reason })
}

fn declined(why: CredentialDeclined) -> PaymentError {
    PaymentDeclined::from(why).into()
}
