//! Agent to agent: the A2A protocol, version 0.3.0, as data and rules.
//!
//! Cards say what this server can do; a message names a skill, and the agent
//! that the operator bound to it runs as any other agent does. Nothing here
//! knows HTTP, and nothing here charges or runs anything: `agents` does.
//!
//! Invariants:
//! 1. Who answers for a skill is the operator's configuration, never what a
//!    stranger declares.
//! 2. Cards are made from configured addresses, once for each key that signs
//!    them, and are pure ASCII.
//! 3. A task ends in one call of an agent at most, and has that call's id.

mod busy;
mod card;
mod deliver;
mod desk;
mod follow;
mod form;
pub mod message;
mod push;
mod rack;
mod receivers;
pub mod rpc;
mod shelf;
mod skills;
mod task;
mod work;

use std::sync::Arc;

pub use card::{Cards, Identity};
pub use deliver::Deliveries;
pub use desk::{Asker, Desk, DeskError};
pub use follow::follow;
pub use rack::Rack;
pub use shelf::{Shelf, ShelfError};
pub use skills::{SKILLS, Skill, Skills, UnknownSkill};

/// What this server is to agents of others.
pub struct A2a {
    pub cards: Rack,
    pub desk: Arc<Desk>,
}
