//! Tests that every rule blocks payouts above its limit, and none below it.

use std::sync::Arc;

use tollbridge_access::{EmailDigestKey, KeyMode, SignUpRequest, sign_up};
use tollbridge_core::config::Sources;
use tollbridge_core::money::Millipence;
use tollbridge_core::money::SplitPolicy;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_ledger::events;
use tollbridge_ledger::{Chain, Earnings, Entry, Payer, Route, TestCredit};
use tollbridge_store::{Change, RedbStore};
use tollbridge_store::{Collection, Store};

use super::rules::DAY_MS;
use super::*;

const NOW: u64 = 1_780_000_000_000;
const OLD: u64 = NOW - 30 * DAY_MS;

struct Bench {
    risk: RiskEngine,
    store: Arc<RedbStore>,
    chain: Chain,
    txs: u8,
}

fn bench() -> Bench {
    let store = Arc::new(RedbStore::in_memory().unwrap());
    let settings = Sources::default().load().unwrap().config.risk;
    let risk = RiskEngine { settings, store: store.clone(), plugins: None };
    Bench { risk, store, chain: Chain::new(), txs: 0 }
}

impl Bench {
    fn account(&mut self, referral: Option<String>, created_ms: u64) -> tollbridge_access::Account {
        let request = SignUpRequest { referral, ..SignUpRequest::default() };
        let signed =
            sign_up(self.store.as_ref(), &EmailDigestKey::new([0; 32]), KeyMode::Test, request, created_ms, |_| None);
        let signed = signed.unwrap();
        self.commit(signed.change);
        signed.account
    }

    fn commit(&mut self, change: Change) {
        self.store.commit(&[change], &mut self.chain).unwrap().remove(0).unwrap();
    }

    fn seal(&mut self, entry: &Entry) {
        self.txs += 1;
        let record = Some(entry.draft([self.txs; 32], NOW).unwrap());
        self.commit(Change { record, ..Change::default() });
    }

    /// Seals a call that costs `pounds`, is paid by `payer` and earns money for `owner`.
    fn sale(&mut self, owner: &str, payer: &str, pounds: i64) {
        self.sale_to(owner, Payer::Account(payer.to_owned()), pounds);
    }

    /// Seals a call as `sale` does, with any kind of payer.
    fn sale_to(&mut self, owner: &str, payer: Payer, pounds: i64) {
        let gross = Millipence::new(pounds * 100_000);
        let grant = TestCredit { account: "acct_bank".to_owned(), amount: gross };
        let (record, mut change) = (Entry::Grant(grant), Change::default());
        self.txs += 1;
        let mut draft = record.draft([self.txs; 32], NOW).unwrap();
        // Credit the payer first, so that the payer can pay for the call.
        draft.postings[1].account = payer.ledger_account().to_string();
        change.record = Some(draft);
        self.commit(change);
        let split = SplitPolicy::new(800, 175, 25, 800).unwrap();
        self.seal(&Entry::Route(Route {
            plugin: "echo".to_owned(),
            plugin_kind: PluginKind::Bridge,
            version: "1.0.0".to_owned(),
            component_sha256: [1; 32],
            payer,
            owner: owner.to_owned(),
            earnings: Earnings::Available,
            gross,
            inference: None,
            nested: Vec::new(),
            task: None,
            shares: split.split(gross).into(),
            policy: [2; 32],
            request_id: "req_1".to_owned(),
            request_sha256: [3; 32],
            answer_sha256: [4; 32],
            salt: [5; 16],
        }));
    }

    async fn judge(&self, account: &str, pounds: i64, earlier: &[(u64, Millipence)]) -> Vec<RiskRule> {
        let amount = Millipence::new(pounds * 100_000);
        let payout = PayoutRequest { account, amount, earlier, client: None, now_ms: NOW };
        match self.risk.evaluate_payout(&payout).await.unwrap() {
            RiskDecision::Pass => Vec::new(),
            RiskDecision::Block(block) => {
                assert!(block.reasons.iter().all(|reason| reason.found.len() > 10), "{block:?}");
                block.reasons.iter().map(|reason| reason.rule).collect()
            }
        }
    }
}

#[tokio::test]
async fn velocity_counts_the_last_day() {
    let mut bench = bench();
    let id = bench.account(None, OLD).id;
    let pound = Millipence::new(100_000);
    assert_eq!(bench.judge(&id, 1_000, &[]).await, []);
    assert_eq!(bench.judge(&id, 1_001, &[]).await, [RiskRule::Velocity]);
    assert_eq!(bench.judge(&id, 5, &[(NOW - 1, pound); 4]).await, []);
    assert_eq!(bench.judge(&id, 5, &[(NOW - 1, pound); 5]).await, [RiskRule::Velocity]);
    assert_eq!(bench.judge(&id, 5, &[(NOW - DAY_MS, pound); 50]).await, []);
    let most = (NOW - 1, Millipence::new(99_600_000));
    assert_eq!(bench.judge(&id, 5, &[most]).await, [RiskRule::Velocity]);
}

