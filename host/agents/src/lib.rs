//! Agents: tasks that are answered at once or later, and proofs of them.
//!
//! Invariants:
//! 1. A task ends once: its answer, its failure or its cancellation is one
//!    durable write, and the others are refused after it.
//! 2. A task is charged at most once, and only with its answer: the transaction
//!    id follows from the task's id.
//! 3. What was accepted for later is durable before the caller hears of it.

pub mod a2a;
mod clawback;
mod declared_agent;
mod deploy;
mod error;
#[cfg(test)]
mod money_tests;
mod ownership;
mod proof;
mod queue;
mod service;
mod stats_indexer;
mod task;
mod views;

pub use deploy::{
    DeployDeps, DeployError, DeployRequest, DeployService, DeployedVersion, MANIFEST_MEMBERS, PluginCode,
    manifest_table,
};
pub use error::AgentError;
pub use proof::{ProofIssuer, SealedTask, TaskProof, TaskProofError};
pub use queue::run_queue;
pub use service::{AgentDeps, AgentService, Invocation, InvocationOutcome, TaskEnded};
pub use stats_indexer::{PluginStats, PluginStatsIndexer};
pub use task::{TaskState, TaskView};

/// `2026-01-31T12:00:00.000Z` of a Unix time in milliseconds.
fn rfc3339(ms: u64) -> String {
    let ms = i64::try_from(ms).unwrap_or(i64::MAX);
    jiff::Timestamp::from_millisecond(ms).map_or_else(|_| String::new(), |time| format!("{time:.3}"))
}
