//! The bill of one request: its worst case held before it is sent, what it
//! really cost sealed at its end.
//!
//! Invariants:
//! 1. A caller never pays more than was held, and nothing without an answer.
//! 2. No whole answer and no proper end of a stream leaves before its seal is
//!    durable.
//! 3. A repeat, by key or by a client library, is found and not billed again.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use tokio::sync::OwnedSemaphorePermit;

use super::error::GatewayError;
use super::pricing::TokenUsage;
use super::provider::ModelDeployment;
use super::router::RouteCandidate;
use super::usage_meter::{UsageMeter, UsageSubject};
use tollbridge_core::config::{Billing, Millionths};
use tollbridge_core::limits::{
    ANSWER_KEPT_MS, IDEMPOTENCY_KEY_BYTES_MAX, INFERENCE_REPEAT_MS, INFERENCE_REPEATS_KEPT, LEDGER_NAME_BYTES_MAX,
};
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{Entry, InferenceCharge, Notary, Sealed};
use tollbridge_payment::{DailySpendLimit, PaymentAuthorization, PaymentAuthorizer, PaymentDeclined};
use tollbridge_store::{Answer as KeptAnswer, Change, Hash, Store};

/// Who asks, by a key.
#[derive(Clone, Debug)]
pub struct BilledCaller {
    pub account: String,
    /// Public id of the key.
    pub key: String,
    /// What the key may spend a day, on models and everything else together.
    pub spend: Option<DailySpendLimit>,
}

/// What makes a request the same as another.
#[derive(Clone, Debug)]
pub struct RequestIdentity {
    tx: Hash,
    /// Digest of account, route and body.
    fingerprint: Hash,
    /// Whether it has an `Idempotency-Key`.
    keyed: bool,
}

/// A stored answer of a request that was sealed before.
#[derive(Debug)]
pub struct ReplayedResponse {
    pub body: Bytes,
    pub content_type: String,
    pub tx: Hash,
    pub seal: Hash,
}

/// Opens bills.
pub struct UsageBilling {
    pub(super) payments: Arc<PaymentAuthorizer>,
    pub(super) notary: Arc<Notary>,
    pub(super) store: Arc<dyn Store>,
    pub(super) meter: Arc<UsageMeter>,
    pub(super) billing: Billing,
    pub(super) usd_gbp: Millionths,
    repeats: Mutex<RecentRequests>,
    /// Requests under way, by transaction or fingerprint.
    in_progress: Arc<Mutex<HashMap<Hash, u32>>>,
}

/// Transactions of late, by the fingerprint of their request.
#[derive(Default)]
struct RecentRequests {
    known: HashMap<Hash, (Hash, u64)>,
    order: VecDeque<(Hash, u64)>,
}

/// An open bill.
pub struct UsageCharge {
    cashier: Arc<UsageBilling>,
    caller: BilledCaller,
    request_id: String,
    identity: RequestIdentity,
    now_ms: u64,
    draw: Option<PaymentAuthorization>,
    _turn: InFlightGuard,
    /// One of the requests that may be open.
    _place: OwnedSemaphorePermit,
}

/// A bill that is settled.
#[derive(Debug)]
pub struct SettledCharge {
    /// What the provider takes.
    pub cost: Millipence,
    pub charged: Millipence,
    /// There when something was charged.
    pub sealed: Option<Sealed>,
    pub body: Bytes,
}

/// Ends when dropped.
#[derive(Debug)]
pub struct InFlightGuard {
    all: Arc<Mutex<HashMap<Hash, u32>>>,
    name: Hash,
}

impl RequestIdentity {
    pub fn new(account: &str, route: &str, body: &[u8], key: Option<&str>) -> Result<Self, GatewayError> {
        let digest = |domain: &str, part: &[u8]| -> Hash {
            let mut digest = Sha256::new().chain_update(domain);
            for part in [account.as_bytes(), route.as_bytes(), part] {
                digest.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
                digest.update(part);
            }
            digest.finalize().into()
        };
        let fingerprint = digest("tollbridge inference request v1", body);
        let tx = match key {
            Some(key) => {
                let printable = key.bytes().all(|byte| (0x21..0x7f).contains(&byte));
                if key.is_empty() || key.len() > IDEMPOTENCY_KEY_BYTES_MAX || !printable {
                    return Err(GatewayError::BadIdempotencyKey);
                }
                digest("tollbridge inference transaction v1", key.as_bytes())
            }
            None => {
                let mut tx = [0; 32];
                getrandom::fill(&mut tx).map_err(|_| GatewayError::NoRandomness)?;
                tx
            }
        };
        Ok(Self { tx, fingerprint, keyed: key.is_some() })
    }
}

impl UsageBilling {
    pub(super) fn new(
        payments: Arc<PaymentAuthorizer>,
        notary: Arc<Notary>,
        store: Arc<dyn Store>,
        meter: Arc<UsageMeter>,
        billing: Billing,
        usd_gbp: Millionths,
    ) -> Self {
        Self {
            payments,
            notary,
            store,
            meter,
            billing,
            usd_gbp,
            repeats: Mutex::default(),
            in_progress: Arc::default(),
        }
    }

