//! What plugins did and earned, counted from the ledger alone. A failure is in
//! it only where it ended a task, so bridges show none.
//!
//! Invariant: the counts are those of the records up to `counted`, whoever asks
//! and whenever the process started; nothing else feeds them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;

use crate::ledger::{LedgerError, Notary, Record};
use crate::money::Millipence;
use crate::registry::{Kind, PluginId};

/// Records that are read before others may look.
const STEP: u64 = 1_000;

/// What is counted of one plugin.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    pub completed: u64,
    /// Tasks that were given up because the agent failed.
    pub failed: u64,
    /// All that was paid for it.
    pub gross: Millipence,
    /// What its owner earned.
    pub earned: Millipence,
    /// Milliseconds to two significant digits, and how many took so long.
    took: BTreeMap<u64, u64>,
}

/// Counts, as far as they have come.
pub struct Tally {
    notary: Arc<Notary>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Records that are counted.
    counted: u64,
    plugins: HashMap<(Kind, String), Stats>,
}

impl Tally {
    pub fn new(notary: Arc<Notary>) -> Self {
        Self { notary, state: Mutex::default() }
    }

    /// The counts of a plugin, up to the newest record. Blocks: the first time
    /// it reads the whole ledger.
    pub fn of(&self, id: &PluginId) -> Result<Stats, LedgerError> {
        self.catch_up()?;
        let key = (id.kind, id.name.to_string());
        Ok(self.state.lock().plugins.get(&key).cloned().unwrap_or_default())
    }

    /// Counts what is new. Blocks.
    pub fn catch_up(&self) -> Result<(), LedgerError> {
        loop {
            let mut state = self.state.lock();
            let size = self.notary.ledger().head()?.size;
            if state.counted >= size {
                return Ok(());
            }
            let end = size.min(state.counted.saturating_add(STEP));
            for seq in state.counted..end {
                if let Some((_, record)) = self.notary.ledger().record(seq)? {
                    state.count(&record);
                }
                state.counted = seq.saturating_add(1);
            }
        }
    }
}

impl State {
    fn count(&mut self, record: &Record) {
        let body = Value::Object(record.body.clone());
        match record.kind.as_str() {
            "route" | "nested" => {
                if record.kind == "route" {
                    self.answered(&body);
                }
                let below = body.get("nested").and_then(Value::as_array);
                for call in below.into_iter().flatten() {
                    // One that gave no answer stands there with nothing.
                    if number(call, "/gross_millipence").is_some_and(|gross| gross > 0) {
                        self.answered(call);
                    }
                }
            }
            "task" if body.get("stage").and_then(Value::as_str) == Some("failed") => {
                self.of(Kind::Agent, body.get("agent")).failed += 1;
            }
            _ => {}
        }
    }

    fn answered(&mut self, call: &Value) {
        // Inference that was bought is no plugin's.
        let Some(kind) = kind_of(call) else { return };
        let stats = self.of(kind, call.get("plugin"));
        stats.completed += 1;
        let add = |to: Millipence, pointer: &str| {
            to.checked_add(Millipence::new(number(call, pointer).unwrap_or(0))).unwrap_or(to)
        };
        stats.gross = add(stats.gross, "/gross_millipence");
        stats.earned = add(stats.earned, "/shares/developer_millipence");
        let times = number(call, "/task/finished_ms").zip(number(call, "/task/started_ms"));
        if let Some(ms) = times.and_then(|(end, start)| u64::try_from(end.saturating_sub(start)).ok()) {
            *stats.took.entry(rounded(ms)).or_default() += 1;
        }
    }

    fn of(&mut self, kind: Kind, plugin: Option<&Value>) -> &mut Stats {
        let plugin = plugin.and_then(Value::as_str).unwrap_or_default();
        self.plugins.entry((kind, plugin.to_owned())).or_default()
    }
}

fn kind_of(call: &Value) -> Option<Kind> {
    match call.get("plugin_kind").and_then(Value::as_str)? {
        "agent" => Some(Kind::Agent),
        "bridge" => Some(Kind::Bridge),
        _ => None,
    }
}

fn number(value: &Value, pointer: &str) -> Option<i64> {
    value.pointer(pointer).and_then(Value::as_i64)
}

impl Stats {
    /// Of the tasks that ended by the agent's doing; none while there are none.
    #[expect(clippy::float_arithmetic, reason = "a rate for readers; no money")]
    pub fn success_rate(&self) -> Option<f64> {
        let all = self.completed.saturating_add(self.failed);
        // Counts of tasks are far below 2^53.
        (all > 0).then(|| self.completed as f64 / all as f64)
    }

    /// The time that half of the tasks took at most, milliseconds to two digits.
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

/// To two significant digits.
fn rounded(ms: u64) -> u64 {
    let mut unit = 1_u64;
    while ms / unit >= 100 {
        unit = unit.saturating_mul(10);
    }
    ms / unit * unit
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn record(kind: &str, body: Value) -> Record {
        Record {
            seq: 0,
            kind: kind.to_owned(),
            tx: [0; 32],
            time_ms: 0,
            postings: Vec::new(),
            prev: [0; 32],
            body: body.as_object().unwrap().clone(),
        }
    }

    fn call(gross: i64, developer: i64) -> Value {
        json!({
            "plugin": "a", "plugin_kind": "agent", "gross_millipence": gross,
            "shares": { "developer_millipence": developer },
            "task": { "started_ms": 1_000, "finished_ms": 1_234 },
        })
    }

    #[test]
    fn answers_failures_and_nested_answers_count() {
        let mut state = State::default();
        state.count(&record("route", call(20_000, 16_000)));
        state.count(&record("task", json!({ "agent": "a", "stage": "failed" })));
        state.count(&record("task", json!({ "agent": "a", "stage": "refused" })));
        state
            .count(&record("nested", json!({ "plugin": "b", "plugin_kind": "agent", "nested": [call(5_000, 4_000)] })));
        state.count(&record("nested", json!({ "nested": [call(0, 0)] })));
        let of = |state: &State, kind: Kind, name: &str| state.plugins.get(&(kind, name.to_owned())).cloned();
        let stats = of(&state, Kind::Agent, "a").unwrap();
        assert_eq!((stats.completed, stats.failed), (2, 1));
        assert_eq!((stats.gross.get(), stats.earned.get()), (25_000, 20_000));
        assert_eq!((stats.median_ms(), stats.success_rate()), (Some(230), Some(2.0 / 3.0)));
        assert!(of(&state, Kind::Agent, "b").is_none(), "a parent that failed did not answer");
        // A bridge of the same name is another plugin; it has no task.
        let bridge = json!({
            "plugin": "a", "plugin_kind": "bridge", "gross_millipence": 1_000,
            "shares": { "developer_millipence": 800 },
        });
        state.count(&record("route", bridge));
        let stats = of(&state, Kind::Bridge, "a").unwrap();
        assert_eq!((stats.completed, stats.earned.get(), stats.median_ms()), (1, 800, None));
    }

    #[test]
    fn times_keep_two_digits() {
        assert_eq!([0, 7, 99, 100, 1_234, 98_765].map(rounded), [0, 7, 99, 100, 1_200, 98_000]);
    }
}
