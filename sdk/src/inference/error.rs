//! Why a model gave no answer.

use std::fmt;

/// Why there is no answer. `?` makes it the plugin's error: `no-provider`,
/// `invalid-input` for what was refused, or `upstream`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// No provider is configured or available; the text names the fix.
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
            // What is asked of a model, and of which, is the caller's to change.
            Error::Refused(text) => Self::invalid("", text),
            other => Self::Upstream(other.to_string()),
        }
    }
}
