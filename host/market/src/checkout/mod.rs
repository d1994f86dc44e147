//! The path of a call: from a request and its payment to a sealed answer.
//!
//! `Checkout::run` in `run.rs` contains the complete sequence. Its invariants:
//! 1. If the sequence ends before `seal`, nothing is charged, except for nested calls
//!    that had answered before their caller failed.
//! 2. No answer is sent before its seal is durable.
//! 3. Once the plugin runs, a client that disconnects changes nothing: a separate task
//!    finishes the call.
//! 4. If the plugin is replaced during the call, the call is not affected: plugin, price,
//!    split and owner come from one snapshot.

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
mod resource_view;
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
pub use resource_view::ResourceView;
pub use resources::{ResourceError, Resources, StoredResource};
pub use service::Checkout;
