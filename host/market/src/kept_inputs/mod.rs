//! Inputs of calls, stored for a limited time if the operator enables this: inputs of
//! answered calls for replays, inputs of failed calls for debugging.

mod failed;
mod rows;
mod service;

pub use failed::FailedInput;
pub use rows::KeptInputsError;
pub use service::KeptInputs;
pub(crate) use service::PendingInput;
