//! Macros that format a log line; `log` re-exports them under their public names.

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
