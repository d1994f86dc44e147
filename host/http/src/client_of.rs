//! Where a request comes from: the other end of its connection, or the client for
//! whom a proxy or another host speaks.

use std::net::IpAddr;

use axum::extract::Request;
use tollbridge_access::client_address;

use crate::state::AppState;
use tollbridge_connections::Peer;

/// The address of the client, on a request that another host has handed on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ForwardedFor(pub IpAddr);

/// The address of whoever made a request.
pub(crate) fn client_of(app: &AppState, request: &Request) -> IpAddr {
    if let Some(ForwardedFor(client)) = request.extensions().get() {
        return *client;
    }
    let peer = request.extensions().get::<Peer>().map_or(IpAddr::from([0, 0, 0, 0]), |peer| peer.0.ip());
    let forwarded = request.headers().get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
    client_address(peer, forwarded, &app.settings.trusted_proxies)
}
