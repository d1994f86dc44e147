//! Limits that several modules share, each with its reason.

/// Time that the caller of an agent waits for the answer; after it, the task continues in
/// the background.
pub(crate) const TASK_WAIT_MS: u64 = 25_000;
