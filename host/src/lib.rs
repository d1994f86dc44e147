//! Tollbridge: a WebAssembly-plugin host for paid data bridges and agents.
//!
//! Rooms, bottom to top; a room imports only rooms above it in this list.

pub mod money;
pub mod limits;
pub mod store;
pub mod config;
pub mod access;