#[tokio::test]
async fn a_fresh_account_may_take_out_less() {
    let mut bench = bench();
    let (fresh, old) = (bench.account(None, NOW - 1).id, bench.account(None, NOW - DAY_MS).id);
    assert_eq!(bench.judge(&fresh, 100, &[]).await, []);
    assert_eq!(bench.judge(&fresh, 101, &[]).await, [RiskRule::FreshAccount]);
    assert_eq!(bench.judge(&old, 101, &[]).await, []);
}

#[tokio::test]
async fn dealing_with_oneself_is_seen() {
    let mut bench = bench();
    let owner = bench.account(None, OLD);
    let friend = bench.account(Some(owner.referral_code.clone()), OLD).id;
    let stranger = bench.account(None, OLD).id;
    bench.sale(&owner.id, &owner.id, 19);
    assert_eq!(bench.judge(&owner.id, 5, &[]).await, [], "too small a sample to be significant");
    bench.sale(&owner.id, &friend, 1);
    assert_eq!(bench.judge(&owner.id, 5, &[]).await, [RiskRule::SelfDealing]);
    let payout =
        PayoutRequest { account: &owner.id, amount: Millipence::new(1), earlier: &[], client: None, now_ms: NOW };
    let RiskDecision::Block(block) = bench.risk.evaluate_payout(&payout).await.unwrap() else { panic!("it passed") };
    assert_eq!((block.level, block.reasons[0].about.clone()), (RiskLevel::High, Some(("echo".to_owned(), 1_000))));
    let sent = block.events(&owner.id, "192.0.2.1".parse().ok(), NOW);
    let received: Vec<_> = sent.iter().map(|event| (event.account.as_str(), event.event)).collect();
    let (user, operator) = (owner.id.as_str(), events::OPERATOR);
    let (blocked, detected) = (events::FRAUD_BLOCKED, events::FRAUD_DETECTED);
    assert_eq!(received, [(user, blocked), (operator, blocked), (user, detected), (operator, detected)]);
    bench.sale(&owner.id, &stranger, 21);
    assert_eq!(bench.judge(&owner.id, 5, &[]).await, [], "less than half");
    assert_eq!(bench.judge(&stranger, 5, &[]).await, []);
}

#[tokio::test]
async fn dealing_with_oneself_is_seen_whatever_it_is_paid_from() {
    let mut bench = bench();
    let owner = bench.account(None, OLD).id;
    let task = Payer::Task { account: owner.clone(), task: "task_1".to_owned() };
    bench.sale_to(&owner, task, 10);
    let row = serde_json::json!({
        "bridge": "echo", "account": owner, "price": 100_000, "charge": 1_000_000, "paid_ms": NOW,
        "processor": "sandbox",
    });
    let put = tollbridge_store::Put {
        collection: Collection::Intents,
        key: "mine".to_owned(),
        value: Some(row.to_string().into_bytes()),
        expect: tollbridge_store::Expect::Absent,
    };
    bench.commit(Change { puts: vec![put], ..Change::default() });
    bench.sale_to(&owner, Payer::Intent("mine".to_owned()), 10);
    assert_eq!(bench.judge(&owner, 5, &[]).await, [RiskRule::SelfDealing]);
    // A payment through an intent without an account is not evidence of self-dealing.
    let other = bench.account(None, OLD).id;
    bench.sale_to(&other, Payer::Intent("open".to_owned()), 30);
    assert_eq!(bench.judge(&other, 5, &[]).await, []);
}

#[tokio::test]
async fn a_burst_of_referred_accounts_is_seen() {
    let mut bench = bench();
    let owner = bench.account(None, OLD);
    for number in 0..21_u64 {
        bench.account(Some(owner.referral_code.clone()), OLD + number * 10 * 60 * 1000);
    }
    assert_eq!(bench.judge(&owner.id, 5, &[]).await, []);
    for number in 0..15_u64 {
        bench.account(Some(owner.referral_code.clone()), OLD + number);
    }
    assert_eq!(bench.judge(&owner.id, 5, &[]).await, [RiskRule::SignUpBurst]);
}

#[test]
fn a_block_names_each_rule_once() {
    let reasons =
        [RiskRule::Velocity, RiskRule::Velocity, RiskRule::Address].map(|rule| rule.reason(String::new())).into();
    assert_eq!(PayoutBlock { level: RiskLevel::High, reasons }.rules(), "velocity, address");
    assert!(RiskLevel::High > RiskLevel::Medium);
}
