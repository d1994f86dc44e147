//! The facts about a loaded plugin that do not change while it is loaded.

use std::collections::BTreeSet;
use std::sync::Arc;

use semver::Version;
use tollbridge_core::config::Grant;
use tollbridge_core::fair_limiter::TenantName;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_registry::Table;

use crate::log::LogRing;
use crate::spec::PluginSpec;

/// The facts about a loaded plugin that do not change while it is loaded, and its log.
pub struct PluginFacts {
    /// Bridge or agent.
    pub kind: PluginKind,
    /// Name of the plugin.
    pub name: String,
    /// Version of the plugin.
    pub version: Version,
    /// The tenant that deployed the plugin; `None` for plugins that the operator trusts.
    pub owner: Option<TenantName>,
    /// Grants that the plugin requests and the operator allows.
    pub grants: BTreeSet<Grant>,
    /// Plugins that this plugin may call.
    pub callees: BTreeSet<(PluginKind, String)>,
    /// The tables that the plugin may open, ordered by name.
    pub tables: Vec<(String, Arc<Table>)>,
    /// The log of the plugin.
    pub logs: Arc<LogRing>,
}

impl PluginFacts {
    /// Returns the facts about a plugin to load.
    pub fn of(spec: &PluginSpec) -> Self {
        Self {
            kind: spec.kind,
            name: spec.name.clone(),
            version: spec.version.clone(),
            owner: spec.tenant.as_deref().map(|owner| format!("owner {owner}").into()),
            grants: spec.asked.intersection(&spec.allowed).copied().collect(),
            callees: spec.callees.clone(),
            tables: spec.tables.iter().map(|(name, table)| (name.clone(), table.clone())).collect(),
            logs: Arc::new(LogRing::default()),
        }
    }
}
