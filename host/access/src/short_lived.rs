//! Rows with an expiry: browser sessions, OAuth codes and e-mail links.
//!
//! They are stored as rows, so that they are valid on every host of a ledger and survive
//! a restart. Their collection is `Collection::ShortLived`; the first part of a row's key
//! names its kind.
//!
//! Invariant: an expired row is treated as absent, whether or not it has been deleted.

use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tollbridge_store::{Change, Collection, Expect, Put, Store, StoreError};

use super::account::AccountError;

/// Maximum number of rows examined in one round of deleting expired rows.
const TIDIED_AT_ONCE: usize = 1_000;

/// A row with its expiry.
#[derive(Serialize, Deserialize)]
struct ShortLived<T> {
    /// The expiry in Unix milliseconds.
    until_ms: u64,
    #[serde(flatten)]
    row: T,
}

/// The expiry of a row, which all kinds of rows have.
#[derive(Deserialize)]
struct Expiry {
    until_ms: u64,
}

/// A row that was read from the store.
pub(super) struct Found<T> {
    pub(super) row: T,
    /// The expiry in Unix milliseconds.
    pub(super) until_ms: u64,
    /// The stored bytes, for a change that must fail if the row changes.
    pub(super) bytes: Vec<u8>,
}

/// Returns the row with this key, unless it has expired.
pub(super) fn find<T: DeserializeOwned>(
    store: &dyn Store,
    key: &str,
    now_ms: u64,
) -> Result<Option<Found<T>>, AccountError> {
    let Some(bytes) = store.get(Collection::ShortLived, key)? else { return Ok(None) };
    let read = serde_json::from_slice(&bytes).map_err(|source| AccountError::Row { key: key.to_owned(), source });
    let ShortLived { until_ms, row } = read?;
    Ok((now_ms < until_ms).then_some(Found { row, until_ms, bytes }))
}

/// Returns a write of a row.
pub(super) fn put<T: Serialize>(key: String, until_ms: u64, row: &T, expect: Expect) -> Result<Put, AccountError> {
    let value = serde_json::to_vec(&ShortLived { until_ms, row });
    let value = value.map_err(|source| AccountError::Row { key: key.clone(), source })?;
    Ok(Put { collection: Collection::ShortLived, key, value: Some(value), expect })
}

/// Returns the deletion of a row.
pub(super) const fn remove(key: String) -> Put {
    Put { collection: Collection::ShortLived, key, value: None, expect: Expect::Any }
}

/// Deletes expired rows in rounds of limited size.
#[derive(Default)]
pub struct ShortLivedRows {
    /// The key after which the next round begins.
    cursor: Mutex<String>,
}

impl ShortLivedRows {
    /// Returns the change that deletes the expired rows of the next round; `None` if that
    /// round has none.
    ///
    /// # Errors
    /// Rows cannot be read.
    pub fn ended(&self, store: &dyn Store, now_ms: u64) -> Result<Option<Change>, StoreError> {
        let mut cursor = self.cursor.lock();
        let rows = store.list(Collection::ShortLived, &cursor, TIDIED_AT_ONCE)?;
        let next = rows.last().filter(|_| rows.len() == TIDIED_AT_ONCE).map(|(key, _)| key.clone());
        *cursor = next.unwrap_or_default();
        let is_over = |row: &[u8]| serde_json::from_slice(row).is_ok_and(|Expiry { until_ms }| until_ms <= now_ms);
        let puts: Vec<Put> = rows.into_iter().filter(|(_, row)| is_over(row)).map(|(key, _)| remove(key)).collect();
        Ok((!puts.is_empty()).then(|| Change { puts, ..Change::default() }))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::testing::{MemoryStore, TestStore};
    use super::*;

    #[test]
    fn a_row_ends_and_is_deleted() {
        let (store, rows) = (MemoryStore::default(), ShortLivedRows::default());
        let row = |n: u64| BTreeMap::from([("n", n)]);
        let puts = (0..2_500_u64).map(|n| put(format!("a/{n:05}"), n, &row(n), Expect::Absent).unwrap()).collect();
        store.apply(Change { puts, ..Change::default() }).unwrap();
        let found = |now_ms| find::<BTreeMap<String, u64>>(&store, "a/00500", now_ms).unwrap();
        assert!(found(499).is_some_and(|found| found.row["n"] == 500));
        assert!(found(500).is_none());
        let mut deleted = 0;
        while let Some(change) = rows.ended(&store, 1_500).unwrap() {
            deleted += change.puts.len();
            store.apply(change).unwrap();
        }
        assert_eq!((deleted, store.count(Collection::ShortLived)), (1_501, 999));
    }
}
