//! Earnings of each account by plugin and day. The sums are stored separately from the
//! ledger's records, so that a page need not read every record.
//!
//! The sums lag behind the records (see `LedgerIndexer`). Amounts owed are computed from
//! balances, never from these sums.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;
use tollbridge_core::time::DAY_MS;
use tollbridge_ledger::{
    IndexError, LedgerAccount, LedgerError, LedgerIndex, LedgerIndexer, RecordError, RecordSummary, RecordedShares,
    Records,
};
use tollbridge_store::{Collection, Db, Expect, Put, Store};

/// Maximum number of records that are added to the daily sums of earnings in one write.
const EARNINGS_RECORDS_PER_WRITE: usize = 2_000;
/// Maximum number of daily rows that a page reads: enough for several plugins on each day
/// shown.
const EARNINGS_ROWS_MAX: usize = 10_000;

/// Key prefix of every row; it names the version of the counting rule. After a change of
/// the rule, the new prefix must sort after all earlier ones, and after the oldest rows,
/// whose keys begin with an account id.
const RULE: &str = "v2/";

/// The earnings sums, and the indexer that updates them from the ledger.
pub struct EarningsIndexer {
    /// Handle on the data folder.
    db: Db,
    indexer: LedgerIndexer<EarningsIndex>,
}

/// Earnings that one plugin made for its owner on one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DailyEarnings {
    /// Days since 1970, UTC.
    pub day: u64,
    /// Name of the plugin.
    pub plugin: String,
    /// Amount in millipence.
    pub amount: Millipence,
    /// Number of paid calls or other sales.
    pub sales: u64,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Sum {
    amount: Millipence,
    sales: u64,
}

/// Earnings sums by row key.
type Sums = BTreeMap<String, Sum>;

impl EarningsIndexer {
    /// Creates an indexer for the ledger in `db`; the sums are stored in `db` too.
    pub fn new(db: Db) -> Self {
        Self { indexer: LedgerIndexer::new(db.clone(), EarningsIndex), db }
    }

    /// Processes new records in at most `steps` writes. Returns whether records remain.
    pub async fn catch_up(&self, steps: usize) -> Result<bool, IndexError> {
        self.indexer.catch_up(steps).await
    }

    /// Returns an account's earnings since `from_day`, by day and plugin.
    pub fn earned(&self, account: &str, from_day: u64) -> Result<Vec<DailyEarnings>, IndexError> {
        let after = format!("{RULE}{account}/{from_day:06}");
        let prefix = format!("{RULE}{account}/");
        let rows = self.db.list(Collection::Earned, &after, EARNINGS_ROWS_MAX)?;
        let own_rows = rows.iter().take_while(|(key, _)| key.starts_with(&prefix));
        own_rows.filter_map(|(key, value)| read_row(key, value).transpose()).collect()
    }
}

fn read_row(key: &str, value: &[u8]) -> Result<Option<DailyEarnings>, IndexError> {
    let mut parts = key.splitn(4, '/').skip(2);
    let (Some(Ok(day)), Some(plugin)) = (parts.next().map(str::parse), parts.next()) else { return Ok(None) };
    let Sum { amount, sales } = serde_json::from_slice(value)?;
    Ok(Some(DailyEarnings { day, plugin: plugin.to_owned(), amount, sales }))
}

/// The index of earnings by account, day and plugin.
struct EarningsIndex;

impl LedgerIndex for EarningsIndex {
    const COLLECTION: Collection = Collection::Earned;
    // The cursor's key cannot collide with an account's rows: no account has the id
    // `place`.
    const CURSOR: &'static str = "v2/place";
    const RULE: &'static str = RULE;
    const RECORDS_PER_STEP: u64 = EARNINGS_RECORDS_PER_WRITE as u64;

    fn rows(&self, store: &dyn Store, records: Range<u64>) -> Result<Vec<Put>, IndexError> {
        let mut sums = Sums::new();
        for record in Records::new(store, records) {
            let (seq, bytes) = record?;
            let added = RecordSummary::of(&bytes).and_then(|record| take_in(&mut sums, &record));
            added.map_err(|source| LedgerError::Record { seq, source })?;
        }
        sums.into_iter().map(|(key, sum)| added(store, key, sum)).collect()
    }
}

/// Returns a put of the row with `new` added. The cursor, which is written together with
/// the row, prevents counting a record twice.
fn added(store: &dyn Store, key: String, new: Sum) -> Result<Put, IndexError> {
    let old: Sum = match store.get(Collection::Earned, &key)? {
        Some(bytes) => serde_json::from_slice(&bytes)?,
        None => Sum::default(),
    };
    let amount = old.amount.checked_add(new.amount).unwrap_or(old.amount);
    let sum = Sum { amount, sales: old.sales.saturating_add(new.sales) };
    let value = Some(serde_json::to_vec(&sum)?);
    Ok(Put { collection: Collection::Earned, key, value, expect: Expect::Any })
}

