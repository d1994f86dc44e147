//! Limits that several modules share, each with its reason.

use tollbridge_core::time::DAY_MS;
use tollbridge_ledger::idempotency::ANSWER_KEPT_MS;

/// Maximum number of parts in one message.
pub(crate) const A2A_PARTS_MAX: usize = 64;
/// Time for which an agent that asked a question waits for the answer.
pub(crate) const A2A_QUESTION_KEPT_MS: u64 = 60 * 60 * 1000;
/// Retention of an unfinished task; longer than a task can be open.
pub const A2A_OPEN_TASK_KEPT_MS: u64 = TASK_AGE_MS_MAX + ANSWER_KEPT_MS;
/// Maximum number of open tasks of one account, so that no account fills the queue.
pub(crate) const TASKS_PER_ACCOUNT_MAX: usize = 1_000;
/// Age at which a queued task is abandoned.
pub(crate) const TASK_AGE_MS_MAX: u64 = DAY_MS;
/// Maximum time that a caller of an agent may ask to wait.
pub const TASK_WAIT_MS_MAX: u64 = 60_000;
