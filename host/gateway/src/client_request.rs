//! Requests of clients to the gateway.

use std::sync::Arc;

use bytes::Bytes;
use tollbridge_ledger::idempotency::{IdempotencyKey, RequestIdentity};
use tollbridge_payment::{DailySpendLimit, UptoCall};

use super::client_format::{AnswerFormat, ClientFormat, completions};
use super::error::GatewayError;
use super::invalid::{invalid, invalid_member};
use super::message_request;
use super::recording::Recording;
use super::request::{InferenceEndpoint, ModelRequest};
use super::response_request;
use super::router::RoutingPriority;
use super::stored_response::StoredResponses;

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

impl ClientRequest {
    /// Returns the identity by which repeats are recognized: the idempotency key, or
    /// without one the content.
    pub(super) fn identity(&self, is_batch_line: bool) -> Result<RequestIdentity, GatewayError> {
        let route = if is_batch_line { "POST /v1/batches" } else { self.route() };
        let key = self.idempotency_key.as_deref().map(IdempotencyKey::parse).transpose()?;
        Ok(RequestIdentity::of_inference(&self.caller.account, route, key, &self.body)?)
    }

    /// Returns the route that is part of a request's identity. Identities are stored on
    /// disk, so routes must not change.
    const fn route(&self) -> &'static str {
        match (self.format, self.endpoint) {
            (ClientFormat::Responses, _) => "POST /v1/responses",
            (ClientFormat::Messages, _) => "POST /v1/messages",
            (ClientFormat::Completions, _) => "POST /v1/completions",
            (ClientFormat::Chat, InferenceEndpoint::Chat) => "POST /v1/chat/completions",
            (ClientFormat::Chat, InferenceEndpoint::Embeddings) => "POST /v1/embeddings",
            (ClientFormat::Chat, InferenceEndpoint::Speech) => "POST /v1/audio/speech",
            (ClientFormat::Chat, InferenceEndpoint::Transcription) => "POST /v1/audio/transcriptions",
            (ClientFormat::Chat, InferenceEndpoint::Images) => "POST /v1/images/generations",
        }
    }

    /// Parses the request and determines the format of its answer.
    pub(super) fn read(&self, stored: &Arc<StoredResponses>) -> Result<(ModelRequest, AnswerFormat), GatewayError> {
        let body = &self.body;
        let request = match (self.format, self.endpoint) {
            (ClientFormat::Responses, _) => {
                return response_request::read(stored, &self.caller.account, body, self.now_ms);
            }
            (ClientFormat::Messages, _) => return message_request::read(body),
            (ClientFormat::Completions, _) => {
                let request = ModelRequest::converted_chat(completions::chat_members(body)?, body.len())?;
                return Ok((request, AnswerFormat::Completions));
            }
            (ClientFormat::Chat, InferenceEndpoint::Chat) => ModelRequest::chat(body)?,
            (ClientFormat::Chat, InferenceEndpoint::Embeddings) => ModelRequest::embeddings(body)?,
            (ClientFormat::Chat, InferenceEndpoint::Speech) => ModelRequest::speech(body)?,
            (ClientFormat::Chat, InferenceEndpoint::Images) => ModelRequest::images(body)?,
            (ClientFormat::Chat, InferenceEndpoint::Transcription) => {
                let recording = self.recording.clone().ok_or_else(|| invalid_member("file", "is required"))?;
                ModelRequest::transcription(body, recording)?
            }
        };
        Ok((request, AnswerFormat::Chat))
    }

    /// Refuses a stream where the answer must be complete before it is sent.
    pub(super) fn check_stream(&self, request: &ModelRequest, is_batch_line: bool) -> Result<(), GatewayError> {
        if request.stream && is_batch_line {
            return Err(invalid("/stream", "stream: a line of a batch cannot be streamed; leave it out"));
        }
        if request.stream && self.caller.upto.is_some() {
            let message = "stream: a request paid with `upto` cannot be streamed, since its price is known only at the end; leave \
                           it out, or pay with `exact`";
            return Err(invalid("/stream", message));
        }
        Ok(())
    }
}
