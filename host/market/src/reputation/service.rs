//! The reputation service and its index.
//!
//! Rows of `Collection::Reputation`, all with the prefix `v3/`, which identifies the
//! counting rule: `c` is the position reached in the ledger, `t/{account}` the totals,
//! `r/{account}/{seq}` a counted record. Totals of different rules are never mixed.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{
    Entry, HexHash, IndexError, LedgerError, LedgerIndex, LedgerIndexer, Notary, NotaryError, Proof, ProofFailure,
    ProofUnavailable, Record, Records, SignedCheckpoint, seal_of,
};
use tollbridge_store::{Collection, Db, Expect, Put, Store, StoreError};

/// Maximum number of records that are counted in one write: about a second for the
/// request that causes it.
const REPUTATION_RECORDS_PER_WRITE_MAX: u64 = 1_000;
/// Maximum number of records that one request counts; the next request continues.
const REPUTATION_RECORDS_PER_REQUEST_MAX: u64 = 20_000;
/// Maximum number of records, with their proofs, in one answer.
const REPUTATION_PAGE_MAX: usize = 100;

/// Prefix of the key of every row. If the counting rule changes, the prefix must change
/// to one that sorts after all earlier prefixes.
const RULE: &str = "v3/";
/// Name under which the totals of the whole server are stored; no account has this id.
pub const PLATFORM: &str = "platform";
/// Maximum number of index steps per request; the next request continues.
const STEPS_PER_REQUEST: usize = (REPUTATION_RECORDS_PER_REQUEST_MAX / REPUTATION_RECORDS_PER_WRITE_MAX) as usize;

/// The service that reports on the earnings of accounts.
pub struct Reputation {
    /// Handle on the data folder.
    db: Db,
    notary: Arc<Notary>,
    indexer: LedgerIndexer<ReputationIndex>,
    /// Held from the moment a checkpoint is chosen until its totals are read.
    following: tokio::sync::Mutex<()>,
}

/// Totals of an account's earnings, from sealed records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReputationTotals {
    /// Number of paid calls of the account's plugins.
    pub calls: u64,
    /// Number of earn tasks that the account was paid for.
    pub tasks: u64,
    /// Number of transfers and stored memory items that the account's agents were paid
    /// for.
    pub transfers: u64,
    /// Total amount earned.
    #[serde(rename = "earned_millipence")]
    pub earned: Millipence,
    /// Unix time in milliseconds of the first counted record.
    pub first_ms: Option<u64>,
    /// Unix time in milliseconds of the last counted record.
    pub last_ms: Option<u64>,
}

/// A counted record with its proof.
pub struct ProvenRecord {
    /// Number of the record.
    pub seq: u64,
    /// Index entry of the record.
    pub row: CountedRecord,
    /// Proof that the record is in the ledger.
    pub proof: Proof,
}

/// The index entry of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedRecord {
    /// Kind of the record: `route`, `nested`, `earn` or `transfer`.
    pub kind: String,
    /// Amount that the account earned in the record.
    #[serde(rename = "earned_millipence")]
    pub earned: Millipence,
    /// Time of the record, Unix milliseconds.
    pub time_ms: u64,
}

/// The reputation report of an account.
pub struct ReputationReport {
    /// Totals of the account.
    pub totals: ReputationTotals,
    /// Checkpoint up to which the totals count records.
    pub checkpoint: SignedCheckpoint,
    /// A page of the account's counted records.
    pub records: Vec<ProvenRecord>,
    /// Number of the record after which the next page begins; `None` on the last page.
    pub next: Option<u64>,
}

