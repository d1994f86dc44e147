//! What clients ask of the gateway, and what they get.

use bytes::Bytes;
use futures_util::stream::BoxStream;

use super::charge::SettledCharge;
use super::error::FailedAttempt;
use super::pricing::TokenUsage;
use super::request::Endpoint;
use super::router::RoutingPriority;
use tollbridge_ledger::idempotency::ReplayedAnswer;
use tollbridge_payment::DailySpendLimit;

/// Who pays for a request: a key of an account.
#[derive(Clone, Debug)]
pub struct BilledCaller {
    pub account: String,
    /// Public id of the key.
    pub key: String,
    /// What the key may spend a day, on models and everything else together.
    pub spend: Option<DailySpendLimit>,
}

/// A request by a key.
#[derive(Clone, Debug)]
pub struct ClientRequest {
    pub caller: BilledCaller,
    pub request_id: String,
    pub now_ms: u64,
    pub endpoint: Endpoint,
    pub body: Bytes,
    pub priority: RoutingPriority,
    pub idempotency_key: Option<String>,
    /// Whether a client library says that it repeats itself.
    pub repeat: bool,
}

/// The answer to a request.
pub enum GatewayResponse {
    Complete { settled: SettledCharge, report: RoutingReport },
    Stream { bytes: BoxStream<'static, Bytes>, report: RoutingReport },
    Replayed(ReplayedAnswer),
}

/// Who answered, and what came before.
#[derive(Clone, Debug)]
pub struct RoutingReport {
    pub provider: String,
    /// The provider's own name of the model.
    pub model: String,
    /// Providers that were asked before it.
    pub failed: Vec<FailedAttempt>,
    pub usage: Option<TokenUsage>,
}
