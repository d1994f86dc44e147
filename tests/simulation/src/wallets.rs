//! Wallets, the facilitator that settles their payments, and the chain on which it
//! settles.
//!
//! Only the chain knows which authorizations were executed. It executes each at most
//! once, never after its deadline, and never for more than was signed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use tollbridge_core::money::Millipence;
use tollbridge_payment::{SettleWhen, WalletFacilitator, WalletRail};
use tollbridge_x402::{
    Address, Amount, Attempt, Authorized, ChainId, LookupError, Network, OnChain, Outcome, Rate, Scheme, Settled,
    TestWallet, Token, TransactionHash, UnclearReason, Verified,
};

use crate::chance::Chance;
use crate::clock::now_ms;
use crate::event_log::EventLog;
use crate::network::{ExchangeOutcome, exchange_outcome, latency};

/// Time-out of the host's facilitator client.
const PATIENCE: Duration = Duration::from_secs(60);
/// Validity of a signature, in seconds.
const TIMEOUT_S: u64 = 120;
/// Index of the person whose wallet is empty.
const POOR: usize = 3;
/// The facilitator's address, which settles `upto` payments.
const FACILITATOR: Address = Address::new([0xfa; 20]);
/// Maximum unpaid cost of models, in millipence.
pub(crate) const RISK: Millipence = Millipence::new(250_000);

/// The facilitator and its chain.
pub(crate) struct Wallets {
    chance: Arc<Chance>,
    log: Arc<EventLog>,
    /// Percentage of requests with a network fault.
    troubles: AtomicU64,
    /// The result of each executed authorization.
    moved: Mutex<BTreeMap<Key, Moved>>,
    /// Payments that will still arrive, with their times of arrival, although their
    /// client has given up.
    late: Mutex<Vec<(u64, Authorized)>>,
    /// Wallets that are empty at the moment.
    emptied: Mutex<BTreeSet<Address>>,
    /// All amounts, in units, that the host ever asked to settle, by signature.
    asked: Mutex<BTreeMap<String, BTreeSet<u128>>>,
    /// Transactions that were executed although the facilitator reported a refusal.
    denied: Mutex<BTreeSet<String>>,
}

/// Identifies an authorization by token contract, payer and nonce; a contract accepts
/// each nonce of a payer only once.
type Key = (Address, Address, [u8; 32]);

/// The result of an executed authorization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moved {
    pub(crate) units: u128,
    /// The amount that the host requested; a dishonest facilitator moves less.
    pub(crate) asked: u128,
    pub(crate) is_upto: bool,
}

/// The chain's answer about a payment.
enum ChainResult {
    /// The chain executed exactly this payment.
    Done(TransactionHash),
    /// The nonce was used for a different amount.
    Otherwise,
    Not(&'static str),
}

impl Wallets {
    pub(crate) fn new(chance: Arc<Chance>, log: Arc<EventLog>) -> Arc<Self> {
        Arc::new(Self {
            chance,
            log,
            troubles: AtomicU64::new(0),
            moved: Mutex::default(),
            late: Mutex::default(),
            emptied: Mutex::default(),
            asked: Mutex::default(),
            denied: Mutex::default(),
        })
    }

    pub(crate) fn set_troubles(&self, percent: u64) {
        self.troubles.store(percent, Ordering::Relaxed);
        self.emptied.lock().unwrap().clear();
    }

    /// Executes late payments that are due, and refills empty wallets at random.
    pub(crate) fn take_late(&self) {
        if self.chance.percent(4) {
            self.emptied.lock().unwrap().clear();
        }
        let now = now_ms();
        let due: Vec<_> = self.late.lock().unwrap().extract_if(.., |(at, _)| *at <= now).collect();
        for (_, payment) in due {
            let _ = self.carry_out(&payment);
        }
    }

    /// Returns the executed payments of a scheme, by transaction.
    pub(crate) fn transactions(&self, upto: bool) -> BTreeMap<String, Moved> {
        let moved = self.moved.lock().unwrap();
        let wanted = moved.iter().filter(|(_, moved)| moved.is_upto == upto);
        wanted.map(|((.., nonce), moved)| (TransactionHash::new(*nonce).to_string(), *moved)).collect()
    }

    /// Returns whether a transaction was executed although the facilitator reported a
    /// refusal.
    pub(crate) fn was_denied(&self, transaction: &str) -> bool {
        self.denied.lock().unwrap().contains(transaction)
    }

    /// Returns the signatures for which the host asked to settle different amounts.
    pub(crate) fn asked_for_several(&self) -> Vec<(String, BTreeSet<u128>)> {
        let asked = self.asked.lock().unwrap();
        let several = asked.iter().filter(|(_, amounts)| amounts.len() > 1);
        several.map(|(signed, amounts)| (signed.clone(), amounts.clone())).collect()
    }