/// The fields that the index reads from a sale's record, besides the postings.
#[derive(Deserialize)]
struct Sale<'r> {
    plugin: Option<&'r str>,
    #[serde(borrow, default)]
    nested: Vec<NestedSale<'r>>,
}

/// A nested call in a sale's record.
#[derive(Deserialize)]
struct NestedSale<'r> {
    owner: &'r str,
    plugin: &'r str,
    shares: RecordedShares,
}

/// Adds a record to the sums. A nested call counts for the plugin that was called, not
/// for the plugin that the caller paid.
fn take_in(sums: &mut Sums, record: &RecordSummary<'_>) -> Result<(), RecordError> {
    let income = income(record);
    if income.is_empty() {
        return Ok(());
    }
    let Sale { plugin, nested } = record.body()?;
    let day = record.time_ms / DAY_MS;
    let mut add = |account: &str, plugin: &str, amount: Millipence| {
        let sum = sums.entry(format!("{RULE}{account}/{day:06}/{plugin}")).or_default();
        sum.amount = sum.amount.checked_add(amount).unwrap_or(sum.amount);
        sum.sales = sum.sales.saturating_add(1);
    };
    for (account, mut amount) in income {
        for below in nested.iter().filter(|below| below.owner == account && below.shares.developer > Millipence::ZERO) {
            add(&account, below.plugin, below.shares.developer);
            amount = amount.checked_sub(below.shares.developer).unwrap_or_default();
        }
        // The remainder was earned by the top-level plugin; a record without a plugin
        // counts under its kind.
        if amount > Millipence::ZERO {
            add(&account, plugin.unwrap_or(record.kind), amount);
        }
    }
    Ok(())
}

/// Returns the income that a record gives each account. Transfers between balances of the
/// same account, such as a returned withdrawal, are not income.
fn income(record: &RecordSummary<'_>) -> BTreeMap<String, Millipence> {
    let mut net = BTreeMap::<String, Millipence>::new();
    for leg in &record.postings {
        match LedgerAccount::parse(leg.account) {
            Some(LedgerAccount::DevAvailable(account) | LedgerAccount::DevPending(account)) => {
                let sum = net.entry(account).or_default();
                *sum = sum.checked_add(leg.amount).unwrap_or(*sum);
            }
            Some(account) if leg.amount.is_negative() && !pays(&account) => return BTreeMap::new(),
            _ => {}
        }
    }
    net.retain(|_, amount| *amount > Millipence::ZERO);
    net
}

