//! An index of an account's tasks in the order of their last change, for lists.
//!
//! Invariants: an index row is written and deleted together with its task; the row has
//! the data for counting and filtering, so that a list reads whole tasks only for its
//! page.

use serde::{Deserialize, Serialize};

use super::task::{A2aTask, A2aTaskState};

/// The data that lists use to filter tasks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Summary {
    pub(super) context_id: String,
    /// The state when the row was written; outdated if the agent of a working task has
    /// finished since.
    pub(super) state: A2aTaskState,
    pub(super) expires_ms: u64,
}

/// One task in a list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct IndexEntry {
    pub(super) id: String,
    pub(super) updated_ms: u64,
    pub(super) summary: Summary,
    /// The position in the list, from which the next page continues.
    pub(super) cursor: String,
}

impl Summary {
    pub(super) fn of(task: &A2aTask) -> Self {
        Self { context_id: task.context_id.clone(), state: task.state, expires_ms: task.expires_ms }
    }
}

/// Returns the key of a task's index row.
pub(super) fn key(account: &str, task: &A2aTask) -> String {
    format!("{}{}", prefix(account), cursor(task.updated_ms, &task.id))
}

/// Returns the prefix of the keys of an account's index rows.
pub(super) fn prefix(account: &str) -> String {
    format!("l/{account}/")
}

/// Returns a position in the list: twenty digits that decrease over time, so that the
/// newest task sorts first, then the id.
fn cursor(updated_ms: u64, id: &str) -> String {
    format!("{:020}/{id}", u64::MAX.saturating_sub(updated_ms))
}

/// Parses the time and task id in a position in the list.
pub(super) fn read_cursor(cursor: &str) -> Option<(u64, &str)> {
    let (inverted, id) = cursor.split_once('/')?;
    let digits = inverted.len() == 20 && inverted.bytes().all(|byte| byte.is_ascii_digit());
    (digits && !id.is_empty()).then_some(())?;
    Some((u64::MAX.checked_sub(inverted.parse().ok()?)?, id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_a_list_are_read_as_they_are_written() {
        assert_eq!(read_cursor(&cursor(1_700_000_000_000, "task_x")), Some((1_700_000_000_000, "task_x")));
        for wrong in ["", "/", "1/x", "00000000000000000000/", "99999999999999999999/x", "0000000000000000000x/y"] {
            assert_eq!(read_cursor(wrong), None, "{wrong}");
        }
    }
}
