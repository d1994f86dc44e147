//! The parts that all routes share: the handlers' state, admission, extractors of bodies and keys,
//! the errors of calls, and forwarding to the host that leads.
//!
//! Invariants: every request on the public listener passes `admit`; a body is read within the
//! limits on size, speed and memory of the route and its caller; a host answers only what it may
//! answer without the leader.
//!
//! Never imports a crate of routes, nor `http`.

pub mod admit;
pub mod body;
pub mod client_of;
pub mod error_mapping;
pub mod forward;
mod host_choice;
pub mod operation_inputs;
mod path;
mod peers;
mod readiness;
mod state;
pub mod unauthorized;

pub use path::Path;
pub use peers::{HostRole, Peers};
pub use readiness::{Phase, Readiness};
pub use state::{AppState, Routes, Settings};