/// The reason a reputation report cannot be created.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum ReputationError {
    #[error("the ledger is still being indexed; try again shortly")]
    Counting,
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Notary(#[from] NotaryError),
    #[error("a counted record cannot be proven: {0}")]
    Proof(String),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl Reputation {
    /// Creates the service for the ledger in `db`.
    pub fn new(db: Db, notary: Arc<Notary>) -> Self {
        let indexer = LedgerIndexer::new(db.clone(), ReputationIndex);
        Self { db, notary, indexer, following: tokio::sync::Mutex::default() }
    }

    /// Returns the current totals of an account, and a page of its counted records that
    /// begins after a given record.
    pub async fn report(
        &self,
        account: &str,
        after: Option<u64>,
        limit: usize,
        now_ms: u64,
    ) -> Result<ReputationReport, ReputationError> {
        let _turn = self.following.lock().await;
        let checkpoint = self.notary.checkpoint(now_ms).await?;
        self.follow(checkpoint.checkpoint.size).await?;
        let totals = read_totals(self.db.store(), &totals_key(account))?;
        let prefix = format!("{RULE}r/{account}/");
        let from = after.map_or_else(|| prefix.clone(), |after| record_key(account, after));
        let limit = limit.clamp(1, REPUTATION_PAGE_MAX);
        let rows = self.db.list(Collection::Reputation, &from, limit)?;
        let mut records = Vec::new();
        for (key, value) in &rows {
            let Some(seq) = key.strip_prefix(&prefix).and_then(|seq| seq.parse().ok()) else { break };
            let row = serde_json::from_slice(value).map_err(bad_row)?;
            records.push(ProvenRecord { seq, row, proof: self.proof(seq, now_ms).await? });
        }
        let next = records.last().map(|last| last.seq).filter(|_| records.len() == limit);
        Ok(ReputationReport { totals, checkpoint, records, next })
    }

    async fn proof(&self, seq: u64, now_ms: u64) -> Result<Proof, ReputationError> {
        let bytes = self.db.record(seq)?.ok_or(LedgerError::MissingRecord { seq })?;
        self.notary.proof(&seal_of(&bytes), None, now_ms).await.map_err(|error| match error {
            ProofFailure::None(ProofUnavailable::Ledger(error)) => error.into(),
            ProofFailure::None(other) => ReputationError::Proof(other.to_string()),
            ProofFailure::Notary(error) => error.into(),
        })
    }

    /// Updates the index with the records below `size`, up to the limit per request.
    async fn follow(&self, size: u64) -> Result<(), ReputationError> {
        if self.indexer.catch_up_to(size, STEPS_PER_REQUEST).await? { Err(ReputationError::Counting) } else { Ok(()) }
    }
}

/// The index of each account's totals and counted records.
struct ReputationIndex;

impl LedgerIndex for ReputationIndex {
    const COLLECTION: Collection = Collection::Reputation;
    const CURSOR: &'static str = "v3/c";
    const RULE: &'static str = RULE;
    const RECORDS_PER_STEP: u64 = REPUTATION_RECORDS_PER_WRITE_MAX;

    fn rows(&self, store: &dyn Store, records: Range<u64>) -> Result<Vec<Put>, IndexError> {
        let mut all = BTreeMap::<String, ReputationTotals>::new();
        let mut puts = Vec::new();
        for record in Records::new(store, records) {
            let (seq, bytes) = record?;
            let record = Record::parse(&bytes).map_err(|source| LedgerError::Record { seq, source })?;
            for (account, Share { sales, earned }) in shares_of(&record) {
                let key = totals_key(&account);
                let totals = match all.get_mut(&key) {
                    Some(totals) => totals,
                    None => {
                        let before = read_totals(store, &key)?;
                        all.entry(key).or_insert(before)
                    }
                };
                let row = CountedRecord { kind: record.kind.clone(), earned, time_ms: record.time_ms };
                totals.add(&row, sales);
                puts.push(put(record_key(&account, seq), &row)?);
            }
        }
        for (key, totals) in all {
            puts.push(put(key, &totals)?);
        }
        Ok(puts)
    }
}

fn read_totals(store: &dyn Store, key: &str) -> Result<ReputationTotals, StoreError> {
    let row = store.get(Collection::Reputation, key)?;
    Ok(row.map(|row| serde_json::from_slice(&row).map_err(bad_row)).transpose()?.unwrap_or_default())
}

/// The part of one record that concerns one account.
#[derive(Clone, Copy, Default)]
struct Share {
    /// Number of calls, tasks or transfers that the account is paid for.
    sales: u64,
    earned: Millipence,
}

/// Returns the earnings that a record gives each account; nested calls count like
/// top-level ones. The platform counts as an account that earns its share of each sale.
fn shares_of(record: &Record) -> BTreeMap<String, Share> {
    let mut shares = BTreeMap::<String, Share>::new();
    let mut add = |account: String, earned: Millipence, platform: Millipence| {
        for (account, earned) in [(account, earned), (PLATFORM.to_owned(), platform)] {
            let share = shares.entry(account).or_default();
            share.sales += 1;
            share.earned = share.earned.checked_add(earned).unwrap_or(share.earned);
        }
    };
    let nested = match Entry::read(&record.kind, &record.body) {
        Ok(Entry::Route(route)) => {
            add(route.owner, route.shares.developer, route.shares.platform);
            route.nested
        }
        Ok(Entry::Nested(costs)) => costs.nested,
        Ok(Entry::Earn(earn)) => {
            add(earn.account, earn.amount, Millipence::ZERO);
            Vec::new()
        }
        Ok(Entry::Transfer(transfer)) => {
            add(transfer.owner, transfer.shares.developer, transfer.shares.platform);
            Vec::new()
        }
        _ => Vec::new(),
    };
    // Failed and unpaid nested calls do not count.
    for call in nested.into_iter().filter(|call| !call.failed && !call.gross.is_zero()) {
        add(call.owner, call.shares.developer, call.shares.platform);
    }
    shares
}

impl ReputationTotals {
    fn add(&mut self, row: &CountedRecord, sales: u64) {
        let count = match row.kind.as_str() {
            "route" | "nested" => &mut self.calls,
            "earn" => &mut self.tasks,
            _ => &mut self.transfers,
        };
        *count = count.saturating_add(sales);
        self.earned = self.earned.checked_add(row.earned).unwrap_or(self.earned);
        self.first_ms = self.first_ms.or(Some(row.time_ms));
        self.last_ms = Some(row.time_ms);
    }
}

impl ProvenRecord {
    /// Returns the inclusion proof's path as hex strings.
    pub fn inclusion(&self) -> Vec<String> {
        self.proof.inclusion.iter().map(|HexHash(hash)| hex::encode(hash)).collect()
    }
}

fn totals_key(account: &str) -> String {
    format!("{RULE}t/{account}")
}

fn record_key(account: &str, seq: u64) -> String {
    format!("{RULE}r/{account}/{seq:020}")
}

fn put<T: Serialize>(key: String, value: &T) -> Result<Put, StoreError> {
    let value = Some(serde_json::to_vec(value).map_err(bad_row)?);
    Ok(Put { collection: Collection::Reputation, key, value, expect: Expect::Any })
}

fn bad_row(error: serde_json::Error) -> StoreError {
    StoreError { doing: "reading or writing the reputation index", source: Box::new(error) }
}

#[cfg(test)]
mod tests {

    use tollbridge_core::plugin_kind::PluginKind;
    use tollbridge_store::{Change, Db, Writer};

    use super::*;
    use tollbridge_core::money::SplitPolicy;
    use tollbridge_ledger::{
        BudgetFunding, Chain, Earnings, FundingSource, Ledger, Mode, Nested, NestedCosts, Policy, TaskReward,
        split_tree,
    };
    use tollbridge_store::RedbStore;

    struct World {
        store: Arc<RedbStore>,
        writer: Arc<Writer>,
        reputation: Reputation,
        policy: (SplitPolicy, [u8; 32]),
        _folder: tempfile::TempDir,
    }

    fn world() -> World {
        let store = Arc::new(RedbStore::in_memory().unwrap());
        let failed = |why: String| panic!("{why}");
        let writer = Arc::new(Writer::start(store.clone(), Box::new(Chain::new()), None, failed).unwrap());
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::open(store.clone(), &[7; 32], "toll.example").unwrap();
        let split = SplitPolicy::new(800, 175, 25, 800).unwrap();
        let policy = Policy { mode: Mode::Sandbox, display_name: "Test".to_owned(), split };
        let notes = folder.path().join("checkpoints");
        let notary = Arc::new(Notary::open(ledger, Db::new(store.clone(), writer.clone()), &notes, policy, 1).unwrap());
        let policy = (split, *notary.policy_seal());
        let reputation = Reputation::new(Db::new(store.clone(), writer.clone()), notary);
        World { store, writer, reputation, policy, _folder: folder }
    }

    impl World {
        fn seal(&self, tx: u8, entry: &Entry) {
            let record = Some(entry.draft([tx; 32], 5).unwrap());
            self.writer.submit_blocking(Change { record, ..Change::default() }).unwrap();
        }

        /// Returns a record in which `acct_a`'s agent calls and pays for `acct_b`'s
        /// bridge.
        fn below(&self) -> Entry {
            let zero = Millipence::ZERO;
            let mut nested = vec![Nested {
                failed: false,
                component_sha256: [1; 32],
                gross: Millipence::new(1_000),
                inference: None,
                owner: "acct_b".to_owned(),
                parent: 0,
                plugin: "echo".to_owned(),
                plugin_kind: PluginKind::Bridge,
                shares: tollbridge_ledger::RecordedShares { developer: zero, platform: zero, treasury: zero },
                version: "1.0.0".to_owned(),
            }];
            split_tree(&self.policy.0, (zero, None), &mut nested).unwrap();
            Entry::Nested(NestedCosts {
                gross: Millipence::ZERO,
                inference: None,
                payer: None,
                component_sha256: [1; 32],
                earnings: Earnings::Available,
                nested,
                owner: "acct_a".to_owned(),
                plugin: "worker".to_owned(),
                plugin_kind: PluginKind::Agent,
                policy: self.policy.1,
                request_id: "req_1".to_owned(),
                version: "1.0.0".to_owned(),
            })
        }
    }

    /// An earlier version of the server did not count nested calls. Its rows and cursor
    /// remain in the store, and all records are counted again.
    #[test]
    fn totals_are_of_one_rule() {
        let world = world();
        let amount = Millipence::new(7_800);
        world.seal(1, &Entry::EarnBudget(BudgetFunding { source: FundingSource::Grant, amount }));
        let (account, task) = ("acct_b".to_owned(), "t".to_owned());
        world.seal(2, &Entry::Earn(TaskReward { account, amount, result_sha256: [2; 32], salt: [1; 16], task }));
        let grant = tollbridge_ledger::TestCredit { account: "acct_a".to_owned(), amount };
        world.seal(3, &Entry::Grant(grant));
        world.seal(4, &world.below());
        let size = world.store.head().unwrap().size;
        let old = |key: String, value: String| Put {
            collection: Collection::Reputation,
            key,
            value: Some(value.into_bytes()),
            expect: Expect::Any,
        };
        let mut puts = vec![
            old("c".to_owned(), size.to_string()),
            old(
                "t/acct_b".to_owned(),
                r#"{"calls":0,"tasks":1,"transfers":0,"earned_millipence":7800,"first_ms":5,"last_ms":5}"#.to_owned(),
            ),
        ];
        for seq in 0..1_000 {
            let row = r#"{"kind":"earn","earned_millipence":7800,"time_ms":5}"#.to_owned();
            puts.push(old(format!("r/acct_b/{seq:020}"), row));
        }
        world.writer.submit_blocking(Change { puts, ..Change::default() }).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        for _ in 0..2 {
            let report = runtime.block_on(world.reputation.report("acct_b", None, 10, 6)).unwrap();
            let ReputationTotals { calls, tasks, earned, .. } = report.totals;
            assert_eq!((calls, tasks, earned.get()), (1, 1, 7_800 + 800));
            let kinds: Vec<&str> = report.records.iter().map(|one| one.row.kind.as_str()).collect();
            assert_eq!(kinds, ["earn", "nested"]);
            let platform = runtime.block_on(world.reputation.report(PLATFORM, None, 10, 6)).unwrap();
            let ReputationTotals { calls, tasks, earned, .. } = platform.totals;
            assert_eq!((calls, tasks, earned.get(), platform.records.len()), (1, 1, 175, 2));
        }
        let rows = world.store.list(Collection::Reputation, "", 10).unwrap();
        assert!(rows.iter().all(|(key, _)| key.starts_with(RULE)), "{rows:?}");
    }
}
