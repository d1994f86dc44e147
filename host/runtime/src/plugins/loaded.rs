//! The data that all calls of one loaded plugin share.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tollbridge_core::config::{Grant, HostPattern, Secret};
use tollbridge_core::egress::Egress;
use tollbridge_core::fair_limiter::TenantName;
use tollbridge_core::plugin_kind::PluginKind;

use super::counter_locks::CounterLocks;
use super::fairness::FairnessShare;
use super::log::LogRing;
use super::plugin_tables::Tables;
use super::recent_usage::RecentUsage;
use super::reported_limits::ReportedLimits;
use super::write_budget::WriteBudget;

/// The data that all calls of one loaded plugin share.
pub(super) struct LoadedPlugin {
    pub(super) kind: PluginKind,
    pub(super) name: String,
    /// The tenant that deployed the plugin; `None` for plugins that the operator trusts.
    pub(super) owner: Option<TenantName>,
    pub(super) version: semver::Version,
    pub(super) config: BTreeMap<String, String>,
    pub(super) secrets: BTreeMap<String, Secret>,
    pub(super) allow_hosts: Vec<HostPattern>,
    pub(super) callees: BTreeSet<(PluginKind, String)>,
    /// Grants that the plugin requests and the operator allows.
    pub(super) grants: BTreeSet<Grant>,
    /// The plugin's limits, for reports of calls that exceeded them.
    pub(super) limits: ReportedLimits,
    pub(super) kv_bytes: usize,
    pub(super) tables: Tables,
    pub(super) logs: Arc<LogRing>,
    pub(super) usage: RecentUsage,
    pub(super) egress: Arc<Egress>,
    pub(super) fairness: Arc<FairnessShare>,
    pub(super) counter_locks: Arc<CounterLocks>,
    pub(super) write_budget: Arc<WriteBudget>,
}
