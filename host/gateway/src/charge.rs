//! The charge for one request: its worst-case cost is reserved before the request is
//! sent, and its actual cost is sealed at the end.
//!
//! Invariants: a caller never pays more than was reserved, and pays nothing without an
//! answer; no complete response and no regular end of a stream is sent before its seal is
//! durable. If a wallet pays after the answer (`upto`), the payment is settled before the
//! charge is sealed.

use std::sync::Arc;

use bytes::Bytes;
use tokio::time::Instant;
use tollbridge_core::config::Billing;
use tollbridge_core::in_flight::InFlightGuard;
use tollbridge_core::money::Millipence;
use tollbridge_core::time::now_ms;
use tollbridge_ledger::idempotency::RequestIdentity;
use tollbridge_ledger::limits::{LEDGER_NAME_BYTES_MAX, SAFE_INTEGER_MAX};
use tollbridge_ledger::{Entry, InferenceCharge, Sealed};
use tollbridge_payment::{PaymentAuthorization, PaymentDeclined, UptoHold, UptoSale};
use tollbridge_store::{Change, Hash, Put};
use tracing::Span;

use super::billing::UsageBilling;
use super::client_request::BilledCaller;
use super::error::GatewayError;
use super::pricing::TokenUsage;
use super::provider::ModelDeployment;
use super::request_slots::RequestSlot;
use super::router::RouteCandidate;
use super::trace;
use super::usage_meter::UsageSubject;

/// The open charge of one request.
pub(crate) struct UsageCharge {
    billing: Arc<UsageBilling>,
    params: ChargeParams,
    authorization: Option<PaymentAuthorization>,
    /// The hold on the wallet's payment, if a wallet pays after the answer.
    upto: Option<UptoHold>,
}

/// The parameters of a new charge.
pub(super) struct ChargeParams {
    pub(super) caller: BilledCaller,
    pub(super) request_id: String,
    pub(super) identity: RequestIdentity,
    pub(super) now_ms: u64,
    /// The trace span of the request; open as long as the charge.
    pub(super) span: Span,
    /// Marks the request as in flight until the charge is settled or dropped.
    pub(super) _in_flight: InFlightGuard<Hash>,
    /// The request's concurrency slot.
    pub(super) slot: RequestSlot,
}

/// A settled charge.
#[derive(Debug)]
pub struct SettledCharge {
    /// The amount that the provider charges.
    pub cost: Millipence,
    /// The amount that the caller pays; zero if billing is off.
    pub charged: Millipence,
    /// The sealed record; `None` if nothing was charged.
    pub sealed: Option<Sealed>,
    /// The response to the client; empty for a stream.
    pub body: Bytes,
}

impl UsageCharge {
    /// Opens a charge and reserves the highest worst-case cost among the candidates.
    /// Removes candidates that the caller cannot afford.
    pub(super) async fn open(
        billing: Arc<UsageBilling>,
        params: ChargeParams,
        candidates: &mut Vec<RouteCandidate>,
    ) -> Result<Self, GatewayError> {
        let mut charge = Self { billing, params, authorization: None, upto: None };
        loop {
            let worst = candidates.iter().map(|candidate| candidate.worst_cost).max().unwrap_or_default();
            match charge.reserve(worst).await {
                Ok(()) => return Ok(charge),
                // Cheaper candidates would not help, because a wallet's failure does not
                // depend on the price.
                Err(error @ (GatewayError::Wallet(_) | GatewayError::InProgress)) => return Err(error),
                Err(error) => {
                    candidates.retain(|candidate| candidate.worst_cost < worst);
                    if candidates.is_empty() {
                        return Err(error);
                    }
                }
            }
        }
    }

    /// Returns the request's concurrency slot.
    pub(super) fn slot(&mut self) -> &mut RequestSlot {
        &mut self.params.slot
    }

    /// Reserves the given amount, the most that the request can cost.
    async fn reserve(&mut self, amount: Millipence) -> Result<(), GatewayError> {
        if self.billing.mode == Billing::Off || amount.is_zero() {
            return Ok(());
        }
        if let Some(wallet) = &self.params.caller.upto {
            if amount > wallet.most() {
                return Err(GatewayError::InsufficientCredit { balance: wallet.most(), needed: amount });
            }
            self.upto = Some(wallet.admit(amount, self.params.now_ms).await?);
            return Ok(());
        }
        let limit = self.params.caller.spend.as_ref();
        let (payments, account, now_ms) = (&self.billing.payments, &self.params.caller.account, self.params.now_ms);
        let attempt = || payments.authorizer.authorize_credit_within(account, amount, limit, now_ms);
        let authorized = payments.shares.reserve(attempt).await;
        self.authorization = Some(authorized.map_err(|declined| match (declined, limit) {
            (PaymentDeclined::InsufficientCredit(balance), _) => {
                GatewayError::InsufficientCredit { balance, needed: amount }
            }
            (PaymentDeclined::DailyLimitExceeded(left), Some(limit)) => {
                GatewayError::DailyLimitExceeded { limit: limit.per_day, left, needed: amount }
            }
            (PaymentDeclined::Store(error), _) => GatewayError::Store(error),
            _ => GatewayError::CreditReserved,
        })?);
        Ok(())
    }

    /// Returns the latest instant at which an answer leaves enough time to settle the
    /// payment.
    pub(super) fn answer_by(&self) -> Option<Instant> {
        self.upto.as_ref().and_then(UptoHold::answer_by)
    }

