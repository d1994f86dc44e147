//! Inputs of calls, kept for a while if the operator enables it: of answered calls for
//! replays, of failed calls for debugging.

mod failed;
mod rows;
mod service;

pub use failed::FailedInput;
pub use rows::KeptInputsError;
pub use service::KeptInputs;
pub(crate) use service::PendingInput;
