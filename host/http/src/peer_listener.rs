//! The leader's listener for other hosts.

use std::sync::Arc;

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use futures_util::future::{BoxFuture, FutureExt};
use tollbridge_api::error::{ApiError, Code};
use tollbridge_connections::{ConnectionLimits, RequestHandler};
use tollbridge_web::AppState;
use tollbridge_web::client_of::ForwardedFor;
use tollbridge_web::forward::{take_sender, unavailable};

use crate::router::PublicRouter;

/// Handler of the leader's listener for other hosts: answers the requests that they
/// forward as if its own clients had sent them, and refuses all other requests.
pub struct PeerRouter {
    app: Arc<AppState>,
    public: Arc<PublicRouter>,
}

/// Creates the listener for other hosts.
pub fn peer_router(app: Arc<AppState>, public: PublicRouter) -> PeerRouter {
    PeerRouter { app, public: Arc::new(public) }
}

impl PeerRouter {
    async fn answer_peer(&self, mut request: Request) -> Response {
        let Some(peers) = &self.app.peers else { return refused() };
        let Some(client) = take_sender(peers, &mut request) else { return refused() };
        // A host that was just elected leader may not be ready yet.
        if !peers.wait_until_leader().await {
            return unavailable();
        }
        request.extensions_mut().insert(ForwardedFor(client));
        self.public.clone().answer(request).await
    }
}

impl RequestHandler for PeerRouter {
    fn answer(self: Arc<Self>, request: Request) -> BoxFuture<'static, Response> {
        async move { self.answer_peer(request).await }.boxed()
    }

    fn connection_limits(&self) -> ConnectionLimits {
        // Connections come from a few hosts, which limit their own clients.
        ConnectionLimits::of_peers()
    }
}

/// Returns the response for a sender that did not prove to be a host of this ledger.
fn refused() -> Response {
    ApiError::new(Code::NotFound, "this listener is for other hosts of the ledger").into_response()
}
