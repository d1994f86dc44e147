//! Logs of versions that were stopped or replaced; they may show the reason.
//!
//! Invariant: a version's log is kept until the next version is stopped or replaced, and
//! is deleted with its plugin.

use std::collections::{BTreeMap, BTreeSet};

use parking_lot::Mutex;
use tollbridge_plugin::{LogLine, PluginLog};
use tollbridge_registry::PluginId;

/// The last log of each plugin's previously serving version.
#[derive(Default)]
pub(super) struct KeptLogs(Mutex<BTreeMap<PluginId, PluginLog>>);

impl KeptLogs {
    /// Stores a plugin's log; an empty log does not replace a stored one.
    pub(super) fn keep(&self, id: &PluginId, log: PluginLog) {
        if !log.lines().is_empty() {
            self.0.lock().insert(id.clone(), log);
        }
    }

    pub(super) fn lines(&self, id: &PluginId) -> Option<Vec<LogLine>> {
        self.0.lock().get(id).map(PluginLog::lines)
    }

    /// Deletes the logs of all plugins that are not in `ids`.
    pub(super) fn retain(&self, ids: &BTreeSet<PluginId>) {
        self.0.lock().retain(|id, _| ids.contains(id));
    }
}
