//! Log lines for the operator: the grant `logging`.
//!
//! The host limits the lines of a call and drops the rest. Each function has a macro of
//! the same name that formats its arguments: `log::info!("{count} rows")`.

pub(crate) mod level;
mod macros;
mod write;

pub use crate::{__log_debug as debug, __log_error as error, __log_info as info, __log_warn as warn};
pub use level::Level;
pub use write::{debug, error, info, warn, write};
