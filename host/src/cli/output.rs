//! How commands speak.

use serde_json::Value;

/// Where results and messages go.
#[derive(Debug, Clone, Copy, Default)]
pub struct Output {
    /// Data as JSON instead of text.
    pub json: bool,
    /// No progress.
    pub quiet: bool,
}

impl Output {
    /// The result of a command: as JSON if asked for, else as text.
    pub fn result(&self, value: &Value, text: impl FnOnce() -> String) {
        println!("{}", if self.json { value.to_string() } else { text() });
    }

    /// Progress, left out if quiet.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            eprintln!("{text}");
        }
    }

    /// Something to look at.
    pub fn warning(&self, text: &str) {
        eprintln!("warning: {text}");
    }
}
