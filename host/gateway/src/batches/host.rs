//! What a batch needs of those above the gateway.

use serde_json::Value;
use tollbridge_core::fair_limiter::FairShare;

use super::endpoint::BatchEndpoint;
use crate::client::BilledCaller;
use crate::error::GatewayError;

/// A refusal as the client of a direct call reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineRefusal {
    /// The HTTP status.
    pub status: u16,
    /// The JSON body.
    pub body: Value,
}

/// On whose behalf a line is asked.
#[derive(Clone, Debug)]
pub struct LineCaller {
    /// Who pays.
    pub billed: BilledCaller,
    /// Whose places it takes.
    pub share: FairShare,
}

/// Whatever a direct call passes before it reaches the gateway, and how its errors
/// read. The server supplies it.
pub trait BatchHost: Send + Sync {
    /// Whom a key speaks for now, by the digest that the batch keeps.
    ///
    /// # Errors
    /// What a direct call with it would be answered.
    fn caller(&self, key: &str, endpoint: BatchEndpoint, now_ms: u64) -> Result<LineCaller, LineRefusal>;

    /// Whether a body keeps the rules that every body keeps.
    ///
    /// # Errors
    /// What a direct call would be answered.
    fn check(&self, body: &[u8], endpoint: BatchEndpoint) -> Result<(), LineRefusal>;

    /// An error of the gateway, as a direct call would be answered.
    fn refusal(&self, error: GatewayError, endpoint: BatchEndpoint) -> LineRefusal;
}