    /// Decides with the given probability (percent) whether a facilitator or payer
    /// cheats; never while faults are off.
    fn some(&self, percent: u64) -> bool {
        self.troubles.load(Ordering::Relaxed) > 0 && self.chance.percent(percent)
    }

    /// Returns the reason for which the chain would reject a payment; `None` if it would
    /// not.
    fn rejection_reason(&self, payment: &Authorized) -> Option<&'static str> {
        let is_poor = payment.payer() == TestWallet::new(poor()).address()
            || self.emptied.lock().unwrap().contains(&payment.payer());
        let is_over = payment.valid_before() <= now_ms() / 1000;
        match (is_poor, is_over, is_upto(payment)) {
            (true, ..) => Some("insufficient_funds"),
            (_, true, false) => Some("invalid_exact_evm_payload_authorization_valid_before"),
            (_, true, true) => Some("permit2_deadline_expired"),
            _ if payment.amount() > signed(payment) => Some("invalid_upto_evm_payload_settlement_exceeds_amount"),
            _ => None,
        }
    }

    fn carry_out(&self, payment: &Authorized) -> ChainResult {
        let (key, transaction) = (key(payment), TransactionHash::new(payment.nonce().bytes()));
        let (is_upto, asked) = (is_upto(payment), payment.amount().get());
        let lies = is_upto && self.some(2);
        let moved = &mut *self.moved.lock().unwrap();
        if let Some(moved) = moved.get(&key) {
            return if moved.units == asked { ChainResult::Done(transaction) } else { ChainResult::Otherwise };
        }
        if let Some(why) = self.rejection_reason(payment) {
            return ChainResult::Not(why);
        }
        let units = if lies { asked.div_ceil(2) } else { asked };
        self.log.note(format!("the chain carries out {transaction}: {units} of {asked}"));
        moved.insert(key, Moved { units, asked, is_upto });
        if units == asked { ChainResult::Done(transaction) } else { ChainResult::Otherwise }
    }

    /// Executes a payment whose request has arrived at the facilitator; returns the
    /// facilitator's answer.
    fn answer(&self, payment: &Authorized, attempt: Attempt) -> Outcome {
        match self.carry_out(payment) {
            ChainResult::Done(transaction) => Outcome::Settled(Settled {
                transaction,
                payer: payment.payer(),
                network: payment.requirement().token().chain.network(),
                amount: payment.amount(),
            }),
            ChainResult::Otherwise => unclear(UnclearReason::OtherPayment, "it settled another amount"),
            ChainResult::Not(reason) if attempt == Attempt::First => Outcome::Refused { reason: reason.to_owned() },
            ChainResult::Not(reason) => unclear(UnclearReason::RefusedAgain, reason),
        }
    }

    /// Answers `insufficient_funds` to the duplicate of a payment that was executed. The
    /// client sees only this answer.
    fn refuse_twice(&self, payment: &Authorized, attempt: Attempt) -> Outcome {
        let transaction = TransactionHash::new(payment.nonce().bytes()).to_string();
        self.log.note(format!("{transaction} is refused when it is repeated"));
        let reason = "insufficient_funds";
        if attempt == Attempt::Again {
            return unclear(UnclearReason::RefusedAgain, reason);
        }
        self.denied.lock().unwrap().insert(transaction);
        Outcome::Refused { reason: reason.to_owned() }
    }

    fn exchange_outcome(&self, what: &str) -> ExchangeOutcome {
        let outcome = exchange_outcome(&self.chance, self.troubles.load(Ordering::Relaxed));
        if outcome != ExchangeOutcome::Arrives {
            self.log.note(format!("facilitator {what}: {outcome:?}"));
        }
        outcome
    }
}

#[async_trait]
impl WalletFacilitator for Wallets {
    async fn verify(&self, payment: &Authorized) -> Result<Verified, LookupError> {
        tokio::time::sleep(latency(&self.chance)).await;
        match self.exchange_outcome("verify") {
            ExchangeOutcome::Arrives | ExchangeOutcome::Twice => {}
            _ => return Err(LookupError("no answer".to_owned())),
        }
        let used = self.moved.lock().unwrap().contains_key(&key(payment));
        let why = if used { Some("invalid_exact_evm_nonce_already_used") } else { self.rejection_reason(payment) };
        // Two faults: sometimes a wallet passes this check but is empty when the model
        // has answered, and sometimes the facilitator reports an invalid payment as
        // valid.
        if is_upto(payment) && why.is_none() && self.some(12) {
            self.log.note(format!("{} is emptied", payment.payer()));
            self.emptied.lock().unwrap().insert(payment.payer());
        }
        let why = why.filter(|_| !(is_upto(payment) && self.some(25)));
        Ok(why.map_or(Verified::Valid, |reason| Verified::Invalid { reason: reason.to_owned() }))
    }

