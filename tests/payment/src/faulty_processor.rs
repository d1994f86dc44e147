//! A test processor that keeps its own books and fails at random: requests are lost
//! before or after they take effect, rejected, or never answered.

// Test code, which may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeMap;

use async_trait::async_trait;
use parking_lot::Mutex;
use tollbridge_core::money::Millipence;
use tollbridge_payment::{
    LookupError, LostPage, PaymentOrder, PaymentOrderStatus, PaymentPage, PaymentProcessor, ProcessorError,
    ProcessorFee, ProcessorPayment, ProcessorRefund, ProcessorTransfer, TokenCharge, TokenChargeStatus,
};

/// Fee of a dispute, which is returned if the dispute is won.
pub const DISPUTE_FEE: Millipence = Millipence::new(1_500_000);

/// A processor with random faults that reports the name of Stripe. Amounts are in
/// millipence.
#[derive(Default)]
pub struct FaultyProcessor {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    random: u64,
    /// Percentage of requests that fail.
    faults: u64,
    orders: BTreeMap<String, (i64, String, bool)>,
    charges: BTreeMap<String, i64>,
    refunds: BTreeMap<String, Refund>,
    /// Whether new refunds stay pending at the bank.
    slow_refunds: bool,
    transfers: BTreeMap<String, i64>,
    /// Reversed amounts, by transfer.
    reversed: BTreeMap<String, i64>,
    disputed: BTreeMap<String, i64>,
}

struct Refund {
    payment: String,
    amount: i64,
    outcome: Outcome,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Pending,
    Paid,
    Failed,
}

/// Whether and when a request is lost: before it takes effect, after it, or not at all.
enum LossPoint {
    Before,
    After,
    No,
}

impl FaultyProcessor {
    /// Suffix of tokens whose charge is declined.
    pub const DECLINED: &str = "_declined";

    /// Creates a processor whose faults are determined by a seed; none occur until
    /// `set_faults`.
    pub fn new(seed: u64) -> Self {
        Self { inner: Mutex::new(Inner { random: seed, ..Inner::default() }) }
    }

    /// Sets the percentage of requests that fail.
    pub fn set_faults(&self, percent: u64) {
        self.inner.lock().faults = percent;
    }

    /// Returns the balance that the processor holds for this server.
    pub fn balance(&self) -> i64 {
        let inner = self.inner.lock();
        let sum = |map: &BTreeMap<String, i64>| map.values().sum::<i64>();
        let refunds: i64 =
            inner.refunds.values().filter(|one| one.outcome != Outcome::Failed).map(|one| one.amount).sum();
        let lost = inner.disputed.values().filter(|taken| **taken > 0).count();
        let disputes = DISPUTE_FEE.get().saturating_mul(i64::try_from(lost).unwrap());
        let fees: i64 = inner.charges.values().map(|amount| fee(*amount)).sum();
        sum(&inner.charges) - fees - refunds - sum(&inner.transfers) + sum(&inner.reversed)
            - sum(&inner.disputed)
            - disputes
    }

    /// Returns the transferred amounts in millipence, by withdrawal id.
    pub fn transfers(&self) -> BTreeMap<String, i64> {
        self.inner.lock().transfers.clone()
    }

    /// Returns the unpaid sessions.
    pub fn open_orders(&self) -> Vec<String> {
        let inner = self.inner.lock();
        inner.orders.iter().filter(|(_, order)| !order.2).map(|(session, _)| session.clone()).collect()
    }

    /// Pays a session as its buyer.
    pub fn buy(&self, session: &str) {
        let mut inner = self.inner.lock();
        if let Some(order) = inner.orders.get_mut(session) {
            order.2 = true;
            let amount = order.0;
            inner.charges.insert(format!("pay_{session}"), amount);
        }
    }

    /// Returns reference, handle and amount of the payments that can be disputed.
    pub fn payments(&self) -> Vec<(String, String, i64)> {
        let inner = self.inner.lock();
        let paid = inner.orders.iter().filter(|(_, order)| order.2);
        paid.map(|(session, order)| (format!("pay_{session}"), order.1.clone(), order.0)).collect()
    }

    /// Sets the disputed amount of a payment; zero ends the dispute and returns the money
    /// to the seller.
    pub fn dispute(&self, payment: &str, amount: i64) {
        self.inner.lock().disputed.insert(payment.to_owned(), amount);
    }

    /// Returns the amount that a payment's dispute has taken; zero once it was returned.
    pub fn disputed(&self, payment: &str) -> Option<i64> {
        self.inner.lock().disputed.get(payment).copied()
    }

    /// Returns the current state of a withdrawal's transfer.
    pub fn transfer_of(&self, withdrawal: &str) -> Option<ProcessorTransfer> {
        self.inner.lock().transfer_of(withdrawal)
    }

