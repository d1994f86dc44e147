//! Stores the response of one request, if the client wants it stored.

use std::sync::Arc;

use serde_json::Value;
use tollbridge_store::{Put, StoreError};

use super::stored_response::{StoredResponse, StoredResponseError, StoredResponses};

/// The data needed to store a response.
pub(crate) struct ResponseWriter {
    stored: Arc<StoredResponses>,
    account: String,
    id: String,
    /// The input items of the request; `None` if the client does not want the response
    /// stored.
    input: Option<Vec<Value>>,
    now_ms: u64,
}

impl std::fmt::Debug for ResponseWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResponseWriter").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Rows to write in the same change as the bill, so that a response marked as stored
/// really is stored.
#[derive(Debug, Default)]
pub(crate) struct ResponseRows {
    pub(crate) puts: Vec<Put>,
    size: usize,
}

impl ResponseWriter {
    pub(crate) const fn new(
        stored: Arc<StoredResponses>,
        account: String,
        id: String,
        input: Option<Vec<Value>>,
        now_ms: u64,
    ) -> Self {
        Self { stored, account, id, input, now_ms }
    }

    /// Returns the rows that store a response, and sets the response's member `store`
    /// accordingly.
    pub(crate) fn rows(&mut self, response: &mut Value) -> Result<ResponseRows, StoreError> {
        let mut rows = None;
        set_stored(response, true);
        if let Some(input) = self.input.take() {
            let stored = StoredResponse { input, response: std::mem::take(response) };
            rows = StoredResponses::rows(&self.account, &self.id, &stored, self.now_ms)?;
            *response = stored.response;
        }
        set_stored(response, rows.is_some());
        Ok(rows.map_or_else(ResponseRows::default, |rows| ResponseRows { puts: rows.puts, size: rows.size }))
    }

    /// Makes room for the response's rows, just before they are written.
    pub(crate) async fn make_room(&self, rows: &ResponseRows) -> Result<(), StoredResponseError> {
        if rows.puts.is_empty() { Ok(()) } else { self.stored.make_room(&self.account, rows.size).await }
    }
}

fn set_stored(response: &mut Value, is_stored: bool) {
    if let Some(members) = response.as_object_mut() {
        members.insert("store".to_owned(), is_stored.into());
    }
}
