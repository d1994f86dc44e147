//! Agent to agent: versions 0.3.0 and 1.0 of the A2A protocol, independent of the
//! transport.
//!
//! Cards describe the skills of this server. A message names a skill, and the agent that
//! the operator bound to this skill is called like any other agent. This module knows
//! nothing of HTTP, and does not charge or run calls itself: `agents` does.
//!
//! Invariants:
//! 1. Only the operator's configuration determines the agent of a skill; publishers
//!    cannot claim a skill.
//! 2. Cards are built from configured URLs, once for each signing key, and are pure
//!    ASCII.
//! 3. A task ends in at most one call of an agent, and has the same id as that call.
//! 4. The protocol versions differ in format only: `v0_3` and `v1` translate formats, and
//!    the services in `handler` alone decide the effect, price and refusal of an
//!    operation.

mod agent_input;
mod canonical;
mod card;
mod card_cache;
mod error;
#[cfg(test)]
mod fuzz_tests;
mod handler;
mod list;
pub mod message;
mod method;
mod payment;
mod push_config;
mod push_settings;
mod push_worker;
mod reconciler;
mod request_context;
pub mod rpc;
mod rpc_error;
mod send;
mod service;
mod skills;
mod task;
mod task_index;
mod task_store;
mod tasks;
mod v0_3;
pub mod v1;
mod version;

pub use card::{Card, CardIdentity, Cards};
pub use card_cache::CardCache;
pub use error::HandlerError;
pub use handler::A2aHandler;
pub use method::RpcMethod;
pub use payment::EXTENSION as X402_EXTENSION;
pub use push_worker::PushWorker;
pub use reconciler::run_reconciler;
pub use request_context::RequestContext;
pub use rpc_error::{RpcError, RpcErrorKind};
pub use service::A2aService;
pub use skills::{AgentSkill, SKILLS, SkillBindings, UnknownSkill};
pub use task_store::{TaskStore, TaskStoreError};
pub use tasks::A2aTasks;
pub use version::ProtocolVersion;
