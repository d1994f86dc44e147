//! What is known of a plugin that runs: what its calls took beside what they may
//! take, and what it logged.

use std::time::Duration;

use serde::Serialize;
use tollbridge_core::limits::LOG_LINES_KEPT;
use tollbridge_runtime::plugins::{LogLine, Plugin, UsageSummary};
use tollbridge_runtime::registry::PluginId;

use super::reconciler::CatalogReconciler;
use super::snapshot::CatalogEntry;

/// What the last calls of the version that serves took on this host, beside its
/// limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PluginUsage {
    /// Calls that were measured since it was loaded, the last of them.
    pub calls: usize,
    /// The longest that a call may take, milliseconds.
    pub time_limit_ms: u64,
    /// Half of the calls took no longer, microseconds.
    pub time_p50_us: Option<u64>,
    /// 95 of 100 took no longer.
    pub time_p95_us: Option<u64>,
    /// The longest.
    pub time_max_us: Option<u64>,
    /// The most memory of one instance, bytes.
    pub memory_limit_bytes: usize,
    /// Half of the instances had no more at their end; memories never shrink.
    pub memory_p50_bytes: Option<usize>,
    /// 95 of 100 had no more.
    pub memory_p95_bytes: Option<usize>,
    /// The most.
    pub memory_max_bytes: Option<usize>,
    /// Calls that may run at once.
    pub concurrency_limit: u32,
    /// Calls that run now.
    pub running: usize,
}

impl PluginUsage {
    fn of(plugin: &Plugin) -> Self {
        let limits = plugin.limits();
        let seen = plugin.recent_usage();
        let time = |of: fn(&UsageSummary) -> Duration| seen.as_ref().map(of).map(micros);
        let memory = |of: fn(&UsageSummary) -> usize| seen.as_ref().map(of);
        let places = usize::try_from(limits.concurrency).unwrap_or(usize::MAX);
        Self {
            calls: seen.as_ref().map_or(0, |seen| seen.calls),
            time_limit_ms: u64::try_from(limits.time.as_millis()).unwrap_or(u64::MAX),
            time_p50_us: time(|seen| seen.time_p50),
            time_p95_us: time(|seen| seen.time_p95),
            time_max_us: time(|seen| seen.time_max),
            memory_limit_bytes: limits.memory_bytes,
            memory_p50_bytes: memory(|seen| seen.memory_p50),
            memory_p95_bytes: memory(|seen| seen.memory_p95),
            memory_max_bytes: memory(|seen| seen.memory_max),
            concurrency_limit: limits.concurrency,
            running: places.saturating_sub(plugin.available_permits()),
        }
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

impl CatalogReconciler {
    /// Recent log lines of a plugin, oldest first: of the version that serves, of the
    /// one that is tried out, and of the one before. None where no version has served
    /// since the process started, or no such plugin is known.
    pub fn logs(&self, id: &PluginId) -> Option<Vec<LogLine>> {
        let kept = self.kept_logs.lines(id);
        let snapshot = self.catalog.snapshot();
        let Some(CatalogEntry::Live(offer)) = snapshot.entry(id.kind, id.name.as_str()) else { return kept };
        let mut lines = kept.unwrap_or_default();
        lines.extend(offer.plugin.logs());
        lines.extend(offer.canary().into_iter().flat_map(|canary| canary.offer.plugin.logs()));
        lines.sort_by_key(|line| line.number);
        lines.drain(..lines.len().saturating_sub(LOG_LINES_KEPT));
        Some(lines)
    }

    /// Keeps the log of the version that serves, which is about to do so no more.
    pub(super) fn keep_log(&self, id: &PluginId) {
        if let Some(CatalogEntry::Live(offer)) = self.catalog.snapshot().entry(id.kind, id.name.as_str()) {
            self.kept_logs.keep(id, offer.plugin.log());
        }
    }

    /// What the last calls of a plugin took; none of one that does not serve.
    pub fn usage(&self, id: &PluginId) -> Option<PluginUsage> {
        match self.catalog.snapshot().entry(id.kind, id.name.as_str())? {
            CatalogEntry::Live(offer) => Some(PluginUsage::of(&offer.plugin)),
            CatalogEntry::Down { .. } => None,
        }
    }
}
