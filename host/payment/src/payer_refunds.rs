//! Refunds requested by a payer: returns the remainder of a payment intent to the
//! original payer, without a key.
//!
//! Invariants:
//! 1. The whole remainder is refunded, once; an amount held by a call in flight is not.
//! 2. A repeated request returns the same refund unless the processor has refused it;
//!    after a refusal it can be requested again, a limited number of times.
//! 3. A payment made at another processor is not refunded through this one.

use sha2::{Digest, Sha256};
use tollbridge_store::{Refusal, SubmitError};

use super::error::PaymentError;
use super::quote::{IntentHandle, Quote};
use super::refund_row::{RefundKeyRange, RefundRow, RefundStatus};
use super::refunds::Refunds;
use crate::limits::ORDER_LOOKUP_MS_MIN;

/// Maximum number of refunds that the payer of one intent may request. A new one can be
/// requested only after the processor has refused the last; after the third refusal, the
/// operator has to act.
const PAYER_REFUNDS_PER_INTENT_MAX: u64 = 3;

/// The reason code of refunds requested by a payer.
const REASON: &str = "payer_request";
/// Maximum number of attempts while other writers change the balance.
const ATTEMPTS_MAX: usize = 4;

impl Refunds {
    /// Refunds the remainder of an intent, or returns the refund that was requested
    /// before.
    ///
    /// # Errors
    ///
    /// Returns [`PaymentError::NotPaid`], [`PaymentError::NothingRemaining`],
    /// [`PaymentError::FundsInUse`], [`PaymentError::BoughtProduct`] or
    /// [`PaymentError::OtherProcessor`]; fails if a write fails. An unclear answer of the
    /// processor is not an error: the refund then remains owed.
    pub async fn give_back(&self, quote: &Quote, now_ms: u64) -> Result<RefundRow, PaymentError> {
        let handle = &quote.handle;
        for _ in 0..ATTEMPTS_MAX {
            let (asked, last) = self.asked_by_payer(handle)?;
            if let Some(row) = last {
                let is_settled = match row.state {
                    RefundStatus::Paid => true,
                    RefundStatus::Failed { .. } => asked >= PAYER_REFUNDS_PER_INTENT_MAX,
                    RefundStatus::Owed | RefundStatus::Failing { .. } => false,
                };
                // Ask the processor about the same intent only every few seconds, however
                // often the payer asks.
                if is_settled || !self.may_ask_processor(handle, now_ms, ORDER_LOOKUP_MS_MIN) {
                    return Ok(row);
                }
                if matches!(row.state, RefundStatus::Owed | RefundStatus::Failing { .. }) {
                    return self.ask_again(row, now_ms).await;
                }
            }
            match self.try_refund(quote, asked, now_ms).await {
                // Another request or a sealed call has changed the rows; read them again.
                Err(PaymentError::Write(SubmitError::Refused(
                    Refusal::Duplicate { .. } | Refusal::Unexpected { .. },
                ))) => {}
                Err(PaymentError::NothingRemaining) if self.has_changed(quote, asked)? => {}
                outcome => return outcome,
            }
        }
        Err(PaymentError::FundsInUse)
    }

    /// Returns the last refund that the payer of an intent requested.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub fn of_payer(&self, handle: &IntentHandle) -> Result<Option<RefundRow>, PaymentError> {
        self.asked_by_payer(handle).map(|(_, last)| last)
    }

    async fn try_refund(&self, quote: &Quote, asked: u64, now_ms: u64) -> Result<RefundRow, PaymentError> {
        let handle = &quote.handle;
        let paid = self.context.payments.intents.row(handle)?.ok_or(PaymentError::NotPaid)?;
        if quote.terms.product().is_some() {
            return Err(PaymentError::BoughtProduct);
        }
        if paid.processor != self.context.processor.name() {
            return Err(PaymentError::OtherProcessor(paid.processor));
        }
        self.context.processor.ensure_configured()?;
        // Called only to record the time, so that a repeated request waits before the
        // processor is asked again.
        self.may_ask_processor(handle, now_ms, 0);
        self.refund_remainder(handle, paid, payer_refund_id(handle, asked), REASON, now_ms).await
    }

    /// Asks the processor again about an owed refund.
    async fn ask_again(&self, row: RefundRow, now_ms: u64) -> Result<RefundRow, PaymentError> {
        match self.reconcile_refund(&row, None, now_ms).await {
            Ok(_) | Err(PaymentError::Processor(_)) => {
                Ok(RefundKeyRange::find(&self.context.db, &row.id)?.map_or(row, |(_, now)| now))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns whether the processor was last asked about this intent at least
    /// `wait_ms` ago; if so, the current time is noted as the last request.
    fn may_ask_processor(&self, handle: &IntentHandle, now_ms: u64, wait_ms: u64) -> bool {
        self.context.throttle.try_acquire(&format!("give back {}", handle.as_str()), now_ms, wait_ms)
    }

    /// Returns the number of refunds that the payer has requested, and the last one.
    fn asked_by_payer(&self, handle: &IntentHandle) -> Result<(u64, Option<RefundRow>), PaymentError> {
        let mut last = None;
        for asked in 0..PAYER_REFUNDS_PER_INTENT_MAX {
            match RefundKeyRange::find(&self.context.db, &payer_refund_id(handle, asked))? {
                Some((_, row)) => last = Some(row),
                None => return Ok((asked, last)),
            }
        }
        Ok((PAYER_REFUNDS_PER_INTENT_MAX, last))
    }

    /// Returns whether the balance now has a refundable amount, or the payer made another
    /// request.
    fn has_changed(&self, quote: &Quote, asked: u64) -> Result<bool, PaymentError> {
        let (now_asked, _) = self.asked_by_payer(&quote.handle)?;
        let Some(paid) = self.context.payments.intents.row(&quote.handle)? else { return Ok(false) };
        let left = self.context.db.balance(&paid.payer(&quote.handle).ledger_account().to_string())?;
        Ok(now_asked != asked || left.pence_floor() > 0)
    }
}

/// Returns the id of the refund that a payer requests after `asked` earlier ones; repeats
/// of one request get the same id.
fn payer_refund_id(handle: &IntentHandle, asked: u64) -> String {
    let digest = Sha256::new().chain_update(b"tollbridge payer refund id v1").chain_update(handle.as_str());
    let digest = digest.chain_update(asked.to_be_bytes()).finalize();
    format!("rf_{}", hex::encode(digest.split_at(12).0))
}

#[cfg(test)]
#[path = "payer_refunds_tests.rs"]
mod tests;
