//! A scripted workload: accounts with grants, paid intents, sold calls with their
//! answers, key-value writes of plugins, checkpoints and invalid changes, one at a time
//! and concurrently.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use tollbridge_access::{AccessControl, KeyMode, PrincipalCache};
use tollbridge_core::config::Sources;
use tollbridge_core::money::{Millipence, SplitPolicy};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_core::vault::SecretBytes;
use tollbridge_ledger::{Chain, Earnings, Entry, Ledger, Mode, Notary, Payer, Policy, Route, TestCredit, salted};
use tollbridge_payment::{CallPayments, PaymentRails, PaymentService, QuotePolicy, QuoteSigner, SandboxProcessor};
use tollbridge_store::testing::watched::Watched;
use tollbridge_store::{
    AnswerPrune, Change, Collection, Db, Draft, Expect, KvWrite, OpenError, Put, RedbStore, Store, StoreLimits,
    StoredAnswer, SubmitError, Writer,
};

use super::disk::{Disk, Name};
use super::rng::Rng;
use super::story::{Batch, Story};

pub(crate) const SEED: [u8; 32] = [7; 32];
/// Limits so small that most commits move index entries from memory to disk, and some
/// move the journal into the database.
const BOUNDS: StoreLimits = StoreLimits { index: 5, journal: 24 << 10 };
const NOW_MS: u64 = 1_780_000_000_000;

/// The result of a run of the script.
pub(crate) struct RunReport {
    pub(crate) batches: Vec<Batch>,
    /// Whether the run ended because the disk failed.
    pub(crate) failed: bool,
}

pub(crate) fn policy() -> Policy {
    let split = SplitPolicy::new(800, 175, 25, 800).unwrap();
    Policy { mode: Mode::Sandbox, display_name: "Crash".to_owned(), split }
}

pub(crate) fn grant(account: &str, pence: i64, tx: [u8; 32]) -> Draft {
    let amount = Millipence::from_pence(pence).unwrap();
    Entry::Grant(TestCredit { account: account.to_owned(), amount }).draft(tx, NOW_MS).unwrap()
}

fn row(collection: Collection, key: &str, value: &str, expect: Expect) -> Put {
    Put { collection, key: key.to_owned(), value: Some(value.as_bytes().to_vec()), expect }
}

pub(crate) fn open(disk: &Disk) -> Result<RedbStore, OpenError> {
    RedbStore::with_backends(disk.file(Name::Database), disk.file(Name::Journal), BOUNDS)
}

/// The services under test, and the state of the script.
struct Shop {
    rng: Rng,
    store: Arc<Watched<Story>>,
    writer: Arc<Writer>,
    notary: Arc<Notary>,
    payments: Arc<CallPayments>,
    payment_service: PaymentService,
    accounts: Vec<String>,
    intents: Vec<String>,
    sold: usize,
}

/// The error of a step that ended because the disk failed.
struct Failed;

/// Runs the script on a disk. Panics if a change is acknowledged that must fail.
pub(crate) fn run(disk: &Disk, seed: u64, steps: usize) -> RunReport {
    let Ok(inner) = open(disk) else {
        return RunReport { batches: Vec::new(), failed: true };
    };
    let store = Arc::new(Watched::new(inner, Story::new(disk.clone())));
    let failures = Arc::new(AtomicUsize::new(0));
    let counted = failures.clone();
    let chain = Chain::resume(store.as_ref()).unwrap();
    let on_failure = move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
    };
    let writer = Arc::new(Writer::start(store.clone(), Box::new(chain), None, on_failure).unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let opened = Ledger::open(store.clone(), &SEED, "toll.example").map_err(drop).and_then(|ledger| {
        let outside = folder.path().join("checkpoints");
        Notary::open(ledger, Db::new(store.clone(), writer.clone()), &outside, policy(), NOW_MS).map_err(drop)
    });
    let failed = match opened {
        Err(()) => true,
        Ok(notary) => {
            let quoting = QuotePolicy { ttl_s: 900, minimum_charge: Millipence::new(50_000) };
            let book = QuoteSigner::new(SecretBytes::new([9; 32]));
            let payments = Arc::new(CallPayments::new(book, store.clone(), quoting, PaymentRails::default()));
            let payment_service = payment_service(&payments, &store, &writer);
            let (accounts, intents) = (Vec::new(), Vec::new());
            let (store, writer, notary) = (store.clone(), writer.clone(), Arc::new(notary));
            let rng = Rng::new(seed);
            let mut shop = Shop { rng, store, writer, notary, payments, payment_service, accounts, intents, sold: 0 };
            runtime.block_on(async { shop.day(steps).await.is_err() })
        }
    };
    if failed {
        // After a failure, nothing further is accepted, even if the disk works again.
        for number in 0..3 {
            let record = Some(grant("acct_late", 1, [200 + number; 32]));
            let outcome = writer.submit_blocking(Change { record, ..Change::default() });
            assert_eq!(outcome, Err(SubmitError::Failed), "accepted after a failure");
        }
    }
    assert!(Arc::strong_count(&writer) == 1, "the notary must be dropped");
    drop(writer);
    assert_eq!(failures.load(Ordering::SeqCst), usize::from(failed), "calls of on_failure");
    RunReport { batches: store.batches(), failed }
}