    /// Reverses a further `amount` of a withdrawal's transfer, at most the part not
    /// reversed yet.
    pub fn reverse(&self, withdrawal: &str, amount: i64) {
        let mut inner = self.inner.lock();
        let Some(whole) = inner.transfers.get(withdrawal).copied() else { return };
        let reversed = inner.reversed.entry(withdrawal.to_owned()).or_default();
        *reversed = (*reversed + amount).min(whole);
    }

    /// Sets whether new refunds stay pending at the bank; unsetting it completes the
    /// pending ones.
    pub fn set_slow_refunds(&self, slow: bool) {
        let mut inner = self.inner.lock();
        inner.slow_refunds = slow;
        if !slow {
            let waiting = inner.refunds.values_mut().filter(|refund| refund.outcome == Outcome::Pending);
            waiting.for_each(|refund| refund.outcome = Outcome::Paid);
        }
    }

    /// Returns the ids of refunds that have not failed, with their payments.
    pub fn refunds(&self) -> Vec<(String, String)> {
        let inner = self.inner.lock();
        let alive = inner.refunds.iter().filter(|(_, refund)| refund.outcome != Outcome::Failed);
        alive.map(|(id, refund)| (id.clone(), refund.payment.clone())).collect()
    }

    /// Returns the ids of failed refunds.
    pub fn failed_refunds(&self) -> Vec<String> {
        let inner = self.inner.lock();
        let failed = inner.refunds.iter().filter(|(_, refund)| refund.outcome == Outcome::Failed);
        failed.map(|(id, _)| id.clone()).collect()
    }

    /// Fails a refund, as if the bank returned it.
    pub fn fail_refund(&self, id: &str) {
        if let Some(refund) = self.inner.lock().refunds.get_mut(id) {
            refund.outcome = Outcome::Failed;
        }
    }

    /// Returns the number of charges.
    pub fn charges(&self) -> usize {
        self.inner.lock().charges.len()
    }

    /// Runs a look-up, which may fail or get no answer.
    async fn look_up<T>(&self, read: impl FnOnce(&mut Inner) -> Result<T, ProcessorError>) -> Result<T, LookupError> {
        let refused = self.roll(200) < self.inner.lock().faults;
        let refusal = ProcessorError::Rejected { code: "resource_missing".to_owned(), message: "no".to_owned() };
        let read = |inner: &mut Inner| if refused { Err(refusal) } else { read(inner) };
        Ok(self.change(read).await?)
    }

    /// Executes a request that changes something; it may be lost before or after it takes
    /// effect. A test can crash the host at either pause.
    async fn change<T>(&self, act: impl FnOnce(&mut Inner) -> Result<T, ProcessorError>) -> Result<T, ProcessorError> {
        tokio::task::yield_now().await;
        let faults = self.inner.lock().faults;
        let bad = match self.roll(200) {
            roll if roll < faults => LossPoint::Before,
            roll if roll < 2 * faults => LossPoint::After,
            _ => LossPoint::No,
        };
        let silent = || ProcessorError::OutcomeUnknown("silence".to_owned());
        if matches!(bad, LossPoint::Before) {
            return Err(silent());
        }
        let done = act(&mut self.inner.lock());
        tokio::task::yield_now().await;
        if matches!(bad, LossPoint::After) { Err(silent()) } else { done }
    }

    fn roll(&self, sides: u64) -> u64 {
        let mut inner = self.inner.lock();
        inner.random = inner.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (inner.random >> 33) % sides
    }
}

