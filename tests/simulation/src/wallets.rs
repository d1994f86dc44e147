//! Wallets, the facilitator that they pay through, and the chain that it settles
//! on.
//!
//! The chain knows what the host does not: which authorizations were carried out.
//! It carries each out once, and none after its time.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt};
use tollbridge_payment::{FacilitatorPeer, SettleWhen, WalletFacilitator, WalletRail};
use tollbridge_x402::{
    Address, Attempt, Authorized, ChainId, LookupError, OnChain, Outcome, Rate, Settled, TestWallet, Token,
    TransactionHash, Verified, Why,
};

use crate::chance::Chance;
use crate::clock::now_ms;
use crate::event_log::EventLog;
use crate::network::{Fate, fate, latency};

/// How long the host's client waits for a facilitator.
const PATIENCE: Duration = Duration::from_secs(60);
/// For how long a signature may be valid.
const TIMEOUT_S: u64 = 120;
/// One of so many wallets has no money.
const POOR: usize = 3;

/// The facilitator and its chain.
pub(crate) struct Wallets {
    chance: Arc<Chance>,
    log: Arc<EventLog>,
    /// Of a hundred exchanges, so many go wrong.
    troubles: AtomicU64,
    /// What was carried out, by payer and nonce: units.
    moved: Mutex<BTreeMap<(Address, [u8; 32]), u128>>,
    /// What is still to arrive although its client has given up, and when.
    late: Mutex<Vec<(u64, Authorized)>>,
}

impl Wallets {
    pub(crate) fn new(chance: Arc<Chance>, log: Arc<EventLog>) -> Arc<Self> {
        Arc::new(Self { chance, log, troubles: AtomicU64::new(0), moved: Mutex::default(), late: Mutex::default() })
    }

    pub(crate) fn set_troubles(&self, percent: u64) {
        self.troubles.store(percent, Ordering::Relaxed);
    }

    /// What arrived late has its effect now.
    pub(crate) fn take_late(&self) {
        let now = now_ms();
        let due: Vec<_> = self.late.lock().unwrap().extract_if(.., |(at, _)| *at <= now).collect();
        for (_, payment) in due {
            let _ = self.carry_out(&payment);
        }
    }

    /// Nonces of what was carried out, as transactions.
    pub(crate) fn transactions(&self) -> Vec<String> {
        self.moved.lock().unwrap().keys().map(|(_, nonce)| TransactionHash::new(*nonce).to_string()).collect()
    }

    /// Why the chain does not carry a payment out.
    fn obstacle(&self, payment: &Authorized) -> Option<&'static str> {
        let is_poor = payment.payer() == TestWallet::new(poor()).address();
        match (is_poor, payment.valid_before() <= now_ms() / 1000) {
            (true, _) => Some("insufficient_funds"),
            (_, true) => Some("invalid_exact_evm_payload_authorization_valid_before"),
            _ => None,
        }
    }

    fn carry_out(&self, payment: &Authorized) -> Result<TransactionHash, &'static str> {
        let (key, transaction) = (key(payment), TransactionHash::new(payment.nonce().bytes()));
        let moved = &mut *self.moved.lock().unwrap();
        if moved.contains_key(&key) {
            return Ok(transaction);
        }
        if let Some(why) = self.obstacle(payment) {
            return Err(why);
        }
        self.log.note(format!("the chain carries out {transaction}"));
        moved.insert(key, payment.amount().get());
        Ok(transaction)
    }

    /// The answer to a request that has arrived.
    fn answer(&self, payment: &Authorized, attempt: Attempt) -> Outcome {
        match self.carry_out(payment) {
            Ok(transaction) => Outcome::Settled(Settled {
                transaction,
                payer: payment.payer(),
                network: payment.requirement().token().chain.network(),
                amount: payment.amount(),
            }),
            Err(reason) if attempt == Attempt::First => Outcome::Refused { reason: reason.to_owned() },
            Err(reason) => unclear(Why::RefusedAgain, reason),
        }
    }

    fn fate(&self, what: &str) -> Fate {
        let fate = fate(&self.chance, self.troubles.load(Ordering::Relaxed));
        if fate != Fate::Arrives {
            self.log.note(format!("facilitator {what}: {fate:?}"));
        }
        fate
    }
}

