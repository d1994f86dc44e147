//! What was used: tokens and cost for each account, key or plugin, provider,
//! model and day.
//!
//! Counted in memory and written every few seconds as sums, so that no row is
//! changed for each request. A crash loses the last seconds of these sums; what
//! was charged is in the ledger.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use metrics::counter;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::price::Usage;
use super::provider::Deployment;
use crate::limits::{METERED_KEYS_MAX, USAGE_LINES_MAX, USAGE_WAITING_MAX};
use crate::money::Millipence;
use crate::store::{Change, Collection, Expect, Put, Store, StoreError, SubmitError, Writer};

const DAY_MS: u64 = 86_400_000;
/// Rows read at a time.
const PAGE: usize = 1_000;

/// Who used it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A key of an account, by its public id.
    Key { account: String, key: String },
    /// A plugin, in calls of whomever.
    Plugin(String),
}

/// One line of usage.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    pub subject: Subject,
    /// Days since 1970-01-01, UTC.
    pub day: u64,
    pub provider: String,
    pub model: String,
}

/// What a line sums up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub requests: u64,
    /// Of which the tokens were counted here, because the provider did not.
    pub estimated: u64,
    pub input_tokens: u64,
    pub cached_tokens: u64,
    pub output_tokens: u64,
    /// What the providers took.
    pub cost_millipence: i64,
    /// What was charged.
    pub charged_millipence: i64,
}

/// Sums that wait to be written, and those that are.
pub struct Meter {
    store: Arc<dyn Store>,
    writer: Arc<Writer>,
    waiting: Mutex<BTreeMap<Line, Counts>>,
    /// Keys that have a line of their own in the metrics.
    keys: Mutex<HashSet<String>>,
    /// One flush at a time: a row is read, added to and written back.
    flushing: tokio::sync::Mutex<()>,
}

impl Counts {
    /// Adds other sums to these.
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

/// The day of a Unix time in milliseconds.
pub fn day_of(now_ms: u64) -> u64 {
    now_ms / DAY_MS
}

impl Subject {
    /// Prefix of its rows; no id or name has a tab in it.
    fn prefix(&self) -> String {
        match self {
            Self::Key { account, .. } => format!("a\t{account}\t"),
            Self::Plugin(plugin) => format!("p\t{plugin}\t"),
        }
    }
}

impl Line {
    fn row_key(&self) -> String {
        let key = match &self.subject {
            Subject::Key { key, .. } => key.as_str(),
            Subject::Plugin(_) => "",
        };
        format!("{}{:06}\t{key}\t{}\t{}", self.subject.prefix(), self.day, self.provider, self.model)
    }

    fn read(row_key: &str) -> Option<Self> {
        let mut parts = row_key.split('\t');
        let (kind, name, day) = (parts.next()?, parts.next()?.to_owned(), parts.next()?.parse().ok()?);
        let (key, provider, model) = (parts.next()?.to_owned(), parts.next()?.to_owned(), parts.next()?.to_owned());
        let subject = match kind {
            "a" => Subject::Key { account: name, key },
            "p" => Subject::Plugin(name),
            _ => return None,
        };
        Some(Self { subject, day, provider, model })
    }
}

impl Meter {
    pub fn new(store: Arc<dyn Store>, writer: Arc<Writer>) -> Self {
        Self { store, writer, waiting: Mutex::default(), keys: Mutex::default(), flushing: tokio::sync::Mutex::new(()) }
    }

    /// Counts one request.
    pub fn add(
        &self,
        subject: Subject,
        deployment: &Deployment,
        usage: &Usage,
        [cost, charged]: [Millipence; 2],
        now_ms: u64,
    ) {
        self.count(&subject, deployment, usage, cost);
        let line = Line {
            subject,
            day: day_of(now_ms),
            provider: deployment.provider.name.clone(),
            model: deployment.name.replace('\t', " "),
        };
        let counts = Counts {
            requests: 1,
            estimated: u64::from(usage.estimated),
            input_tokens: usage.input,
            cached_tokens: usage.cached,
            output_tokens: usage.output,
            cost_millipence: cost.get(),
            charged_millipence: charged.get(),
        };
        let mut waiting = self.waiting.lock();
        if waiting.len() < USAGE_WAITING_MAX || waiting.contains_key(&line) {
            waiting.entry(line).or_default().add(&counts);
        } else {
            drop(waiting);
            counter!("tollbridge_inference_usage_lost_total").increment(1);
        }
    }

