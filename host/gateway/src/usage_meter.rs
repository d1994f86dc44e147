//! Usage totals: tokens and cost by account, API key or plugin, provider, model and day.
//!
//! Totals are counted in memory and added to the rows every few seconds, so that each
//! request need not update a row. A crash loses the totals of the last seconds; the
//! charges themselves are in the ledger. Rows older than the retention period are
//! deleted.

use std::collections::{BTreeMap, HashMap};

use metrics::counter;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;
use tollbridge_core::time::DAY_MS;
use tollbridge_store::{Change, Collection, Db, Expect, Put, Rows, StoreError, SubmitError};

use super::counters::SubjectCounters;
use super::pricing::TokenUsage;
use super::provider::ModelDeployment;

/// Maximum number of keys with separate metrics; further keys share one series.
const METERED_KEYS_MAX: usize = 1_000;
/// Number of usage lines in memory that triggers an immediate write.
const USAGE_WAITING_MAX: usize = 10_000;
/// Days for which usage lines are kept; older ones cannot be requested and are
/// deleted.
const USAGE_DAYS_KEPT: u64 = 100;
/// Maximum number of usage lines that one round of deletion examines.
const USAGE_TIDIED_AT_ONCE: usize = 5_000;
/// Maximum number of usage lines that the operator's list of spending reads, which takes
/// about a second. The list reports when there are more.
const USAGE_LINES_READ_MAX: usize = 200_000;
/// Maximum number of usage lines in one answer.
const USAGE_LINES_MAX: usize = 5_000;

/// Metrics label shared by all API keys after the first thousand.
const OTHER: &str = "other";

/// The API key or plugin to which usage is attributed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UsageSubject {
    /// An API key of an account.
    Key {
        /// The id of the account.
        account: String,
        /// The public id of the key.
        key: String,
    },
    /// A plugin, for all of its callers together.
    Plugin(String),
}

/// The key of one row of usage totals.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UsageKey {
    /// The subject of the usage.
    pub subject: UsageSubject,
    /// Days since 1970-01-01, UTC.
    pub day: u64,
    /// The name of the provider.
    pub provider: String,
    /// The shared name of the model.
    pub model: String,
}

/// The usage totals of one row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageTotals {
    /// Number of answered requests.
    pub requests: u64,
    /// Number of requests whose tokens were estimated here, because the provider did not
    /// report them.
    pub estimated: u64,
    /// Input tokens, cached or not.
    pub input_tokens: u64,
    /// Input tokens that the provider read from its cache.
    pub cached_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Total amount that the providers charge.
    pub cost_millipence: i64,
    /// Total amount charged to callers.
    pub charged_millipence: i64,
}

/// Usage totals, both pending in memory and written.
pub struct UsageMeter {
    /// The database in the data folder.
    db: Db,
    pending: Mutex<BTreeMap<UsageKey, UsageTotals>>,
    /// Metrics of the API keys and plugins that have their own label.
    counters_by_subject: Mutex<HashMap<UsageSubject, SubjectCounters>>,
    /// Lock that serializes flushes, because a row is read, added to and written back.
    flushing: tokio::sync::Mutex<()>,
    /// The key of the row after which the next round of deletions begins.
    expiry_cursor: Mutex<String>,
}

impl UsageTotals {
    /// Adds other totals to these.
    pub fn add(&mut self, other: &Self) {
        self.requests = self.requests.saturating_add(other.requests);
        self.estimated = self.estimated.saturating_add(other.estimated);
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.cached_tokens = self.cached_tokens.saturating_add(other.cached_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.cost_millipence = self.cost_millipence.saturating_add(other.cost_millipence);
        self.charged_millipence = self.charged_millipence.saturating_add(other.charged_millipence);
    }
}

/// Returns the day number of a Unix time in milliseconds.
pub fn day_of(now_ms: u64) -> u64 {
    now_ms / DAY_MS
}

impl UsageSubject {
    /// Returns the prefix of the subject's row keys; ids and names contain no tabs.
    fn prefix(&self) -> String {
        match self {
            Self::Key { account, .. } => format!("a\t{account}\t"),
            Self::Plugin(plugin) => format!("p\t{plugin}\t"),
        }
    }
}

impl UsageKey {
    fn row_key(&self) -> String {
        let key = match &self.subject {
            UsageSubject::Key { key, .. } => key.as_str(),
            UsageSubject::Plugin(_) => "",
        };
        format!("{}{:06}\t{key}\t{}\t{}", self.subject.prefix(), self.day, self.provider, self.model)
    }

