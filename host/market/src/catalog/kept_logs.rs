//! Logs of plugins that were taken out of service or replaced; they show the reason.
//!
//! Invariant: a log outlives its version by one version, and is deleted with its plugin.

use std::collections::{BTreeMap, BTreeSet};

use parking_lot::Mutex;
use tollbridge_runtime::plugins::{LogLine, PluginLog};
use tollbridge_runtime::registry::PluginId;

/// The logs of versions that served before.
#[derive(Default)]
pub(super) struct KeptLogs(Mutex<BTreeMap<PluginId, PluginLog>>);

impl KeptLogs {
    /// Keeps a log; an empty log does not replace another.
    pub(super) fn keep(&self, id: &PluginId, log: PluginLog) {
        if !log.lines().is_empty() {
            self.0.lock().insert(id.clone(), log);
        }
    }

    pub(super) fn lines(&self, id: &PluginId) -> Option<Vec<LogLine>> {
        self.0.lock().get(id).map(PluginLog::lines)
    }

    /// Deletes the logs of all other plugins.
    pub(super) fn retain(&self, ids: &BTreeSet<PluginId>) {
        self.0.lock().retain(|id, _| ids.contains(id));
    }
}
