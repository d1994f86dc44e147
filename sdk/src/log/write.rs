//! Writes log lines through the host.

use super::level::Level;
use crate::host;

/// Writes one line with this severity.
pub fn write(level: Level, message: impl AsRef<str>) {
    host::log(level, message.as_ref());
}

/// Writes one line of severity [`Level::Debug`].
pub fn debug(message: impl AsRef<str>) {
    write(Level::Debug, message);
}

/// Writes one line of severity [`Level::Info`].
pub fn info(message: impl AsRef<str>) {
    write(Level::Info, message);
}

/// Writes one line of severity [`Level::Warn`].
pub fn warn(message: impl AsRef<str>) {
    write(Level::Warn, message);
}

/// Writes one line of severity [`Level::Error`].
pub fn error(message: impl AsRef<str>) {
    write(Level::Error, message);
}
