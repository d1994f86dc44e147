//! Stored A2A tasks, messages and pending push notifications.
//!
//! Invariants: an account can only read its own tasks; rows that belong together are
//! written together; a task that another request changed since it was read is not
//! overwritten; a task expires a day after its last change.
//!
//! Rows of `Collection::A2a`:
//! - `t/{account}/{task}`: the task,
//! - `m/{account}/{digest of a message's name}`: the task of a message,
//! - `e/{expiry}/{account}/{task}`: the expiry of a task,
//! - `w/{account}/{task}`: marks a task whose agent is working, so that the agent's
//!   result is copied to the task,
//! - `n/{account}/{task}`: marks an unpaid task, so that unpaid tasks are counted,
//! - `l/{account}/{time}/{task}`: the entry of a task in lists, newest first
//!   (`task_index`),
//! - `p/{due}/{id}`: a pending notification.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tollbridge_ledger::idempotency::ANSWER_KEPT_MS;
use tollbridge_store::{Change, Collection, Db, Expect, Hash, Put, StoreError, SubmitError};

use super::push_config::PushConfig;
use super::task::{A2aTask, A2aTaskState};
use super::task_index::{self, IndexEntry};
use crate::limits::{A2A_OPEN_TASK_KEPT_MS, A2A_QUESTION_KEPT_MS, TASKS_PER_ACCOUNT_MAX};

/// Maximum number of unpaid tasks (open, canceled, failed or free) kept for one account.
/// At the limit, the account must wait until some expire.
const A2A_UNPAID_TASKS_PER_ACCOUNT_MAX: usize = 1_000;
/// Retention of a task after its last change; equal to the retention of an answer.
const A2A_TASK_KEPT_MS: u64 = ANSWER_KEPT_MS;
/// Maximum number of tasks that one request for a list scans, so that an account with
/// many paid tasks does not load the store more than others. Totals are counted up to
/// this number.
const A2A_TASKS_SCANNED_MAX: usize = 5_000;

/// Number of expired tasks that are deleted in one change.
const CLEANUP_BATCH_MAX: usize = 100;
/// Number of pending tasks that are read at a time.
const FOLLOWED_AT_ONCE: usize = 500;
/// Number of index rows that are read at a time.
const INDEX_ROWS_AT_ONCE: usize = 500;

/// The stored tasks of all accounts.
#[derive(Clone)]
pub struct TaskStore {
    /// The handle to the store and its writer.
    pub(super) db: Db,
}

/// A task with the row from which it was read.
pub(super) struct StoredTask {
    pub(super) task: A2aTask,
    row: Vec<u8>,
}

/// A task whose agent is working.
pub(super) struct PendingTask {
    pub(super) account: String,
    pub(super) task: String,
    pub(super) key: String,
}

/// A message that was processed before, with the task it led to.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SeenMessage {
    pub(super) task: String,
    /// The digest of the message's content; the same message id with other content is an
    /// error.
    #[serde(with = "hex::serde")]
    pub(super) fingerprint: Hash,
}

/// A pending notification. The task itself is read when the notification is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct PendingPush {
    pub(super) account: String,
    pub(super) task: String,
    pub(super) config: PushConfig,
    /// The number of failed attempts at sending the notification.
    pub(super) failed: usize,
}

/// An error from reading or writing tasks.
#[derive(Debug, thiserror::Error)]
pub enum TaskStoreError {
    #[error(
        "this account has {A2A_UNPAID_TASKS_PER_ACCOUNT_MAX} unpaid tasks, the maximum; they expire a day after their last \
         change"
    )]
    /// The account has reached its limit of unpaid tasks.
    Full,
    /// Reading failed, or a row is damaged.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Writing failed, or another request changed the task first.
    #[error(transparent)]
    Submit(#[from] SubmitError),
}

impl TaskStore {
    /// Creates a store of tasks.
    pub fn new(db: Db) -> Self {
        Self { db }
    }

    pub(super) fn find(&self, account: &str, id: &str, now_ms: u64) -> Result<Option<StoredTask>, StoreError> {
        let Some(row) = self.db.get(Collection::A2a, &task_key(account, id))? else { return Ok(None) };
        let task: A2aTask = read(&row)?;
        Ok((task.expires_ms > now_ms).then_some(StoredTask { task, row }))
    }

    /// Returns the task to which a message with this name led, if the message was sent
    /// before.
    pub(super) fn seen_message(&self, account: &str, message: &str) -> Result<Option<SeenMessage>, StoreError> {
        self.db.get(Collection::A2a, &message_key(account, message))?.map(|row| read(&row)).transpose()
    }

