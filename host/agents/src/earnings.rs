//! Calls and earnings of a plugin, for its owner.

use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_core::plugin_kind::PluginKind;

use crate::stats_indexer::PluginStats;

/// Calls and earnings of a plugin. `failed` and `success_rate` are null for bridges,
/// which have no tasks.
#[derive(Serialize, JsonSchema)]
pub struct Earnings {
    calls: u64,
    failed: Option<u64>,
    success_rate: Option<f64>,
    median_ms: Option<u64>,
    gross_gbp: String,
    gross_millipence: i64,
    earned_gbp: String,
    earned_pence: i64,
    earned_millipence: i64,
}

impl Earnings {
    /// Creates the earnings from the statistics of a plugin.
    pub fn new(stats: &PluginStats, kind: PluginKind) -> Self {
        let of_tasks = kind == PluginKind::Agent;
        Self {
            calls: stats.completed,
            failed: of_tasks.then_some(stats.failed),
            success_rate: stats.success_rate().filter(|_| of_tasks),
            median_ms: stats.median_ms(),
            gross_gbp: stats.gross.display_gbp(),
            gross_millipence: stats.gross.get(),
            earned_gbp: stats.earned.display_gbp(),
            earned_pence: stats.earned.pence_floor(),
            earned_millipence: stats.earned.get(),
        }
    }
}