/// Returns whether money from this ledger account is income of its recipient: the payment
/// for a sale, an earn task or a transfer between agents.
const fn pays(account: &LedgerAccount) -> bool {
    matches!(
        account,
        LedgerAccount::Unearned(_) | LedgerAccount::Credit(_) | LedgerAccount::Held(_) | LedgerAccount::EarnBudget
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Map, json};

    use super::*;
    use tollbridge_ledger::{Chain, Entry, Record, RecordedPosting};
    use tollbridge_store::{Change, RedbStore, Writer};

    fn record(kind: &str, day: u64, plugin: Option<&str>, legs: &[(&str, i64)]) -> Record {
        let mut body = Map::new();
        body.extend(plugin.map(|plugin| ("plugin".to_owned(), json!(plugin))));
        let leg = |(account, amount): &(&str, i64)| RecordedPosting {
            account: (*account).to_owned(),
            amount: Millipence::new(*amount),
        };
        Record {
            seq: 0,
            kind: kind.to_owned(),
            tx: [0; 32],
            time_ms: day * DAY_MS + 7,
            postings: legs.iter().map(leg).collect(),
            prev: [0; 32],
            body,
        }
    }

    fn sums(records: &[Record]) -> Vec<(String, i64, u64)> {
        let mut sums = Sums::new();
        records.iter().for_each(|record| take_in(&mut sums, &RecordSummary::of(&record.bytes()).unwrap()).unwrap());
        let row = |(key, sum): (String, Sum)| (key.trim_start_matches(RULE).to_owned(), sum.amount.get(), sum.sales);
        sums.into_iter().map(row).collect()
    }

    #[test]
    fn sales_are_summed_by_account_day_and_plugin() {
        let sale = |day, plugin, payer, owner: &str| {
            record("route", day, Some(plugin), &[(payer, -100), (owner, 80), ("platform", 17), ("treasury", 3)])
        };
        let records = [
            sale(20_000, "echo", "credit:acct_b", "dev:acct_a:available"),
            sale(20_000, "echo", "unearned:h1", "dev:acct_a:pending"),
            sale(20_001, "echo", "credit:acct_b", "dev:acct_a:available"),
            sale(20_001, "tax", "credit:acct_a", "dev:acct_c:available"),
            record("earn", 20_001, None, &[("earn_budget", -7800), ("dev:acct_a:available", 7800)]),
        ];
        let expect = [
            ("acct_a/020000/echo", 160, 2),
            ("acct_a/020001/earn", 7800, 1),
            ("acct_a/020001/echo", 80, 1),
            ("acct_c/020001/tax", 80, 1),
        ];
        assert_eq!(sums(&records), expect.map(|(key, amount, sales)| (key.to_owned(), amount, sales)));
    }

    #[test]
    fn internal_transfers_are_not_income() {
        for legs in [
            [("in_transit:acct_a", -500), ("dev:acct_a:available", 500)],
            [("dev:acct_a:pending", -500), ("dev:acct_a:available", 500)],
            [("dev:acct_a:available", -500), ("in_transit:acct_a", 500)],
            [("write_off", -500), ("dev:acct_a:available", 500)],
            [("processor:clearing", -500), ("unearned:h1", 500)],
        ] {
            assert_eq!(sums(&[record("x", 1, None, &legs)]), [], "{legs:?}");
        }
        let moved = [("dev:acct_a:available", -500), ("dev:acct_b:available", 500)];
        assert_eq!(sums(&[record("route", 1, Some("p"), &moved)]), [("acct_b/000001/p".to_owned(), 500, 1)]);
    }

    #[test]
    fn nested_callees_earn_under_their_own_name() {
        let legs =
            [("credit:acct_c", -300), ("dev:acct_a:available", 150), ("dev:acct_b:available", 80), ("platform", 70)];
        let mut tree = record("route", 1, Some("agent"), &legs);
        let call = |owner: &str, plugin: &str, developer: i64| {
            let shares =
                json!({ "developer_millipence": developer, "platform_millipence": 0, "treasury_millipence": 0 });
            json!({ "owner": owner, "plugin": plugin, "shares": shares })
        };
        let calls = [
            call("acct_b", "echo", 50),
            call("acct_a", "tax", 40),
            call("acct_b", "echo", 30),
            call("acct_b", "down", 0),
        ];
        tree.body.insert("nested".to_owned(), json!(calls));
        let expect = [("acct_a/000001/agent", 110, 1), ("acct_a/000001/tax", 40, 1), ("acct_b/000001/echo", 80, 2)];
        assert_eq!(sums(&[tree]), expect.map(|(key, amount, sales)| (key.to_owned(), amount, sales)));
    }

    /// An earlier version of the server did not count nested calls for any plugin; its
    /// rows and cursor remain in the store.
    #[test]
    fn rows_of_an_earlier_rule_are_counted_again() {
        let store = Arc::new(RedbStore::in_memory().unwrap());
        let failed = |why: String| panic!("{why}");
        let writer = Arc::new(Writer::start(store.clone(), Box::new(Chain::new()), None, failed).unwrap());
        let budget = tollbridge_ledger::BudgetFunding {
            source: tollbridge_ledger::FundingSource::Grant,
            amount: Millipence::new(7_800),
        };
        let earn = tollbridge_ledger::TaskReward {
            account: "acct_a".to_owned(),
            amount: Millipence::new(7_800),
            result_sha256: [2; 32],
            salt: [1; 16],
            task: "t".to_owned(),
        };
        for (tx, entry) in [(1, Entry::EarnBudget(budget)), (2, Entry::Earn(earn))] {
            let record = Some(entry.draft([tx; 32], DAY_MS).unwrap());
            writer.submit_blocking(Change { record, ..Change::default() }).unwrap();
        }
        let old = |key: &str, value: &str| Put {
            collection: Collection::Earned,
            key: key.to_owned(),
            value: Some(value.as_bytes().to_vec()),
            expect: Expect::Any,
        };
        let mut puts: Vec<Put> =
            (0..2_000).map(|plugin| old(&format!("acct_a/000001/p{plugin}"), r#"{"amount":1,"sales":1}"#)).collect();
        puts.push(old("place", "2"));
        writer.submit_blocking(Change { puts, ..Change::default() }).unwrap();
        let indexer = EarningsIndexer::new(Db::new(store.clone(), writer));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        assert!(!runtime.block_on(indexer.catch_up(10)).unwrap());
        let earn = DailyEarnings { day: 1, plugin: "earn".to_owned(), amount: Millipence::new(7_800), sales: 1 };
        assert_eq!(indexer.earned("acct_a", 0).unwrap(), [earn]);
        let rows = store.list(Collection::Earned, "", 10_000).unwrap();
        assert_eq!(rows.len(), 2, "an old row remains: {rows:?}");
    }
}
