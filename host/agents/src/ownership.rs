//! Operations of owners on their plugins.
//!
//! Invariant: an owner cannot enable a plugin that the operator disabled.

use std::path::PathBuf;
use std::sync::Arc;

use tollbridge_ledger::{Entry, Notary, PluginAct, PluginVerb};
use tollbridge_market::catalog::{Catalog, CatalogReconciler, PluginReport, handle_of};
use tollbridge_plugin::LogLine;
use tollbridge_registry::{PluginId, PluginState};
use tollbridge_store::{Collection, Db, Expect, Put};

use super::deploy_error::DeployError;

/// The plugins of accounts, for their owners.
pub struct OwnedPlugins {
    /// The folder of the plugin registry.
    pub(super) registry: PathBuf,
    pub(super) catalog: Arc<Catalog>,
    pub(super) reconciler: Arc<CatalogReconciler>,
    pub(super) db: Db,
    /// Seals the actions of owners in the ledger.
    pub(super) notary: Arc<Notary>,
    pub(super) now_ms: fn() -> u64,
}

impl OwnedPlugins {
    /// Enables or disables a plugin of an account.
    pub async fn set_enabled(&self, account: &str, id: &PluginId, on: bool) -> Result<(), DeployError> {
        self.require_owner(account, id)?;
        let (row_key, slug) = (id.row_key(), id.name.as_str());
        let row = self.db.get(Collection::Plugins, &row_key)?;
        let mine = self.db.get(Collection::Switches, &row_key)?;
        let damaged = |error: serde_json::Error| DeployError::Registry(error.to_string());
        let mut state =
            row.as_deref().map_or_else(|| Ok(PluginState::default()), PluginState::from_row).map_err(damaged)?;
        if on && state.is_disabled() && mine.is_none() {
            return Err(DeployError::Conflict(format!("`{slug}` was disabled by the operator")));
        }
        if !state.set_disabled(!on) {
            return Err(DeployError::Conflict(format!(
                "`{slug}` is already {}",
                if on { "enabled" } else { "disabled" }
            )));
        }
        let act = PluginAct {
            act: if on { PluginVerb::Enable } else { PluginVerb::Disable },
            plugin: slug.to_owned(),
            plugin_kind: id.kind,
            version: None,
            component_sha256: None,
            publisher: None,
            by: account.to_owned(),
        };
        let value = Some(state.to_row().map_err(damaged)?);
        let expect = row.map_or(Expect::Absent, Expect::Exactly);
        let (collection, key) = (Collection::Switches, row_key.clone());
        let puts = vec![
            Put { collection: Collection::Plugins, key: row_key, value, expect },
            Put { collection, key, value: (!on).then(|| b"{}".to_vec()), expect: Expect::Any },
        ];
        self.notary.note(&Entry::Plugin(act), puts, (self.now_ms)()).await?;
        self.reconciler.refresh_plugin(id).await;
        Ok(())
    }

    /// Returns the last lines of a plugin's log, if the account owns the plugin.
    pub fn logs(&self, account: &str, id: &PluginId) -> Result<Vec<LogLine>, DeployError> {
        self.require_owner(account, id)?;
        Ok(self.reconciler.logs.lines(id).unwrap_or_default())
    }

    /// Returns all plugins of an account, each with the version in service and the
    /// problems of its other versions.
    pub fn all(&self, account: &str) -> Vec<(PluginId, PluginReport)> {
        let reports = self.reconciler.reports_by_id();
        reports.into_iter().filter(|(id, _)| self.owns(account, id)).collect()
    }

    /// Returns whether an account owns a plugin, either by the plugin's name or as the
    /// recipient of its earnings.
    fn owns(&self, account: &str, id: &PluginId) -> bool {
        let name = id.name.as_str();
        let deployed = name.strip_prefix(&handle_of(account)).is_some_and(|rest| rest.starts_with('-'));
        deployed || self.catalog.offer(id.kind, name).is_ok_and(|offer| offer.owner == account)
    }

    /// Checks that an account owns a plugin. A plugin of another account is reported as
    /// not found, like a missing one.
    pub fn require_owner(&self, account: &str, id: &PluginId) -> Result<(), DeployError> {
        let there = || self.registry.join(id.kind.folder()).join(id.name.as_str()).is_dir();
        if self.owns(account, id) && there() {
            return Ok(());
        }
        Err(DeployError::NotFound { kind: id.kind, name: id.name.to_string() })
    }
}
