//! The order in which plugins load at start-up: most recently called first, because
//! callers are most likely to need those next.
//!
//! The order is derived from the newest ledger records, which every host of a ledger has.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use serde::Deserialize;
use tollbridge_core::blocking::blocking;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_ledger::{Ledger, LedgerError, Notary, RecordError, RecordSummary};
use tollbridge_registry::PluginId;

/// Number of newest records to read, which takes a few hundredths of a second. Plugins
/// whose last call is older load together with those that were never called.
const RECORDS_LOOKED_AT: u64 = 5_000;

/// The most recent call of each plugin.
#[derive(Debug, Default)]
pub(super) struct LoadOrder {
    /// Sequence number of the last record that contains a call of the plugin.
    used: HashMap<(PluginKind, String), u64>,
}

/// A call in a record, with its nested calls.
#[derive(Deserialize)]
struct Call<'r> {
    plugin: &'r str,
    plugin_kind: PluginKind,
    #[serde(borrow, default)]
    nested: Vec<Self>,
}

impl LoadOrder {
    /// Determines the load order from the ledger.
    pub(super) async fn read(notary: Arc<Notary>) -> Self {
        match blocking(move || Self::of(notary.ledger())).await {
            Ok(Ok(order)) => order,
            // If the records cannot be read, plugins load in any order.
            Ok(Err(error)) => {
                tracing::warn!(%error, "could not read which plugins were called recently");
                Self::default()
            }
            Err(_) => Self::default(),
        }
    }

    fn of(ledger: &Ledger) -> Result<Self, LedgerError> {
        let size = ledger.head()?.size;
        let mut order = Self::default();
        for record in ledger.records(size.saturating_sub(RECORDS_LOOKED_AT)..size) {
            let (seq, bytes) = record?;
            let noted = RecordSummary::of(&bytes).and_then(|record| order.note(seq, &record));
            noted.map_err(|source| LedgerError::Record { seq, source })?;
        }
        Ok(order)
    }

    fn note(&mut self, seq: u64, record: &RecordSummary<'_>) -> Result<(), RecordError> {
        if matches!(record.kind, "route" | "nested") {
            self.called(seq, &record.body()?);
        }
        Ok(())
    }

    fn called(&mut self, seq: u64, call: &Call<'_>) {
        self.used.insert((call.plugin_kind, call.plugin.to_owned()), seq);
        call.nested.iter().for_each(|below| self.called(seq, below));
    }

    /// Sorts plugins by their most recent call; plugins without a known call follow in
    /// their original order.
    pub(super) fn sorted(&self, ids: &BTreeSet<PluginId>) -> Vec<PluginId> {
        let mut sorted: Vec<PluginId> = ids.iter().cloned().collect();
        sorted.sort_by_cached_key(|id| Reverse(self.used.get(&(id.kind, id.name.to_string())).copied()));
        sorted
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn note(order: &mut LoadOrder, seq: u64, kind: &str, body: &Value) {
        let record = json!({ "kind": kind, "time_ms": 1, "postings": [], "body": body }).to_string();
        order.note(seq, &RecordSummary::of(record.as_bytes()).unwrap()).unwrap();
    }

    #[test]
    fn what_was_called_last_comes_first_and_the_rest_as_it_was() {
        let ids = ["agent/a", "bridge/a", "bridge/b", "bridge/c", "bridge/d", "bridge/e"];
        let ids: BTreeSet<PluginId> = ids.iter().map(|id| id.parse().unwrap()).collect();
        let unused: Vec<PluginId> = ids.iter().cloned().collect();
        assert_eq!(LoadOrder::default().sorted(&ids), unused);
        let mut order = LoadOrder::default();
        note(&mut order, 1, "route", &json!({ "plugin": "e", "plugin_kind": "bridge", "gross_millipence": 5 }));
        // An agent that calls a bridge, which calls another bridge.
        let below = json!([{ "plugin": "c", "plugin_kind": "bridge", "nested": [{ "plugin": "gone", "plugin_kind": "bridge" }] }]);
        note(&mut order, 2, "route", &json!({ "plugin": "a", "plugin_kind": "agent", "nested": below }));
        note(&mut order, 3, "policy", &json!({ "plugin": "b" }));
        note(&mut order, 4, "nested", &json!({ "plugin": "e", "plugin_kind": "bridge" }));
        let names: Vec<String> = order.sorted(&ids).iter().map(ToString::to_string).collect();
        // The agent and the bridges that it called are in one record, so they keep their
        // original order.
        assert_eq!(names, ["bridge/e", "bridge/c", "agent/a", "bridge/a", "bridge/b", "bridge/d"]);
    }
}
