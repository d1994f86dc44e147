//! One handle on the data folder: reads go to the store, changes to the writer.

use std::ops::Deref;
use std::sync::Arc;

use crate::change::{Change, Receipt};
use crate::engine::Store;
use crate::writer::{SubmitError, Writer};

/// The store and its only writer. Dereferences to the store: `db.get(…)` reads durable
/// data; `db.submit(…)` passes a change to the writer. Cheap to clone.
#[derive(Clone)]
pub struct Db {
    store: Arc<dyn Store>,
    writer: Arc<Writer>,
}

impl Db {
    /// Creates a handle; `writer` must have been started on `store`.
    pub const fn new(store: Arc<dyn Store>, writer: Arc<Writer>) -> Self {
        Self { store, writer }
    }

    /// Returns the store, for functions that only read.
    pub fn store(&self) -> &dyn Store {
        self.store.as_ref()
    }

    /// Returns the store, for components that only read and need shared ownership.
    pub fn shared_store(&self) -> Arc<dyn Store> {
        self.store.clone()
    }

    /// Returns the writer, for components that outlive this handle.
    pub fn shared_writer(&self) -> Arc<Writer> {
        self.writer.clone()
    }

    /// Returns the writer, for functions that make changes.
    pub fn writer(&self) -> &Writer {
        &self.writer
    }

    /// Makes a change durable; see [`Writer::submit`].
    pub async fn submit(&self, change: Change) -> Result<Receipt, SubmitError> {
        self.writer.submit(change).await
    }

    /// Makes a change durable; for callers outside the async runtime.
    pub fn submit_blocking(&self, change: Change) -> Result<Receipt, SubmitError> {
        self.writer.submit_blocking(change)
    }
}

impl Deref for Db {
    type Target = dyn Store;

    fn deref(&self) -> &Self::Target {
        self.store.as_ref()
    }
}
