//! Bounds of agent to agent.

use super::{ANSWER_KEPT_MS, TASK_AGE_MS_MAX};

/// Ids that clients choose: of messages, tasks, contexts and settings.
pub const A2A_ID_BYTES_MAX: usize = 256;
/// Parts of one message.
pub const A2A_PARTS_MAX: usize = 64;
/// What is said in one task, all messages together.
pub const A2A_TASK_BYTES_MAX: usize = 256 << 10;
/// Messages of one task.
pub const A2A_MESSAGES_PER_TASK_MAX: usize = 64;
/// Tasks of one account that are kept although nobody paid for them: open,
/// canceled, failed or free ones. Beyond it the account has to wait until some
/// expire.
pub const A2A_UNPAID_TASKS_PER_ACCOUNT_MAX: usize = 1_000;
/// How long a task can be asked for after it last changed, as answers are.
pub const A2A_TASK_KEPT_MS: u64 = ANSWER_KEPT_MS;
/// How long an agent waits for the answer to its question.
pub const A2A_QUESTION_KEPT_MS: u64 = 60 * 60 * 1000;
/// Likewise, while it is with its agent: longer than it can be.
pub const A2A_OPEN_TASK_KEPT_MS: u64 = TASK_AGE_MS_MAX + ANSWER_KEPT_MS;
/// Receivers of one task's notifications.
pub const A2A_PUSH_PER_TASK_MAX: usize = 8;
/// Address of a receiver.
pub const A2A_URL_BYTES_MAX: usize = 2 << 10;
/// Token or credentials that a receiver is shown.
pub const A2A_CREDENTIAL_BYTES_MAX: usize = 1 << 10;
/// Notifications that are on their way at once, in all and of one account, so
/// that one account's dead receivers do not delay another's.
pub const A2A_PUSHES_AT_ONCE: usize = 32;
/// Likewise of one account.
pub const A2A_PUSHES_PER_ACCOUNT_AT_ONCE: usize = 4;
/// How long a receiver of a notification may take to answer.
pub const A2A_PUSH_MS_MAX: u64 = 10_000;
/// Tasks on a page of a list, where the client names no number: the protocol's.
pub const A2A_PAGE_SIZE: usize = 50;
/// Likewise at most: the protocol's, and a page of large answers stays below what
/// a connection may hold.
pub const A2A_PAGE_SIZE_MAX: usize = 100;
/// Tasks that one request for a list walks over, so that an account with many
/// paid ones takes no more of the store than others. Its lists count no further.
pub const A2A_TASKS_SCANNED_MAX: usize = 5_000;
