//! An in-memory ledger for the tests of this crate.

use std::sync::Arc;

use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_store::{Change, Hash, Receipt, RedbStore, Refusal, Store};

use super::*;

/// A ledger under test, with its store, chain and signer.
pub(super) struct Book {
    pub(super) store: Arc<RedbStore>,
    pub(super) chain: Chain,
    pub(super) ledger: Ledger,
    pub(super) policy: Hash,
}

pub(super) const SEED: [u8; 32] = [7; 32];
pub(super) const START_MS: u64 = 1_780_000_000_000;

impl Book {
    pub(super) fn new() -> Self {
        let store = Arc::new(RedbStore::in_memory().unwrap());
        let ledger = Ledger::open(store.clone(), &SEED, "toll.example").unwrap();
        Self { store, chain: Chain::new(), ledger, policy: [0; 32] }
    }

    pub(super) fn commit(&mut self, change: Change) -> Result<Receipt, Refusal> {
        self.store.commit(&[change], &mut self.chain).unwrap().remove(0)
    }

    /// Seals an entry under a transaction id and time derived from its position.
    pub(super) fn seal(&mut self, entry: &Entry) -> Result<(u64, Hash), Refusal> {
        let seq = self.chain.size();
        let draft = entry.draft(seal_of(format!("tx {seq}").as_bytes()), START_MS + seq * 1_000).unwrap();
        let receipt = self.commit(Change { record: Some(draft), ..Change::default() })?;
        let sealed = receipt.sealed.unwrap();
        if matches!(entry, Entry::Policy(_)) {
            self.policy = sealed.1;
        }
        Ok(sealed)
    }

    /// Signs and stores a checkpoint over all records so far.
    pub(super) fn checkpoint(&mut self) -> SignedCheckpoint {
        match self.ledger.checkpoint(START_MS).unwrap() {
            Checkpointing::Unchanged(stored) => stored.signed,
            Checkpointing::New { checkpoint, change } => {
                self.commit(*change).unwrap();
                checkpoint.signed
            }
        }
    }

    pub(super) fn export(&self) -> String {
        let mut out = Vec::new();
        self.ledger.export(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    pub(super) fn route(&self, payer: Payer, pence: i64) -> Route {
        let gross = Millipence::from_pence(pence).unwrap();
        let salt = [3; 16];
        Route {
            plugin: "sentiment_feed".to_owned(),
            plugin_kind: PluginKind::Bridge,
            version: "1.0.0+build.5".to_owned(),
            component_sha256: [0xc0; 32],
            payer,
            nested: Vec::new(),
            task: None,
            owner: "acct_dev".to_owned(),
            earnings: Earnings::Available,
            gross,
            inference: None,
            shares: split().split(gross).into(),
            policy: self.policy,
            request_id: "req_01".to_owned(),
            salt,
            request_sha256: salted(&salt, b"{}"),
            answer_sha256: salted(&salt, b"{\"score\":1}"),
        }
    }
}

pub(super) fn split() -> tollbridge_core::money::SplitPolicy {
    tollbridge_core::money::SplitPolicy::new(800, 175, 25, 800).unwrap()
}

pub(super) fn policy(display_name: &str) -> Entry {
    Entry::Policy(Policy { mode: Mode::Sandbox, display_name: display_name.to_owned(), split: split() })
}

/// Returns a small ledger with a record of every kind and two checkpoints, the second of
/// which covers all records.
pub(super) fn sample() -> Book {
    let mut book = Book::new();
    let pence = |pence| Millipence::from_pence(pence).unwrap();
    let intent = || "0123456789abcdef0123456789abcdef".to_owned();
    let seal = |book: &mut Book, entry: Entry| book.seal(&entry).unwrap();
    seal(&mut book, policy("Tollbridge é"));
    seal(&mut book, Entry::Grant(TestCredit { account: "acct_caller".to_owned(), amount: pence(1_000) }));
    let act = PluginAct {
        act: PluginVerb::Activate,
        plugin: "sentiment_feed".to_owned(),
        plugin_kind: PluginKind::Bridge,
        version: Some("1.0.0".to_owned()),
        component_sha256: Some([0xc0; 32]),
        publisher: Some("local".to_owned()),
        by: "publisher".to_owned(),
    };
    seal(&mut book, Entry::Plugin(act));
    let payment = Payment {
        intent: intent(),
        bridge: "sentiment_feed".to_owned(),
        account: Some("acct_caller".to_owned()),
        processor: "sandbox".to_owned(),
        reference: Some("sb_1".to_owned()),
        token: None,
        amount: pence(50),
    };
    seal(&mut book, Entry::Payment(payment));
    let route = book.route(Payer::Intent(intent()), 10);
    seal(&mut book, Entry::Route(route));
    book.checkpoint();
    let route = book.route(Payer::Account("acct_caller".to_owned()), 30);
    seal(&mut book, Entry::Route(Route { earnings: Earnings::Pending, ..route }));
    let (account, amount) = ("acct_caller".to_owned(), pence(25));
    seal(&mut book, Entry::Topup(Topup { intent: intent(), account, amount }));
    let refund = |stage| {
        Entry::Refund(Refund {
            payer: Payer::Intent(intent()),
            stage,
            reason: "bridge_gone".to_owned(),
            reference: None,
            amount: pence(15),
        })
    };
    seal(&mut book, refund(RefundStage::Owed));
    seal(&mut book, refund(RefundStage::Paid));
    let revoke = PublisherAct {
        act: PublisherVerb::Revoke,
        publisher: "local".to_owned(),
        public_key: Some([0xab; 32]),
        by: "operator".to_owned(),
    };
    seal(&mut book, Entry::Publisher(revoke));
    let data =
        serde_json::json!({"text": "tab\t \"quoted\" \u{1f600}", "list": [1, null, true, -9007199254740991_i64]});
    let data = data.as_object().unwrap().clone();
    seal(&mut book, Entry::Event(Event { event: "agent.completed".to_owned(), data }));
    seal(&mut book, policy("Renamed"));
    let route = book.route(Payer::Account("acct_caller".to_owned()), 1);
    seal(&mut book, Entry::Route(route));
    book.checkpoint();
    book
}
