//! The data that all calls of one loaded plugin share.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tollbridge_core::config::{Grant, HostPattern, Secret};
use tollbridge_core::egress::Egress;
use tollbridge_core::fair_limiter::TenantName;
use tollbridge_core::plugin_kind::PluginKind;

use super::reported_limits::ReportedLimits;
use crate::plugins::calls::fairness::FairnessShare;
use crate::plugins::calls::log::LogRing;
use crate::plugins::calls::recent_usage::RecentUsage;
use crate::plugins::imports::counter_locks::CounterLocks;
use crate::plugins::imports::plugin_tables::Tables;
use crate::plugins::imports::write_budget::WriteBudget;

/// The data that all calls of one loaded plugin share.
pub(crate) struct LoadedPlugin {
    pub(crate) kind: PluginKind,
    pub(crate) name: String,
    /// The tenant that deployed the plugin; `None` for plugins that the operator trusts.
    pub(crate) owner: Option<TenantName>,
    pub(crate) version: semver::Version,
    pub(crate) config: BTreeMap<String, String>,
    pub(crate) secrets: BTreeMap<String, Secret>,
    pub(crate) allow_hosts: Vec<HostPattern>,
    pub(crate) callees: BTreeSet<(PluginKind, String)>,
    /// Grants that the plugin requests and the operator allows.
    pub(crate) grants: BTreeSet<Grant>,
    /// The plugin's limits, for reports of calls that exceeded them.
    pub(crate) limits: ReportedLimits,
    pub(crate) kv_bytes: usize,
    pub(crate) tables: Tables,
    pub(crate) logs: Arc<LogRing>,
    pub(crate) usage: RecentUsage,
    pub(crate) egress: Arc<Egress>,
    pub(crate) fairness: Arc<FairnessShare>,
    pub(crate) counter_locks: Arc<CounterLocks>,
    pub(crate) write_budget: Arc<WriteBudget>,
}
