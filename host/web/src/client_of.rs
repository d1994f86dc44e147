//! The address that a request comes from: the connection's peer, or the client named by a trusted
//! proxy or another host.

use std::net::IpAddr;

use axum::extract::Request;
use tollbridge_access::client_address;
use tollbridge_connections::Peer;

use crate::state::AppState;

/// The client's address, on a request that another host has forwarded.
#[derive(Clone, Copy, Debug)]
pub struct ForwardedFor(pub IpAddr);

/// Returns the address of the client that made a request.
pub fn client_of(app: &AppState, request: &Request) -> IpAddr {
    if let Some(ForwardedFor(client)) = request.extensions().get() {
        return *client;
    }
    let peer = request.extensions().get::<Peer>().map_or(IpAddr::from([0, 0, 0, 0]), |peer| peer.0.ip());
    let forwarded = request.headers().get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
    client_address(peer, forwarded, &app.settings.trusted_proxies)
}
