//! Why a call has no answer, in two texts: one for the caller, one for the
//! operator.
//!
//! Invariant: what a caller reads never names internals of a plugin or of this
//! host. `Display` is the caller's text; the operator's is in the [`FailureReport`].

use tollbridge_core::limits::PLUGIN_TEXT_BYTES_MAX;
use wasmtime::{PoolConcurrencyLimitError, Trap, WasmBacktrace};
use wasmtime_wasi::I32Exit;

use super::bindings::types::Error as Declared;
use super::failure_report::FailureReport;
use super::guest_trace::GuestTrace;
use super::state::{DeadlinePassed, State};
use super::text;

/// Why a call has no answer. Nobody pays for any of these.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The caller's mistake, as the plugin sees it. `field` is a JSON pointer.
    #[error("{message}")]
    InvalidInput {
        /// JSON pointer to the member at fault; empty for the whole input.
        field: String,
        /// What is wrong with it.
        message: String,
    },
    /// What was asked about does not exist.
    #[error("{0}")]
    NotFound(String),
    /// Something the plugin needs is missing on this host.
    #[error("not available here: {0}")]
    Unavailable(String),
    /// Inference is needed and no provider is configured or able to answer. The
    /// text is the host's.
    #[error("{0}")]
    NoProvider(String),
    /// A service that the plugin asked failed.
    #[error("a service behind this plugin failed: {0}")]
    Upstream(String),
    /// The plugin's own mistake, reported by itself.
    #[error("the plugin failed")]
    Internal(Box<FailureReport>),
    /// The plugin was stopped by what it did.
    #[error("the plugin failed")]
    Trapped(Box<FailureReport>),
    /// The plugin answered with something that is no answer.
    #[error("the plugin gave no valid answer")]
    BadOutput(Box<FailureReport>),
    /// The deadline passed; the plugin was stopped.
    #[error("the plugin did not answer in time")]
    TimedOut(Box<FailureReport>),
    /// Too many calls wait already.
    #[error("this plugin is busy; try again in {retry_after_s} s")]
    Overloaded {
        /// Seconds after which a retry makes sense.
        retry_after_s: u64,
    },
}

impl Failure {
    /// The caller's text.
    pub fn public_message(&self) -> String {
        self.to_string()
    }

    /// A fixed word per kind, for metrics and logs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::InvalidInput { .. } => "invalid_input",
            Self::NotFound(_) => "not_found",
            Self::Unavailable(_) => "unavailable",
            Self::NoProvider(_) => "no_provider",
            Self::Upstream(_) => "upstream",
            Self::Internal(_) => "internal",
            Self::Trapped(_) => "trapped",
            Self::BadOutput(_) => "bad_output",
            Self::TimedOut(_) => "timed_out",
            Self::Overloaded { .. } => "overloaded",
        }
    }

    /// What the operator should read, where there is more than the caller's text.
    pub fn report(&self) -> Option<&FailureReport> {
        match self {
            Self::Internal(report) | Self::Trapped(report) | Self::BadOutput(report) | Self::TimedOut(report) => {
                Some(report)
            }
            _ => None,
        }
    }
}

/// The error that a plugin returned, cut and cleaned.
pub(super) fn declared(state: &State, error: Declared) -> Failure {
    let clean = |raw: &str| text::clean(raw, PLUGIN_TEXT_BYTES_MAX);
    match error {
        Declared::InvalidInput(invalid) => {
            Failure::InvalidInput { field: clean(&invalid.field), message: clean(&invalid.message) }
        }
        Declared::NotFound(what) => Failure::NotFound(clean(&what)),
        Declared::Unavailable(what) => Failure::Unavailable(clean(&what)),
        // The host's own words: the plugin may only pass them on.
        Declared::NoProvider(text) => match &state.no_provider {
            Some(text) => Failure::NoProvider(text.clone()),
            None => {
                let reason = format!("it blames inference, which it did not ask in vain: {}", clean(&text));
                Failure::Internal(Box::new(report(state, None, reason)))
            }
        },
        Declared::Upstream(what) => Failure::Upstream(clean(&what)),
        Declared::Internal(what) => {
            // Scripts send what their language shows: the error and where it came from.
            let trace = text::lines(&what, PLUGIN_TEXT_BYTES_MAX);
            let trace = if trace.len() > 1 { trace } else { Vec::new() };
            Failure::Internal(Box::new(FailureReport { trace, ..report(state, None, clean(&what)) }))
        }
    }
}

/// What the engine says happened. An error without a trap and without a trace
/// comes from reading what a plugin that has `started` returned.
pub(super) fn stopped(state: &State, started: bool, error: &wasmtime::Error) -> Failure {
    if error.is::<PoolConcurrencyLimitError>() {
        return Failure::Overloaded { retry_after_s: 1 };
    }
    let trace = error.downcast_ref::<WasmBacktrace>().map(GuestTrace::of).unwrap_or_default();
    if error.is::<DeadlinePassed>() {
        return Failure::TimedOut(Box::new(FailureReport { trace: trace.lines(), ..timed_out_report(state) }));
    }
    let function = trace.function();
    let limit = state.limiter.refused().map(|refused| refused.told(&state.plugin.limits));
    let reason = reason(error, limit.as_deref());
    let report = FailureReport { limit, trace: trace.lines(), ..report(state, function, reason) };
    let report = Box::new(report);
    let in_guest = error.is::<Trap>() || error.is::<WasmBacktrace>();
    if started && !in_guest { Failure::BadOutput(report) } else { Failure::Trapped(report) }
}

pub(super) fn timed_out(state: &State) -> Failure {
    Failure::TimedOut(Box::new(timed_out_report(state)))
}

fn timed_out_report(state: &State) -> FailureReport {
    let limits = &state.plugin.limits;
    let ms = state.time.as_millis();
    let why = match state.time {
        // Nobody calls: it describes itself.
        time if time.is_zero() => String::new(),
        time if time < limits.time => format!(": stopped after {ms} ms, which was what its caller had left"),
        _ => format!(": stopped after {ms} ms ({})", limits.time_key),
    };
    report(state, None, format!("the time limit was reached{why}"))
}

pub(super) fn bad_output(state: &State, reason: String) -> Failure {
    Failure::BadOutput(Box::new(report(state, None, reason)))
}

fn report(state: &State, function: Option<String>, reason: String) -> FailureReport {
    FailureReport {
        plugin: state.plugin.name.clone(),
        version: state.plugin.version.to_string(),
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
