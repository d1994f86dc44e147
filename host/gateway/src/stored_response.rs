//! Stored responses: answers that `/v1/responses` stores, so that clients can read them
//! again and continue from them.
//!
//! Invariants: a response is visible only to the account that requested it; the number
//! and size of an account's stored responses are limited, apart from those being written,
//! and the oldest are removed first; an expired response can no longer be read, and the
//! next cleanup deletes it from disk; rows that belong together are written and deleted
//! together.
//!
//! Rows of `Collection::Responses`:
//! - `r/{account}/{id}`: a response's metadata; ids are ordered by time,
//! - `b/{account}/{id}`: a response and its input,
//! - `i/{account}/{item}`: the id of the response to which an output item belongs,
//! - `e/{expiry}/{account}/{id}`: the expiry of a response.

use std::collections::HashMap;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollbridge_store::{Change, Collection, Db, Expect, Put, Rows, StoreError, SubmitError};

use crate::limits::{
    RESPONSE_ID_BYTES_MAX, RESPONSE_KEPT_MS, RESPONSE_STORED_BYTES_MAX, RESPONSES_BYTES_PER_ACCOUNT_MAX,
    RESPONSES_PER_ACCOUNT_MAX,
};

/// Maximum number of output items of one response that later requests can refer to by id.
const RESPONSE_ITEMS_MAX: usize = 128;
/// Maximum number of accounts whose totals are cached; the totals of other accounts are
/// counted again when needed.
const RESPONSE_SHELVES_REMEMBERED: usize = 4_096;
/// Maximum number of responses that are deleted in one change.
const RESPONSES_REMOVED_AT_ONCE: usize = 100;

/// The stored responses of all accounts.
pub struct StoredResponses {
    db: Db,
    /// The number and size of responses by account; counted on first use.
    totals_by_account: Mutex<HashMap<String, StoredTotals>>,
    /// Lock that is held while old responses are removed to make room.
    trimming: tokio::sync::Mutex<()>,
}

/// The number and size of an account's responses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct StoredTotals {
    responses: usize,
    bytes: usize,
}

/// A stored response, and the input of its request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredResponse {
    /// The input items of the request, each with an id, without those of earlier
    /// responses.
    pub input: Vec<Value>,
    /// The response as sent to the client.
    pub response: Value,
}

/// The metadata of a response, without its content.
#[derive(Debug, Serialize, Deserialize)]
struct ResponseRow {
    size: usize,
    expires_ms: u64,
    /// The ids of output items that later requests can refer to.
    items: Vec<String>,
}

/// A response that is about to be written.
#[derive(Debug)]
pub(crate) struct NewResponse {
    pub(crate) puts: Vec<Put>,
    pub(crate) size: usize,
}

/// An error of reading or writing stored responses.
#[derive(Debug, thiserror::Error)]
pub enum StoredResponseError {
    /// Reading failed, or a row is damaged.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Writing failed.
    #[error(transparent)]
    Submit(#[from] SubmitError),
}

impl StoredResponses {
    /// Opens the responses stored in a database.
    pub fn new(db: Db) -> Self {
        Self { db, totals_by_account: Mutex::default(), trimming: tokio::sync::Mutex::default() }
    }

    /// Returns the rows of a new response; `None` if it is too large to be stored.
    pub(crate) fn rows(
        account: &str,
        id: &str,
        stored: &StoredResponse,
        now_ms: u64,
    ) -> Result<Option<NewResponse>, StoreError> {
        let body = serde_json::to_vec(stored).map_err(bad_row)?;
        if body.len() > RESPONSE_STORED_BYTES_MAX {
            return Ok(None);
        }
        let output = stored.response.get("output").and_then(Value::as_array).into_iter().flatten();
        let ids = output.filter_map(|item| item.get("id")?.as_str()).filter(|id| is_id(id)).map(str::to_owned);
        let items: Vec<String> = ids.take(RESPONSE_ITEMS_MAX).collect();
        let size = body.len();
        let row = ResponseRow { size, expires_ms: now_ms.saturating_add(RESPONSE_KEPT_MS), items };
        let mut puts = vec![
            put(row_key(account, id), Some(serde_json::to_vec(&row).map_err(bad_row)?)),
            put(body_key(account, id), Some(body)),
            put(expiry_key(row.expires_ms, account, id), Some(Vec::new())),
        ];
        puts.extend(row.items.iter().map(|item| put(item_key(account, item), Some(id.as_bytes().to_vec()))));
        Ok(Some(NewResponse { puts, size }))
    }

