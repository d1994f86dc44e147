//! Statistics of plugins, counted from the ledger alone. A failure counts only if it
//! ended a task, so bridges have none.
//!
//! Invariant: the counts depend only on the records below `counted`, not on the reader or
//! the start time of the process.
//!
//! This is not a `LedgerIndexer`: those store their index, while these counts are in
//! memory and rebuilt at every start.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use parking_lot::Mutex;
use serde::Deserialize;
use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_ledger::{LedgerError, Notary, RecordError, RecordSummary, RecordedShares, TaskStage};
use tollbridge_registry::PluginId;

/// Number of records that are read before the lock is released for other readers.
const STEP: u64 = 1_000;

/// Statistics of one plugin.
#[derive(Clone, Debug, Default)]
pub struct PluginStats {
    /// Number of calls that were answered and paid.
    pub completed: u64,
    /// Number of tasks that failed because of the agent.
    pub failed: u64,
    /// Total price of the plugin's calls.
    pub gross: Millipence,
    /// Total earnings of the plugin's owner.
    pub earned: Millipence,
    /// The number of tasks by duration; durations are in milliseconds, rounded to two
    /// significant digits.
    took: BTreeMap<u64, u64>,
}

/// Computes the statistics of all plugins and keeps them up to date with the ledger.
pub struct PluginStatsIndexer {
    notary: Arc<Notary>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The number of records counted so far.
    counted: u64,
    plugins: HashMap<(PluginKind, String), PluginStats>,
}

impl PluginStatsIndexer {
    /// Creates an empty index; the first request for statistics fills it.
    pub fn new(notary: Arc<Notary>) -> Self {
        Self { notary, state: Mutex::default() }
    }

    /// Returns the statistics of a plugin, up to the newest record. Blocks: the first
    /// call reads the whole ledger.
    pub fn stats(&self, id: &PluginId) -> Result<PluginStats, LedgerError> {
        self.catch_up()?;
        let key = (id.kind, id.name.to_string());
        Ok(self.state.lock().plugins.get(&key).cloned().unwrap_or_default())
    }

    /// Counts new records. Blocks.
    pub fn catch_up(&self) -> Result<(), LedgerError> {
        loop {
            let mut state = self.state.lock();
            let size = self.notary.ledger().head()?.size;
            if state.counted >= size {
                return Ok(());
            }
            let end = size.min(state.counted.saturating_add(STEP));
            for record in self.notary.ledger().records(state.counted..end) {
                let (seq, bytes) = record?;
                let counted = RecordSummary::of(&bytes).and_then(|record| state.count(&record));
                counted.map_err(|source| LedgerError::Record { seq, source })?;
                state.counted = seq.saturating_add(1);
            }
        }
    }
}

/// The members of a call's record that are counted. A call without an answer has no
/// shares.
#[derive(Deserialize)]
struct Call<'r> {
    plugin: &'r str,
    plugin_kind: PluginKind,
    #[serde(rename = "gross_millipence", default)]
    gross: Millipence,
    #[serde(default)]
    failed: bool,
    shares: Option<RecordedShares>,
    task: Option<Times>,
    #[serde(borrow, default)]
    nested: Vec<Self>,
}

#[derive(Deserialize)]
struct Times {
    started_ms: u64,
    finished_ms: u64,
}

/// The members of a queued task's record that are counted.
#[derive(Deserialize)]
struct Task<'r> {
    agent: &'r str,
    stage: TaskStage,
}

