//! A stream to a client: bytes are passed on as they arrive, and the charge is settled at
//! the end.
//!
//! Invariants: the last event is sent after the charge is sealed; a stream that breaks
//! off ends with an error event and without `[DONE]`. If the client disconnects, the
//! provider's stream is still read for a bounded time, and the usage that the provider
//! reports at the end is charged. A stream whose end was not received costs the maximum
//! that the provider can bill for it.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::stream::{Stream, unfold};
use serde_json::json;
use tokio::time::Instant;

use super::charge::{SettledCharge, UsageCharge};
use super::client_format::{AnswerRows, StreamTranslator};
use super::pricing::TokenUsage;
use super::provider::ModelDeployment;
use super::provider_error::ProviderError;
use super::provider_stream::ProviderStream;
use crate::limits::INFERENCE_TRANSCRIPT_BYTES_MAX;

/// Maximum time for which a stream is still read after its client disconnected, until the
/// provider reports the usage: models that think take a minute or two.
const INFERENCE_DRAIN_MS_MAX: u64 = 120_000;
/// Maximum number of bytes that are read and discarded of a stream whose client
/// disconnected: the longest answers have some 128,000 tokens, in events of some 300
/// bytes.
const INFERENCE_DRAIN_BYTES_MAX: usize = 64 << 20;

const DONE: &[u8] = b"data: [DONE]\n\n";
/// The content type of a stream.
pub const EVENT_STREAM_TYPE: &str = "text/event-stream";

/// A stream to a client, after its first content has arrived. If dropped before its end,
/// the provider's stream is still read in the background.
pub(super) struct ResponseStream(Option<Box<LiveStream>>);

/// A provider's stream that is being passed on, and its charge.
pub(super) struct LiveStream {
    pub(super) provider_stream: Box<ProviderStream>,
    /// Converts the stream to the client's format.
    pub(super) translator: StreamTranslator,
    /// The bytes up to the first content, which are sent first.
    pub(super) first: Option<Bytes>,
    pub(super) charge: Option<PendingCharge>,
    pub(super) deadline: Instant,
    /// The bytes sent so far, stored to replay them to a repeated request; `None` once
    /// they are too long.
    pub(super) transcript: Option<BytesMut>,
    pub(super) ended: bool,
}

/// The data needed to settle the charge of a stream.
pub(super) struct PendingCharge {
    pub(super) charge: UsageCharge,
    pub(super) deployment: Arc<ModelDeployment>,
    pub(super) estimated_input: u64,
    /// The maximum usage that the request can have.
    pub(super) worst: TokenUsage,
}

impl ResponseStream {
    pub(super) fn new(live: LiveStream) -> Self {
        Self(Some(Box::new(live)))
    }

    /// Converts to a stream of the bytes that the client gets.
    pub(super) fn into_stream(self) -> impl Stream<Item = Bytes> + Send + 'static {
        unfold(self, async |mut stream| {
            let bytes = stream.0.as_mut()?.next().await?;
            Some((bytes, stream))
        })
    }
}

impl Drop for ResponseStream {
    fn drop(&mut self) {
        let unsettled = self.0.take().filter(|live| live.charge.is_some());
        if let (Some(live), Ok(runtime)) = (unsettled, tokio::runtime::Handle::try_current()) {
            drop(runtime.spawn(live.drain()));
        }
    }
}

