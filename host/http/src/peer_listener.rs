//! What the host that leads answers for other hosts.

use std::sync::Arc;

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use tollbridge_api::error::{ApiError, Code};
use tollbridge_connections::ConnectionLimits;

use crate::client_of::ForwardedFor;
use crate::forward::{away, take_sender};
use crate::router::PublicRouter;
use crate::state::AppState;
use tollbridge_connections::RequestHandler;

/// The listener for other hosts: what they hand on is answered as if it had come
/// here; all else is refused.
#[derive(Clone)]
pub struct PeerRouter {
    app: Arc<AppState>,
    public: PublicRouter,
}

/// What other hosts may ask of this one.
pub fn peer_router(app: Arc<AppState>, public: PublicRouter) -> PeerRouter {
    PeerRouter { app, public }
}

impl RequestHandler for PeerRouter {
    async fn answer(self, mut request: Request) -> Response {
        let Some(peers) = &self.app.peers else { return refused() };
        let Some(client) = take_sender(peers, &mut request) else { return refused() };
        // A host that has just been given the lead may not be ready for it.
        if !peers.leads_soon().await {
            return away();
        }
        request.extensions_mut().insert(ForwardedFor(client));
        self.public.answer(request).await
    }

    fn connection_limits(&self) -> ConnectionLimits {
        // They come from a handful of hosts, which limit their own clients.
        ConnectionLimits::of_peers()
    }
}

/// For who is no host of this ledger, or has other secrets.
fn refused() -> Response {
    ApiError::new(Code::NotFound, "this listener is for other hosts of the ledger").into_response()
}