    /// Takes a turn: the same transaction is on its way once.
    pub(super) fn enter(&self, identity: &RequestIdentity) -> Result<InFlightGuard, GatewayError> {
        let name = if identity.keyed { identity.tx } else { identity.fingerprint };
        let mut all = self.in_progress.lock();
        let count = all.entry(name).or_insert(0);
        if *count > 0 && identity.keyed {
            return Err(GatewayError::InProgress);
        }
        *count += 1;
        Ok(InFlightGuard { all: self.in_progress.clone(), name })
    }

    /// Whether a request with the same content is under way.
    pub(super) fn is_in_flight(&self, identity: &RequestIdentity) -> bool {
        self.in_progress.lock().contains_key(&identity.fingerprint)
    }

    /// The answer of an earlier request with the same key; with `repeat`, also
    /// of one with the same content a moment ago.
    pub(super) fn replay(
        &self,
        identity: &RequestIdentity,
        repeat: bool,
        now_ms: u64,
    ) -> Result<Option<ReplayedResponse>, GatewayError> {
        let tx = if identity.keyed {
            Some(identity.tx)
        } else if repeat {
            self.repeats.lock().find(&identity.fingerprint, now_ms)
        } else {
            None
        };
        let Some(tx) = tx else { return Ok(None) };
        let Some(seq) = self.store.seq_of_tx(&tx)? else { return Ok(None) };
        let kept = match self.store.answer(seq)? {
            Some(kept) => kept,
            // Cut streams and very long ones are not kept.
            None if identity.keyed => return Err(GatewayError::AlreadySealed),
            None => return Ok(None),
        };
        if kept.fingerprint != identity.fingerprint {
            return Err(GatewayError::IdempotencyKeyReused);
        }
        let (tx, seal) = self.notary.names_of(seq)?;
        Ok(Some(ReplayedResponse { body: kept.body, content_type: kept.content_type.into_owned(), tx, seal }))
    }

    /// Opens a bill and holds the worst case of the plan. Who is too dear for
    /// the caller is taken out of the plan.
    pub(super) fn open(
        self: &Arc<Self>,
        (caller, request_id, now_ms): (BilledCaller, String, u64),
        identity: RequestIdentity,
        (turn, place): (InFlightGuard, OwnedSemaphorePermit),
        plan: &mut Vec<RouteCandidate>,
    ) -> Result<UsageCharge, GatewayError> {
        let mut tab = UsageCharge {
            cashier: self.clone(),
            caller,
            request_id,
            identity,
            now_ms,
            draw: None,
            _turn: turn,
            _place: place,
        };
        loop {
            let worst = plan.iter().map(|one| one.worst_cost).max().unwrap_or_default();
            match tab.hold(worst) {
                Ok(()) => return Ok(tab),
                Err(error) => {
                    plan.retain(|one| one.worst_cost < worst);
                    if plan.is_empty() {
                        return Err(error);
                    }
                }
            }
        }
    }
}

