//! The data that all calls of one loaded plugin share.

use std::collections::BTreeMap;
use std::sync::Arc;

use tollbridge_core::config::{HostPattern, Secret};
use tollbridge_core::egress::Egress;
use tollbridge_plugin::PluginFacts;

use super::reported_limits::ReportedLimits;
use crate::calls::fairness::FairnessShare;
use crate::imports::counter_locks::CounterLocks;
use crate::imports::write_budget::WriteBudget;

/// The data that all calls of one loaded plugin share.
pub(crate) struct LoadedPlugin {
    pub(crate) facts: Arc<PluginFacts>,
    pub(crate) config: BTreeMap<String, String>,
    pub(crate) secrets: BTreeMap<String, Secret>,
    pub(crate) allow_hosts: Vec<HostPattern>,
    /// The plugin's limits, for reports of calls that exceeded them.
    pub(crate) limits: ReportedLimits,
    pub(crate) kv_bytes: usize,
    pub(crate) egress: Arc<Egress>,
    pub(crate) fairness: Arc<FairnessShare>,
    pub(crate) counter_locks: Arc<CounterLocks>,
    pub(crate) write_budget: Arc<WriteBudget>,
}
