//! The interface that batches need from the layers above the gateway.

use serde_json::Value;
use tollbridge_core::fair_limiter::FairShare;

use super::endpoint::BatchEndpoint;
use crate::client::BilledCaller;
use crate::error::GatewayError;

/// A refusal in the form of a direct call's response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineRefusal {
    /// The HTTP status.
    pub status: u16,
    /// The JSON body.
    pub body: Value,
}

/// The account on whose behalf a line is asked.
#[derive(Clone, Debug)]
pub struct LineCaller {
    /// The payer.
    pub billed: BilledCaller,
    /// The tenant whose places it takes.
    pub share: FairShare,
}

/// The checks that a direct call passes before it reaches the gateway, and the form of its errors.
/// The server implements it.
pub trait BatchHost: Send + Sync {
    /// Returns the caller of a key, as of now; `key` is the digest that the batch keeps.
    ///
    /// # Errors
    ///
    /// The response that a direct call with the key would get.
    fn caller(&self, key: &str, endpoint: BatchEndpoint, now_ms: u64) -> Result<LineCaller, LineRefusal>;

    /// Checks a body against the rules for all bodies.
    ///
    /// # Errors
    ///
    /// The response that a direct call would get.
    fn check(&self, body: &[u8], endpoint: BatchEndpoint) -> Result<(), LineRefusal>;

    /// Converts an error of the gateway to a direct call's response.
    fn refusal(&self, error: GatewayError, endpoint: BatchEndpoint) -> LineRefusal;
}