impl UsageCharge {
    fn hold(&mut self, amount: Millipence) -> Result<(), GatewayError> {
        if self.cashier.billing == Billing::Off || amount.is_zero() {
            return Ok(());
        }
        let limit = self.caller.spend.as_ref();
        let drawn = self.cashier.payments.authorize_credit_within(&self.caller.account, amount, limit, self.now_ms);
        self.draw = Some(drawn.map_err(|problem| match (problem, limit) {
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

    /// Seals what the request cost. `kept` is its answer, if it is whole, with
    /// its content type.
    pub async fn settle(
        mut self,
        deployment: Arc<ModelDeployment>,
        usage: TokenUsage,
        body: Bytes,
        kept: Option<(&'static str, Bytes)>,
    ) -> Result<SettledCharge, GatewayError> {
        let cashier = self.cashier.clone();
        let cost = deployment.prices.cost(&usage, cashier.usd_gbp);
        let held = self.draw.as_ref().map_or(Millipence::ZERO, |draw| draw.amount);
        let charged = cost.min(held);
        if charged < cost && cashier.billing == Billing::Credit {
            let place = deployment.label();
            tracing::error!(place, %cost, %held, "a request cost more than its worst case; the host bears the rest");
        }
        let mut settled = SettledCharge { cost, charged, sealed: None, body };
        if charged > Millipence::ZERO {
            let change = self.change(&deployment, &usage, charged, kept)?;
            settled.sealed = Some(cashier.notary.seal(change, settled.body.clone()).await?);
            if let Some(spend_reservation) = self.draw.as_mut().and_then(|draw| draw.spend_reservation.as_mut()) {
                spend_reservation.commit();
            }
            let (fingerprint, tx) = (self.identity.fingerprint, self.identity.tx);
            cashier.repeats.lock().remember(fingerprint, tx, self.now_ms);
        }
        let subject = UsageSubject::Key { account: self.caller.account.clone(), key: self.caller.key.clone() };
        cashier.meter.add(subject, &deployment, &usage, [cost, charged], self.now_ms);
        Ok(settled)
    }

    fn change(
        &mut self,
        deployment: &ModelDeployment,
        usage: &TokenUsage,
        charged: Millipence,
        kept: Option<(&'static str, Bytes)>,
    ) -> Result<Change, GatewayError> {
        let entry = Entry::Inference(InferenceCharge {
            account: self.caller.account.clone(),
            amount: charged,
            cached_tokens: safe(usage.cached),
            estimated: usage.estimated,
            input_tokens: safe(usage.input),
            model: name(&deployment.upstream),
            output_tokens: safe(usage.output),
            provider: name(&deployment.provider.name),
            request_id: self.request_id.clone(),
        });
        let answer = kept.map(|(content_type, body)| KeptAnswer {
            intent: None,
            fingerprint: self.identity.fingerprint,
            content_type: content_type.into(),
            expires_ms: self.now_ms.saturating_add(ANSWER_KEPT_MS),
            body,
        });
        let spend_reservation = self.draw.as_mut().and_then(|draw| draw.spend_reservation.as_mut());
        let puts = spend_reservation.map(|spend_reservation| {
            spend_reservation.reduce_to(charged);
            spend_reservation.row(&self.identity.tx)
        });
        let record = Some(entry.draft(self.identity.tx, self.now_ms)?);
        Ok(Change { puts: puts.into_iter().collect(), record, answer, ..Change::default() })
    }
}

impl RecentRequests {
    fn find(&mut self, fingerprint: &Hash, now_ms: u64) -> Option<Hash> {
        let (tx, at) = self.known.get(fingerprint)?;
        (now_ms.saturating_sub(*at) <= INFERENCE_REPEAT_MS).then_some(*tx)
    }

    fn remember(&mut self, fingerprint: Hash, tx: Hash, now_ms: u64) {
        self.known.insert(fingerprint, (tx, now_ms));
        self.order.push_back((fingerprint, now_ms));
        while let Some((oldest, at)) = self.order.front() {
            if self.order.len() <= INFERENCE_REPEATS_KEPT && now_ms.saturating_sub(*at) <= INFERENCE_REPEAT_MS {
                break;
            }
            // A newer one under the same fingerprint stays.
            if self.known.get(oldest).is_some_and(|(_, newest)| newest == at) {
                self.known.remove(oldest);
            }
            self.order.pop_front();
        }
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        let mut all = self.all.lock();
        if let Some(count) = all.get_mut(&self.name) {
            *count -= 1;
            if *count == 0 {
                all.remove(&self.name);
            }
        }
    }
}

/// A count as a record can hold it.
fn safe(tokens: u64) -> u64 {
    tokens.min(tollbridge_core::limits::SAFE_INTEGER_MAX.unsigned_abs())
}

/// The name of a provider or model as records allow it.
fn name(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "_.:/-".contains(c) { c } else { '_' };
    let name: String = text.chars().map(plain).take(LEDGER_NAME_BYTES_MAX).collect();
    if name.is_empty() { "_".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_key_is_the_same_transaction() {
        let of = |account, body: &str, key| RequestIdentity::new(account, "POST /x", body.as_bytes(), key).unwrap();
        let (one, other) = (of("a", "{}", Some("k")), of("a", "{1}", Some("k")));
        assert_eq!(one.tx, other.tx);
        assert_ne!(one.fingerprint, other.fingerprint);
        assert_ne!(one.tx, of("b", "{}", Some("k")).tx);
        assert_ne!(of("a", "{}", None).tx, of("a", "{}", None).tx);
        assert_eq!(of("a", "{}", None).fingerprint, one.fingerprint);
        for key in ["", "a b", "ü"] {
            assert!(RequestIdentity::new("a", "r", b"", Some(key)).is_err(), "{key:?}");
        }
    }

    #[test]
    fn repeats_are_forgotten() {
        let mut repeats = RecentRequests::default();
        repeats.remember([1; 32], [2; 32], 1_000);
        assert_eq!(repeats.find(&[1; 32], 1_000 + INFERENCE_REPEAT_MS), Some([2; 32]));
        assert_eq!(repeats.find(&[1; 32], 1_001 + INFERENCE_REPEAT_MS), None);
        for number in 0..2 * INFERENCE_REPEATS_KEPT {
            let mut name = [0; 32];
            name[..8].copy_from_slice(&(number as u64).to_be_bytes());
            repeats.remember(name, name, 2_000);
        }
        assert_eq!((repeats.known.len(), repeats.order.len()), (INFERENCE_REPEATS_KEPT, INFERENCE_REPEATS_KEPT));
        assert_eq!(repeats.find(&[1; 32], 2_000), None);
    }

    #[test]
    fn names_fit_records() {
        assert_eq!(name("accounts/x/models/a@b c"), "accounts/x/models/a_b_c");
        assert_eq!(name(""), "_");
        assert_eq!(name(&"x".repeat(500)).len(), LEDGER_NAME_BYTES_MAX);
    }
}