impl State {
    fn count(&mut self, record: &RecordSummary<'_>) -> Result<(), RecordError> {
        match record.kind {
            "route" | "nested" => {
                let call: Call<'_> = record.body()?;
                if record.kind == "route" {
                    self.answered(&call);
                }
                // A nested call that failed is recorded only because of what it owes; it
                // does not count as answered.
                call.nested
                    .iter()
                    .filter(|below| !below.failed && below.gross > Millipence::ZERO)
                    .for_each(|below| self.answered(below));
            }
            "task" => {
                let task: Task<'_> = record.body()?;
                if task.stage == TaskStage::Failed {
                    self.of(PluginKind::Agent, task.agent).failed += 1;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn answered(&mut self, call: &Call<'_>) {
        let stats = self.of(call.plugin_kind, call.plugin);
        stats.completed += 1;
        stats.gross = stats.gross.checked_add(call.gross).unwrap_or(stats.gross);
        let earned = call.shares.map_or(Millipence::ZERO, |shares| shares.developer);
        stats.earned = stats.earned.checked_add(earned).unwrap_or(stats.earned);
        if let Some(Times { started_ms, finished_ms }) = &call.task {
            *stats.took.entry(rounded(finished_ms.saturating_sub(*started_ms))).or_default() += 1;
        }
    }

    fn of(&mut self, kind: PluginKind, plugin: &str) -> &mut PluginStats {
        self.plugins.entry((kind, plugin.to_owned())).or_default()
    }
}

impl PluginStats {
    /// Returns the share of completed tasks among all tasks that completed or that the
    /// agent failed; `None` if there are none.
    #[expect(clippy::float_arithmetic, reason = "a rate for display, not money")]
    pub fn success_rate(&self) -> Option<f64> {
        let all = self.completed.saturating_add(self.failed);
        // Exact as floating point: counts of tasks are far below 2^53.
        (all > 0).then(|| self.completed as f64 / all as f64)
    }

    /// Returns the median duration of tasks, in milliseconds rounded to two significant
    /// digits.
    pub fn median_ms(&self) -> Option<u64> {
        let all: u64 = self.took.values().sum();
        let mut seen = 0;
        self.took
            .iter()
            .find(|(_, count)| {
                seen += **count;
                seen * 2 >= all
            })
            .map(|(ms, _)| *ms)
    }
}

/// Rounds down to two significant digits.
fn rounded(ms: u64) -> u64 {
    let mut unit = 1_u64;
    while ms / unit >= 100 {
        unit = unit.saturating_mul(10);
    }
    ms / unit * unit
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use tollbridge_ledger::Record;

    /// Counts a record with this body.
    fn count(state: &mut State, kind: &str, body: &Value) {
        let record = Record {
            seq: 0,
            kind: kind.to_owned(),
            tx: [0; 32],
            time_ms: 0,
            postings: Vec::new(),
            prev: [0; 32],
            body: body.as_object().unwrap().clone(),
        };
        state.count(&RecordSummary::of(&record.bytes()).unwrap()).unwrap();
    }

    fn shares(developer: i64) -> Value {
        json!({ "developer_millipence": developer, "platform_millipence": 0, "treasury_millipence": 0 })
    }

    fn call(gross: i64, developer: i64) -> Value {
        json!({
            "plugin": "a", "plugin_kind": "agent", "gross_millipence": gross,
            "shares": shares(developer),
            "task": { "started_ms": 1_000, "finished_ms": 1_234 },
        })
    }

    #[test]
    fn answers_failures_and_nested_answers_count() {
        let mut state = State::default();
        count(&mut state, "route", &call(20_000, 16_000));
        count(&mut state, "task", &json!({ "agent": "a", "stage": "failed" }));
        count(&mut state, "task", &json!({ "agent": "a", "stage": "refused" }));
        for below in [call(5_000, 4_000), call(0, 0)] {
            count(&mut state, "nested", &json!({ "plugin": "b", "plugin_kind": "agent", "nested": [below] }));
        }
        let of = |state: &State, kind: PluginKind, name: &str| state.plugins.get(&(kind, name.to_owned())).cloned();
        let stats = of(&state, PluginKind::Agent, "a").unwrap();
        assert_eq!((stats.completed, stats.failed), (2, 1));
        assert_eq!((stats.gross.get(), stats.earned.get()), (25_000, 20_000));
        assert_eq!((stats.median_ms(), stats.success_rate()), (Some(230), Some(2.0 / 3.0)));
        assert!(of(&state, PluginKind::Agent, "b").is_none(), "a failed call must not count as answered");
        // A bridge with the same name is another plugin, and has no tasks.
        let bridge = json!({
            "plugin": "a", "plugin_kind": "bridge", "gross_millipence": 1_000,
            "shares": shares(800),
        });
        count(&mut state, "route", &bridge);
        let stats = of(&state, PluginKind::Bridge, "a").unwrap();
        assert_eq!((stats.completed, stats.earned.get(), stats.median_ms()), (1, 800, None));
    }

    #[test]
    fn times_keep_two_digits() {
        assert_eq!([0, 7, 99, 100, 1_234, 98_765].map(rounded), [0, 7, 99, 100, 1_200, 98_000]);
    }
}
