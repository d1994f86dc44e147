//! An index of an account's tasks in the order of their last change, for lists.
//!
//! Invariants: an index row is written and deleted together with its task; the row has
//! the data for counting and filtering, so that a list reads whole tasks only for its
//! page.

use serde::{Deserialize, Serialize};
use tollbridge_core::limits::A2A_TASKS_SCANNED_MAX;
use tollbridge_store::{Collection, StoreError};

use super::task::{A2aTask, A2aTaskState};
use super::task_store::{TaskStore, read};

/// Number of rows read at a time.
const ROWS_AT_ONCE: usize = 500;

/// The data by which lists filter tasks.
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

fn prefix(account: &str) -> String {
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

impl TaskStore {
    /// Visits an account's tasks after a position in the list, newest first, until
    /// `visit` returns false. Returns true if the scan ended early because it reached its
    /// limit.
    pub(super) fn walk(
        &self,
        account: &str,
        after: Option<&str>,
        mut visit: impl FnMut(IndexEntry) -> bool,
    ) -> Result<bool, StoreError> {
        let prefix = prefix(account);
        let mut last = format!("{prefix}{}", after.unwrap_or_default());
        let mut seen = 0_usize;
        loop {
            let rows = self.db.list(Collection::A2a, &last, ROWS_AT_ONCE)?;
            let count = rows.len();
            for (key, row) in rows {
                let Some(cursor) = key.strip_prefix(&prefix) else { return Ok(false) };
                let Some((updated_ms, id)) = read_cursor(cursor) else { continue };
                let entry =
                    IndexEntry { id: id.to_owned(), updated_ms, summary: read(&row)?, cursor: cursor.to_owned() };
                if !visit(entry) {
                    return Ok(false);
                }
                seen = seen.saturating_add(1);
                if seen >= A2A_TASKS_SCANNED_MAX {
                    return Ok(true);
                }
                last = key;
            }
            if count < ROWS_AT_ONCE {
                return Ok(false);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tollbridge_ledger::Chain;
    use tollbridge_store::{Db, RedbStore, Writer};

    use super::*;

    fn store() -> TaskStore {
        let store = Arc::new(RedbStore::in_memory().unwrap());
        let writer = Writer::start(store.clone(), Box::new(Chain::new()), None, |why| panic!("{why}")).unwrap();
        TaskStore::new(Db::new(store, Arc::new(writer)))
    }

    async fn save(store: &TaskStore, account: &str, id: &str, state: A2aTaskState, now_ms: u64) {
        let before = store.find(account, id, 0).unwrap();
        let mut task = before
            .as_ref()
            .map_or_else(|| A2aTask::new(id.to_owned(), "k".to_owned(), "c".to_owned()), |stored| stored.task.clone());
        task.state = state;
        store.save(account, before.as_ref(), &mut task, None, false, now_ms).await.unwrap();
    }

    fn walked(store: &TaskStore, account: &str, after: Option<&str>) -> Vec<IndexEntry> {
        let mut entries = Vec::new();
        store
            .walk(account, after, |entry| {
                entries.push(entry);
                true
            })
            .unwrap();
        entries
    }

    #[tokio::test]
    async fn an_account_walks_its_own_tasks_newest_first() {
        let store = store();
        for (account, id, now_ms) in [("a", "t1", 1_000), ("a", "t2", 2_000), ("b", "t3", 3_000), ("a", "t4", 2_000)] {
            save(&store, account, id, A2aTaskState::InputRequired, now_ms).await;
        }
        let ids = |entries: &[IndexEntry]| entries.iter().map(|entry| entry.id.clone()).collect::<Vec<_>>();
        let all = walked(&store, "a", None);
        assert_eq!(ids(&all), ["t2", "t4", "t1"]);
        assert_eq!(ids(&walked(&store, "a", Some(&all[0].cursor))), ["t4", "t1"]);
        assert_eq!(walked(&store, "", None), []);
        // A changed task moves to the front, and its old index row is deleted.
        save(&store, "a", "t1", A2aTaskState::Canceled, 4_000).await;
        let all = walked(&store, "a", None);
        assert_eq!(ids(&all), ["t1", "t2", "t4"]);
        assert_eq!((all[0].summary.state, all[0].updated_ms), (A2aTaskState::Canceled, 4_000));
        // Expired tasks are also removed from the index.
        store.delete_expired(u64::MAX).await.unwrap();
        assert_eq!(walked(&store, "a", None), []);
    }

    #[test]
    fn places_in_a_list_are_read_as_they_are_written() {
        assert_eq!(read_cursor(&cursor(1_700_000_000_000, "task_x")), Some((1_700_000_000_000, "task_x")));
        for wrong in ["", "/", "1/x", "00000000000000000000/", "99999999999999999999/x", "0000000000000000000x/y"] {
            assert_eq!(read_cursor(wrong), None, "{wrong}");
        }
    }
}