    fn read(row_key: &str) -> Option<Self> {
        let mut parts = row_key.split('\t');
        let (kind, name, day) = (parts.next()?, parts.next()?.to_owned(), parts.next()?.parse().ok()?);
        let (key, provider, model) = (parts.next()?.to_owned(), parts.next()?.to_owned(), parts.next()?.to_owned());
        let subject = match kind {
            "a" => UsageSubject::Key { account: name, key },
            "p" => UsageSubject::Plugin(name),
            _ => return None,
        };
        Some(Self { subject, day, provider, model })
    }
}

impl UsageMeter {
    /// Creates a meter without pending totals.
    pub fn new(db: Db) -> Self {
        Self {
            db,
            pending: Mutex::default(),
            counters_by_subject: Mutex::default(),
            flushing: tokio::sync::Mutex::new(()),
            expiry_cursor: Mutex::default(),
        }
    }

    /// Adds the usage of one request.
    pub fn add(
        &self,
        subject: UsageSubject,
        deployment: &ModelDeployment,
        usage: &TokenUsage,
        [cost, charged]: [Millipence; 2],
        now_ms: u64,
    ) {
        self.count(&subject, deployment, usage, cost);
        let line = UsageKey {
            subject,
            day: day_of(now_ms),
            provider: deployment.provider.name.clone(),
            model: deployment.name.replace('\t', " "),
        };
        let counts = UsageTotals {
            requests: 1,
            estimated: u64::from(usage.estimated),
            input_tokens: usage.input,
            cached_tokens: usage.cached,
            output_tokens: usage.output,
            cost_millipence: cost.get(),
            charged_millipence: charged.get(),
        };
        let mut pending = self.pending.lock();
        if pending.len() < USAGE_WAITING_MAX || pending.contains_key(&line) {
            pending.entry(line).or_default().add(&counts);
        } else {
            drop(pending);
            counter!("tollbridge_inference_usage_lost_total").increment(1);
        }
    }

    fn count(&self, subject: &UsageSubject, deployment: &ModelDeployment, usage: &TokenUsage, cost: Millipence) {
        let cost = u64::try_from(cost.get()).unwrap_or(0);
        deployment.counters.used(usage, cost);
        let (kind, who, limit) = match subject {
            UsageSubject::Plugin(plugin) => ("plugin", plugin.as_str(), usize::MAX),
            UsageSubject::Key { key, .. } => ("key", key.as_str(), METERED_KEYS_MAX),
        };
        let mut counters_by_subject = self.counters_by_subject.lock();
        match counters_by_subject.get(subject) {
            Some(counters) => counters.used(usage, cost),
            None if counters_by_subject.len() >= limit => SubjectCounters::new(kind, OTHER).used(usage, cost),
            None => {
                let counters = SubjectCounters::new(kind, who);
                counters.used(usage, cost);
                counters_by_subject.insert(subject.clone(), counters);
            }
        }
    }

    /// Writes the pending totals; if writing fails, they stay pending.
    pub async fn flush(&self) -> Result<(), SubmitError> {
        let _one = self.flushing.lock().await;
        let pending = std::mem::take(&mut *self.pending.lock());
        if pending.is_empty() {
            return Ok(());
        }
        let written = match self.puts(&pending) {
            Ok(puts) => self.db.submit(Change { puts, ..Change::default() }).await.map(drop),
            Err(error) => {
                tracing::error!(%error, "usage totals cannot be read");
                Err(SubmitError::Failed)
            }
        };
        if written.is_err() {
            let mut unwritten = self.pending.lock();
            for (line, counts) in pending {
                unwritten.entry(line).or_default().add(&counts);
            }
        }
        written
    }