/// Creates the payment service of the sandbox.
fn payment_service(payments: &Arc<CallPayments>, store: &Arc<Watched<Story>>, writer: &Arc<Writer>) -> PaymentService {
    let tiers = Sources::default().load().unwrap().config.tiers;
    let access = Arc::new(AccessControl::new(KeyMode::Test, PrincipalCache::new(store.clone(), tiers)));
    let processor = Arc::new(SandboxProcessor::new(Db::new(store.clone(), writer.clone())));
    let home = "http://127.0.0.1:8402".to_owned();
    PaymentService::new(payments.clone(), processor, Db::new(store.clone(), writer.clone()), access, home, 30)
}

impl Shop {
    async fn day(&mut self, steps: usize) -> Result<(), Failed> {
        self.open_account().await?;
        self.pay().await?;
        for _ in 0..steps {
            match self.rng.below(12) {
                0 => self.open_account().await?,
                1 | 2 => self.pay().await?,
                3 | 4 => self.sell_for_intent().await?,
                6 => self.keys().await?,
                7 => self.sign().await?,
                8 => self.refusals().await?,
                9 => self.forget().await?,
                10 => self.rename().await?,
                _ => self.crowd().await?,
            }
        }
        self.sign().await?;
        self.crowd().await
    }

    async fn sign(&self) -> Result<(), Failed> {
        self.notary.checkpoint(NOW_MS).await.map(drop).map_err(|_| Failed)
    }

    async fn submit(&self, change: Change) -> Result<(), Failed> {
        match self.writer.submit(change).await {
            Ok(_) | Err(SubmitError::Refused(_)) => Ok(()),
            Err(SubmitError::Failed) => Err(Failed),
            Err(SubmitError::Busy) => panic!("the queue cannot be full"),
        }
    }

    fn tx(&mut self) -> [u8; 32] {
        let mut tx = [0; 32];
        tx.chunks_exact_mut(8).for_each(|chunk| chunk.copy_from_slice(&self.rng.next().to_be_bytes()));
        tx
    }

    async fn open_account(&mut self) -> Result<(), Failed> {
        let id = format!("acct_{}", self.accounts.len());
        let puts = vec![
            row(Collection::Accounts, &id, "{\"tier\":\"free\"}", Expect::Absent),
            row(Collection::Keys, &format!("key_{id}"), &id, Expect::Absent),
            row(Collection::Emails, &format!("mail_{id}"), &id, Expect::Absent),
        ];
        let record = Some(grant(&id, 500, self.tx()));
        self.accounts.push(id);
        self.submit(Change { puts, record, ..Change::default() }).await
    }

    async fn pay(&mut self) -> Result<(), Failed> {
        let price = Millipence::from_pence(10).unwrap();
        let issued = self.payments.quotes.issue("sentiment_feed", price, None, NOW_MS).unwrap();
        self.payment_service.recorder.pay_in_sandbox(&issued.pay_token, NOW_MS).await.map_err(|_| Failed)?;
        self.intents.push(issued.intent_id);
        Ok(())
    }

    fn route(&mut self, payer: Payer, pence: i64) -> Draft {
        let gross = Millipence::from_pence(pence).unwrap();
        let entry = Entry::Route(Route {
            plugin: "sentiment_feed".to_owned(),
            plugin_kind: PluginKind::Bridge,
            version: "1.0.0".to_owned(),
            component_sha256: [0xc0; 32],
            payer,
            owner: "acct_dev".to_owned(),
            earnings: Earnings::Available,
            gross,
            inference: None,
            nested: Vec::new(),
            task: None,
            shares: self.notary.policy().split(gross).into(),
            policy: *self.notary.policy_seal(),
            request_id: "req_1".to_owned(),
            salt: [3; 16],
            request_sha256: salted(&[3; 16], b"{}"),
            answer_sha256: salted(&[3; 16], b"{}"),
        });
        entry.draft(self.tx(), NOW_MS).unwrap()
    }

