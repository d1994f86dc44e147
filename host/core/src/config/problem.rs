//! Problems with a configuration, and the places of the values that cause them.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::limits::CONFIG_BYTES_MAX;

/// The place where a value was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The built-in defaults.
    Default,
    /// A line of the configuration file.
    File {
        /// The name of the file.
        name: Arc<str>,
        /// The line, counted from 1.
        line: usize,
    },
    /// An environment variable.
    Environment(String),
    /// A command-line flag.
    Flag(&'static str),
    /// The value is derived from other settings, which the text names.
    Derived(&'static str),
}

/// The severity of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The configuration cannot be used.
    Error,
    /// The configuration can be used, but something may not work as the operator
    /// expects.
    Warning,
}

/// A problem with a setting: its place, its key, and the fix. It never shows the value of
/// a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The severity; errors stop the server.
    pub severity: Severity,
    /// The place of the value; `None` if the problem has no single place, for example a
    /// missing value.
    pub origin: Option<Origin>,
    /// The dotted key; empty if the file is not valid TOML.
    pub key: String,
    /// A description of the problem, and how to fix it.
    pub message: String,
}

/// An error from loading the configuration.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum ConfigError {
    #[error("cannot read the configuration file {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("the configuration file {} has more than {CONFIG_BYTES_MAX} bytes; is it the right file?", path.display())]
    TooLarge { path: PathBuf },
    /// All problems of the configuration, in the order in which they were found.
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
    /// Formats the problem as `tollbridge.toml:12: server.listen: problem; fix`.
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
