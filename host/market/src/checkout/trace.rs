//! What a trace shows of a call: the plugin, and the amounts as the ledger has them.

use std::fmt::Debug;

use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_telemetry::child_span;
use tracing::field::Empty;
use tracing::{Instrument as _, Span};

use super::answer::CallAnswer;
use super::error::CheckoutError;

/// The span of a call, with the names that GenAI's conventions have for agents and
/// for the tools that they call.
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

/// A step of a call, as a span of its own.
pub(super) fn step<F: Future>(name: &'static str, work: F) -> impl Future<Output = F::Output> {
    work.instrument(child_span!("step", otel.name = name))
}

/// Says in a call's span what was taken for it.
pub(super) fn paid(span: &Span, amount: Millipence) {
    if !span.is_none() {
        span.record("tollbridge.amount.millipence", amount.get());
    }
}

/// Says in a call's span which version answered.
pub(super) fn version(span: &Span, version: &str) {
    if !span.is_none() {
        span.record("tollbridge.plugin.version", version);
    }
}

/// Says in a call's span how it ended.
pub(super) fn ended(span: &Span, outcome: &Result<CallAnswer, CheckoutError>) {
    if span.is_none() {
        return;
    }
    match outcome {
        Ok(CallAnswer::Paid { sealed, .. }) => {
            span.record("tollbridge.record.seq", sealed.seq());
            span.record("tollbridge.record.tx", hex::encode(sealed.tx()));
        }
        Ok(_) => {}
        // A price is an answer, too.
        Err(error @ CheckoutError::PaymentRequired(_)) => refused(span, error),
        Err(error) => failed(span, error),
    }
}

/// Says in a call's span that it failed.
pub(super) fn failed(span: &Span, error: &impl Debug) {
    if !span.is_none() {
        span.record("otel.status_code", "ERROR");
        refused(span, error);
    }
}

/// Says why, by the name of the error and not its text.
fn refused(span: &Span, error: &impl Debug) {
    let shown = format!("{error:?}");
    let kind = shown.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    span.record("error.type", kind);
}
