//! Limits that several modules share, each with its reason.

/// Default time that a request waits for an agent's answer; after it, the task continues
/// in the background.
pub(crate) const TASK_WAIT_MS: u64 = 25_000;
