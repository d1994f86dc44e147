//! Agents: tasks that are answered at once or later, and proofs of them.
//!
//! Invariants:
//! 1. A task ends once: its answer, its failure or its cancellation is one
//!    durable write, and the others are refused after it.
//! 2. A task is charged at most once, and only with its answer: the transaction
//!    id follows from the task's id.
//! 3. What was accepted for later is durable before the caller hears of it.

pub mod a2a;
mod called_back;
mod declared;
mod deploy;
mod error;
mod invoke;
#[cfg(test)]
mod money_tests;
mod own;
mod proof;
mod queue;
mod tally;
mod task;
mod views;

pub use deploy::{Code, DeployError, Deployed, Deployment, MANIFEST_MEMBERS, Tools, Workshop, members};
pub use error::AgentError;
pub use invoke::{Agents, Ended, Invocation, Outcome, Rooms};
pub use proof::{Answered, Proof, ProofError, Proofs};
pub use queue::follow;
pub use tally::{Stats, Tally};
pub use task::{TaskState, TaskView};

/// `2026-01-31T12:00:00.000Z` of a Unix time in milliseconds.
fn rfc3339(ms: u64) -> String {
    let ms = i64::try_from(ms).unwrap_or(i64::MAX);
    jiff::Timestamp::from_millisecond(ms).map_or_else(|_| String::new(), |time| format!("{time:.3}"))
}
