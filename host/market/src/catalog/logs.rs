//! Logs of plugins: of the versions that serve, and of versions that were stopped or
//! replaced, which may show the reason.
//!
//! Invariant: a version's log is kept until the next version is stopped or replaced, and
//! is deleted with its plugin.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::Mutex;
use tollbridge_plugin::limits::LOG_LINES_KEPT;
use tollbridge_plugin::{LogLine, PluginLog};
use tollbridge_registry::PluginId;

use super::snapshot::{Catalog, CatalogEntry};

/// The logs of plugins.
pub struct PluginLogs {
    catalog: Arc<Catalog>,
    /// For each plugin, the log of the version that served before the current one.
    kept: Mutex<BTreeMap<PluginId, PluginLog>>,
}

impl PluginLogs {
    pub(super) fn new(catalog: Arc<Catalog>) -> Self {
        Self { catalog, kept: Mutex::default() }
    }

    /// Returns recent log lines of a plugin, oldest first, from the serving version, the
    /// canary and the previous version. `None` if the plugin is unknown or no version has
    /// served since the process started.
    pub fn lines(&self, id: &PluginId) -> Option<Vec<LogLine>> {
        let kept = self.kept.lock().get(id).map(PluginLog::lines);
        let snapshot = self.catalog.snapshot();
        let Some(CatalogEntry::Live(offer)) = snapshot.entry(id.kind, id.name.as_str()) else { return kept };
        let mut lines = kept.unwrap_or_default();
        lines.extend(offer.plugin.logs());
        lines.extend(offer.canary().into_iter().flat_map(|canary| canary.offer.plugin.logs()));
        lines.sort_by_key(|line| line.number);
        lines.drain(..lines.len().saturating_sub(LOG_LINES_KEPT));
        Some(lines)
    }

    /// Stores the log of the serving version, which is about to stop serving; an empty log
    /// does not replace a stored one.
    pub(super) fn keep(&self, id: &PluginId) {
        if let Some(CatalogEntry::Live(offer)) = self.catalog.snapshot().entry(id.kind, id.name.as_str()) {
            let log = offer.plugin.log();
            if !log.lines().is_empty() {
                self.kept.lock().insert(id.clone(), log);
            }
        }
    }

    /// Deletes the logs of all plugins that are not in `ids`.
    pub(super) fn retain(&self, ids: &BTreeSet<PluginId>) {
        self.kept.lock().retain(|id, _| ids.contains(id));
    }
}