    /// Counts a response that is about to be written, and removes the account's oldest
    /// responses until there is room for the new one.
    pub(crate) async fn make_room(&self, account: &str, size: usize) -> Result<(), StoredResponseError> {
        if !self.add(account, size)?.is_full() {
            return Ok(());
        }
        let _lock = self.trimming.lock().await;
        // Meanwhile, another request may have made room.
        if !self.totals(account)?.is_full() {
            return Ok(());
        }
        let (totals, mut puts) = (self.count(account)?, Vec::new());
        let mut left =
            StoredTotals { responses: totals.responses.saturating_add(1), bytes: totals.bytes.saturating_add(size) };
        let prefix = row_key(account, "");
        let rows = self.db.list(Collection::Responses, &prefix, RESPONSES_PER_ACCOUNT_MAX)?;
        // Removes an eighth more than needed, so that the next responses need not make
        // room.
        let roomy = StoredTotals {
            responses: RESPONSES_PER_ACCOUNT_MAX - RESPONSES_PER_ACCOUNT_MAX / 8,
            bytes: RESPONSES_BYTES_PER_ACCOUNT_MAX - RESPONSES_BYTES_PER_ACCOUNT_MAX / 8,
        };
        for (key, row) in rows {
            let Some(id) = key.strip_prefix(&prefix) else { break };
            if left.responses <= roomy.responses && left.bytes <= roomy.bytes {
                break;
            }
            let row: ResponseRow = serde_json::from_slice(&row).map_err(bad_row)?;
            left.responses = left.responses.saturating_sub(1);
            left.bytes = left.bytes.saturating_sub(row.size);
            puts.extend(removal(account, id, &row));
        }
        self.db.submit(Change { puts, ..Change::default() }).await?;
        self.totals_by_account.lock().insert(account.to_owned(), left);
        Ok(())
    }

    /// Returns a response, if the account stores it and it has not expired.
    pub fn find(&self, account: &str, id: &str, now_ms: u64) -> Result<Option<StoredResponse>, StoreError> {
        if self.row(account, id, now_ms)?.is_none() {
            return Ok(None);
        }
        let Some(body) = self.db.get(Collection::Responses, &body_key(account, id))? else { return Ok(None) };
        serde_json::from_slice(&body).map(Some).map_err(bad_row)
    }

    /// Returns the id of the response to which an output item belongs.
    pub(crate) fn response_of(&self, account: &str, item: &str) -> Result<Option<String>, StoreError> {
        if !is_id(item) {
            return Ok(None);
        }
        let row = self.db.get(Collection::Responses, &item_key(account, item))?;
        Ok(row.and_then(|id| String::from_utf8(id).ok()))
    }

    /// Deletes a response; returns false if the account stores none with this id.
    pub async fn delete(&self, account: &str, id: &str, now_ms: u64) -> Result<bool, StoredResponseError> {
        let Some(row) = self.row(account, id, now_ms)? else { return Ok(false) };
        self.db.submit(Change { puts: removal(account, id, &row), ..Change::default() }).await?;
        self.subtract(account, row.size);
        Ok(true)
    }

    /// Deletes expired responses from disk.
    pub async fn delete_expired(&self, now_ms: u64) -> Result<(), StoredResponseError> {
        loop {
            let mut puts = Vec::new();
            for (key, _) in self.db.list(Collection::Responses, "e/", RESPONSES_REMOVED_AT_ONCE)? {
                let Some((expires_ms, account, id)) = read_expiry_key(&key) else { break };
                if expires_ms > now_ms {
                    break;
                }
                if let Some(row) = self.db.get(Collection::Responses, &row_key(account, id))? {
                    let row: ResponseRow = serde_json::from_slice(&row).map_err(bad_row)?;
                    puts.extend(removal(account, id, &row));
                    self.subtract(account, row.size);
                }
                puts.push(put(key, None));
            }
            if puts.is_empty() {
                return Ok(());
            }
            self.db.submit(Change { puts, ..Change::default() }).await?;
        }
    }

