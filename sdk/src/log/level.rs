//! Severity of a log line.

/// Severity of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Details for debugging.
    Debug,
    /// A normal event.
    Info,
    /// An unusual event that the operator should look into.
    Warn,
    /// A failure.
    Error,
}
