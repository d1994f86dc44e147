//! Converts the errors of guests and of the engine to failures.

use tollbridge_plugin::limits::PLUGIN_TEXT_BYTES_MAX;
use tollbridge_plugin::{Failure, FailureReport, text};
use wasmtime::{PoolConcurrencyLimitError, Trap, WasmBacktrace};
use wasmtime_wasi::I32Exit;

use super::guest_trace::GuestTrace;
use super::state::{DeadlinePassed, State};
use crate::bindings::types::Error as Declared;

/// Converts an error that a plugin returned, with its texts shortened and sanitized.
pub(crate) fn declared(state: &State, error: Declared) -> Failure {
    let clean = |raw: &str| text::clean(raw, PLUGIN_TEXT_BYTES_MAX);
    match error {
        Declared::InvalidInput(invalid) => {
            Failure::InvalidInput { field: clean(&invalid.field), message: clean(&invalid.message), input: None }
        }
        Declared::NotFound(what) => Failure::NotFound(clean(&what)),
        Declared::Unavailable(what) => Failure::Unavailable(clean(&what)),
        // The caller gets the host's own text; the plugin's wording is ignored.
        Declared::NoProvider(text) => match &state.no_provider {
            Some(text) => Failure::NoProvider(text.clone()),
            None => {
                let reason =
                    format!("the plugin reported missing inference, but its requests did not fail: {}", clean(&text));
                Failure::Internal(Box::new(report(state, None, reason)))
            }
        },
        Declared::Upstream(what) => Failure::Upstream(clean(&what)),
        Declared::Internal(what) => {
            // Plugins in scripting languages put a stack trace into the error text.
            let trace = text::lines(&what, PLUGIN_TEXT_BYTES_MAX);
            let trace = if trace.len() > 1 { trace } else { Vec::new() };
            Failure::Internal(Box::new(FailureReport { trace, ..report(state, None, clean(&what)) }))
        }
    }
}

/// Converts an engine error to a failure. If the plugin had `started` and the error has neither
/// trap nor trace, it arose from reading the plugin's output.
pub(crate) fn stopped(state: &State, started: bool, error: &wasmtime::Error) -> Failure {
    if error.is::<PoolConcurrencyLimitError>() {
        return Failure::Overloaded { retry_after_s: 1 };
    }
    let trace = error.downcast_ref::<WasmBacktrace>().map(GuestTrace::of).unwrap_or_default();
    if error.is::<DeadlinePassed>() {
        return Failure::TimedOut(Box::new(FailureReport { trace: trace.lines(), ..timed_out_report(state) }));
    }
    let function = trace.function();
    let limit = state.limiter.refused().map(|refused| refused.describe(&state.plugin.limits));
    let reason = reason(error, limit.as_deref());
    let report = FailureReport { limit, trace: trace.lines(), ..report(state, function, reason) };
    let report = Box::new(report);
    let in_guest = error.is::<Trap>() || error.is::<WasmBacktrace>();
    if started && !in_guest { Failure::BadOutput(report) } else { Failure::Trapped(report) }
}

pub(crate) fn timed_out(state: &State) -> Failure {
    Failure::TimedOut(Box::new(timed_out_report(state)))
}

fn timed_out_report(state: &State) -> FailureReport {
    let limits = &state.plugin.limits;
    let ms = state.time.as_millis();
    let why = match state.time {
        // A time of zero means that the plugin is describing itself, so there is no
        // caller.
        time if time.is_zero() => String::new(),
        time if time < limits.time => format!(": stopped after {ms} ms, its caller's remaining time"),
        _ => format!(": stopped after {ms} ms ({})", limits.time_key),
    };
    report(state, None, format!("the time limit was reached{why}"))
}

fn report(state: &State, function: Option<String>, reason: String) -> FailureReport {
    FailureReport {
        plugin: state.plugin.facts.name.clone(),
        version: state.plugin.facts.version.to_string(),
        request_id: state.request_id.clone(),
        function,
        reason,
        panic: state.panic_text.clone(),
        limit: None,
        trace: Vec::new(),
    }
}

fn reason(error: &wasmtime::Error, limit: Option<&str>) -> String {
    let mut reason = if let Some(exit) = error.downcast_ref::<I32Exit>() {
        format!("it called exit({})", exit.0)
    } else if let Some(trap) = error.downcast_ref::<Trap>() {
        trap.to_string()
    } else {
        text::clean(&error.root_cause().to_string(), PLUGIN_TEXT_BYTES_MAX)
    };
    if let Some(limit) = limit {
        reason.push_str("; before that, ");
        reason.push_str(limit);
    }
    reason
}
