//! The path of a call: from a request and its payment to a sealed answer.
//!
//! `Checkout::run` in `run.rs` contains the complete sequence; the other files contain the
//! services that it uses, one for each step. Its invariants:
//! 1. If the sequence ends before `seal`, nothing is charged, except for nested calls
//!    that had answered before their caller failed.
//! 2. No answer is sent before its seal is durable.
//! 3. Once the plugin runs, a client that disconnects changes nothing: a separate task
//!    finishes the call.
//! 4. If the plugin is replaced during the call, the call is not affected: plugin, price,
//!    split and owner come from one snapshot.

mod answer;
mod call;
mod call_budget;
mod call_tree;
pub(crate) mod callee_error;
mod checkout_payments;
mod error;
mod input;
mod nested_charges;
mod owner_losses;
mod refusals;
mod resource;
mod run;
mod sale_payment;
mod sealer;
mod service;
mod stored_answers;
mod task;
mod token;
mod trace;
mod version_runner;
mod wallet;

pub use answer::CallAnswer;
pub use call::{Call, PaymentSource, TaskContext};
pub(crate) use call_budget::CallBudget;
pub use error::{CheckoutError, PaymentRequired};
pub(crate) use input::Input;
pub use input::refuse_platform_rules;
pub use service::Checkout;
pub use stored_answers::StoredAnswers;