impl FacilitatorPeer for Wallets {
    fn verify<'a>(&'a self, payment: &'a Authorized) -> BoxFuture<'a, Result<Verified, LookupError>> {
        async {
            tokio::time::sleep(latency(&self.chance)).await;
            match self.fate("verify") {
                Fate::Arrives | Fate::Twice => {}
                _ => return Err(LookupError("no answer".to_owned())),
            }
            let used = self.moved.lock().unwrap().contains_key(&key(payment));
            let why = if used { Some("invalid_exact_evm_nonce_already_used") } else { self.obstacle(payment) };
            Ok(why.map_or(Verified::Valid, |reason| Verified::Invalid { reason: reason.to_owned() }))
        }
        .boxed()
    }

    fn settle<'a>(&'a self, payment: &'a Authorized, attempt: Attempt) -> BoxFuture<'a, Outcome> {
        async move {
            let fate = self.fate("settle");
            tokio::time::sleep(latency(&self.chance)).await;
            match fate {
                Fate::Lost => unclear(Why::NotSent, "no connection"),
                Fate::Silence => {
                    tokio::time::sleep(PATIENCE).await;
                    unclear(Why::TimedOut, "no answer in time")
                }
                Fate::Late => {
                    let delay = 60_000 + self.chance.below(90_000);
                    self.late.lock().unwrap().push((now_ms() + delay, payment.clone()));
                    tokio::time::sleep(PATIENCE).await;
                    unclear(Why::TimedOut, "no answer in time")
                }
                Fate::Refused(status) => unclear(Why::Nonsense, &format!("HTTP {status}")),
                Fate::AnswerLost => {
                    let _ = self.carry_out(payment);
                    unclear(Why::Broken, "the answer broke off")
                }
                Fate::Arrives | Fate::Twice => {
                    let answer = self.answer(payment, attempt);
                    tokio::time::sleep(latency(&self.chance)).await;
                    answer
                }
            }
        }
        .boxed()
    }

    fn settles_upto(&self) -> BoxFuture<'_, Result<Option<Address>, LookupError>> {
        // No models are sold here.
        async { Ok(None) }.boxed()
    }

    fn look_up<'a>(&'a self, payment: &'a Authorized) -> BoxFuture<'a, Option<Result<OnChain, LookupError>>> {
        async {
            tokio::time::sleep(latency(&self.chance)).await;
            if !matches!(self.fate("look up"), Fate::Arrives | Fate::Twice) {
                return Some(Err(LookupError("no answer".to_owned())));
            }
            let moved = self.moved.lock().unwrap().contains_key(&key(payment));
            let transaction = TransactionHash::new(payment.nonce().bytes());
            Some(Ok(if moved { OnChain::Moved(transaction) } else { OnChain::Unused }))
        }
        .boxed()
    }
}

fn key(payment: &Authorized) -> (Address, [u8; 32]) {
    (payment.payer(), payment.nonce().bytes())
}

fn unclear(why: Why, detail: &str) -> Outcome {
    Outcome::Unclear { why, detail: detail.to_owned(), transaction: None }
}

/// The wallet of somebody: that of one has no money.
pub(crate) fn wallet(who: usize) -> TestWallet {
    TestWallet::new(u8::try_from(who + 1).unwrap())
}

fn poor() -> u8 {
    u8::try_from(POOR + 1).unwrap()
}

/// How the host takes payments by wallet.
pub(crate) fn rail(wallets: &Arc<Wallets>) -> WalletRail {
    let token = Token::usdc(ChainId::BASE).unwrap();
    let rate = Rate::new("1.25", "simulation", 0, u64::MAX).unwrap();
    let facilitator = WalletFacilitator::Peer(wallets.clone());
    WalletRail::new(token, Address::new([9; 20]), TIMEOUT_S, rate, facilitator, SettleWhen::After).unwrap()
}
