//! A server in the process of a test.

use futures_util::future::BoxFuture;

use super::{EgressError, Request, Response};

/// Answers requests in the place of a server behind the network.
pub trait EgressPeer: Send + Sync {
    /// Takes a request and answers it, or not.
    fn exchange(&self, request: Request) -> BoxFuture<'_, Result<Response, EgressError>>;
}
