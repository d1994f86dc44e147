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

/// The payer of a request: an account's API key, or a wallet.
#[derive(Clone, Debug)]
pub struct BilledCaller {
    /// The id of the account that pays.
    pub account: String,
    /// The public id of the API key.
    pub key: String,
    /// The key's daily spending limit, for models and all other calls together.
    pub spend: Option<DailySpendLimit>,
    /// The wallet that pays after the answer instead of the account's credit.
    pub upto: Option<UptoCall>,
}

/// A client's request to a model, made with an API key.
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
    /// The JSON body as the client sent it; for a form, its fields as JSON members.
    pub body: Bytes,
    /// The recording uploaded in a form.
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
