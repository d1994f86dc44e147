//! Payments by `upto`: a wallet signs the most that a request can cost, and is
//! settled for what it did cost once it is answered.
//!
//! Invariants:
//! 1. No model is asked before the facilitator has said that the wallet could pay
//!    the most that was signed.
//! 2. What the answer costs, and the answer, are durable before a facilitator is
//!    asked to settle; nobody gets the answer before it is settled.
//! 3. What is settled, what was sold and that the offer is used are one change.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::Payment;
use tollbridge_store::{Change, Collection};
use tollbridge_x402::{Scheme, Verified};

use super::declined::WalletDeclined;
use super::offer::{OFFER, UptoTerms, WalletOffer};
use super::payment::WalletPayment;
use super::risk::NoRisk;
use super::sale::UptoSale;
use super::settlement_row::nonce_key;
use super::settlements::{WalletSettlements, declined};
use crate::authorizer::PaymentAuthorizer;
use crate::declined::PaymentDeclined;
use crate::error::PaymentError;
use crate::event_counters::count_payment;
use crate::processor::ProcessorError;
use crate::quote::{IntentHandle, QuoteError, QuoteTerms};

/// Shortest time that a signature is asked to be valid: a model has to answer in it.
const TIMEOUT_S_MIN: u64 = 180;
/// What is kept of that time for the settlement.
const SETTLE_S: u64 = 75;
/// What must be left of it to ask a model at all.
const ANSWER_S_MIN: u64 = 20;

impl PaymentAuthorizer {
    /// Asks the facilitator whether it settles by `upto`, and as whom. To be called
    /// at the start, and now and then.
    pub async fn ask_facilitator(&self) {
        let Some(rail) = &self.wallet else { return };
        if let Err(error) = rail.ask_upto().await {
            tracing::warn!(%error, "whether the facilitator settles payments by upto is not known");
        }
    }

    /// Offers one request to a model for payment by `upto`, for at most `most`; `None`
    /// where that is not taken, or too much is unpaid. Nothing is written.
    ///
    /// # Errors
    /// There is no randomness.
    pub fn upto_offer(&self, most: Millipence, now_ms: u64) -> Result<Option<WalletOffer>, QuoteError> {
        let Some(rail) = &self.wallet else { return Ok(None) };
        let Some(facilitator) = rail.upto().filter(|_| rail.risk.has_room(most, now_ms)) else { return Ok(None) };
        // What rounds to nothing could not be settled.
        let smallest = rail.convert(Millipence::new(1), now_ms / 1000);
        let sold = QuoteTerms::product_name(UptoCall::PRODUCT);
        let Some(mut terms) = self.offer_terms(rail, (&sold, most, None), now_ms).filter(|_| smallest.is_ok()) else {
            return Ok(None);
        };
        terms.timeout_s = terms.timeout_s.max(TIMEOUT_S_MIN);
        let expires_s = terms.quote.expires_s;
        let Some(exact) = terms.requirement(rail) else { return Ok(None) };
        let mut requirements = exact.upto(facilitator).to_wire();
        let offer = self.signer.issue_upto_offer(&UptoTerms { terms, facilitator: facilitator.bytes() })?;
        requirements.extra.insert(OFFER.to_owned(), Value::String(offer));
        Ok(Some(WalletOffer { requirements, expires_s }))
    }
}

impl WalletPayment {
    /// Whether it is settled for what it comes to, not for all that was signed.
    pub const fn is_upto(&self) -> bool {
        matches!(self.authorized.requirement().scheme(), Scheme::Upto { .. })
    }
}

