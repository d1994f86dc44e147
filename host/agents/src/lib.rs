//! Agents: tasks that are answered at once or later, proofs of the answers, deployment by
//! accounts, and the A2A protocol.
//!
//! Invariants:
//! 1. A task ends once: its answer, failure or cancellation is one durable write, which
//!    makes any later end fail.
//! 2. A task is charged at most once, and only with its answer: the transaction id is
//!    derived from the task's id.
//! 3. A queued task is durable before its caller gets its id.
//!
//! This crate knows nothing of HTTP, and never imports the operator service or the
//! server.

pub mod a2a;

mod agent_view;
mod attempt;
mod clawback;
mod declared_agent;
mod deploy;
mod deploy_error;
mod deploy_request;
mod earnings;
mod end;
mod enqueue;
mod error;
mod invoke;
pub mod limits;
#[cfg(test)]
mod money_tests;
mod ownership;
mod proof;
mod publisher;
pub mod qualification;
mod queue;
mod retry;
mod service;
mod stats_indexer;
mod task;
#[cfg(test)]
mod task_model;
mod task_step;
mod views;
mod worker;

pub use agent_view::AgentView;
pub use deploy::{DeployDeps, DeployService, DeployedVersion};
pub use deploy_error::DeployError;
pub use deploy_request::{DeployRequest, MANIFEST_MEMBERS, PluginCode, manifest_table};
pub use earnings::Earnings;
pub use end::{TaskEnded, TaskFinisher};
pub use error::AgentError;
pub use invoke::{Invocation, InvocationOutcome};
pub use ownership::OwnedPlugins;
pub use proof::{ProofIssuer, SealedTask, TaskProof, TaskProofError};
pub use service::AgentService;
pub use stats_indexer::{PluginStats, PluginStatsIndexer};
pub use task::{TaskState, TaskView};
pub use views::TaskViews;
pub use worker::run_queue;
