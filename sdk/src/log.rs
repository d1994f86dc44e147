//! Words to the operator: the grant `logging`.
//!
//! The host drops what exceeds its bound per call. A macro of the same name
//! formats: `log::info!("{count} rows")`.

use crate::host;

pub use crate::{__log_debug as debug, __log_error as error, __log_info as info, __log_warn as warn};

/// How much a line matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// For whoever looks for a fault.
    Debug,
    /// What an operator may want to know.
    Info,
    /// What an operator should look at.
    Warn,
    /// What failed.
    Error,
}

/// Writes one line.
pub fn write(level: Level, message: impl AsRef<str>) {
    host::log(level, message.as_ref());
}

/// Writes one line for whoever looks for a fault.
pub fn debug(message: impl AsRef<str>) {
    write(Level::Debug, message);
}

/// Writes one line that an operator may want to know.
pub fn info(message: impl AsRef<str>) {
    write(Level::Info, message);
}

/// Writes one line that an operator should look at.
pub fn warn(message: impl AsRef<str>) {
    write(Level::Warn, message);
}

/// Writes one line about a failure.
pub fn error(message: impl AsRef<str>) {
    write(Level::Error, message);
}

#[doc(hidden)]
#[macro_export]
macro_rules! __log_debug {
    ($($arguments:tt)*) => { $crate::log::debug(::std::format!($($arguments)*)) };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __log_info {
    ($($arguments:tt)*) => { $crate::log::info(::std::format!($($arguments)*)) };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __log_warn {
    ($($arguments:tt)*) => { $crate::log::warn(::std::format!($($arguments)*)) };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __log_error {
    ($($arguments:tt)*) => { $crate::log::error(::std::format!($($arguments)*)) };
}
