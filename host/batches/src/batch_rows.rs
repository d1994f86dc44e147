//! Reads and writes the database rows of batches.
//!
//! Rows of `Collection::Batches`:
//! - `b/{account}/{id}`: a batch; ids are ordered by time,
//! - `o/{account}/{id}`: marks a batch as open,
//! - `m/{id}/{line}`: marks a line that has its result,
//! - `e/{time}/{account}/{id}`: the time at which a batch is deleted.

use std::collections::BTreeMap;
use std::time::Duration;

use tollbridge_store::{Change, Collection, Db, Expect, Put, Refusal, Rows, StoreError, SubmitError};

use super::batch::Batch;
use super::line_rows::{LineMark, mark_key};
use super::stored_file::is_id;
use super::stored_files::read_expiry_key;
use crate::limits::{BATCHES_OPEN_MAX, FILE_ROWS_PER_CHANGE, FILES_TIDIED_AT_ONCE};

/// Maximum number of batches kept for one account. Above it, the oldest finished ones are
/// removed.
const BATCHES_PER_ACCOUNT_MAX: usize = 300;

/// Maximum number of retries of a write while the commit queue is full; `BUSY_WAIT` is the
/// delay before each.
const BUSY_WAITS: u32 = 100;
const BUSY_WAIT: Duration = Duration::from_millis(100);
/// Maximum number of attempts to update a row that is being changed concurrently.
const UPDATE_ATTEMPTS_MAX: u32 = 10;
/// Number of batches read at once.
const PAGE: usize = 50;

/// An error of reading or writing batches.
#[derive(Debug, thiserror::Error)]
pub enum BatchRowsError {
    /// Reading failed, or a row is damaged.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Writing failed.
    #[error(transparent)]
    Submit(#[from] SubmitError),
}

/// Reads and writes the rows of batches.
pub(super) struct BatchRows {
    db: Db,
}

impl BatchRows {
    pub(super) const fn new(db: Db) -> Self {
        Self { db }
    }

    pub(super) fn find(&self, account: &str, id: &str) -> Result<Option<Batch>, StoreError> {
        Ok(self.read(account, id)?.map(|(batch, _)| batch))
    }

    /// Lists all batches of an account, oldest first.
    pub(super) fn list(&self, account: &str) -> Result<Vec<Batch>, StoreError> {
        let rows = Rows::of(self.db.store(), Collection::Batches).with_prefix(key('b', account, ""));
        rows.with_page_size(PAGE).map(|row| parse(&row?.1)).collect()
    }

    /// Lists accounts and ids of open batches.
    pub(super) fn open(&self) -> Result<Vec<(String, String)>, StoreError> {
        let rows = Rows::of(self.db.store(), Collection::Batches).with_prefix("o/").with_page_size(BATCHES_OPEN_MAX);
        let mut open = Vec::new();
        for row in rows {
            let (key, _) = row?;
            let names = key.strip_prefix("o/").and_then(|rest| rest.split_once('/'));
            open.extend(names.map(|(account, id)| (account.to_owned(), id.to_owned())));
        }
        Ok(open)
    }

    /// Inserts a new batch; if the account has too many batches, deletes the oldest ended
    /// ones.
    pub(super) async fn insert(&self, account: &str, batch: &Batch) -> Result<(), BatchRowsError> {
        let id = &batch.id;
        let mut puts = vec![
            put(key('b', account, id), Some(bytes(batch)?), Expect::Absent),
            put(key('o', account, id), Some(Vec::new()), Expect::Absent),
            put(expiry_key(account, batch), Some(Vec::new()), Expect::Any),
        ];
        let known = self.list(account)?;
        let beyond = (known.len() + 1).saturating_sub(BATCHES_PER_ACCOUNT_MAX);
        for old in known.iter().filter(|old| !old.status.is_open()).take(beyond) {
            puts.extend(removal(account, old));
        }
        self.submit(puts).await
    }

    /// Updates a batch, unless `change` reports that nothing has to change. Returns the
    /// resulting batch; `None` if the batch does not exist.
    pub(super) async fn update(
        &self,
        account: &str,
        id: &str,
        change: impl Fn(&mut Batch) -> bool,
    ) -> Result<Option<Batch>, BatchRowsError> {
        for _ in 0..UPDATE_ATTEMPTS_MAX {
            let Some((mut batch, before)) = self.read(account, id)? else { return Ok(None) };
            if !change(&mut batch) {
                return Ok(Some(batch));
            }
            let row = put(key('b', account, id), Some(bytes(&batch)?), Expect::Exactly(before));
            match self.submit(vec![row]).await {
                Ok(()) => return Ok(Some(batch)),
                Err(BatchRowsError::Submit(SubmitError::Refused(Refusal::Unexpected { .. }))) => {}
                Err(error) => return Err(error),
            }
        }
        Err(SubmitError::Busy.into())
    }

