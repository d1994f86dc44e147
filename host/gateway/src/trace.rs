//! Trace spans of requests to models, following OpenTelemetry's conventions for
//! generative AI.

use tollbridge_core::money::Millipence;
use tollbridge_telemetry::child_span;
use tracing::Span;
use tracing::field::Empty;

use super::error::GatewayError;
use super::pricing::TokenUsage;
use super::provider::ModelDeployment;
use super::request::{InferenceEndpoint, ModelRequest};

/// Opens the span of a request; the provider is recorded later.
pub(super) fn model_span(request: &ModelRequest) -> Span {
    let operation = operation(request.endpoint);
    child_span!(
        "model", otel.kind = "client", otel.name = format!("{operation} {}", request.model),
        otel.status_code = Empty, error.type = Empty,
        gen_ai.operation.name = operation, gen_ai.request.model = request.model.as_str(),
        gen_ai.provider.name = Empty, gen_ai.response.model = Empty,
        gen_ai.usage.input_tokens = Empty, gen_ai.usage.output_tokens = Empty,
        tollbridge.amount.millipence = Empty,
    )
}

/// Records in a request's span the provider that answered, and the amount charged.
pub(super) fn model_answered(span: &Span, deployment: &ModelDeployment, usage: &TokenUsage, charged: Millipence) {
    if span.is_none() {
        return;
    }
    span.record("gen_ai.provider.name", provider(&deployment.provider.name));
    span.record("gen_ai.response.model", deployment.upstream.as_str());
    span.record("gen_ai.usage.input_tokens", integer(usage.input));
    span.record("gen_ai.usage.output_tokens", integer(usage.output));
    span.record("tollbridge.amount.millipence", charged.get());
}

/// Records in a request's span the kind of error with which it failed.
pub(super) fn model_failed(span: &Span, error: Option<&GatewayError>) {
    if let Some(error) = error.filter(|_| !span.is_none()) {
        let shown = format!("{error:?}");
        failed(span, shown.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default());
    }
}

/// Opens the span of one attempt at a provider.
pub(super) fn attempt(deployment: &ModelDeployment) -> Span {
    child_span!(
        "attempt", otel.kind = "client", otel.name = "POST", otel.status_code = Empty, error.type = Empty,
        http.request.method = "POST", server.address = deployment.provider.chat.host().unwrap_or_default(),
        gen_ai.provider.name = provider(&deployment.provider.name),
    )
}

/// Records the failure of an attempt in its span.
pub(super) fn attempt_failed(span: &Span, why: &str) {
    if !span.is_none() {
        failed(span, why);
    }
}

/// Converts a count to `i64`, because spans record integers of other types as text.
fn integer(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn failed(span: &Span, kind: &str) {
    span.record("error.type", kind);
    span.record("otel.status_code", "ERROR");
}

/// Returns the operation name of an endpoint: the name in the conventions, or else this
/// server's own name.
const fn operation(endpoint: InferenceEndpoint) -> &'static str {
    match endpoint {
        InferenceEndpoint::Chat => "chat",
        InferenceEndpoint::Embeddings => "embeddings",
        InferenceEndpoint::Images => "generate_content",
        InferenceEndpoint::Speech => "speech",
        InferenceEndpoint::Transcription => "transcription",
    }
}

/// Returns the conventions' name for a provider, which usually equals this server's name
/// for it.
fn provider(name: &str) -> &str {
    match name {
        "mistral" => "mistral_ai",
        "xai" => "x_ai",
        "gemini" => "gcp.gemini",
        name => name,
    }
}