    /// Checks that the account may create another task. Only unpaid tasks are limited;
    /// the cost of paid tasks limits their number.
    pub(super) fn check_quota(&self, account: &str) -> Result<(), TaskStoreError> {
        let prefix = unpaid_key(account, "");
        let limit = A2A_UNPAID_TASKS_PER_ACCOUNT_MAX;
        let rows = self.db.list(Collection::A2a, &prefix, limit)?;
        if rows.iter().filter(|(key, _)| key.starts_with(&prefix)).count() >= limit {
            return Err(TaskStoreError::Full);
        }
        Ok(())
    }

    /// Writes a changed task together with the message that changed it and the
    /// notifications that are due.
    pub(super) async fn save(
        &self,
        account: &str,
        before: Option<&StoredTask>,
        task: &mut A2aTask,
        seen_message: Option<(&str, Hash)>,
        notify: bool,
        now_ms: u64,
    ) -> Result<(), TaskStoreError> {
        task.updated_ms = now_ms;
        let kept_ms = match task.state {
            // The task must not expire before its agent has finished.
            state if state.is_with_agent() => A2A_OPEN_TASK_KEPT_MS,
            // A task that waits for input or payment must not use up the account's quota
            // for long.
            A2aTaskState::InputRequired if task.capability.is_some() => A2A_QUESTION_KEPT_MS,
            _ => A2A_TASK_KEPT_MS,
        };
        task.expires_ms = now_ms.saturating_add(kept_ms);
        let mut puts = vec![Put {
            collection: Collection::A2a,
            key: task_key(account, &task.id),
            value: Some(write(task)?),
            expect: before.map_or(Expect::Absent, |stored| Expect::Exactly(stored.row.clone())),
        }];
        if let Some(stored) = before {
            puts.push(row(expiry_key(stored.task.expires_ms, account, &task.id), None));
            puts.push(row(task_index::key(account, &stored.task), None));
        }
        puts.push(row(task_index::key(account, task), Some(write(&task_index::Summary::of(task))?)));
        puts.push(row(expiry_key(task.expires_ms, account, &task.id), Some(Vec::new())));
        puts.push(row(unpaid_key(account, &task.id), (!task.is_paid()).then(Vec::new)));
        puts.push(row(followed_key(account, &task.id), task.state.is_with_agent().then(Vec::new)));
        if let Some((message, fingerprint)) = seen_message {
            let seen_message = SeenMessage { task: task.id.clone(), fingerprint };
            puts.push(Put {
                expect: Expect::Absent,
                ..row(message_key(account, message), Some(write(&seen_message)?))
            });
        }
        if notify {
            for (number, config) in task.push.iter().enumerate() {
                let due = PendingPush {
                    account: account.to_owned(),
                    task: task.id.clone(),
                    config: config.clone(),
                    failed: 0,
                };
                // The row's key also contains the time of the write, and one write
                // changes a task once, so this id is unique.
                let id = format!("{}-{}-{number}", task.id, task.history.len());
                puts.push(row(due_key(now_ms, &id), Some(write(&due)?)));
            }
        }
        self.db.submit(Change { puts, ..Change::default() }).await?;
        Ok(())
    }

