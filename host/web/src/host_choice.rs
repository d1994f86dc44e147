//! The choice of the host that answers a request: this one or the leader.
//!
//! The leader does what must be done once for all hosts, such as deliveries and queues, and answers
//! every request that needs state in memory. Every host answers calls of bridges that keep no
//! state, and forwards all other requests to the leader, so clients need not know which host leads.

use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, Uri};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_paywall::authorization::authorization;
use tollbridge_paywall::call_headers::INTENT;
use tollbridge_paywall::mpp;
use tollbridge_store::SubmitError;

use crate::peers::Peers;
use crate::state::AppState;

/// Applies the writes of other hosts that a request needs. For a bridge call, the writes
/// made until 100 ms ago suffice, because they are recent enough to grant a request. All
/// other requests, and calls whose key this host would refuse, need all writes.
///
/// # Errors
///
/// The writes of other hosts cannot be read.
pub(crate) async fn catch_up_for(
    peers: &Peers,
    app: &AppState,
    (method, uri): (&Method, &Uri),
    authorization: Option<&str>,
) -> Result<(), SubmitError> {
    match bridge_called(method, uri).is_some() && !app.access.refuses_key(authorization) {
        true => peers.hosts.stay_recent().await,
        false => peers.hosts.catch_up().await,
    }
}

/// Checks whether this host can answer a request although another host leads.
///
/// # Errors
///
/// The writes of other hosts cannot be read.
pub(crate) async fn answers_here(peers: &Peers, app: &AppState, request: &Parts) -> Result<bool, SubmitError> {
    if request.uri.path().starts_with("/health/") || request.method == Method::OPTIONS {
        return Ok(true);
    }
    let Some(bridge) = bridge_called(&request.method, &request.uri) else { return Ok(false) };
    // Duplicate headers count as no credential here; admission refuses them later.
    let authorization = authorization(&request.headers).unwrap_or_default();
    catch_up_for(peers, app, (&request.method, &request.uri), authorization.as_deref()).await?;
    let Ok(offer) = app.catalog.offer(PluginKind::Bridge, bridge) else { return Ok(false) };
    let (store, headers) = (app.checkout.db.store(), &request.headers);
    Ok(offer.plugin.is_self_contained()
        && peers.is_current(store, &offer)
        // Only the leader counts spending against daily limits.
        && !app.access.has_daily_limit(authorization.as_deref())
        && is_paid_for(app, headers))
}

/// Returns the name of the bridge that a request calls.
fn bridge_called<'u>(method: &Method, uri: &'u Uri) -> Option<&'u str> {
    let path = uri.path();
    let bridge = path.strip_prefix("/v1/oracle/").or_else(|| path.strip_prefix("/api/v1/oracle/"));
    bridge.filter(|_| *method == Method::POST)
}

/// Checks whether the request names no payment intent, or one that is known to be paid.
/// All other payments need the leader, which asks the processor about unpaid intents and
/// charges payment credentials.
fn is_paid_for(app: &AppState, headers: &HeaderMap) -> bool {
    if mpp::has_credential(headers) {
        return false;
    }
    let Some(intent) = headers.get(INTENT) else { return true };
    intent.to_str().is_ok_and(|intent| app.payments.intents.is_paid(intent))
}
