//! Failed calls, described by two texts: one for the caller, one for the operator.
//!
//! Invariant: the caller's text never names internals of a plugin or of this host. `Display` is the
//! caller's text; the operator's is in the [`FailureReport`].

use serde_json::Value;

use crate::failure_report::FailureReport;

/// The reason why a call has no answer. A failed call is never charged.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// An error in the input, as reported by the plugin. `field` is a JSON pointer.
    #[error("{message}")]
    InvalidInput {
        /// JSON pointer to the invalid member; empty for the whole input.
        field: String,
        /// The problem with the input.
        message: String,
        /// The input that the agent proposes instead: a JSON object whose members fit the
        /// input schema.
        input: Option<Value>,
    },
    /// The plugin reported that the requested item does not exist.
    #[error("{0}")]
    NotFound(String),
    /// A dependency of the plugin is not available on this host.
    #[error("not available here: {0}")]
    Unavailable(String),
    /// The plugin needs inference, and no provider is configured or able to answer. The text is the
    /// host's, not the plugin's.
    #[error("{0}")]
    NoProvider(String),
    /// The plugin reported that a call to another service failed.
    #[error("a service behind this plugin failed: {0}")]
    Upstream(String),
    /// The plugin reported an internal error.
    #[error("the plugin failed")]
    Internal(Box<FailureReport>),
    /// The plugin was stopped by a WebAssembly trap.
    #[error("the plugin failed")]
    Trapped(Box<FailureReport>),
    /// The plugin's output is not a valid answer.
    #[error("the plugin gave no valid answer")]
    BadOutput(Box<FailureReport>),
    /// The plugin was stopped because its deadline passed.
    #[error("the plugin did not answer in time")]
    TimedOut(Box<FailureReport>),
    /// Too many calls are already waiting.
    #[error("this plugin is busy; try again in {retry_after_s} s")]
    Overloaded {
        /// Seconds after which a retry is reasonable.
        retry_after_s: u64,
    },
}

impl Failure {
    /// Returns the failure's text for the caller.
    pub fn public_message(&self) -> String {
        self.to_string()
    }

    /// Returns a fixed word for each kind of failure, for metrics and logs.
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

    /// Returns the operator's report, if there is more to report than the caller's text.
    pub fn report(&self) -> Option<&FailureReport> {
        match self {
            Self::Internal(report) | Self::Trapped(report) | Self::BadOutput(report) | Self::TimedOut(report) => {
                Some(report)
            }
            _ => None,
        }
    }
}
