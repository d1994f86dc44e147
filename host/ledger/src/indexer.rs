//! Maintains an index of the ledger's records in the background, so that calls do not
//! wait for it.
//!
//! One step reads some records and commits their index rows together with the cursor.
//! Each record is therefore indexed exactly once, even across crashes, and an index can
//! be deleted and rebuilt from the records.

use std::ops::Range;
use std::sync::Arc;

use tokio::sync::Mutex;
use tollbridge_core::blocking::blocking;
use tollbridge_store::{Change, Collection, Db, Expect, Put, Refusal, Store, StoreError, SubmitError};

use super::error::LedgerError;

/// Number of rows of an earlier indexing rule that one step removes.
const REMOVED_PER_STEP: usize = 1_000;

/// An index whose rows are derived from the records.
pub trait LedgerIndex: Send + Sync + 'static {
    /// Collection that holds the index rows.
    const COLLECTION: Collection;
    /// Key of the cursor row, which holds the number of indexed records as JSON.
    const CURSOR: &'static str;
    /// Key prefix of the index rows. Each new indexing rule gets a prefix that sorts
    /// after the previous one; rows that sort before it are removed, and their records
    /// are indexed again. Empty for the first rule.
    const RULE: &'static str;
    /// Number of records that one step indexes.
    const RECORDS_PER_STEP: u64;

    /// Returns the index rows for some records, without the cursor. Blocks.
    fn rows(&self, store: &dyn Store, records: Range<u64>) -> Result<Vec<Put>, IndexError>;
}

/// The reason why an index is not up to date.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The writer did not commit a step.
    #[error(transparent)]
    Submit(#[from] SubmitError),
    /// A record cannot be read.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A row is not in the format of the index.
    #[error("a row of an index of the ledger cannot be read: {0}")]
    Row(#[from] serde_json::Error),
    /// The process is stopping.
    #[error("the ledger was not indexed: the task ended early")]
    Task,
}

/// Brings an index up to date.
pub struct LedgerIndexer<I> {
    db: Db,
    index: Arc<I>,
    /// Lock held during a step: two concurrent steps would write the same rows.
    stepping: Mutex<()>,
}

impl<I: LedgerIndex> LedgerIndexer<I> {
    /// Creates an indexer for the ledger in the same store.
    pub fn new(db: Db, index: I) -> Self {
        Self { db, index: Arc::new(index), stepping: Mutex::new(()) }
    }

    /// Indexes the records that exist now, in at most `steps` writes. Returns whether
    /// some of them are still not indexed.
    pub async fn catch_up(&self, steps: usize) -> Result<bool, IndexError> {
        self.catch_up_to(u64::MAX, steps).await
    }

    /// Indexes the records with numbers below `size`, in at most `steps` writes. Returns
    /// whether some of them are still not indexed.
    pub async fn catch_up_to(&self, size: u64, steps: usize) -> Result<bool, IndexError> {
        let _step = self.stepping.lock().await;
        for _ in 0..steps {
            let (db, index) = (self.db.clone(), self.index.clone());
            let step = blocking(move || next_step(db.store(), index.as_ref(), size)).await;
            let Some(change) = step.map_err(|_| IndexError::Task)?? else { return Ok(false) };
            match self.db.submit(change).await {
                // If the change is refused, another process on the same data folder has
                // indexed these records.
                Ok(_) | Err(SubmitError::Refused(Refusal::Unexpected { .. })) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(true)
    }
}

/// Returns the change that indexes the next records with numbers below `size`, if there
/// are any.
fn next_step<I: LedgerIndex>(store: &dyn Store, index: &I, size: u64) -> Result<Option<Change>, IndexError> {
    if let Some(puts) = remove_earlier_rules::<I>(store)? {
        return Ok(Some(Change { puts, ..Change::default() }));
    }
    let cursor = store.get(I::COLLECTION, I::CURSOR)?;
    let first: u64 = cursor.as_deref().map(serde_json::from_slice).transpose()?.unwrap_or(0);
    let end = store.head()?.size.min(size).min(first.saturating_add(I::RECORDS_PER_STEP));
    if end <= first {
        return Ok(None);
    }
    let mut puts = index.rows(store, first..end)?;
    let expect = cursor.map_or(Expect::Absent, Expect::Exactly);
    let value = Some(serde_json::to_vec(&end)?);
    puts.push(Put { collection: I::COLLECTION, key: I::CURSOR.to_owned(), value, expect });
    Ok(Some(Change { puts, ..Change::default() }))
}

/// Returns the writes that remove some rows of earlier indexing rules; `None` if there
/// are no such rows.
fn remove_earlier_rules<I: LedgerIndex>(store: &dyn Store) -> Result<Option<Vec<Put>>, StoreError> {
    // Rows of earlier rules sort before all others, so checking the first row is enough.
    let is_earlier = |row: &(String, Vec<u8>)| row.0.as_str() < I::RULE;
    if I::RULE.is_empty() || !store.list(I::COLLECTION, "", 1)?.iter().any(is_earlier) {
        return Ok(None);
    }
    let rows = store.list(I::COLLECTION, "", REMOVED_PER_STEP)?;
    let remove = |(key, _)| Put { collection: I::COLLECTION, key, value: None, expect: Expect::Any };
    Ok(Some(rows.into_iter().take_while(is_earlier).map(remove).collect()))
}

#[cfg(test)]
#[path = "indexer_tests.rs"]
mod tests;
