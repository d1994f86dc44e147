//! Payments by `upto`: a wallet signs the maximum cost of a request, and pays the actual
//! cost after the answer.
//!
//! Invariants:
//! 1. A model is asked only after the facilitator has confirmed that the wallet could pay
//!    the signed maximum.
//! 2. The cost and the answer are durable before a facilitator is asked to settle; the
//!    answer is sent only after the settlement.
//! 3. The settlement, the sale and the use of the offer are written as one change.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::Payment;
use tollbridge_store::{Change, Collection};
use tollbridge_x402::Verified;

use super::offers::UPTO_PRODUCT;
use super::payment::WalletPayment;
use super::risk::RiskRefusal;
use super::sale::UptoSale;
use super::settlement_row::nonce_key;
use super::settlements::{WalletSettlements, declined};
use crate::declined::{PaymentDeclined, WalletDeclined};
use crate::error::PaymentError;
use crate::event_counters::count_payment;
use crate::processor::ProcessorError;
use crate::quote::{IntentHandle, QuoteTerms};

/// Seconds of a signature's validity that are reserved for the settlement.
const SETTLE_S: u64 = 75;
/// A model is asked only if the signature is valid for at least this many seconds longer
/// than the settlement needs.
const ANSWER_S_MIN: u64 = 20;

/// A model request that a wallet pays by `upto`.
#[derive(Clone)]
pub struct UptoCall {
    service: Arc<WalletSettlements>,
    payment: Arc<WalletPayment>,
}

impl std::fmt::Debug for UptoCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("UptoCall").field(&self.payment.handle()).finish()
    }
}

impl UptoCall {
    /// The only product sold by `upto`.
    pub const PRODUCT: &str = UPTO_PRODUCT;

    /// Creates the request paid by `payment`; `None` unless it is an `upto` payment for
    /// models.
    pub fn new(service: Arc<WalletSettlements>, payment: Arc<WalletPayment>) -> Option<Self> {
        let is_it = payment.is_upto() && payment.sold_as() == QuoteTerms::product_name(Self::PRODUCT);
        is_it.then_some(Self { service, payment })
    }

    /// Returns the maximum amount that the wallet signed.
    pub fn most(&self) -> Millipence {
        self.payment.price()
    }

    /// Settles the stored answer of an earlier request with this payment, if it is
    /// unpaid. Returns whether an unpaid answer was found and settled; the repeated
    /// request then receives that answer.
    ///
    /// # Errors
    ///
    /// Same as [`WalletSettlements::collect`].
    pub async fn resume(&self, now_ms: u64) -> Result<bool, PaymentError> {
        self.service.resume(&self.payment, now_ms).await
    }

    /// Counts `worst`, the maximum cost of the request, against the limit on unpaid
    /// costs, and asks the facilitator whether the wallet could pay.
    ///
    /// # Errors
    ///
    /// Returns [`PaymentError::Declined`] if the wallet could not pay,
    /// [`PaymentError::Processor`] if the facilitator gives no clear answer.
    pub async fn admit(&self, worst: Millipence, now_ms: u64) -> Result<UptoHold, PaymentError> {
        let (service, payment) = (&self.service, &self.payment);
        if worst > self.most() {
            return Err(declined(WalletDeclined::TooLittle(self.most())));
        }
        let left_s = payment.authorized.valid_before().saturating_sub(now_ms / 1000);
        let answer_s = left_s.checked_sub(SETTLE_S).filter(|left_s| *left_s >= ANSWER_S_MIN);
        let answer_s = answer_s.ok_or_else(|| declined(WalletDeclined::Expired))?;
        let answer_by = Instant::now().checked_add(Duration::from_secs(answer_s));
        service.clear_booked_risk(&payment.tenant())?;
        let payer = (payment.handle(), payment.tenant(), payment.nonce().to_string());
        // Count the cost before asking the facilitator, so that concurrent requests
        // cannot exceed the limit together. If the facilitator declines, dropping the
        // hold removes the cost again.
        service.rail()?.risk.begin(payer, worst, now_ms).map_err(|why| match why {
            RiskRefusal::InUse => PaymentError::FundsInUse,
            RiskRefusal::Unpaid => declined(WalletDeclined::Unpaid),
            RiskRefusal::Exhausted => declined(WalletDeclined::UptoExhausted),
        })?;
        let hold = UptoHold { call: self.clone(), worst, answer_by };
        service.verify_upto(payment).await.map(|()| hold)
    }
}

