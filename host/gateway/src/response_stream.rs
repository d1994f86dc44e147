//! A stream on its way to a client: bytes as they come, the charge at the end.
//!
//! Invariants: the last event leaves after the bill is sealed; a stream that
//! breaks ends with an error event and without `[DONE]`; a client that disconnects
//! pays for what was sent, and the request to the provider is dropped at once.

use std::sync::Arc;
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use futures_util::stream::{Stream, unfold};
use serde_json::json;
use tollbridge_core::limits::INFERENCE_TRANSCRIPT_BYTES_MAX;

use super::charge::{SettledCharge, UsageCharge};
use super::pricing::TokenUsage;
use super::provider::ModelDeployment;
use super::provider_error::ProviderError;
use super::wire::stream::ProviderStream;

const DONE: &[u8] = b"data: [DONE]\n\n";
/// The content type of a stream.
pub const EVENT_STREAM_TYPE: &str = "text/event-stream";

/// A stream that has content.
pub(super) struct ResponseStream {
    pub(super) provider_stream: Box<ProviderStream>,
    /// What came until the first content; taken first.
    pub(super) first: Option<Bytes>,
    pub(super) charge: Option<PendingCharge>,
    pub(super) deadline: Instant,
    /// What was sent, kept for repeats; none once it is too long.
    pub(super) transcript: Option<BytesMut>,
    pub(super) ended: bool,
}

/// What is needed to settle.
pub(super) struct PendingCharge {
    pub(super) charge: UsageCharge,
    pub(super) deployment: Arc<ModelDeployment>,
    pub(super) estimated_input: u64,
}

impl ResponseStream {
    /// The bytes for the client.
    pub(super) fn into_stream(self) -> impl Stream<Item = Bytes> + Send + 'static {
        unfold(self, async |mut stream| {
            let bytes = stream.next().await?;
            Some((bytes, stream))
        })
    }

    async fn next(&mut self) -> Option<Bytes> {
        if let Some(first) = self.first.take() {
            return Some(self.record(first));
        }
        if self.ended {
            return None;
        }
        let left = self.deadline.saturating_duration_since(Instant::now());
        let next =
            tokio::time::timeout(left, self.provider_stream.next()).await.unwrap_or(Err(ProviderError::TimedOut));
        match next {
            Ok(Some(bytes)) => Some(self.record(bytes)),
            Ok(None) => Some(self.finish().await),
            Err(failure) => Some(self.fail(&failure).await),
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

    /// Settles, and ends the stream as it should.
    async fn finish(&mut self) -> Bytes {
        self.ended = true;
        let Some(charge) = self.charge.take() else { return Bytes::new() };
        let usage = self.usage(charge.estimated_input);
        let last = self.provider_stream.usage_event(&usage).unwrap_or_default();
        let replay = self.transcript.take().map(|mut transcript| {
            transcript.extend_from_slice(&last);
            transcript.extend_from_slice(DONE);
            (EVENT_STREAM_TYPE, transcript.freeze())
        });
        // In a task of its own: settled even if the client disconnects now.
        let settling = tokio::spawn(charge.charge.settle(charge.deployment.clone(), usage, Bytes::new(), replay));
        match settling.await {
            Ok(Ok(settled)) => {
                let mut end = BytesMut::from(last.as_ref());
                end.extend_from_slice(summary(&settled, &usage, &charge.deployment).as_bytes());
                end.extend_from_slice(DONE);
                end.freeze()
            }
            Ok(Err(error)) => {
                tracing::error!(%error, "a stream could not be settled");
                error_event("the end of this answer could not be written down", "E025")
            }
            Err(_) => error_event("the end of this answer could not be written down", "E025"),
        }
    }

    /// Settles what was sent, and ends the stream with an error.
    async fn fail(&mut self, failure: &ProviderError) -> Bytes {
        self.ended = true;
        let Some(charge) = self.charge.take() else { return Bytes::new() };
        let (place, what) = (charge.deployment.label(), failure.describe());
        tracing::warn!(place, "in the middle of a stream the provider {what}");
        let message = format!("the provider {} {what}; this answer is not whole", charge.deployment.provider.name);
        metrics::counter!(
            "tollbridge_inference_streams_broken_total", "provider" => charge.deployment.provider.name.clone()
        )
        .increment(1);
        let usage = self.usage(charge.estimated_input);
        settle_in_background(charge, usage);
        error_event(&message, "E005")
    }

    /// The reported usage, or an estimate.
    fn usage(&self, estimated_input: u64) -> TokenUsage {
        let counted = self.provider_stream.usage();
        let guess = u64::try_from(self.provider_stream.output_bytes().div_ceil(4)).unwrap_or(u64::MAX);
        match counted {
            // Anthropic counts the input at the start and the output at the end.
            Some(usage) if usage.output > 1 || guess <= 1 => usage,
            Some(usage) => TokenUsage { output: usage.output.max(guess), estimated: true, ..usage },
            None => TokenUsage { input: estimated_input, output: guess, estimated: true, ..TokenUsage::default() },
        }
    }
}

impl Drop for ResponseStream {
    fn drop(&mut self) {
        // The client disconnected: it pays for what it got.
        if let Some(charge) = self.charge.take() {
            let usage = self.usage(charge.estimated_input);
            settle_in_background(charge, usage);
        }
    }
}

fn settle_in_background(charge: PendingCharge, usage: TokenUsage) {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
    runtime.spawn(async move {
        if let Err(error) = charge.charge.settle(charge.deployment, usage, Bytes::new(), None).await {
            tracing::error!(%error, "a broken stream could not be settled");
        }
    });
}

/// A comment, which clients pass over: what the stream came to.
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

/// An error in the middle: the same members as every error of the API.
fn error_event(message: &str, code: &str) -> Bytes {
    format!("data: {}\n\n", json!({ "error": message, "code": code })).into()
}