    async fn settle(&self, payment: &Authorized, attempt: Attempt) -> Outcome {
        let outcome = self.exchange_outcome("settle");
        let signed = payment.payment().encode();
        self.asked.lock().unwrap().entry(signed).or_default().insert(payment.amount().get());
        tokio::time::sleep(latency(&self.chance)).await;
        match outcome {
            ExchangeOutcome::Lost => unclear(UnclearReason::NotSent, "no connection"),
            ExchangeOutcome::Silence => {
                tokio::time::sleep(PATIENCE).await;
                unclear(UnclearReason::TimedOut, "no answer in time")
            }
            ExchangeOutcome::Late => {
                let delay = 60_000 + self.chance.below(90_000);
                self.late.lock().unwrap().push((now_ms() + delay, payment.clone()));
                tokio::time::sleep(PATIENCE).await;
                unclear(UnclearReason::TimedOut, "no answer in time")
            }
            ExchangeOutcome::Refused(status) => unclear(UnclearReason::Nonsense, &format!("HTTP {status}")),
            ExchangeOutcome::AnswerLost => {
                let _ = self.carry_out(payment);
                unclear(UnclearReason::Broken, "the answer broke off")
            }
            ExchangeOutcome::Arrives => {
                let answer = self.answer(payment, attempt);
                tokio::time::sleep(latency(&self.chance)).await;
                answer
            }
            ExchangeOutcome::Twice => {
                let mut answer = self.answer(payment, attempt);
                if matches!(answer, Outcome::Settled(_)) && self.some(50) {
                    answer = self.refuse_twice(payment, attempt);
                }
                tokio::time::sleep(latency(&self.chance)).await;
                answer
            }
        }
    }

    async fn settles_upto(&self, _: &Network) -> Result<Option<Address>, LookupError> {
        tokio::time::sleep(latency(&self.chance)).await;
        match self.exchange_outcome("supported") {
            ExchangeOutcome::Arrives | ExchangeOutcome::Twice => Ok(Some(FACILITATOR)),
            _ => Err(LookupError("no answer".to_owned())),
        }
    }

    async fn look_up(&self, payment: &Authorized) -> Option<Result<OnChain, LookupError>> {
        tokio::time::sleep(latency(&self.chance)).await;
        if !matches!(self.exchange_outcome("look up"), ExchangeOutcome::Arrives | ExchangeOutcome::Twice) {
            return Some(Err(LookupError("no answer".to_owned())));
        }
        let moved = self.moved.lock().unwrap().get(&key(payment)).copied();
        Some(Ok(match moved {
            Some(moved) if moved.units == payment.amount().get() => {
                OnChain::Moved(TransactionHash::new(payment.nonce().bytes()))
            }
            Some(_) => OnChain::UsedOtherwise,
            None => OnChain::Unused,
        }))
    }
}

fn key(payment: &Authorized) -> Key {
    (payment.nonce_contract(), payment.payer(), payment.nonce().bytes())
}

fn is_upto(payment: &Authorized) -> bool {
    matches!(payment.requirement().scheme(), Scheme::Upto { .. })
}

/// Returns the maximum amount that a signature allows.
fn signed(payment: &Authorized) -> Amount {
    let payload = &payment.payment().payload;
    let most = match is_upto(payment) {
        true => &payload["permit2Authorization"]["permitted"]["amount"],
        false => &payload["authorization"]["value"],
    };
    Amount::new(most.as_str().unwrap().parse().unwrap())
}

fn unclear(why: UnclearReason, detail: &str) -> Outcome {
    Outcome::Unclear { why, detail: detail.to_owned(), transaction: None }
}

/// Returns a person's wallet; one person's wallet is empty.
pub(crate) fn wallet(who: usize) -> TestWallet {
    TestWallet::new(u8::try_from(who + 1).unwrap())
}

fn poor() -> u8 {
    u8::try_from(POOR + 1).unwrap()
}

/// Builds the configuration with which the host accepts wallet payments.
pub(crate) fn rail(wallets: &Arc<Wallets>) -> WalletRail {
    let token = Token::usdc(ChainId::BASE).unwrap();
    let rate = Rate::new("1.25", "simulation", 0, u64::MAX).unwrap();
    let rail = WalletRail::new(token, Address::new([9; 20]), TIMEOUT_S, rate, wallets.clone(), SettleWhen::After);
    rail.unwrap().with_upto(RISK)
}
