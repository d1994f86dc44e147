//! Errors with a hint on how to fix them.

use std::fmt;

/// An error with a hint, shown as `error: …` and `hint: …`.
#[derive(Debug)]
pub struct Hinted {
    /// The error message.
    pub message: String,
    /// The hint on fixing the error.
    pub hint: String,
}

impl Hinted {
    /// Creates an error with a hint.
    pub fn error(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
        anyhow::Error::new(Self { message: message.into(), hint: hint.into() })
    }
}

impl fmt::Display for Hinted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Hinted {}
