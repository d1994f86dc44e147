//! Commands, one file each. A command parses its arguments, asks a room and
//! writes the answer: data to standard output, everything else to standard
//! error.

pub mod component;
pub mod plugin_build;
pub mod plugin_new;
pub mod toolchain;

use std::fmt;

/// Where a command writes, and how.
#[derive(Debug, Clone, Default)]
pub struct Output {
    /// Data as JSON instead of text.
    pub json: bool,
    /// No progress.
    pub quiet: bool,
}

impl Output {
    /// Data, to standard output: as JSON if that was asked for, else as text.
    pub fn data(&self, value: &impl serde::Serialize, text: &str) -> anyhow::Result<()> {
        if self.json {
            println!("{}", serde_json::to_string(value)?);
        } else {
            println!("{text}");
        }
        Ok(())
    }

    /// Progress, to standard error, unless quiet.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            eprintln!("{text}");
        }
    }
}

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
