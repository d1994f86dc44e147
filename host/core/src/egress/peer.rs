//! An in-process server for tests.

use futures_util::future::BoxFuture;

use super::error::EgressError;
use super::exchange::{Request, Response};

/// A server in this process that answers requests in place of one on the network.
pub trait EgressPeer: Send + Sync {
    /// Returns the response to a request, or an error.
    fn exchange(&self, request: Request) -> BoxFuture<'_, Result<Response, EgressError>>;
}
