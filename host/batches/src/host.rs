//! The operations that batches need but the gateway does not offer; the server implements
//! them.

use serde_json::Value;
use tollbridge_core::fair_limiter::FairShare;
use tollbridge_gateway::{BilledCaller, GatewayError};

use super::endpoint::BatchEndpoint;

/// A refusal, in the form of the response that a direct call would get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineRefusal {
    /// The HTTP status.
    pub status: u16,
    /// The JSON body.
    pub body: Value,
}

/// The account that pays for a line.
#[derive(Clone, Debug)]
pub struct LineCaller {
    /// The payer of the line.
    pub billed: BilledCaller,
    /// The tenant whose concurrency slots the line uses.
    pub share: FairShare,
}

/// The checks that a direct call passes before it reaches the gateway, and the format of
/// its errors. Implemented by the server.
pub trait BatchHost: Send + Sync {
    /// Returns the current caller for an API key; `key` is the key's digest as stored
    /// with the batch.
    ///
    /// # Errors
    /// The response that a direct call with the key would get.
    fn caller(&self, key: &str, endpoint: BatchEndpoint, now_ms: u64) -> Result<LineCaller, LineRefusal>;

    /// Checks a request body against the rules for all bodies.
    ///
    /// # Errors
    /// The response that a direct call would get.
    fn check(&self, body: &[u8], endpoint: BatchEndpoint) -> Result<(), LineRefusal>;

    /// Converts a gateway error to the response that a direct call would get.
    fn refusal(&self, error: GatewayError, endpoint: BatchEndpoint) -> LineRefusal;
}
