//! A store in memory with the rules of the real one, for this room's tests.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use tollbridge_core::money::Millipence;
use tollbridge_store::{Change, Collection, Expect, Hash, Head, Store, StoreError};
use tollbridge_store::{Draft, OutboxPosition, OutboxRow, Receipt, Refusal, Sealer, StoredAnswer};

use super::*;

/// The store; tests reach into it to damage it.
#[derive(Default)]
pub(super) struct Memory {
    pub(super) state: Mutex<State>,
}

#[derive(Default, Clone)]
pub(super) struct State {
    pub(super) rows: BTreeMap<(&'static str, String), Vec<u8>>,
    pub(super) records: Vec<Vec<u8>>,
    pub(super) seals: HashMap<Hash, u64>,
    pub(super) txs: HashMap<Hash, u64>,
    pub(super) nodes: HashMap<(u8, u64), Hash>,
    pub(super) balances: BTreeMap<String, i64>,
}

fn name(collection: Collection) -> &'static str {
    match collection {
        Collection::Checkpoints => "checkpoints",
        Collection::Meta => "meta",
        _ => "others",
    }
}

impl State {
    fn apply(&mut self, change: &Change, sealer: &mut dyn Sealer) -> Result<Receipt, Refusal> {
        for put in &change.puts {
            let found = self.rows.get(&(name(put.collection), put.key.clone()));
            let holds = match &put.expect {
                Expect::Any => true,
                Expect::Absent => found.is_none(),
                Expect::Exactly(bytes) => found == Some(bytes),
            };
            if !holds {
                return Err(Refusal::Unexpected { collection: name(put.collection), key: put.key.clone() });
            }
        }
        let mut sealed = None;
        if let Some(draft) = &change.record {
            self.balances = self.admit(draft)?;
            let record = sealer.seal(draft);
            self.seals.insert(record.seal, record.seq);
            self.txs.insert(draft.tx, record.seq);
            self.nodes.extend(record.nodes.iter().map(|node| ((node.level, node.index), node.hash)));
            self.records.push(record.bytes);
            sealed = Some((record.seq, record.seal));
        }
        for put in &change.puts {
            let key = (name(put.collection), put.key.clone());
            match &put.value {
                Some(value) => self.rows.insert(key, value.clone()),
                None => self.rows.remove(&key),
            };
        }
        Ok(Receipt { sealed })
    }

    fn admit(&self, draft: &Draft) -> Result<BTreeMap<String, i64>, Refusal> {
        if let Some(seq) = self.txs.get(&draft.tx) {
            return Err(Refusal::Duplicate { seq: *seq });
        }
        if draft.postings.iter().map(|posting| posting.amount.get()).sum::<i64>() != 0 {
            return Err(Refusal::Unbalanced);
        }
        let mut after = self.balances.clone();
        for posting in &draft.postings {
            *after.entry(posting.account.clone()).or_default() += posting.amount.get();
        }
        let broke = |posting: &&tollbridge_store::Posting| posting.guarded && after[&posting.account] < 0;
        if let Some(posting) = draft.postings.iter().find(broke) {
            return Err(Refusal::Insufficient { account: posting.account.clone() });
        }
        Ok(after)
    }
}

impl Store for Memory {
    fn commit(&self, changes: &[Change], sealer: &mut dyn Sealer) -> Result<Vec<Result<Receipt, Refusal>>, StoreError> {
        let mut state = self.state.lock().unwrap();
        Ok(changes.iter().map(|change| state.apply(change, sealer)).collect())
    }