    /// Deletes a batch that has ended.
    pub(super) async fn delete(&self, account: &str, batch: &Batch) -> Result<(), BatchRowsError> {
        self.submit(removal(account, batch).into()).await
    }

    /// Ends a batch: writes its final state, and the rows in `more`, in one change.
    pub(super) async fn end(&self, account: &str, batch: &Batch, more: Vec<Put>) -> Result<(), BatchRowsError> {
        let mut puts = more;
        puts.push(put(key('b', account, &batch.id), Some(bytes(batch)?), Expect::Any));
        self.submit(puts).await
    }

    /// Deletes the line marks of an ended batch, and the row that marks the batch as
    /// open.
    pub(super) async fn close(&self, account: &str, batch: &Batch) -> Result<(), BatchRowsError> {
        let mut puts = Vec::new();
        for number in 1..=batch.counts.total {
            puts.push(put(mark_key(&batch.id, number), None, Expect::Any));
            if puts.len() >= FILE_ROWS_PER_CHANGE {
                self.submit(std::mem::take(&mut puts)).await?;
            }
        }
        // This row is deleted last: if the process crashes before, the next start finds
        // the batch and repeats the clean-up.
        puts.push(put(key('o', account, &batch.id), None, Expect::Any));
        self.submit(puts).await
    }

    pub(super) fn mark(&self, id: &str, number: u64) -> Result<Option<LineMark>, StoreError> {
        let row = self.db.get(Collection::Batches, &mark_key(id, number))?;
        row.map(|row| serde_json::from_slice(&row).map_err(bad_row)).transpose()
    }

    /// Returns the marks of those lines of a batch that already have a result.
    pub(super) fn marks(&self, id: &str) -> Result<BTreeMap<u64, LineMark>, StoreError> {
        let prefix = format!("m/{id}/");
        let mut marks = BTreeMap::new();
        for row in Rows::of(self.db.store(), Collection::Batches).with_prefix(prefix.clone()) {
            let (key, mark) = row?;
            let number = key.strip_prefix(&prefix).and_then(|number| number.parse().ok());
            if let Some(number) = number {
                marks.insert(number, serde_json::from_slice(&mark).map_err(bad_row)?);
            }
        }
        Ok(marks)
    }

    /// Deletes batches whose retention period has ended.
    pub(super) async fn delete_expired(&self, now_ms: u64) -> Result<(), BatchRowsError> {
        loop {
            let mut puts = Vec::new();
            for (row, _) in self.db.list(Collection::Batches, "e/", FILES_TIDIED_AT_ONCE)? {
                let Some((_, account, id)) = read_expiry_key(&row).filter(|(time, ..)| *time <= now_ms) else {
                    break;
                };
                puts.push(put(key('b', account, id), None, Expect::Any));
                puts.push(put(row.clone(), None, Expect::Any));
            }
            if puts.is_empty() {
                return Ok(());
            }
            self.submit(puts).await?;
        }
    }

    /// Writes rows; retries while the commit queue is full.
    pub(super) async fn submit(&self, puts: Vec<Put>) -> Result<(), BatchRowsError> {
        for _ in 0..BUSY_WAITS {
            match self.db.submit(Change { puts: puts.clone(), ..Change::default() }).await {
                Err(SubmitError::Busy) => tokio::time::sleep(BUSY_WAIT).await,
                written => return Ok(written.map(drop)?),
            }
        }
        Err(SubmitError::Busy.into())
    }

    fn read(&self, account: &str, id: &str) -> Result<Option<(Batch, Vec<u8>)>, StoreError> {
        if !is_id(id) {
            return Ok(None);
        }
        let Some(row) = self.db.get(Collection::Batches, &key('b', account, id))? else { return Ok(None) };
        Ok(Some((parse(&row)?, row)))
    }
}

fn key(kind: char, account: &str, id: &str) -> String {
    format!("{kind}/{account}/{id}")
}

fn expiry_key(account: &str, batch: &Batch) -> String {
    format!("e/{:020}/{account}/{}", batch.delete_at_ms(), batch.id)
}

fn removal(account: &str, batch: &Batch) -> [Put; 2] {
    [put(key('b', account, &batch.id), None, Expect::Any), put(expiry_key(account, batch), None, Expect::Any)]
}

fn put(key: String, value: Option<Vec<u8>>, expect: Expect) -> Put {
    Put { collection: Collection::Batches, key, value, expect }
}

fn parse(row: &[u8]) -> Result<Batch, StoreError> {
    serde_json::from_slice(row).map_err(bad_row)
}

fn bytes(batch: &Batch) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(batch).map_err(bad_row)
}

fn bad_row(source: serde_json::Error) -> StoreError {
    StoreError { doing: "reading or writing a batch", source: Box::new(source) }
}