#[async_trait]
impl PaymentProcessor for FaultyProcessor {
    fn name(&self) -> &'static str {
        "stripe"
    }

    async fn open_page(&self, order: &PaymentOrder) -> Result<PaymentPage, ProcessorError> {
        let session = format!("s_{}_{}", order.handle, order.attempt);
        self.change(|inner| {
            let row = (order.amount.get(), order.handle.clone(), false);
            inner.orders.entry(session.clone()).or_insert(row);
            Ok(PaymentPage { session: session.clone(), url: format!("http://pay/{session}") })
        })
        .await
    }

    async fn find_page(&self, lost: &LostPage<'_>) -> Result<Option<PaymentPage>, LookupError> {
        let session = format!("s_{}_{}", lost.handle, lost.attempt);
        self.look_up(|inner| {
            let url = format!("http://pay/{session}");
            Ok(inner.orders.contains_key(&session).then(|| PaymentPage { session: session.clone(), url }))
        })
        .await
    }

    async fn order_status(&self, session: &str) -> Result<PaymentOrderStatus, LookupError> {
        self.look_up(|inner| {
            Ok(match inner.orders.get(session) {
                Some((amount, handle, true)) => PaymentOrderStatus::Paid(ProcessorPayment {
                    reference: format!("pay_{session}"),
                    amount: Millipence::new(*amount),
                    handle: Some(handle.clone()),
                }),
                Some(_) => PaymentOrderStatus::Open,
                None => PaymentOrderStatus::Expired,
            })
        })
        .await
    }

    async fn charge_token(&self, charge: &TokenCharge<'_>) -> Result<TokenChargeStatus, ProcessorError> {
        self.change(|inner| {
            if charge.token.ends_with(Self::DECLINED) {
                let (code, message) = ("card_declined".to_owned(), "Your card was declined.".to_owned());
                return Err(ProcessorError::Rejected { code, message });
            }
            let known = *inner.charges.entry(format!("pay_{}", charge.handle)).or_insert(charge.amount.get());
            assert_eq!(known, charge.amount.get(), "same id, another amount");
            Ok(TokenChargeStatus::Paid(token_payment(charge.handle, known)))
        })
        .await
    }

    async fn find_token_charge(&self, handle: &str, _: u64) -> Result<Option<TokenChargeStatus>, LookupError> {
        self.look_up(|inner| {
            let charged = inner.charges.get(&format!("pay_{handle}"));
            Ok(charged.map(|amount| TokenChargeStatus::Paid(token_payment(handle, *amount))))
        })
        .await
    }

    /// Returns the fee of a payment. While faults are enabled the result is often `None`,
    /// as if the fee were not billed yet.
    async fn fee_of(&self, payment: &str) -> Result<Option<ProcessorFee>, LookupError> {
        let early = self.roll(100) < self.inner.lock().faults;
        self.look_up(|inner| {
            let amount = inner.charges.get(payment).copied().filter(|_| !early);
            Ok(amount.map(|amount| ProcessorFee {
                transaction: format!("txn_{payment}"),
                amount: Millipence::new(fee(amount)),
            }))
        })
        .await
    }

    async fn refund(&self, id: &str, payment: &str, amount: Millipence) -> Result<ProcessorRefund, ProcessorError> {
        self.change(|inner| {
            if !inner.refunds.contains_key(id) && inner.disputed.get(payment).is_some_and(|taken| *taken > 0) {
                let (code, message) = ("charge_disputed".to_owned(), "no".to_owned());
                return Err(ProcessorError::Rejected { code, message });
            }
            let outcome = if inner.slow_refunds { Outcome::Pending } else { Outcome::Paid };
            let new = || Refund { payment: payment.to_owned(), amount: amount.get(), outcome };
            Ok(inner.refunds.entry(id.to_owned()).or_insert_with(new).stated(id))
        })
        .await
    }

    async fn find_refund(&self, id: &str, _: &str) -> Result<Option<ProcessorRefund>, LookupError> {
        self.look_up(|inner| Ok(inner.refunds.get(id).map(|refund| refund.stated(id)))).await
    }

    fn connect_url(&self, state: &str, _: &str, _: &str) -> Result<String, ProcessorError> {
        Ok(format!("http://connect/{state}"))
    }

    async fn connect(&self, code: &str) -> Result<String, ProcessorError> {
        Ok(format!("acct_{code}"))
    }

    async fn transfer(&self, id: &str, _: &str, amount: Millipence) -> Result<String, ProcessorError> {
        let refused = self.roll(100) < 10 && !self.inner.lock().transfers.contains_key(id);
        if refused {
            tokio::task::yield_now().await;
            return Err(ProcessorError::Rejected { code: "account_closed".to_owned(), message: "no".to_owned() });
        }
        self.change(|inner| {
            let known = *inner.transfers.entry(id.to_owned()).or_insert(amount.get());
            assert_eq!(known, amount.get(), "same id, another amount");
            Ok(format!("tr_{id}"))
        })
        .await
    }

    async fn find_transfer(&self, id: &str) -> Result<Option<ProcessorTransfer>, LookupError> {
        self.look_up(|inner| Ok(inner.transfer_of(id))).await
    }
}

impl Inner {
    fn transfer_of(&self, withdrawal: &str) -> Option<ProcessorTransfer> {
        self.transfers.get(withdrawal)?;
        let reversed = Millipence::new(self.reversed.get(withdrawal).copied().unwrap_or(0));
        Some(ProcessorTransfer { reference: format!("tr_{withdrawal}"), reversed })
    }
}

impl Refund {
    fn stated(&self, id: &str) -> ProcessorRefund {
        match self.outcome {
            Outcome::Pending => ProcessorRefund::Pending,
            Outcome::Paid => ProcessorRefund::Paid { reference: format!("re_{id}") },
            Outcome::Failed => ProcessorRefund::Failed { reason: "lost_or_stolen_card".to_owned() },
        }
    }
}

fn token_payment(handle: &str, amount: i64) -> ProcessorPayment {
    let reference = format!("pay_{handle}");
    ProcessorPayment { reference, amount: Millipence::new(amount), handle: Some(handle.to_owned()) }
}

/// Returns the fee of a payment: 1.5 % plus 20 p, in whole pence.
const fn fee(amount: i64) -> i64 {
    (amount * 15 / 1_000_000) * 1_000 + 20_000
}