    fn get(&self, collection: Collection, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.state.lock().unwrap().rows.get(&(name(collection), key.to_owned())).cloned())
    }

    fn list(&self, collection: Collection, after: &str, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let state = self.state.lock().unwrap();
        let rows = state.rows.iter().filter(|((of, key), _)| *of == name(collection) && key.as_str() > after);
        Ok(rows.take(limit).map(|((_, key), value)| (key.clone(), value.clone())).collect())
    }

    fn balance(&self, account: &str) -> Result<Millipence, StoreError> {
        Ok(Millipence::new(self.state.lock().unwrap().balances.get(account).copied().unwrap_or(0)))
    }

    fn balances(&self) -> Result<Vec<(String, Millipence)>, StoreError> {
        let state = self.state.lock().unwrap();
        let known = state.balances.iter().filter(|(_, amount)| **amount != 0);
        Ok(known.map(|(account, amount)| (account.clone(), Millipence::new(*amount))).collect())
    }

    fn head(&self) -> Result<Head, StoreError> {
        let state = self.state.lock().unwrap();
        let size = state.records.len() as u64;
        Ok(state.records.last().map_or(Head::default(), |bytes| Head { size, seal: seal_of(bytes) }))
    }

    fn record(&self, seq: u64) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.state.lock().unwrap().records.get(usize::try_from(seq).unwrap()).cloned())
    }

    fn records(&self, from: u64, most: usize) -> Result<Vec<Vec<u8>>, StoreError> {
        (from..).take(most).map_while(|seq| self.record(seq).transpose()).collect()
    }

    fn seq_of_seal(&self, seal: &Hash) -> Result<Option<u64>, StoreError> {
        Ok(self.state.lock().unwrap().seals.get(seal).copied())
    }

    fn seq_of_tx(&self, tx: &Hash) -> Result<Option<u64>, StoreError> {
        Ok(self.state.lock().unwrap().txs.get(tx).copied())
    }

    fn node(&self, level: u8, index: u64) -> Result<Option<Hash>, StoreError> {
        Ok(self.state.lock().unwrap().nodes.get(&(level, index)).copied())
    }

    fn answer(&self, _: u64) -> Result<Option<StoredAnswer>, StoreError> {
        Ok(None)
    }

    fn answer_of_intent(&self, _: &str) -> Result<Option<u64>, StoreError> {
        Ok(None)
    }

    fn outbox(&self, _: &str, _: Option<OutboxPosition>, _: usize) -> Result<Vec<OutboxRow>, StoreError> {
        Ok(Vec::new())
    }

    fn outgoing(&self, _: &str, _: OutboxPosition) -> Result<Option<OutboxRow>, StoreError> {
        Ok(None)
    }

    fn outbox_account(&self, _: &str) -> Result<Option<String>, StoreError> {
        Ok(None)
    }

    fn kv_get(&self, _: &str, _: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(None)
    }

    fn kv_list(&self, _: &str, _: &str, _: usize) -> Result<Vec<(String, usize)>, StoreError> {
        Ok(Vec::new())
    }
}

/// A ledger under test, with everything that writes it.
pub(super) struct Book {
    pub(super) store: Arc<Memory>,
    pub(super) chain: Chain,
    pub(super) ledger: Ledger,
    pub(super) policy: Hash,
}

pub(super) const SEED: [u8; 32] = [7; 32];
pub(super) const START_MS: u64 = 1_780_000_000_000;

impl Book {
    pub(super) fn new() -> Self {
        let store = Arc::new(Memory::default());
        let ledger = Ledger::open(store.clone(), &SEED, "toll.example").unwrap();
        Self { store, chain: Chain::new(), ledger, policy: [0; 32] }
    }

    pub(super) fn commit(&mut self, change: Change) -> Result<Receipt, Refusal> {
        self.store.commit(&[change], &mut self.chain).unwrap().remove(0)
    }

    /// Seals an entry; its transaction id and time follow from its place.
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

    /// Signs and stores a checkpoint over everything so far.
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

/// A small ledger with a record of every kind and two checkpoints, the last of
/// which covers everything.
pub(super) fn sample() -> Book {
    let mut book = Book::new();
    let pence = |pence| Millipence::from_pence(pence).unwrap();
    let intent = || "0123456789abcdef0123456789abcdef".to_owned();
    let seal = |book: &mut Book, entry: Entry| book.seal(&entry).unwrap();
    seal(&mut book, policy("Tollbridge é"));
    seal(&mut book, Entry::Grant(Grant { account: "acct_caller".to_owned(), amount: pence(1_000) }));
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
