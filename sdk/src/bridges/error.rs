//! Errors of calls to other plugins.

use std::fmt;

/// The error of a call to another plugin. `?` converts it to the calling plugin's own
/// error. An invalid input becomes `invalid-input` for the calling plugin's input as a
/// whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The input passed to the other plugin is invalid; `field` is a JSON pointer into
    /// that input.
    InvalidInput {
        /// JSON pointer into the input; empty for the input as a whole.
        field: String,
        /// Explanation for the caller.
        message: String,
    },
    /// The requested item does not exist.
    NotFound(String),
    /// The plugin is not declared in the manifest, not installed, busy, or lacks a dependency.
    Unavailable(String),
    /// The plugin was not called, because the budget, the nesting depth or the number of
    /// calls is exhausted.
    Refused(String),
    /// The plugin failed, timed out, or returned an answer of an unexpected type.
    Failed(String),
    /// The called plugin needs a model, and no provider is configured; the text says how to fix
    /// that.
    NoProvider(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidInput { field, message } if field.is_empty() => f.write_str(message),
            Self::InvalidInput { field, message } => write!(f, "{field}: {message}"),
            Self::NotFound(text)
            | Self::Unavailable(text)
            | Self::Refused(text)
            | Self::Failed(text)
            | Self::NoProvider(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for Error {}

impl From<Error> for crate::error::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::InvalidInput { .. } => Self::invalid("", error.to_string()),
            Error::NotFound(text) => Self::NotFound(text),
            Error::Unavailable(text) | Error::Refused(text) => Self::Unavailable(text),
            Error::Failed(text) => Self::Upstream(text),
            Error::NoProvider(text) => Self::NoProvider(text),
        }
    }
}