    fn row(&self, account: &str, id: &str, now_ms: u64) -> Result<Option<ResponseRow>, StoreError> {
        if !is_id(id) {
            return Ok(None);
        }
        let Some(row) = self.db.get(Collection::Responses, &row_key(account, id))? else { return Ok(None) };
        let row: ResponseRow = serde_json::from_slice(&row).map_err(bad_row)?;
        Ok(Some(row).filter(|row| row.expires_ms > now_ms))
    }

    /// Counts the account's responses in the database.
    fn count(&self, account: &str) -> Result<StoredTotals, StoreError> {
        let mut totals = StoredTotals::default();
        for row in Rows::of(self.db.store(), Collection::Responses).with_prefix(row_key(account, "")) {
            let row: ResponseRow = serde_json::from_slice(&row?.1).map_err(bad_row)?;
            totals.responses = totals.responses.saturating_add(1);
            totals.bytes = totals.bytes.saturating_add(row.size);
        }
        Ok(totals)
    }

    fn totals(&self, account: &str) -> Result<StoredTotals, StoreError> {
        if let Some(totals) = self.totals_by_account.lock().get(account) {
            return Ok(*totals);
        }
        let counted = self.count(account)?;
        let mut totals_by_account = self.totals_by_account.lock();
        if totals_by_account.len() >= RESPONSE_SHELVES_REMEMBERED {
            totals_by_account.clear();
        }
        Ok(*totals_by_account.entry(account.to_owned()).or_insert(counted))
    }

    fn add(&self, account: &str, size: usize) -> Result<StoredTotals, StoreError> {
        let known = self.totals(account)?;
        let mut totals_by_account = self.totals_by_account.lock();
        let totals = totals_by_account.entry(account.to_owned()).or_insert(known);
        totals.responses = totals.responses.saturating_add(1);
        totals.bytes = totals.bytes.saturating_add(size);
        Ok(*totals)
    }

    /// Subtracts from an account's counts a response that was deleted or not written.
    pub(crate) fn subtract(&self, account: &str, size: usize) {
        if let Some(totals) = self.totals_by_account.lock().get_mut(account) {
            totals.responses = totals.responses.saturating_sub(1);
            totals.bytes = totals.bytes.saturating_sub(size);
        }
    }
}

impl StoredTotals {
    const fn is_full(&self) -> bool {
        self.responses > RESPONSES_PER_ACCOUNT_MAX || self.bytes > RESPONSES_BYTES_PER_ACCOUNT_MAX
    }
}

/// Returns whether a text is a well-formed id of a response or item, and so may be part
/// of a row key.
fn is_id(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':' | b'=' | b'+');
    (1..=RESPONSE_ID_BYTES_MAX).contains(&text.len()) && text.bytes().all(plain)
}

fn row_key(account: &str, id: &str) -> String {
    format!("r/{account}/{id}")
}

fn body_key(account: &str, id: &str) -> String {
    format!("b/{account}/{id}")
}

fn item_key(account: &str, item: &str) -> String {
    format!("i/{account}/{item}")
}

fn expiry_key(expires_ms: u64, account: &str, id: &str) -> String {
    // Padding to twenty digits makes the keys sort by time.
    format!("e/{expires_ms:020}/{account}/{id}")
}

/// Splits a key into expiry, account and id.
fn read_expiry_key(key: &str) -> Option<(u64, &str, &str)> {
    let (time, rest) = key.strip_prefix("e/")?.split_once('/')?;
    let (account, id) = rest.split_once('/')?;
    Some((time.parse().ok()?, account, id))
}

fn removal(account: &str, id: &str, row: &ResponseRow) -> Vec<Put> {
    let own = [row_key(account, id), body_key(account, id), expiry_key(row.expires_ms, account, id)];
    let items = row.items.iter().map(|item| item_key(account, item));
    own.into_iter().chain(items).map(|key| put(key, None)).collect()
}

fn put(key: String, value: Option<Vec<u8>>) -> Put {
    Put { collection: Collection::Responses, key, value, expect: Expect::Any }
}

fn bad_row(source: serde_json::Error) -> StoreError {
    StoreError { doing: "reading or writing a stored response", source: Box::new(source) }
}