    fn puts(&self, pending: &BTreeMap<UsageKey, UsageTotals>) -> Result<Vec<Put>, StoreError> {
        let put = |(line, new): (&UsageKey, &UsageTotals)| {
            let key = line.row_key();
            let mut counts = match self.db.get(Collection::Usage, &key)? {
                Some(bytes) => read_counts(&bytes)?,
                None => UsageTotals::default(),
            };
            counts.add(new);
            let value = serde_json::to_vec(&counts).map_err(damaged)?;
            Ok(Put { collection: Collection::Usage, key, value: Some(value), expect: Expect::Any })
        };
        pending.iter().map(put).collect()
    }

    /// Deletes rows older than the retention period. Each call handles a limited number
    /// of rows, and the next call continues after them. Returns the number of deleted
    /// rows.
    pub async fn delete_expired(&self, now_ms: u64) -> Result<usize, SubmitError> {
        let oldest = day_of(now_ms).saturating_sub(USAGE_DAYS_KEPT);
        let after = self.expiry_cursor.lock().clone();
        let rows = self.db.list(Collection::Usage, &after, USAGE_TIDIED_AT_ONCE).map_err(|error| {
            tracing::error!(%error, "usage totals cannot be read");
            SubmitError::Failed
        })?;
        let next = rows.last().filter(|_| rows.len() == USAGE_TIDIED_AT_ONCE).map(|(key, _)| key.clone());
        let old =
            rows.into_iter().map(|(key, _)| key).filter(|key| UsageKey::read(key).is_none_or(|line| line.day < oldest));
        let put = |key| Put { collection: Collection::Usage, key, value: None, expect: Expect::Any };
        let puts: Vec<Put> = old.map(put).collect();
        let deleted = puts.len();
        if deleted > 0 {
            self.db.submit(Change { puts, ..Change::default() }).await?;
        }
        *self.expiry_cursor.lock() = next.unwrap_or_default();
        Ok(deleted)
    }

    /// Returns a subject's rows since a day, including pending totals, and whether there
    /// were more rows than the limit. The subject is a plugin, or all keys of an account.
    pub fn lines(&self, of: &UsageSubject, from_day: u64) -> Result<(Vec<(UsageKey, UsageTotals)>, bool), StoreError> {
        let prefix = of.prefix();
        let mut totals: BTreeMap<UsageKey, UsageTotals> = BTreeMap::new();
        let first_day = format!("{prefix}{from_day:06}");
        for row in Rows::of(self.db.store(), Collection::Usage).with_prefix(prefix.as_str()).after(first_day) {
            let (key, value) = row?;
            if totals.len() > USAGE_LINES_MAX {
                break;
            }
            if let Some(line) = UsageKey::read(&key) {
                totals.insert(line, read_counts(&value)?);
            }
        }
        let pending = self.pending.lock();
        for (line, counts) in pending.iter().filter(|(line, _)| line.day >= from_day && line.subject.prefix() == prefix)
        {
            totals.entry(line.clone()).or_default().add(counts);
        }
        let more = totals.len() > USAGE_LINES_MAX;
        Ok((totals.into_iter().take(USAGE_LINES_MAX).collect(), more))
    }

