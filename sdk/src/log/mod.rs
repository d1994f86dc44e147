//! Log lines for the operator: the grant `logging`.
//!
//! The host drops lines beyond its limit per call. For each function there is a macro of the same
//! name that formats its arguments: `log::info!("{count} rows")`.

pub(crate) mod level;
mod macros;
mod write;

pub use crate::{__log_debug as debug, __log_error as error, __log_info as info, __log_warn as warn};
pub use level::Level;
pub use write::{debug, error, info, warn, write};
