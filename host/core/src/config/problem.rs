//! What is wrong with a configuration, and where.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::limits::CONFIG_BYTES_MAX;

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The defaults that are built in.
    Default,
    /// A line of the configuration file, counted from 1.
    /// A file and a line of it, from 1.
    File {
        /// Name of the file.
        name: Arc<str>,
        /// Line, from 1.
        line: usize,
    },
    /// An environment variable.
    Environment(String),
    /// A flag of the command line.
    Flag(&'static str),
    /// Follows from other settings, as told.
    Derived(&'static str),
}

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The configuration cannot be used.
    Error,
    /// It can be used, but something will not work as the operator may expect.
    Warning,
}

/// One thing that is wrong: where, with which key, and what to do about it.
/// Never shows the value of a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Whether it stops the server.
    pub severity: Severity,
    /// `None` when the problem belongs to no one value, as when it is missing.
    pub origin: Option<Origin>,
    /// Dotted key; empty for a file that is not TOML.
    pub key: String,
    /// What is wrong and how to mend it.
    pub message: String,
}

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says what is wrong")]
pub enum ConfigError {
    #[error("cannot read the configuration file {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("the configuration file {} has more than {CONFIG_BYTES_MAX} bytes; is it the right file?", path.display())]
    TooLarge { path: PathBuf },
    /// Everything that is wrong, in the order in which it was found.
    #[error("{}", lines(.0))]
    Invalid(Vec<Problem>),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { name, line } => write!(f, "{name}:{line}"),
            Self::Environment(variable) => f.write_str(variable),
            Self::Flag(flag) => f.write_str(flag),
            Self::Derived(how) => f.write_str(how),
        }
    }
}

impl fmt::Display for Problem {
    /// `tollbridge.toml:12: server.listen: what is wrong; what to do`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.severity == Severity::Warning {
            f.write_str("warning: ")?;
        }
        if let Some(origin) = &self.origin {
            write!(f, "{origin}: ")?;
        }
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.message)
    }
}

fn lines(problems: &[Problem]) -> String {
    let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
    lines.join("\n")
}
