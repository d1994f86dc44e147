//! Updates this host's in-memory state after row changes by other hosts.

use std::sync::{Arc, OnceLock};

use tollbridge_access::{AccessControl, KeyDigest};
use tollbridge_http::Peers;
use tollbridge_market::catalog::CatalogReconciler;
use tollbridge_store::{Collection, ForeignChanges, Hosts, OutboxListener, Store};
use tollbridge_webhooks::EndpointIndex;

use super::cluster::ended;

/// Invalidates the caches of changed rows.
pub(super) struct RowFollower {
    pub(super) store: Arc<dyn Store>,
    pub(super) hosts: Arc<Hosts>,
    pub(super) access: Arc<AccessControl>,
    pub(super) endpoints: Arc<EndpointIndex>,
    /// The follower of plugin changes; set once the catalog exists.
    pub(super) catalog: Arc<OnceLock<CatalogFollower>>,
}

/// Applies plugin changes made by other hosts to this host's catalog.
pub(super) struct CatalogFollower {
    pub(super) peers: Arc<Peers>,
    pub(super) reconciler: Arc<CatalogReconciler>,
}

impl RowFollower {
    fn hosts_changed(&self) {
        match self.hosts.refresh() {
            Ok(true) => {}
            Ok(false) => ended("the other hosts declared this host dead"),
            Err(error) => ended(&format!("cannot read the list of serving hosts: {error}")),
        }
    }

    fn plugins_changed(&self, row: Option<&str>) {
        let Some(catalog) = self.catalog.get() else { return };
        if let Some(row) = row {
            catalog.peers.plugin_changed(row);
        }
        catalog.reconciler.request_pass();
    }
}

impl ForeignChanges for RowFollower {
    fn rows_changed(&self, rows: &[(Collection, String)]) {
        for (collection, key) in rows {
            match collection {
                Collection::Hosts => self.hosts_changed(),
                Collection::Accounts => self.access.directory().invalidate_account(key),
                Collection::Keys => {
                    if let Ok(digest) = key.parse::<KeyDigest>() {
                        self.access.directory().invalidate_key(&digest);
                    }
                }
                Collection::Webhooks => {
                    if let Err(error) = self.endpoints.row_changed(self.store.as_ref(), key) {
                        tracing::error!(%error, "cannot read a webhook that another host has changed");
                    }
                }
                Collection::Plugins => self.plugins_changed(Some(key)),
                Collection::Publishers | Collection::Deployers => self.plugins_changed(None),
                _ => {}
            }
        }
    }

    fn events_written(&self, accounts: &[String]) {
        accounts.iter().for_each(|account| self.endpoints.written(account, 1));
    }
}
