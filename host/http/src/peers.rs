//! The other hosts of the ledger, as requests need to know them: whether this host
//! may answer a request by itself, and where the host is that leads.
//!
//! One host leads: it does what is done once for all, such as deliveries and
//! queues, and answers whatever needs state in memory. Every host answers calls of
//! bridges that keep nothing; it hands the rest to the host that leads, so clients
//! need not know which host that is.

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
use tollbridge_paywall::call_headers::{INTENT, authorization};
use tollbridge_paywall::mpp;

/// How long a host that is given the lead may take until it leads.
const LEADS_SOON: Duration = Duration::from_secs(3);

/// What a host is to the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It leads.
    Leads,
    /// Another host leads, which is reached at this address.
    Follows(String),
    /// Nobody is known to lead; one is about to.
    Unknown,
}

/// The other hosts, and this one's standing among them.
pub struct Peers {
    /// All that serve.
    pub hosts: Arc<Hosts>,
    /// What hosts know each other's requests by.
    pub(crate) secret: Zeroizing<[u8; 32]>,
    standing: watch::Receiver<Standing>,
    /// Wakes whoever finds out who leads.
    look: Arc<Notify>,
    /// Rows of plugins that another host wrote and this one may not follow yet.
    changed_plugins: RwLock<HashSet<String>>,
}

impl Peers {
    /// `look` is notified when a request finds that the host which leads is gone.
    pub fn new(
        hosts: Arc<Hosts>,
        secret: Zeroizing<[u8; 32]>,
        standing: watch::Receiver<Standing>,
        look: Arc<Notify>,
    ) -> Self {
        Self { hosts, secret, standing, look, changed_plugins: RwLock::default() }
    }

    /// This host's standing now.
    pub fn standing(&self) -> Standing {
        self.standing.borrow().clone()
    }

    /// Whether this host leads.
    pub(crate) fn leads(&self) -> bool {
        *self.standing.borrow() == Standing::Leads
    }

    /// Waits a moment until this host leads; whether it does.
    pub(crate) async fn leads_soon(&self) -> bool {
        let mut standing = self.standing.clone();
        let leads = standing.wait_for(|standing| *standing == Standing::Leads);
        matches!(tokio::time::timeout(LEADS_SOON, leads).await, Ok(Ok(_)))
    }

    /// Waits until another host leads than the one at an address: that one may be
    /// frozen, and answer never.
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

    /// Asks for a look at who leads.
    pub(crate) fn look(&self) {
        self.look.notify_one();
    }

    /// Another host decided something about a plugin, by the key of its row.
    pub fn plugin_changed(&self, row: &str) {
        self.changed_plugins.write().insert(row.to_owned());
    }

    /// Sees as much of what other hosts have written as the answer to a request needs.
    /// A call of a bridge looks once more before it is refused.
    ///
    /// # Errors
    /// When it cannot be seen.
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

    /// Whether a request can be answered here though another host leads.
    ///
    /// # Errors
    /// When what other hosts have written cannot be seen.
    pub(crate) async fn answers_here(&self, app: &AppState, request: &Parts) -> Result<bool, SubmitError> {
        if request.uri.path().starts_with("/health/") || request.method == Method::OPTIONS {
            return Ok(true);
        }
        let Some(bridge) = bridge_called(&request.method, &request.uri) else { return Ok(false) };
        // Several headers are refused, here as anywhere.
        let authorization = authorization(&request.headers).unwrap_or_default();
        self.look_for(app, (&request.method, &request.uri), authorization.as_deref()).await?;
        let Ok(offer) = app.catalog.offer(PluginKind::Bridge, bridge) else { return Ok(false) };
        let (store, headers) = (app.checkout.db.store(), &request.headers);
        Ok(offer.plugin.is_self_contained()
            && self.is_current(store, &offer)
            // The host that leads counts those.
            && !app.access.has_daily_limit(authorization.as_deref())
            && is_paid_for(app, headers))
    }

    /// Whether this host serves the version that was decided on.
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

/// The bridge that a request calls.
fn bridge_called<'u>(method: &Method, uri: &'u Uri) -> Option<&'u str> {
    let path = uri.path();
    let bridge = path.strip_prefix("/v1/oracle/").or_else(|| path.strip_prefix("/api/v1/oracle/"));
    bridge.filter(|_| *method == Method::POST)
}

/// Whether an intent that pays is known to be paid, if one pays: the host that
/// leads asks the processor for others, and has it charge what credentials hold.
fn is_paid_for(app: &AppState, headers: &HeaderMap) -> bool {
    if mpp::has_credential(headers) {
        return false;
    }
    let Some(intent) = headers.get(INTENT) else { return true };
    intent.to_str().is_ok_and(|intent| app.payments.is_paid(intent))
}
