//! A facilitator for tests that simulates a chain and fails at random: requests are lost
//! before or after they take effect, refused, or answered without a usable outcome.

use std::collections::BTreeMap;

use async_trait::async_trait;
use parking_lot::Mutex;
use tollbridge_x402::{
    Address, Attempt, Authorized, LookupError, Network, OnChain, Outcome, Settled, TransactionHash, UnclearReason,
    Verified,
};

use super::facilitator::WalletFacilitator;

/// A facilitator and its simulated chain.
pub(super) struct FaultyFacilitator {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    random: u64,
    /// Percentage of requests that fail.
    faults: u64,
    /// Funds of each wallet in units; unlisted wallets have enough.
    funds: BTreeMap<String, u128>,
    /// Units moved by each payment, by payer and nonce key; the nonce key includes the
    /// contract, because a nonce is unique per contract.
    moved: BTreeMap<(String, String), u128>,
    /// Whether the facilitator reports all payments as valid and never moves one.
    lies: bool,
    /// Whether the facilitator's chain can be read.
    is_readable: bool,
    /// Units that the facilitator moves instead of the requested amount.
    moves_instead: Option<u128>,
    /// Whether every request arrives twice and only the second answer is returned.
    answers_twice: bool,
}

impl FaultyFacilitator {
    /// Creates a facilitator where `faults` percent of requests fail.
    pub(super) fn new(seed: u64, faults: u64) -> Self {
        Self { inner: Mutex::new(Inner { random: seed, faults, ..Inner::default() }) }
    }

    /// Sets the percentage of requests that fail.
    pub(super) fn set_faults(&self, faults: u64) {
        self.inner.lock().faults = faults;
    }

    /// Sets the funds of a wallet.
    pub(super) fn set_funds(&self, wallet: &str, units: u128) {
        self.inner.lock().funds.insert(wallet.to_owned(), units);
    }

    /// Makes the facilitator report all payments as valid and never move one.
    pub(super) fn report_false_success(&self) {
        self.inner.lock().lies = true;
    }

    /// Makes the facilitator move `units` instead of the requested amount.
    pub(super) fn set_moved_amount(&self, units: u128) {
        self.inner.lock().moves_instead = Some(units);
    }

    /// Makes every request arrive twice. The wallet has too little for the second, and
    /// only the second answer is returned.
    pub(super) fn answer_twice(&self) {
        self.inner.lock().answers_twice = true;
    }

    /// Makes the chain readable.
    pub(super) fn open_chain(&self) {
        self.inner.lock().is_readable = true;
    }

    /// Returns the units moved to the payee.
    pub(super) fn moved(&self) -> u128 {
        self.inner.lock().moved.values().sum()
    }

    /// Returns the number of payments moved.
    pub(super) fn count(&self) -> usize {
        self.inner.lock().moved.len()
    }

    fn verify_now(&self, payment: &Authorized) -> Result<Verified, LookupError> {
        let mut inner = self.inner.lock();
        if inner.is_faulty() {
            return Err(LookupError("no answer in time".to_owned()));
        }
        Ok(match inner.refusal(payment).filter(|_| !inner.lies) {
            Some(reason) => Verified::Invalid { reason: reason.to_owned() },
            None => Verified::Valid,
        })
    }

    fn look_up_now(&self, payment: &Authorized) -> Option<Result<OnChain, LookupError>> {
        let mut inner = self.inner.lock();
        if !inner.is_readable {
            return None;
        }
        if inner.is_faulty() {
            return Some(Err(LookupError("no answer in time".to_owned())));
        }
        let key = key(payment);
        Some(Ok(match inner.moved.get(&key) {
            Some(units) if *units == payment.amount().get() => {
                OnChain::Moved(TransactionHash::new(payment.nonce().bytes()))
            }
            Some(_) => OnChain::UsedOtherwise,
            None => OnChain::Unused,
        }))
    }

    fn settle_now(&self, payment: &Authorized, attempt: Attempt) -> Outcome {
        let mut inner = self.inner.lock();
        let unclear = |why| Outcome::Unclear { why, detail: "no answer".to_owned(), transaction: None };
        if inner.lies {
            return unclear(UnclearReason::Pending);
        }
        let wrong = inner.is_faulty();
        let how = inner.next() % 3;
        if wrong && how == 0 {
            return unclear(UnclearReason::NotSent);
        }
        if wrong && how == 1 {
            return unclear(UnclearReason::TimedOut);
        }
        let key = key(payment);
        if !inner.moved.contains_key(&key) {
            match inner.refusal(payment) {
                Some(reason) if attempt == Attempt::First => return Outcome::Refused { reason: reason.to_owned() },
                Some(_) => return unclear(UnclearReason::RefusedAgain),
                None => {}
            }
            let units = inner.moves_instead.unwrap_or(payment.amount().get());
            if let Some(funds) = inner.funds.get_mut(&key.0) {
                *funds -= units;
            }
            inner.moved.insert(key.clone(), units);
        }
        if inner.moved.get(&key) != Some(&payment.amount().get()) {
            return unclear(UnclearReason::OtherPayment);
        }
        if wrong {
            return unclear(UnclearReason::Broken);
        }
        if inner.answers_twice && attempt == Attempt::First {
            return Outcome::Refused { reason: "insufficient_funds".to_owned() };
        }
        Outcome::Settled(Settled {
            transaction: TransactionHash::new(payment.nonce().bytes()),
            payer: payment.payer(),
            network: payment.requirement().token().chain.network(),
            amount: payment.amount(),
        })
    }
}

#[async_trait]
impl WalletFacilitator for FaultyFacilitator {
    async fn verify(&self, payment: &Authorized) -> Result<Verified, LookupError> {
        self.verify_now(payment)
    }

    async fn settle(&self, payment: &Authorized, attempt: Attempt) -> Outcome {
        self.settle_now(payment, attempt)
    }

    async fn settles_upto(&self, _: &Network) -> Result<Option<Address>, LookupError> {
        Ok(Some(Address::new([0xfa; 20])))
    }

    async fn look_up(&self, payment: &Authorized) -> Option<Result<OnChain, LookupError>> {
        self.look_up_now(payment)
    }
}

/// Returns the key of a nonce, which is unique per contract: the token's, or Permit2's.
fn key(payment: &Authorized) -> (String, String) {
    (payment.payer().to_string(), format!("{}/{}", payment.nonce_contract(), payment.nonce()))
}

impl Inner {
    fn refusal(&self, payment: &Authorized) -> Option<&'static str> {
        let funds = self.funds.get(&payment.payer().to_string());
        funds.is_some_and(|funds| *funds < payment.amount().get()).then_some("insufficient_funds")
    }

    fn is_faulty(&mut self) -> bool {
        self.next() % 100 < self.faults
    }

    fn next(&mut self) -> u64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.random >> 33
    }
}
