//! Calls of components: their state, limits and failures.

pub(super) mod component_program;
pub(super) mod failure;
pub(super) mod fairness;
mod guest_trace;
pub(super) mod limiter;
pub(super) mod state;