    /// Visits every row since a day, of all keys and plugins; pending totals are visited
    /// as separate rows. Returns whether there were more rows than the limit. Blocks.
    pub fn for_each_since(
        &self,
        from_day: u64,
        mut show: impl FnMut(&UsageKey, &UsageTotals),
    ) -> Result<bool, StoreError> {
        let mut more = false;
        for (place, row) in Rows::of(self.db.store(), Collection::Usage).enumerate() {
            let (key, value) = row?;
            if place >= USAGE_LINES_READ_MAX {
                more = true;
                break;
            }
            if let Some(line) = UsageKey::read(&key).filter(|line| line.day >= from_day) {
                show(&line, &read_counts(&value)?);
            }
        }
        let pending = self.pending.lock();
        pending.iter().filter(|(line, _)| line.day >= from_day).for_each(|(line, counts)| show(line, counts));
        Ok(more)
    }
}

fn read_counts(bytes: &[u8]) -> Result<UsageTotals, StoreError> {
    serde_json::from_slice(bytes).map_err(damaged)
}

fn damaged(error: serde_json::Error) -> StoreError {
    StoreError { doing: "reading usage", source: Box::new(error) }
}

#[cfg(test)]
mod tests {
    use super::super::testing::deployment;
    use super::*;
    use std::sync::Arc;
    use tollbridge_ledger::Chain;

    use tollbridge_store::{RedbStore, Store, Writer};

    #[test]
    fn lines_read_back() {
        let key = UsageSubject::Key { account: "acct_1".to_owned(), key: "key_9".to_owned() };
        for subject in [key, UsageSubject::Plugin("model_inference".to_owned())] {
            let line =
                UsageKey { subject, day: 20_778, provider: "groq".to_owned(), model: "meta/llama:8b".to_owned() };
            assert_eq!(UsageKey::read(&line.row_key()), Some(line));
        }
        assert_eq!(UsageKey::read("a\tb"), None);
    }

    #[test]
    fn days_begin_at_midnight() {
        assert_eq!(day_of(DAY_MS - 1), 0);
        assert_eq!(day_of(DAY_MS), 1);
    }

    #[tokio::test]
    async fn old_lines_are_forgotten_and_others_stay() {
        let store = Arc::new(RedbStore::in_memory().unwrap());
        let failed = |why: String| panic!("{why}");
        let writer = Writer::start(store.clone(), Box::new(Chain::new()), None, failed).unwrap();
        let meter = UsageMeter::new(Db::new(store.clone(), Arc::new(writer)));
        let today = 20_000;
        let subject_of =
            |account: usize| UsageSubject::Key { account: format!("acct_{account:05}"), key: "k".to_owned() };
        let usage = TokenUsage { input: 1, ..TokenUsage::default() };
        let write = async |accounts: std::ops::Range<usize>, day: u64| {
            for account in accounts {
                let of = deployment("one", "m", 1, 1);
                meter.add(subject_of(account), &of, &usage, [Millipence::ZERO; 2], day * DAY_MS);
            }
            meter.flush().await.unwrap();
        };
        // Writes more expired rows than one round handles, and one row that is just
        // recent enough.
        write(0..USAGE_TIDIED_AT_ONCE + 10, today - USAGE_DAYS_KEPT - 1).await;
        write(0..1, today - USAGE_DAYS_KEPT).await;
        write(7..8, today).await;
        let mut rounds = Vec::new();
        for _ in 0..3 {
            rounds.push(meter.delete_expired(today * DAY_MS).await.unwrap());
        }
        assert_eq!((rounds.iter().sum::<usize>(), rounds[2]), (USAGE_TIDIED_AT_ONCE + 10, 0), "{rounds:?}");
        assert_eq!(store.list(Collection::Usage, "", 10).unwrap().len(), 2);
        assert_eq!(meter.lines(&subject_of(7), 0).unwrap().0.len(), 1);
        // Visits all subjects, including pending totals.
        let of = deployment("one", "m", 1, 1);
        meter.add(subject_of(9), &of, &usage, [Millipence::new(5), Millipence::ZERO], today * DAY_MS);
        let mut seen = (0, 0);
        let more = meter.for_each_since(today, |_, counts| {
            seen = (seen.0 + counts.requests, seen.1 + counts.cost_millipence);
        });
        assert_eq!((more.unwrap(), seen), (false, (2, 5)));
    }
}
