//! The path of a call: from a request and its money to a sealed answer.
//!
//! `Checkout::run` in `run.rs` contains the complete sequence. Its invariants:
//! 1. Every return before `seal` leaves no charge behind, except for nested calls that had
//!    answered before their caller failed.
//! 2. No answer is sent before its seal is durable.
//! 3. Once the plugin runs, a client that disconnects changes nothing: a separate task then
//!    finishes the call.
//! 4. A reload during the call does not affect it: plugin, price, split and owner come from
//!    one snapshot.

mod answer;
mod answer_difference;
mod call;
mod call_budget;
mod call_tree;
mod canary;
mod error;
mod failed_inputs;
mod idempotency;
mod input;
mod kept_inputs;
mod kept_rows;
mod owner_losses;
mod refusal;
mod replay;
mod replay_report;
mod resources;
mod run;
mod seal;
mod service;
mod task;
mod token;
mod trace;
mod wallet;

pub use answer::CallAnswer;
pub use answer_difference::PointerDifference;
pub use call::{Call, PaymentSource, TaskContext};
pub use error::{CheckoutError, PaymentRequired};
pub use failed_inputs::FailedInput;
pub use input::refuse_platform_rules;
pub use kept_inputs::KeptInputs;
pub use kept_rows::KeptInputsError;
pub use replay::{ReplayOrder, Replays};
pub use replay_report::{ReplayReport, ReplayedDifference, ReplayedTimes};
pub use resources::{ResourceError, Resources, StoredResource};
pub use service::Checkout;
