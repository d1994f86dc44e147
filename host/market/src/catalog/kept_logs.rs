//! What plugins logged before they were taken out of service or replaced: it says
//! why.
//!
//! Invariant: a log outlives its version by one version, and its plugin not at all.

use std::collections::{BTreeMap, BTreeSet};

use parking_lot::Mutex;
use tollbridge_runtime::plugins::{LogLine, PluginLog};
use tollbridge_runtime::registry::PluginId;

/// The logs of versions that served before.
#[derive(Default)]
pub(super) struct KeptLogs(Mutex<BTreeMap<PluginId, PluginLog>>);

impl KeptLogs {
    /// A log that says nothing does not take the place of one that does.
    pub(super) fn keep(&self, id: &PluginId, log: PluginLog) {
        if !log.lines().is_empty() {
            self.0.lock().insert(id.clone(), log);
        }
    }

    pub(super) fn lines(&self, id: &PluginId) -> Option<Vec<LogLine>> {
        self.0.lock().get(id).map(PluginLog::lines)
    }

    /// Forgets the logs of all other plugins.
    pub(super) fn retain(&self, ids: &BTreeSet<PluginId>) {
        self.0.lock().retain(|id, _| ids.contains(id));
    }
}
