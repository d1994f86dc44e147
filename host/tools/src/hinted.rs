//! Errors that carry the way out of them.

use std::fmt;

/// An error with the way out of it, shown as `error: …` and `hint: …`.
#[derive(Debug)]
pub struct Hinted {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: String,
}

impl Hinted {
    /// An error that carries its hint.
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
