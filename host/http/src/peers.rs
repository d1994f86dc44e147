//! The other hosts of the ledger, as far as requests need them: whether this host may answer a
//! request, and the leader's address.
//!
//! The leader does what must be done once for all hosts, such as deliveries and queues, and answers
//! every request that needs state in memory. Every host answers calls of bridges that keep no
//! state, and forwards all other requests to the leader, so clients need not know which host leads.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, Uri};
use parking_lot::RwLock;
use tokio::sync::{Notify, watch};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_market::catalog::{Offer, is_as_decided};
use tollbridge_store::{Hosts, Store, SubmitError};
use zeroize::Zeroizing;

use crate::state::AppState;
use tollbridge_paywall::authorization::authorization;
use tollbridge_paywall::call_headers::INTENT;
use tollbridge_paywall::mpp;

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

    /// Waits a moment for this host to become leader, and returns whether it did.
    pub(crate) async fn leads_soon(&self) -> bool {
        let mut standing = self.standing.clone();
        let leads = standing.wait_for(|standing| *standing == Standing::Leads);
        matches!(tokio::time::timeout(LEADS_SOON, leads).await, Ok(Ok(_)))
    }

    /// Waits until a host other than the one at `address` leads: a frozen leader may never answer.
    pub(crate) async fn follows_another(&self, address: &str) {
        let mut standing = self.standing.clone();
        let other = |standing: &Standing| match standing {
            Standing::Leads => true,
            Standing::Follows(leader) => leader != address,
            Standing::Unknown => false,
        };
        if standing.wait_for(other).await.is_err() {
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

    /// Reads as many of the other hosts' writes as the request needs. A bridge call settles for a
    /// recent state; a later check before a refusal reads the rest.
    ///
    /// # Errors
    ///
    /// The writes of other hosts cannot be read.
    pub(crate) async fn look_for(
        &self,
        app: &AppState,
        (method, uri): (&Method, &Uri),
        authorization: Option<&str>,
    ) -> Result<(), SubmitError> {
        match bridge_called(method, uri).is_some() && !app.access.refuses_key(authorization) {
            true => self.hosts.stay_recent().await,
            false => self.hosts.catch_up().await,
        }
    }

    /// Checks whether this host can answer a request although another host leads.
    ///
    /// # Errors
    ///
    /// The writes of other hosts cannot be read.
    pub(crate) async fn answers_here(&self, app: &AppState, request: &Parts) -> Result<bool, SubmitError> {
        if request.uri.path().starts_with("/health/") || request.method == Method::OPTIONS {
            return Ok(true);
        }
        let Some(bridge) = bridge_called(&request.method, &request.uri) else { return Ok(false) };
        // Duplicate headers count as no credential here; admission refuses them later.
        let authorization = authorization(&request.headers).unwrap_or_default();
        self.look_for(app, (&request.method, &request.uri), authorization.as_deref()).await?;
        let Ok(offer) = app.catalog.offer(PluginKind::Bridge, bridge) else { return Ok(false) };
        let (store, headers) = (app.checkout.db.store(), &request.headers);
        Ok(offer.plugin.is_self_contained()
            && self.is_current(store, &offer)
            // The leader counts daily limits.
            && !app.access.has_daily_limit(authorization.as_deref())
            && is_paid_for(app, headers))
    }

    /// Checks whether this host serves the plugin version that is currently selected.
    fn is_current(&self, store: &dyn Store, offer: &Offer) -> bool {
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

/// Returns the name of the bridge that a request calls.
fn bridge_called<'u>(method: &Method, uri: &'u Uri) -> Option<&'u str> {
    let path = uri.path();
    let bridge = path.strip_prefix("/v1/oracle/").or_else(|| path.strip_prefix("/api/v1/oracle/"));
    bridge.filter(|_| *method == Method::POST)
}

/// Checks whether the request's payment intent, if any, is known to be paid. The leader handles the
/// rest: it asks the processor about other intents and charges credentials.
fn is_paid_for(app: &AppState, headers: &HeaderMap) -> bool {
    if mpp::has_credential(headers) {
        return false;
    }
    let Some(intent) = headers.get(INTENT) else { return true };
    intent.to_str().is_ok_and(|intent| app.payments.intents.is_paid(intent))
}
