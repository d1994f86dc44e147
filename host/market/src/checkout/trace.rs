//! Tracing of calls: spans with the plugin's name and the amounts as sealed in the
//! ledger.

use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_plugin::CalleeError;
use tollbridge_telemetry::child_span;
use tracing::field::Empty;
use tracing::{Instrument as _, Span};

use super::answer::CallAnswer;
use super::error::CheckoutError;

/// Creates the span of a call, named by OpenTelemetry's GenAI conventions for agents and
/// tools.
pub(super) fn call_span(kind: PluginKind, name: &str) -> Span {
    match kind {
        PluginKind::Agent => child_span!(
            "call", otel.name = format!("invoke_agent {name}"), otel.status_code = Empty, error.type = Empty,
            gen_ai.operation.name = "invoke_agent", gen_ai.agent.name = name,
            tollbridge.plugin.name = name, tollbridge.plugin.version = Empty,
            tollbridge.amount.millipence = Empty, tollbridge.record.seq = Empty, tollbridge.record.tx = Empty,
        ),
        PluginKind::Bridge => child_span!(
            "call", otel.name = format!("execute_tool {name}"), otel.status_code = Empty, error.type = Empty,
            gen_ai.operation.name = "execute_tool", gen_ai.tool.name = name,
            tollbridge.plugin.name = name, tollbridge.plugin.version = Empty,
            tollbridge.amount.millipence = Empty, tollbridge.record.seq = Empty, tollbridge.record.tx = Empty,
        ),
    }
}

/// Runs a step of a call in a separate span.
pub(super) fn step<F: Future>(name: &'static str, work: F) -> impl Future<Output = F::Output> {
    work.instrument(child_span!("step", otel.name = name))
}

/// Records the charged amount in a call's span.
pub(super) fn paid(span: &Span, amount: Millipence) {
    if !span.is_none() {
        span.record("tollbridge.amount.millipence", amount.get());
    }
}

/// Records the plugin's version in a call's span.
pub(super) fn version(span: &Span, version: &str) {
    if !span.is_none() {
        span.record("tollbridge.plugin.version", version);
    }
}

/// Records the outcome in a call's span.
pub(super) fn ended(span: &Span, outcome: &Result<CallAnswer, CheckoutError>) {
    if span.is_none() {
        return;
    }
    match outcome {
        Ok(CallAnswer::Paid { sealed, .. }) => {
            span.record("tollbridge.record.seq", i64::try_from(sealed.seq()).unwrap_or(i64::MAX));
            span.record("tollbridge.record.tx", hex::encode(sealed.tx()));
        }
        Ok(_) => {}
        // A request for payment is not an error of the server.
        Err(CheckoutError::PaymentRequired(_)) => {
            span.record("error.type", "payment_required");
        }
        Err(error) => failed(span, kind_of(error)),
    }
}

/// Records the failure of a nested call in its span.
pub(super) fn callee_failed(span: &Span, error: &CalleeError) {
    let kind = match error {
        CalleeError::InvalidInput { .. } => "invalid_input",
        CalleeError::NotFound(_) => "not_found",
        CalleeError::Unavailable(_) => "unavailable",
        CalleeError::Refused(_) => "refused",
        CalleeError::Failed(_) => "failed",
        CalleeError::NoProvider(_) => "no_provider",
    };
    failed(span, kind);
}

/// Returns the kind of an error, for a span. The error's text is not recorded, because it
/// may contain the caller's data.
fn kind_of(error: &CheckoutError) -> &'static str {
    match error {
        CheckoutError::Plugin(failure) => failure.kind(),
        CheckoutError::Charged { error, .. } => kind_of(error),
        CheckoutError::Invalid { .. } | CheckoutError::PlatformRules { .. } => "invalid_input",
        CheckoutError::Offer(_) => "not_offered",
        CheckoutError::Lost => "lost",
        _ => "refused",
    }
}

fn failed(span: &Span, kind: &str) {
    if !span.is_none() {
        span.record("error.type", kind);
        span.record("otel.status_code", "ERROR");
    }
}