/// A request to a model that a wallet pays by `upto`.
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
    /// The product that is bought by `upto`; nothing else is.
    pub const PRODUCT: &str = "models";

    /// A request that comes with this payment, if it is one by `upto` for models.
    pub fn new(service: Arc<WalletSettlements>, payment: Arc<WalletPayment>) -> Option<Self> {
        let is_it = payment.is_upto() && payment.sold_as() == QuoteTerms::product_name(Self::PRODUCT);
        is_it.then_some(Self { service, payment })
    }

    /// The most that it pays.
    pub fn most(&self) -> Millipence {
        self.payment.price()
    }

    /// Settles what was answered before and is not paid, if anything was; then whether
    /// something was, whose answer a repeat gets.
    ///
    /// # Errors
    /// As [`WalletSettlements::collect`].
    pub async fn resume(&self, now_ms: u64) -> Result<bool, PaymentError> {
        self.service.resume(&self.payment, now_ms).await
    }

    /// Has the facilitator say that the wallet could pay, and puts `worst`, the most
    /// that the request can cost, at risk.
    ///
    /// # Errors
    /// [`PaymentError::Declined`]: it does not pay; [`PaymentError::Processor`]: the
    /// facilitator does not say.
    pub async fn admit(&self, worst: Millipence, now_ms: u64) -> Result<UptoHold, PaymentError> {
        let (service, payment) = (&self.service, &self.payment);
        if worst > self.most() {
            return Err(declined(WalletDeclined::TooLittle(self.most())));
        }
        let left_s = payment.authorized.valid_before().saturating_sub(now_ms / 1000);
        let answer_s = left_s.checked_sub(SETTLE_S).filter(|left_s| *left_s >= ANSWER_S_MIN);
        let answer_s = answer_s.ok_or_else(|| declined(WalletDeclined::Expired))?;
        let answer_by = Instant::now().checked_add(Duration::from_secs(answer_s));
        service.see_what_is_paid(&payment.tenant())?;
        let payer = (payment.handle(), payment.tenant(), payment.nonce().to_string());
        service.rail()?.risk.begin(payer, worst, now_ms).map_err(|why| match why {
            NoRisk::InUse => PaymentError::FundsInUse,
            NoRisk::Unpaid => declined(WalletDeclined::Unpaid),
            NoRisk::Exhausted => declined(WalletDeclined::UptoExhausted),
        })?;
        let hold = UptoHold { call: self.clone(), worst, answer_by };
        service.verify_upto(payment).await.map(|()| hold)
    }
}

/// What is at risk while a request is answered. Dropped before the answer is there, it
/// is at risk no more.
pub struct UptoHold {
    call: UptoCall,
    worst: Millipence,
    answer_by: Option<Instant>,
}

impl UptoHold {
    /// The most that the request may cost.
    pub const fn worst(&self) -> Millipence {
        self.worst
    }

    /// When it must be answered, so that it can be settled.
    pub const fn answer_by(&self) -> Option<Instant> {
        self.answer_by
    }

    /// Has the wallet settled for an answer. The change that comes back seals it; then
    /// call [`Self::paid`].
    ///
    /// # Errors
    /// As [`WalletSettlements::collect`]. The answer is kept, and a repeat has it
    /// settled.
    pub async fn settle(&self, sale: UptoSale, now_ms: u64) -> Result<Change, PaymentError> {
        let (service, payment) = (&self.call.service, &self.call.payment);
        service.rail()?.risk.has_run(payment.handle(), sale.amount());
        service.settle_upto(payment, sale, now_ms).await
    }

    /// The change is durable.
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
    /// Finds out whether a wallet could pay the most that it signed. Nothing is written.
    async fn verify_upto(&self, payment: &WalletPayment) -> Result<(), PaymentError> {
        let handle = &payment.quote().handle;
        if self.context.authorizer.intent_row(handle)?.is_some() {
            return Err(PaymentDeclined::IntentUsedUp { handle: handle.clone() }.into());
        }
        if self.row(handle)?.is_some() {
            return Err(PaymentError::FundsInUse);
        }
        if self.context.db.get(Collection::Settlements, &nonce_key(payment))?.is_some() {
            return Err(declined(WalletDeclined::NonceUsed));
        }
        match self.rail()?.facilitator.verify(&payment.authorized).await {
            Ok(Verified::Valid) => Ok(()),
            Ok(Verified::Invalid { reason }) => Err(declined(WalletDeclined::Refused(reason))),
            Err(error) => Err(ProcessorError::OutcomeUnknown(error.to_string()).into()),
        }
    }

    /// What another host has booked is unpaid no more.
    fn see_what_is_paid(&self, tenant: &str) -> Result<(), PaymentError> {
        let risk = &self.rail()?.risk;
        for handle in risk.unpaid_of(tenant) {
            if self.context.authorizer.intent_row(&IntentHandle::from_row_key(handle.clone()))?.is_some() {
                risk.paid(&handle);
            }
        }
        Ok(())
    }

    async fn resume(&self, payment: &WalletPayment, now_ms: u64) -> Result<bool, PaymentError> {
        let is_unpaid = self.row(&payment.quote().handle)?.is_some_and(|(row, _)| row.sale.is_some());
        if is_unpaid && self.rail()?.risk.is_held(payment.handle()) {
            // It is being settled.
            return Err(PaymentError::FundsInUse);
        }
        if is_unpaid {
            self.collect(payment, now_ms).await?;
        }
        Ok(is_unpaid)
    }

    /// Whatever was sold for it is paid.
    pub(super) fn upto_paid(&self, handle: &str, amount: Millipence) {
        if let Ok(rail) = self.rail() {
            rail.risk.paid(handle);
        }
        count_payment(Payment::X402, amount);
    }
}