impl LiveStream {
    /// Returns the next bytes for the client. Cancel-safe: no bytes are lost.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if self.ended {
                return None;
            }
            let next = match self.first.take() {
                Some(first) => Ok(Some(first)),
                None => {
                    let left = self.deadline.saturating_duration_since(Instant::now());
                    let next = tokio::time::timeout(left, self.provider_stream.next()).await;
                    next.unwrap_or(Err(ProviderError::TimedOut))
                }
            };
            match next.and_then(|bytes| bytes.map(|bytes| self.translator.push(bytes)).transpose()) {
                // These events have no counterpart in the client's format.
                Ok(Some(bytes)) if bytes.is_empty() => {}
                Ok(Some(bytes)) => return Some(self.record(bytes)),
                Ok(None) => return Some(self.finish().await),
                Err(failure) => return Some(self.fail(&failure)),
            }
        }
    }

    fn record(&mut self, bytes: Bytes) -> Bytes {
        if let Some(transcript) = &mut self.transcript {
            if transcript.len().saturating_add(bytes.len()) > INFERENCE_TRANSCRIPT_BYTES_MAX {
                self.transcript = None;
            } else {
                transcript.extend_from_slice(&bytes);
            }
        }
        bytes
    }

    /// Settles the charge and ends the stream regularly.
    async fn finish(&mut self) -> Bytes {
        self.ended = true;
        let Some(charge) = self.charge.take() else { return Bytes::new() };
        let usage = self.complete_usage(charge.estimated_input);
        // A chat stream ends with the usage, the summary and `[DONE]`; a stream in
        // another format ends with the translator's last event, which includes the usage.
        let is_chat = self.translator.ends_with_done();
        let ending = self.translator.finish(&usage, self.provider_stream.native());
        let (last, end, rows) = match ending {
            Ok(_) if is_chat => {
                let usage = self.provider_stream.usage_event(&usage).unwrap_or_default();
                (self.translator.push(usage).unwrap_or_default(), Bytes::from_static(DONE), AnswerRows::default())
            }
            Ok((end, rows)) => (Bytes::new(), end, rows),
            Err(error) => {
                tracing::error!(%error, "the response of a stream cannot be stored");
                self.settle_incomplete(charge);
                return self.error_end("the end of this answer could not be recorded", "E025");
            }
        };
        self.record(last.clone());
        self.record(end.clone());
        let replay = self.transcript.take().map(|transcript| (EVENT_STREAM_TYPE, transcript.freeze()));
        let deployment = charge.deployment.clone();
        // A separate task settles the charge, even if the client disconnects now.
        let settling = tokio::spawn(async move {
            let rows = rows.take().await?;
            charge.charge.settle(charge.deployment, usage, Bytes::new(), replay, rows).await
        });
        match settling.await {
            Ok(Ok(settled)) => {
                let mut all = BytesMut::from(last.as_ref());
                all.extend_from_slice(summary(&settled, &usage, &deployment).as_bytes());
                all.extend_from_slice(&end);
                all.freeze()
            }
            Ok(Err(error)) => {
                tracing::error!(%error, "a stream could not be settled");
                self.error_end("the end of this answer could not be recorded", "E025")
            }
            Err(_) => self.error_end("the end of this answer could not be recorded", "E025"),
        }
    }

    /// Settles the amount that the provider may bill, and ends the stream with an error.
    fn fail(&mut self, failure: &ProviderError) -> Bytes {
        self.ended = true;
        let Some(charge) = self.charge.take() else { return Bytes::new() };
        let (place, what) = (charge.deployment.label(), failure.describe());
        tracing::warn!(place, "a stream broke off; the provider {what}");
        let message = format!("the provider {} {what}; this answer is incomplete", charge.deployment.provider.name);
        metrics::counter!(
            "tollbridge_inference_streams_broken_total", "provider" => charge.deployment.provider.name.clone()
        )
        .increment(1);
        self.settle_incomplete(charge);
        self.error_end(&message, "E005")
    }

    /// Returns the last event of a stream that broke off.
    fn error_end(&mut self, message: &str, code: &str) -> Bytes {
        let parser = self.provider_stream.native();
        self.translator.fail(message, code, parser.as_deref()).unwrap_or_else(|| error_event(message, code))
    }

    /// Reads the rest of the stream after the client has disconnected, until the provider
    /// has reported the usage. The content is stored for a repeat of the request.
    async fn drain(mut self: Box<Self>) {
        let Some(pending) = self.charge.as_mut() else { return };
        let slot = pending.charge.slot();
        let (may_read, mut closing) = (slot.begin_drain(), slot.closing());
        let longest = Duration::from_millis(INFERENCE_DRAIN_MS_MAX);
        self.deadline = Instant::now().checked_add(longest).map_or(self.deadline, |end| self.deadline.min(end));
        let mut left = if may_read { INFERENCE_DRAIN_BYTES_MAX } else { 0 };
        while left > 0 {
            let next = tokio::select! {
                biased;
                _ = closing.wait_for(|closing| *closing) => None,
                next = self.next() => next,
            };
            let Some(bytes) = next else { break };
            let Some(rest) = left.checked_sub(bytes.len()) else { break };
            left = rest;
        }
        let outcome = if self.ended { "ended" } else { "cut" };
        metrics::counter!("tollbridge_inference_streams_read_on_total", "outcome" => outcome).increment(1);
        if let Some(charge) = self.charge.take() {
            self.settle_incomplete(charge);
        }
    }

    fn settle_incomplete(&self, charge: PendingCharge) {
        let usage = self.partial_usage(&charge.worst);
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(async move {
            if let Err(error) = charge.charge.settle(charge.deployment, usage, Bytes::new(), None, Vec::new()).await {
                tracing::error!(%error, "a broken stream could not be settled");
            }
        });
    }

    /// Returns the usage of a complete stream, as reported by the provider or estimated.
    fn complete_usage(&self, estimated_input: u64) -> TokenUsage {
        let counted = self.provider_stream.usage();
        let guess = u64::try_from(self.provider_stream.output_bytes().div_ceil(4)).unwrap_or(u64::MAX);
        match counted {
            // Anthropic reports the input tokens at the start of a stream and the output
            // tokens at its end. An output count of 1 for a longer answer is therefore
            // not final, and is estimated.
            Some(usage) if usage.output > 1 || guess <= 1 => usage,
            Some(usage) => TokenUsage { output: usage.output.max(guess), estimated: true, ..usage },
            None => TokenUsage { input: estimated_input, output: guess, estimated: true, ..TokenUsage::default() },
        }
    }

    /// Returns the usage of a stream whose end was not received: the provider's last
    /// report, or the maximum that the provider can bill. The usage cannot be derived
    /// from the content, because reasoning models also bill tokens that they do not send.
    fn partial_usage(&self, worst: &TokenUsage) -> TokenUsage {
        match self.provider_stream.usage() {
            Some(usage) if self.provider_stream.has_finished() => usage,
            // A report before the end: only its input tokens are final.
            Some(usage) if usage.input > 0 => {
                TokenUsage { output: usage.output.max(worst.output), estimated: true, ..usage }
            }
            _ => *worst,
        }
    }
}

/// Builds the summary of a settled stream, an SSE comment that clients ignore.
fn summary(settled: &SettledCharge, usage: &TokenUsage, deployment: &ModelDeployment) -> String {
    let mut text = format!(
        ": provider={} cost_millipence={} charged_millipence={} estimated={}",
        deployment.provider.name,
        settled.cost.get(),
        settled.charged.get(),
        usage.estimated
    );
    if let Some(sealed) = &settled.sealed {
        text.push_str(&format!(" transaction=tx_{} seal={}", hex::encode(sealed.tx()), hex::encode(sealed.seal())));
    }
    text.push_str("\n\n");
    text
}

/// Builds an error event for the middle of a stream, with the members of a chat error.
fn error_event(message: &str, code: &str) -> Bytes {
    let error = json!({ "message": message, "type": "server_error", "param": null, "code": code });
    format!("data: {}\n\n", json!({ "error": error, "code": code })).into()
}