    /// Returns the reserved amount, which is the most that the caller pays.
    fn reserved(&self) -> Millipence {
        let credit = self.authorization.as_ref().map(|authorization| authorization.amount);
        credit.or_else(|| self.upto.as_ref().map(UptoHold::worst)).unwrap_or_default()
    }

    /// Seals the cost of the request. `replay` is the content type and body of the
    /// response that repeats get, if the response is complete; the rows in `rows` are
    /// written in the same change as the bill.
    pub(crate) async fn settle(
        mut self,
        deployment: Arc<ModelDeployment>,
        usage: TokenUsage,
        body: Bytes,
        replay: Option<(&'static str, Bytes)>,
        rows: Vec<Put>,
    ) -> Result<SettledCharge, GatewayError> {
        let billing = self.billing.clone();
        let cost = deployment.prices.cost(&usage, billing.usd_gbp);
        let reserved = self.reserved();
        let charged = cost.min(reserved);
        if charged < cost && billing.mode == Billing::Credit {
            let place = deployment.label();
            tracing::error!(place, %cost, %reserved, "a request cost more than its worst case; the host bears the rest");
        }
        let mut settled = SettledCharge { cost, charged, sealed: None, body };
        if charged > Millipence::ZERO {
            let charge = self.entry(&deployment, &usage, charged);
            let mut change = match &self.upto {
                Some(wallet) => {
                    // The settlement uses the current time, not the time of the request:
                    // a model may take minutes.
                    let now_ms = now_ms();
                    wallet.settle(self.sale(charge, replay, now_ms), now_ms).await?
                }
                None => self.change(charge, replay)?,
            };
            change.puts.extend(rows);
            settled.sealed = Some(billing.notary.seal(change, settled.body.clone()).await?);
            if let Some(wallet) = &self.upto {
                wallet.paid(charged);
            }
            if let Some(spend_reservation) =
                self.authorization.as_mut().and_then(|authorization| authorization.spend_reservation.as_mut())
            {
                spend_reservation.commit();
            }
            let (fingerprint, tx) = (self.params.identity.fingerprint, self.params.identity.tx);
            billing.recent.lock().remember(fingerprint, tx, self.params.now_ms);
        } else if !rows.is_empty() {
            billing.db.submit(Change { puts: rows, ..Change::default() }).await?;
        }
        let subject =
            UsageSubject::Key { account: self.params.caller.account.clone(), key: self.params.caller.key.clone() };
        billing.meter.add(subject, &deployment, &usage, [cost, charged], self.params.now_ms);
        trace::model_answered(&self.params.span, &deployment, &usage, charged);
        Ok(settled)
    }

    fn entry(&self, deployment: &ModelDeployment, usage: &TokenUsage, charged: Millipence) -> InferenceCharge {
        InferenceCharge {
            account: self.params.caller.account.clone(),
            amount: charged,
            cached_tokens: ledger_count(usage.cached),
            estimated: usage.estimated,
            input_tokens: ledger_count(usage.input),
            model: ledger_name(&deployment.upstream),
            output_tokens: ledger_count(usage.output),
            provider: ledger_name(&deployment.provider.name),
            request_id: self.params.request_id.clone(),
            wallet: None,
        }
    }

    /// Builds the sale that is settled with the wallet's `upto` payment.
    fn sale(&self, charge: InferenceCharge, replay: Option<(&'static str, Bytes)>, now_ms: u64) -> UptoSale {
        let identity = &self.params.identity;
        let (content_type, body) = replay.unwrap_or_default();
        let answer = identity.stored_answer(None, content_type, Bytes::new(), now_ms);
        UptoSale { tx: identity.tx, charge, answer, body }
    }

    fn change(
        &mut self,
        charge: InferenceCharge,
        replay: Option<(&'static str, Bytes)>,
    ) -> Result<Change, GatewayError> {
        let charged = charge.amount;
        let (identity, now_ms) = (&self.params.identity, self.params.now_ms);
        let answer = replay.map(|(content_type, body)| identity.stored_answer(None, content_type, body, now_ms));
        let spend_reservation =
            self.authorization.as_mut().and_then(|authorization| authorization.spend_reservation.as_mut());
        let puts = spend_reservation.map(|spend_reservation| {
            spend_reservation.reduce_to(charged);
            spend_reservation.row(&self.params.identity.tx)
        });
        let record = Some(Entry::Inference(charge).draft(self.params.identity.tx, self.params.now_ms)?);
        Ok(Change { puts: puts.into_iter().collect(), record, answer, ..Change::default() })
    }
}

/// Limits a count to the largest number that a ledger record can store.
fn ledger_count(tokens: u64) -> u64 {
    tokens.min(SAFE_INTEGER_MAX.unsigned_abs())
}

/// Replaces the characters of a provider or model name that ledger records do not allow.
fn ledger_name(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "_.:/-".contains(c) { c } else { '_' };
    let name: String = text.chars().map(plain).take(LEDGER_NAME_BYTES_MAX).collect();
    if name.is_empty() { "_".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_records() {
        assert_eq!(ledger_name("accounts/x/models/a@b c"), "accounts/x/models/a_b_c");
        assert_eq!(ledger_name(""), "_");
        assert_eq!(ledger_name(&"x".repeat(500)).len(), LEDGER_NAME_BYTES_MAX);
    }
}
