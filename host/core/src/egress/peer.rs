//! An in-process server for tests.

use futures_util::future::BoxFuture;

use super::{EgressError, Request, Response};

/// Answers requests in place of a server on the network.
pub trait EgressPeer: Send + Sync {
    /// Answers a request, or fails.
    fn exchange(&self, request: Request) -> BoxFuture<'_, Result<Response, EgressError>>;
}
