//! The gateway's responses to clients.

use bytes::Bytes;
use futures_util::stream::BoxStream;
use tollbridge_ledger::idempotency::ReplayedAnswer;

use super::charge::SettledCharge;
use super::error::FailedAttempt;
use super::pricing::TokenUsage;

/// The answer to a request.
pub enum GatewayResponse {
    /// A complete response, whose charge is sealed.
    Complete {
        /// The body of the response and its cost.
        settled: SettledCharge,
        /// The content type of the body.
        content_type: &'static str,
        /// The provider that answered, and the failed attempts before it.
        report: RoutingReport,
    },
    /// A stream of server-sent events; its charge is sealed before the stream ends.
    Stream {
        /// The events, as they arrive from the provider.
        bytes: BoxStream<'static, Bytes>,
        /// The provider that is answering, and the failed attempts before it.
        report: RoutingReport,
    },
    /// The stored response to an earlier request that the client repeats.
    Replayed(ReplayedAnswer),
}

/// The provider that answered, and the failed attempts before it.
#[derive(Clone, Debug)]
pub struct RoutingReport {
    /// The name of the provider that answered.
    pub provider: String,
    /// The provider's name for the model.
    pub model: String,
    /// Failed attempts at other providers before this one.
    pub failed: Vec<FailedAttempt>,
    /// The tokens used; `None` until the response is complete.
    pub usage: Option<TokenUsage>,
}
