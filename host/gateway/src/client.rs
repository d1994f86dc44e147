//! What clients ask of the gateway, and what they get.

use bytes::Bytes;
use futures_util::stream::BoxStream;
use tollbridge_ledger::idempotency::ReplayedAnswer;
use tollbridge_payment::{DailySpendLimit, UptoCall};

use super::charge::SettledCharge;
use super::client_format::ClientFormat;
use super::error::FailedAttempt;
use super::pricing::TokenUsage;
use super::recording::Recording;
use super::request::InferenceEndpoint;
use super::router::RoutingPriority;

/// Who pays for a request: a key of an account.
#[derive(Clone, Debug)]
pub struct BilledCaller {
    /// The account that pays.
    pub account: String,
    /// Public id of the key.
    pub key: String,
    /// What the key may spend a day, on models and everything else together.
    pub spend: Option<DailySpendLimit>,
    /// The wallet that pays once the request is answered, in place of credit.
    pub upto: Option<UptoCall>,
}

/// A request by a key.
#[derive(Clone, Debug)]
pub struct ClientRequest {
    /// Who pays.
    pub caller: BilledCaller,
    /// The id of the HTTP request.
    pub request_id: String,
    /// Unix time in milliseconds.
    pub now_ms: u64,
    /// What it asks for.
    pub endpoint: InferenceEndpoint,
    /// In which format it asks, and is answered.
    pub format: ClientFormat,
    /// The JSON body as it was sent; of a form, its fields as members.
    pub body: Bytes,
    /// The recording that came in a form.
    pub recording: Option<Recording>,
    /// What matters most in choosing a provider.
    pub priority: RoutingPriority,
    /// The header of that name, unchecked.
    pub idempotency_key: Option<String>,
    /// Whether a client library says that it repeats itself.
    pub repeat: bool,
}

/// The answer to a request.
pub enum GatewayResponse {
    /// A response in one piece; its charge is sealed.
    Complete {
        /// The body and what it cost.
        settled: SettledCharge,
        /// What kind of body it is.
        content_type: &'static str,
        /// Who answered.
        report: RoutingReport,
    },
    /// A stream of server-sent events, whose charge is sealed before its end.
    Stream {
        /// The events as they come.
        bytes: BoxStream<'static, Bytes>,
        /// Who answers.
        report: RoutingReport,
    },
    /// The stored response to a repeat.
    Replayed(ReplayedAnswer),
}

/// Who answered, and what came before.
#[derive(Clone, Debug)]
pub struct RoutingReport {
    /// The name of the provider that answered.
    pub provider: String,
    /// The provider's own name of the model.
    pub model: String,
    /// Providers that were asked before it.
    pub failed: Vec<FailedAttempt>,
    /// Known when the response is complete.
    pub usage: Option<TokenUsage>,
}