    fn sale(&mut self, payer: Payer, bytes: usize) -> Change {
        self.sold += 1;
        let intent = match &payer {
            Payer::Intent(handle) => Some(handle.clone()),
            Payer::Account(_) | Payer::Task { .. } => None,
        };
        let answer = StoredAnswer {
            intent,
            fingerprint: [1; 32],
            content_type: "application/json".into(),
            expires_ms: self.sold as u64,
            body: vec![b'a' + u8::try_from(self.sold % 26).unwrap(); bytes].into(),
        };
        let kv = vec![KvWrite {
            bucket: "sentiment_feed/shared".to_owned(),
            key: format!("k{}", self.sold % 5),
            value: Some(self.sold.to_string().into_bytes()),
        }];
        let record = Some(self.route(payer, 10));
        Change { record, answer: Some(answer), kv, ..Change::default() }
    }

    async fn sell_for_intent(&mut self) -> Result<(), Failed> {
        let pick = self.rng.index(self.intents.len());
        let price = Millipence::from_pence(10).unwrap();
        let Ok(draw) =
            self.payments.authorizer.authorize_intent(&self.intents[pick], "sentiment_feed", None, price, NOW_MS)
        else {
            return Ok(());
        };
        let handle = draw.intent().unwrap().to_owned();
        let bytes = [40, 300, 5_000, 70_000][self.rng.index(4)];
        let change = self.sale(Payer::Intent(handle), bytes);
        match self.notary.seal(change, Bytes::new()).await {
            Ok(_) => Ok(()),
            Err(SubmitError::Failed) => Err(Failed),
            Err(error) => panic!("a held sale was refused: {error}"),
        }
    }

    /// Submits many changes at once, some of which cannot succeed.
    async fn crowd(&mut self) -> Result<(), Failed> {
        let mut changes = Vec::new();
        for _ in 0..2 + self.rng.index(12) {
            let payer = Payer::Account(self.accounts[self.rng.index(self.accounts.len())].clone());
            changes.push(self.sale(payer, 300));
        }
        let repeated = changes[0].clone();
        changes.push(repeated);
        changes.insert(1, self.sale(Payer::Account("acct_poor".to_owned()), 300));
        let tasks: Vec<_> = changes
            .into_iter()
            .map(|change| {
                let writer = self.writer.clone();
                tokio::spawn(async move { writer.submit(change).await })
            })
            .collect();
        let mut outcome = Ok(());
        for task in tasks {
            match task.await.unwrap() {
                Ok(_) | Err(SubmitError::Refused(_)) if outcome.is_err() => panic!("acknowledged after a failure"),
                Ok(_) | Err(SubmitError::Refused(_)) => {}
                Err(_) => outcome = Err(Failed),
            }
        }
        outcome
    }

    async fn keys(&mut self) -> Result<(), Failed> {
        let write = |key: &str, value: Option<usize>| KvWrite {
            bucket: "other/caller:acct_0".to_owned(),
            key: key.to_owned(),
            value: value.map(|bytes| vec![b'v'; bytes]),
        };
        let gone = format!("k{}", self.rng.below(4));
        let kept = format!("k{}", self.rng.below(4));
        let kv = vec![write(&gone, None), write(&kept, Some(1 + self.rng.index(20_000)))];
        self.submit(Change { kv, ..Change::default() }).await
    }

    /// Submits one invalid change of each kind; none may leave a trace.
    async fn refusals(&mut self) -> Result<(), Failed> {
        let kv = vec![KvWrite { bucket: "never".to_owned(), key: "k".to_owned(), value: Some(vec![1]) }];
        let taken = row(Collection::Accounts, "acct_0", "{}", Expect::Absent);
        self.submit(Change { puts: vec![taken], kv: kv.clone(), ..Change::default() }).await?;
        let never = row(Collection::Accounts, "acct_never", "{}", Expect::Any);
        let record = Some(self.route(Payer::Account("acct_poor".to_owned()), 10));
        self.submit(Change { puts: vec![never], record, kv, ..Change::default() }).await
    }

    async fn forget(&mut self) -> Result<(), Failed> {
        let now_ms = 1 + (self.sold as u64) / 2;
        self.submit(Change { prune: Some(AnswerPrune { now_ms, limit: 3 }), ..Change::default() }).await
    }

    async fn rename(&mut self) -> Result<(), Failed> {
        let key = self.accounts[self.rng.index(self.accounts.len())].clone();
        let Ok(Some(now)) = self.store.get(Collection::Accounts, &key) else { return Err(Failed) };
        let then = format!("{{\"renamed\":{}}}", self.rng.next());
        self.submit(Change {
            puts: vec![row(Collection::Accounts, &key, &then, Expect::Exactly(now))],
            ..Change::default()
        })
        .await
    }
}
