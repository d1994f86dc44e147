//! Calls of loaded plugins: their slots, state, limits, logs and failures.

pub(super) mod call;
pub(super) mod failure;
pub(super) mod failure_report;
pub(super) mod fairness;
mod guest_trace;
pub(super) mod input;
pub(super) mod limiter;
pub(super) mod log;
pub(super) mod places;
pub(super) mod recent_usage;
pub(super) mod state;
