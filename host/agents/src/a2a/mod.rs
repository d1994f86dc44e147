//! Agent to agent: the A2A protocol, versions 0.3.0 and 1.0, as data and rules.
//!
//! Cards say what this server can do; a message names a skill, and the agent
//! that the operator bound to it runs as any other agent does. Nothing here
//! knows HTTP, and nothing here charges or runs anything: `agents` does.
//!
//! Invariants:
//! 1. The operator's configuration says which agent serves a skill; what others
//!    declare never does.
//! 2. Cards are made from configured addresses, once for each key that signs
//!    them, and are pure ASCII.
//! 3. A task ends in one call of an agent at most, and has that call's id.
//! 4. The versions differ in words only: `v0_3` and `v1` translate, and what an
//!    operation does, costs and refuses is decided once, in `handler`.

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
pub mod rpc;
mod send;
mod service;
mod skills;
mod task;
mod task_index;
mod task_store;
mod v0_3;
pub mod v1;
mod version;

pub use card::{CardIdentity, Cards};
pub use card_cache::CardCache;
pub use error::HandlerError;
pub use handler::{A2aHandler, RequestContext};
pub use method::RpcMethod;
pub use payment::EXTENSION as X402_EXTENSION;
pub use push_worker::PushWorker;
pub use reconciler::run_reconciler;
pub use service::A2aService;
pub use skills::{AgentSkill, SKILLS, SkillBindings, UnknownSkill};
pub use task_store::{TaskStore, TaskStoreError};
pub use version::ProtocolVersion;
