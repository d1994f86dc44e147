//! Requests of clients to the gateway, and the responses to them.

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

/// The payer of a request: a key of an account.
#[derive(Clone, Debug)]
pub struct BilledCaller {
    /// The account that pays.
    pub account: String,
    /// Public id of the key.
    pub key: String,
    /// The key's daily spending limit, for models and everything else together.
    pub spend: Option<DailySpendLimit>,
    /// The wallet that pays after the answer, in place of credit.
    pub upto: Option<UptoCall>,
}

/// A request made with a key.
#[derive(Clone, Debug)]
pub struct ClientRequest {
    /// The payer.
    pub caller: BilledCaller,
    /// The id of the HTTP request.
    pub request_id: String,
    /// Unix time in milliseconds.
    pub now_ms: u64,
    /// The endpoint that was called.
    pub endpoint: InferenceEndpoint,
    /// The format of the request and of its answer.
    pub format: ClientFormat,
    /// The JSON body as it was sent; for a form, its fields as members.
    pub body: Bytes,
    /// The recording that was uploaded in a form.
    pub recording: Option<Recording>,
    /// The criterion for choosing a provider.
    pub priority: RoutingPriority,
    /// The `Idempotency-Key` header, unchecked.
    pub idempotency_key: Option<String>,
    /// Whether the client library marked the request as a retry.
    pub repeat: bool,
}

/// The answer to a request.
pub enum GatewayResponse {
    /// A response in one piece; its charge is sealed.
    Complete {
        /// The body and its cost.
        settled: SettledCharge,
        /// The content type of the body.
        content_type: &'static str,
        /// The provider that answered.
        report: RoutingReport,
    },
    /// A stream of server-sent events; its charge is sealed before the stream ends.
    Stream {
        /// The events as they arrive.
        bytes: BoxStream<'static, Bytes>,
        /// The provider that answers.
        report: RoutingReport,
    },
    /// The stored response to a repeat.
    Replayed(ReplayedAnswer),
}

/// The provider that answered, and the failed attempts before it.
#[derive(Clone, Debug)]
pub struct RoutingReport {
    /// The name of the provider that answered.
    pub provider: String,
    /// The provider's own name of the model.
    pub model: String,
    /// Failed attempts at other providers before this one.
    pub failed: Vec<FailedAttempt>,
    /// Known when the response is complete.
    pub usage: Option<TokenUsage>,
}
