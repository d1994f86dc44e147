//! Limits of the agent-to-agent protocol (A2A).

use super::{ANSWER_KEPT_MS, TASK_AGE_MS_MAX};

/// Maximum length of ids that clients choose: of messages, tasks, contexts and settings.
pub const A2A_ID_BYTES_MAX: usize = 256;
/// Maximum number of parts in one message.
pub const A2A_PARTS_MAX: usize = 64;
/// Maximum text of one task, all messages together.
pub const A2A_TASK_BYTES_MAX: usize = 256 << 10;
/// Maximum number of messages in one task.
pub const A2A_MESSAGES_PER_TASK_MAX: usize = 64;
/// Maximum number of unpaid tasks (open, canceled, failed or free) kept for one account.
/// At the limit, the account must wait until some expire.
pub const A2A_UNPAID_TASKS_PER_ACCOUNT_MAX: usize = 1_000;
/// Retention of a task after its last change; the same as that of an answer.
pub const A2A_TASK_KEPT_MS: u64 = ANSWER_KEPT_MS;
/// Time for which an agent that asked a question waits for the answer.
pub const A2A_QUESTION_KEPT_MS: u64 = 60 * 60 * 1000;
/// Retention of an unfinished task; longer than a task can be open.
pub const A2A_OPEN_TASK_KEPT_MS: u64 = TASK_AGE_MS_MAX + ANSWER_KEPT_MS;
/// Maximum number of receivers of one task's notifications.
pub const A2A_PUSH_PER_TASK_MAX: usize = 8;
/// Maximum length of a receiver's URL.
pub const A2A_URL_BYTES_MAX: usize = 2 << 10;
/// Maximum length of the token or credentials sent to a receiver.
pub const A2A_CREDENTIAL_BYTES_MAX: usize = 1 << 10;
/// Maximum number of notifications in flight, in total.
pub const A2A_PUSHES_AT_ONCE: usize = 32;
/// Maximum number of notifications in flight of one account, so that one account's dead
/// receivers do not delay those of other accounts.
pub const A2A_PUSHES_PER_ACCOUNT_AT_ONCE: usize = 4;
/// Time-out for a receiver's answer to a notification.
pub const A2A_PUSH_MS_MAX: u64 = 10_000;
/// Default number of tasks on a page of a list: the protocol's default.
pub const A2A_PAGE_SIZE: usize = 50;
/// Maximum page size: the protocol's; a page of large answers stays below the
/// connection's limit.
pub const A2A_PAGE_SIZE_MAX: usize = 100;
/// Maximum number of tasks that one request for a list scans, so that an account with
/// many paid tasks does not load the store more than others. Totals are counted up to
/// this number.
pub const A2A_TASKS_SCANNED_MAX: usize = 5_000;
