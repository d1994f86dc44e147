//! The state of the ledger's other hosts that requests need: which host leads, its
//! address, and the plugins that another host changed.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::RwLock;
use tokio::sync::{Notify, watch};
use tollbridge_market::catalog::{Offer, is_as_decided};
use tollbridge_store::{Hosts, Store};
use zeroize::Zeroizing;

/// Longest time that a newly elected host may take to become ready.
const LEADS_SOON: Duration = Duration::from_secs(3);

/// The role of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// This host leads.
    Leads,
    /// Another host leads, at this address.
    Follows(String),
    /// No leader is known yet.
    Unknown,
}

/// The other hosts, and this host's role.
pub struct Peers {
    /// All hosts that serve.
    pub hosts: Arc<Hosts>,
    /// The secret with which hosts authenticate forwarded requests.
    pub(crate) secret: Zeroizing<[u8; 32]>,
    standing: watch::Receiver<Standing>,
    /// Wakes the task that finds out which host leads.
    look: Arc<Notify>,
    /// Row keys of plugins that another host changed and this host may not yet have updated.
    changed_plugins: RwLock<HashSet<String>>,
}

impl Peers {
    /// Creates the registry; a request notifies `look` when it cannot reach the leader.
    pub fn new(
        hosts: Arc<Hosts>,
        secret: Zeroizing<[u8; 32]>,
        standing: watch::Receiver<Standing>,
        look: Arc<Notify>,
    ) -> Self {
        Self { hosts, secret, standing, look, changed_plugins: RwLock::default() }
    }

    /// Returns this host's current role.
    pub fn standing(&self) -> Standing {
        self.standing.borrow().clone()
    }

    /// Checks whether this host leads.
    pub(crate) fn leads(&self) -> bool {
        *self.standing.borrow() == Standing::Leads
    }

    /// Waits briefly for this host to become leader, and returns whether it did.
    pub async fn leads_soon(&self) -> bool {
        let mut standing = self.standing.clone();
        let leads = standing.wait_for(|standing| *standing == Standing::Leads);
        matches!(tokio::time::timeout(LEADS_SOON, leads).await, Ok(Ok(_)))
    }

    /// Waits until a host other than the one at `address` leads. Callers stop waiting for
    /// an answer then, because a frozen leader may never send one.
    pub(crate) async fn follows_another(&self, address: &str) {
        let mut standing = self.standing.clone();
        let other = |standing: &Standing| match standing {
            Standing::Leads => true,
            Standing::Follows(leader) => leader != address,
            Standing::Unknown => false,
        };
        if standing.wait_for(other).await.is_err() {
            // Without a sender the role no longer changes.
            std::future::pending().await
        }
    }

    /// Requests another check of which host leads.
    pub(crate) fn look(&self) {
        self.look.notify_one();
    }

    /// Records that another host changed a plugin; `row` is the plugin's row key.
    pub fn plugin_changed(&self, row: &str) {
        self.changed_plugins.write().insert(row.to_owned());
    }

    /// Checks whether this host serves the plugin version that is currently selected.
    pub(crate) fn is_current(&self, store: &dyn Store, offer: &Offer) -> bool {
        let row = offer.row_key();
        if !self.changed_plugins.read().contains(&row) {
            return true;
        }
        let is_current = is_as_decided(store, offer);
        if is_current {
            self.changed_plugins.write().remove(&row);
        }
        is_current
    }
}