/// The cost of a request, counted as unpaid while the request is answered. If this guard
/// is dropped before there is an answer, the cost is no longer counted.
pub struct UptoHold {
    call: UptoCall,
    worst: Millipence,
    answer_by: Option<Instant>,
}

impl UptoHold {
    /// Returns the maximum cost of the request.
    pub const fn worst(&self) -> Millipence {
        self.worst
    }

    /// Returns the time by which the model must answer, so that enough time is left for
    /// the settlement.
    pub const fn answer_by(&self) -> Option<Instant> {
        self.answer_by
    }

    /// Settles the cost of an answer with the wallet. Write the returned change, which
    /// seals the sale, then call [`Self::paid`].
    ///
    /// # Errors
    ///
    /// Same as [`WalletSettlements::collect`]. After an error the answer is kept, and a
    /// repeat of the request settles it.
    pub async fn settle(&self, sale: UptoSale, now_ms: u64) -> Result<Change, PaymentError> {
        let (service, payment) = (&self.call.service, &self.call.payment);
        service.rail()?.risk.has_run(payment.handle(), sale.amount());
        service.settle_upto(payment, sale, now_ms).await
    }

    /// Stops counting the cost as unpaid. Call it once the change is durable.
    pub fn paid(&self, amount: Millipence) {
        self.call.service.upto_paid(self.call.payment.handle(), amount);
    }
}

impl Drop for UptoHold {
    fn drop(&mut self) {
        if let Ok(rail) = self.call.service.rail() {
            rail.risk.release(self.call.payment.handle());
        }
    }
}

impl WalletSettlements {
    /// Checks whether a wallet could pay the maximum that it signed. Writes nothing.
    async fn verify_upto(&self, payment: &WalletPayment) -> Result<(), PaymentError> {
        let handle = &payment.quote().handle;
        if self.context.payments.intents.row(handle)?.is_some() {
            return Err(PaymentDeclined::IntentUsedUp { handle: handle.clone() }.into());
        }
        if self.row(handle)?.is_some() {
            return Err(PaymentError::FundsInUse);
        }
        if self.context.db.get(Collection::Settlements, &nonce_key(&payment.authorized))?.is_some() {
            return Err(declined(WalletDeclined::NonceUsed));
        }
        match self.rail()?.facilitator.verify(&payment.authorized).await {
            Ok(Verified::Valid) => Ok(()),
            Ok(Verified::Invalid { reason }) => Err(declined(WalletDeclined::Refused(reason))),
            Err(error) => Err(ProcessorError::OutcomeUnknown(error.to_string()).into()),
        }
    }

    /// If another host has recorded the payment of one of the wallet's answers, stops
    /// counting that answer as unpaid.
    fn clear_booked_risk(&self, tenant: &str) -> Result<(), PaymentError> {
        let risk = &self.rail()?.risk;
        for handle in risk.unpaid_of(tenant) {
            if self.context.payments.intents.row(&IntentHandle::from_row_key(handle.clone()))?.is_some() {
                risk.paid(&handle);
            }
        }
        Ok(())
    }

    async fn resume(&self, payment: &WalletPayment, now_ms: u64) -> Result<bool, PaymentError> {
        let is_unpaid = self.row(&payment.quote().handle)?.is_some_and(|(row, _)| row.sale.is_some());
        if is_unpaid && self.rail()?.risk.is_held(payment.handle()) {
            // An earlier request with this payment is still being settled.
            return Err(PaymentError::FundsInUse);
        }
        if is_unpaid {
            self.collect(payment, now_ms).await?;
        }
        Ok(is_unpaid)
    }

    /// Records that the sale for an intent is paid.
    pub(super) fn upto_paid(&self, handle: &str, amount: Millipence) {
        if let Ok(rail) = self.rail() {
            rail.risk.paid(handle);
        }
        count_payment(Payment::X402, amount);
    }
}
