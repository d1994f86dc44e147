//! Errors of requests to models.

use std::fmt;

/// The error of a request to a model. `?` converts it to the plugin's own error:
/// `no-provider`, `invalid-input` if the request was refused, or `upstream`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// No provider is configured or available; the text says how to fix that.
    NoProvider(String),
    /// The request is too large or too expensive, or the provider refused it.
    Refused(String),
    /// All providers that were tried failed.
    Failed(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoProvider(text) => f.write_str(text),
            Self::Refused(text) => write!(f, "inference was refused: {text}"),
            Self::Failed(text) => write!(f, "inference failed: {text}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<Error> for crate::error::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::NoProvider(text) => Self::NoProvider(text),
            // The caller's input determines the request and the model, so the caller can
            // change them.
            Error::Refused(text) => Self::invalid("", text),
            other => Self::Upstream(other.to_string()),
        }
    }
}