    /// Visits an account's tasks after a position in the list, newest first, until
    /// `visit` returns false. Returns true if the scan ended early because it reached its
    /// limit.
    pub(super) fn walk(
        &self,
        account: &str,
        after: Option<&str>,
        mut visit: impl FnMut(IndexEntry) -> bool,
    ) -> Result<bool, StoreError> {
        let prefix = task_index::prefix(account);
        let mut last = format!("{prefix}{}", after.unwrap_or_default());
        let mut seen = 0_usize;
        loop {
            let rows = self.db.list(Collection::A2a, &last, INDEX_ROWS_AT_ONCE)?;
            let count = rows.len();
            for (key, row) in rows {
                let Some(cursor) = key.strip_prefix(&prefix) else { return Ok(false) };
                let Some((updated_ms, id)) = task_index::read_cursor(cursor) else { continue };
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
            if count < INDEX_ROWS_AT_ONCE {
                return Ok(false);
            }
        }
    }

    /// Returns the ids of an account's tasks whose agents are working.
    pub(super) fn pending_of(&self, account: &str) -> Result<Vec<String>, StoreError> {
        let prefix = followed_key(account, "");
        let rows = self.db.list(Collection::A2a, &prefix, TASKS_PER_ACCOUNT_MAX)?;
        let ids = rows.into_iter().map_while(|(key, _)| Some(key.strip_prefix(&prefix)?.to_owned()));
        Ok(ids.collect())
    }

    /// Returns pending tasks after a position, each with its key as the position for the
    /// next page.
    pub(super) fn pending_tasks(&self, after: Option<&str>) -> Result<Vec<PendingTask>, StoreError> {
        let rows = self.db.list(Collection::A2a, after.unwrap_or("w/"), FOLLOWED_AT_ONCE)?;
        let read = rows.into_iter().map_while(|(key, _)| {
            let (account, task) = key.strip_prefix("w/")?.split_once('/')?;
            Some(PendingTask { account: account.to_owned(), task: task.to_owned(), key: key.clone() })
        });
        Ok(read.collect())
    }

    /// Returns due notifications after the given key, oldest first.
    pub(super) fn due(
        &self,
        now_ms: u64,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, PendingPush)>, StoreError> {
        let rows = self.db.list(Collection::A2a, after.unwrap_or("p/"), limit)?;
        let due = rows.into_iter().take_while(|(key, _)| due_time(key).is_some_and(|time| time <= now_ms));
        due.map(|(key, row)| Ok((key, read(&row)?))).collect()
    }

    /// Returns whether a notification is still pending.
    pub(super) fn is_due(&self, key: &str) -> Result<bool, StoreError> {
        Ok(self.db.get(Collection::A2a, key)?.is_some())
    }

    /// Deletes a notification, or writes it again for a later attempt.
    pub(super) async fn settle(&self, key: &str, again: Option<(u64, &PendingPush)>) -> Result<(), TaskStoreError> {
        let mut puts = vec![row(key.to_owned(), None)];
        if let (Some((at_ms, due)), Some(id)) = (again, key.splitn(3, '/').nth(2)) {
            puts.push(row(due_key(at_ms, id), Some(write(due)?)));
        }
        self.db.submit(Change { puts, ..Change::default() }).await?;
        Ok(())
    }

    /// Deletes expired tasks together with all of their rows.
    pub async fn delete_expired(&self, now_ms: u64) -> Result<(), TaskStoreError> {
        loop {
            let mut puts = Vec::new();
            for (key, _) in self.db.list(Collection::A2a, "e/", CLEANUP_BATCH_MAX)? {
                let Some((expires_ms, account, id)) = read_expiry_key(&key) else { break };
                if expires_ms > now_ms {
                    break;
                }
                if let Some(task) = self.db.get(Collection::A2a, &task_key(account, id))? {
                    let task: A2aTask = read(&task)?;
                    let names = task.history.iter().filter_map(|entry| entry.name.as_deref());
                    puts.extend(names.map(|name| row(message_key(account, name), None)));
                    puts.push(row(task_index::key(account, &task), None));
                }
                puts.push(row(task_key(account, id), None));
                puts.push(row(unpaid_key(account, id), None));
                puts.push(row(followed_key(account, id), None));
                puts.push(row(key, None));
            }
            if puts.is_empty() {
                return Ok(());
            }
            self.db.submit(Change { puts, ..Change::default() }).await?;
        }
    }
}

fn task_key(account: &str, id: &str) -> String {
    format!("t/{account}/{id}")
}

fn unpaid_key(account: &str, id: &str) -> String {
    format!("n/{account}/{id}")
}

fn followed_key(account: &str, id: &str) -> String {
    format!("w/{account}/{id}")
}

fn message_key(account: &str, message: &str) -> String {
    // Clients choose message ids; their digest has a fixed length.
    format!("m/{account}/{}", hex::encode(Sha256::digest(message)))
}

fn expiry_key(expires_ms: u64, account: &str, id: &str) -> String {
    // Twenty digits, so that keys sort by time.
    format!("e/{expires_ms:020}/{account}/{id}")
}

/// Parses the expiry, account and task id of an expiry key.
fn read_expiry_key(key: &str) -> Option<(u64, &str, &str)> {
    let (time, rest) = key.strip_prefix("e/")?.split_once('/')?;
    let (account, id) = rest.split_once('/')?;
    Some((time.parse().ok()?, account, id))
}

fn due_key(due_ms: u64, id: &str) -> String {
    format!("p/{due_ms:020}/{id}")
}

fn due_time(key: &str) -> Option<u64> {
    key.strip_prefix("p/")?.split_once('/')?.0.parse().ok()
}

fn row(key: String, value: Option<Vec<u8>>) -> Put {
    Put { collection: Collection::A2a, key, value, expect: Expect::Any }
}

fn write<T: Serialize>(value: &T) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(value).map_err(bad_row)
}

fn read<'r, T: Deserialize<'r>>(row: &'r [u8]) -> Result<T, StoreError> {
    serde_json::from_slice(row).map_err(bad_row)
}

fn bad_row(source: serde_json::Error) -> StoreError {
    StoreError { doing: "reading or writing a task", source: Box::new(source) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tollbridge_ledger::Chain;
    use tollbridge_store::{RedbStore, Writer};

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
}
