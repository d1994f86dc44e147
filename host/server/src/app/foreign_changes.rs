//! What this host keeps in memory of rows follows the other hosts.

use std::sync::{Arc, OnceLock};

use tollbridge_access::{AccessControl, KeyDigest};
use tollbridge_http::Peers;
use tollbridge_market::catalog::CatalogReconciler;
use tollbridge_store::{Collection, ForeignChanges, Hosts, OutboxListener, Store};
use tollbridge_webhooks::EndpointIndex;

use super::cluster::ended;

/// Tells everything that remembers rows.
pub(super) struct RowFollower {
    pub(super) store: Arc<dyn Store>,
    pub(super) hosts: Arc<Hosts>,
    pub(super) access: Arc<AccessControl>,
    pub(super) endpoints: Arc<EndpointIndex>,
    /// Once there is a catalog.
    pub(super) catalog: Arc<OnceLock<CatalogFollower>>,
}

/// What follows decisions about plugins.
pub(super) struct CatalogFollower {
    pub(super) peers: Arc<Peers>,
    pub(super) reconciler: Arc<CatalogReconciler>,
}

impl RowFollower {
    fn hosts_changed(&self) {
        match self.hosts.refresh() {
            Ok(true) => {}
            Ok(false) => ended("others have taken this host for dead"),
            Err(error) => ended(&format!("which hosts serve cannot be read: {error}")),
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
                        tracing::error!(%error, "a webhook that another host has changed cannot be read");
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
