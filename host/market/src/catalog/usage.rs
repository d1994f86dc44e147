//! The resource usage of a running plugin, compared with its limits.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tollbridge_plugin::{Plugin, UsageSummary};

/// Resource usage of the serving version's recent calls on this host, with its limits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PluginUsage {
    /// Number of measured calls since the version was loaded; limited to the most recent
    /// ones.
    pub calls: usize,
    /// Time limit of a call, milliseconds.
    pub time_limit_ms: u64,
    /// Median duration of the measured calls, microseconds.
    pub time_p50_us: Option<u64>,
    /// 95th percentile of the durations, microseconds.
    pub time_p95_us: Option<u64>,
    /// Longest duration, microseconds.
    pub time_max_us: Option<u64>,
    /// Memory limit of one instance, bytes.
    pub memory_limit_bytes: usize,
    /// Median memory size of the instances at the end of a call, bytes; an instance's
    /// memory never shrinks.
    pub memory_p50_bytes: Option<usize>,
    /// 95th percentile of the instances' memory sizes.
    pub memory_p95_bytes: Option<usize>,
    /// Largest memory size of an instance.
    pub memory_max_bytes: Option<usize>,
    /// Maximum number of concurrent calls.
    pub concurrency_limit: u32,
    /// Number of calls that are running now.
    pub running: usize,
}

impl PluginUsage {
    /// Returns the usage of a plugin that is loaded.
    pub fn of(plugin: &Plugin) -> Self {
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
