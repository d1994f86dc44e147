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
const LEADERSHIP_WAIT_MAX: Duration = Duration::from_secs(3);

/// The role of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostRole {
    /// This host leads.
    Leader,
    /// Another host leads, at this address.
    Follower(String),
    /// No leader is known yet.
    Unknown,
}

/// The other hosts, and this host's role.
pub struct Peers {
    /// All hosts that serve.
    pub hosts: Arc<Hosts>,
    /// The secret with which hosts authenticate forwarded requests.
    pub(crate) secret: Zeroizing<[u8; 32]>,
    role: watch::Receiver<HostRole>,
    /// Wakes the task that finds out which host leads.
    leader_check: Arc<Notify>,
    /// Row keys of plugins that another host changed and this host may not yet have updated.
    changed_plugins: RwLock<HashSet<String>>,
}

impl Peers {
    /// Creates the registry; a request notifies `leader_check` when it cannot reach the leader.
    pub fn new(
        hosts: Arc<Hosts>,
        secret: Zeroizing<[u8; 32]>,
        role: watch::Receiver<HostRole>,
        leader_check: Arc<Notify>,
    ) -> Self {
        Self { hosts, secret, role, leader_check, changed_plugins: RwLock::default() }
    }

    /// Returns this host's current role.
    pub fn role(&self) -> HostRole {
        self.role.borrow().clone()
    }

    /// Checks whether this host leads.
    pub(crate) fn is_leader(&self) -> bool {
        *self.role.borrow() == HostRole::Leader
    }

    /// Waits briefly for this host to become leader, and returns whether it did.
    pub async fn wait_until_leader(&self) -> bool {
        let mut role = self.role.clone();
        let elected = role.wait_for(|role| *role == HostRole::Leader);
        matches!(tokio::time::timeout(LEADERSHIP_WAIT_MAX, elected).await, Ok(Ok(_)))
    }

    /// Waits until a host other than the one at `address` leads. Callers use this to stop
    /// waiting for the answer of a frozen leader, which may never send one.
    pub(crate) async fn wait_for_other_leader(&self, address: &str) {
        let mut role = self.role.clone();
        let other = |role: &HostRole| match role {
            HostRole::Leader => true,
            HostRole::Follower(leader) => leader != address,
            HostRole::Unknown => false,
        };
        if role.wait_for(other).await.is_err() {
            // The sender was dropped, so the role no longer changes.
            std::future::pending().await
        }
    }

    /// Requests another check of which host leads.
    pub(crate) fn request_leader_check(&self) {
        self.leader_check.notify_one();
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