    fn count(&self, subject: &Subject, deployment: &Deployment, usage: &Usage, cost: Millipence) {
        let provider = || deployment.provider.name.clone();
        for (kind, tokens) in [("input", usage.input), ("output", usage.output), ("cached", usage.cached)] {
            counter!(
                "tollbridge_inference_tokens_total",
                "provider" => provider(), "model" => deployment.name.clone(), "kind" => kind
            )
            .increment(tokens);
        }
        let cost = u64::try_from(cost.get()).unwrap_or(0);
        counter!("tollbridge_inference_cost_millipence_total", "provider" => provider()).increment(cost);
        let (kind, who) = match subject {
            Subject::Plugin(plugin) => ("plugin", plugin.clone()),
            Subject::Key { key, .. } => ("key", self.label(key)),
        };
        counter!("tollbridge_inference_requests_by_total", "kind" => kind, "who" => who.clone()).increment(1);
        counter!("tollbridge_inference_cost_by_millipence_total", "kind" => kind, "who" => who).increment(cost);
    }

    /// The key's id, or one word for all keys beyond the first thousand.
    fn label(&self, key: &str) -> String {
        let mut keys = self.keys.lock();
        if keys.contains(key) || (keys.len() < METERED_KEYS_MAX && keys.insert(key.to_owned())) {
            return key.to_owned();
        }
        "other".to_owned()
    }

    /// Writes what waits.
    pub async fn flush(&self) -> Result<(), SubmitError> {
        let _one = self.flushing.lock().await;
        let waiting = std::mem::take(&mut *self.waiting.lock());
        if waiting.is_empty() {
            return Ok(());
        }
        let written = match self.puts(&waiting) {
            Ok(puts) => self.writer.submit(Change { puts, ..Change::default() }).await.map(drop),
            Err(error) => {
                tracing::error!(%error, "usage cannot be read");
                Err(SubmitError::Failed)
            }
        };
        if written.is_err() {
            let mut again = self.waiting.lock();
            for (line, counts) in waiting {
                again.entry(line).or_default().add(&counts);
            }
        }
        written
    }

    fn puts(&self, waiting: &BTreeMap<Line, Counts>) -> Result<Vec<Put>, StoreError> {
        let put = |(line, new): (&Line, &Counts)| {
            let key = line.row_key();
            let mut counts = match self.store.get(Collection::Usage, &key)? {
                Some(bytes) => read_counts(&bytes)?,
                None => Counts::default(),
            };
            counts.add(new);
            let value = serde_json::to_vec(&counts).map_err(damaged)?;
            Ok(Put { collection: Collection::Usage, key, value: Some(value), expect: Expect::Any })
        };
        waiting.iter().map(put).collect()
    }

    /// The lines of an account's keys, or of a plugin, from a day on; what
    /// still waits included. Whether there were more than are listed.
    pub fn lines(&self, of: &Subject, from_day: u64) -> Result<(Vec<(Line, Counts)>, bool), StoreError> {
        let prefix = of.prefix();
        let mut found: BTreeMap<Line, Counts> = BTreeMap::new();
        let mut after = format!("{prefix}{from_day:06}");
        'pages: loop {
            let page = self.store.list(Collection::Usage, &after, PAGE)?;
            let Some((last, _)) = page.last() else { break };
            after.clone_from(last);
            for (key, value) in page {
                if !key.starts_with(&prefix) || found.len() > USAGE_LINES_MAX {
                    break 'pages;
                }
                if let Some(line) = Line::read(&key) {
                    found.insert(line, read_counts(&value)?);
                }
            }
        }
        let waiting = self.waiting.lock();
        for (line, counts) in waiting.iter().filter(|(line, _)| line.day >= from_day && line.subject.prefix() == prefix)
        {
            found.entry(line.clone()).or_default().add(counts);
        }
        let more = found.len() > USAGE_LINES_MAX;
        Ok((found.into_iter().take(USAGE_LINES_MAX).collect(), more))
    }
}

fn read_counts(bytes: &[u8]) -> Result<Counts, StoreError> {
    serde_json::from_slice(bytes).map_err(damaged)
}

fn damaged(error: serde_json::Error) -> StoreError {
    StoreError { doing: "reading usage", source: Box::new(error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_read_back() {
        let key = Subject::Key { account: "acct_1".to_owned(), key: "key_9".to_owned() };
        for subject in [key, Subject::Plugin("model_inference".to_owned())] {
            let line = Line { subject, day: 20_778, provider: "groq".to_owned(), model: "meta/llama:8b".to_owned() };
            assert_eq!(Line::read(&line.row_key()), Some(line));
        }
        assert_eq!(Line::read("a\tb"), None);
    }

    #[test]
    fn days_begin_at_midnight() {
        assert_eq!(day_of(DAY_MS - 1), 0);
        assert_eq!(day_of(DAY_MS), 1);
    }
}
