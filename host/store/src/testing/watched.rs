//! A test store that passes reads to the engine and lets a test intercept commits.

use std::ops::Deref;

use tollbridge_core::money::Millipence;

use crate::change::{Change, Receipt, Refusal, StoredAnswer};
use crate::collection::Collection;
use crate::engine::{Sealer, Store, StoreError};
use crate::outbox_event::{OutboxPosition, OutboxRow};
use crate::redb_engine::RedbStore;
use crate::sealing::{Hash, Head};

/// The outcome of each change; an error if the outcomes are unknown.
pub type Committed = Result<Vec<Result<Receipt, Refusal>>, StoreError>;

/// An observer of commits and reads.
pub trait Watch: Send + Sync + 'static {
    /// Commits the changes with `engine`, or returns an error to simulate a failure.
    fn commit(&self, engine: &RedbStore, changes: &[Change], sealer: &mut dyn Sealer) -> Committed {
        engine.commit(changes, sealer)
    }

    /// Called before a row is read; an error is returned to the reader.
    fn before_get(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Called after a row was read and before the reader receives it.
    fn after_get(&self, _engine: &RedbStore, _collection: Collection) {}
}

/// The real engine with an observer.
pub struct Watched<W> {
    inner: RedbStore,
    watch: W,
}

impl<W: Watch> Watched<W> {
    /// Creates a store that notifies `watch` of operations on `inner`.
    pub const fn new(inner: RedbStore, watch: W) -> Self {
        Self { inner, watch }
    }
}

impl<W: Watch + Default> Default for Watched<W> {
    fn default() -> Self {
        Self::new(RedbStore::in_memory().unwrap(), W::default())
    }
}

impl<W> Deref for Watched<W> {
    type Target = W;

    fn deref(&self) -> &W {
        &self.watch
    }
}

impl<W: Watch + 'static> Store for Watched<W> {
    fn commit(&self, changes: &[Change], sealer: &mut dyn Sealer) -> Committed {
        self.watch.commit(&self.inner, changes, sealer)
    }

    fn get(&self, collection: Collection, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.watch.before_get()?;
        let row = self.inner.get(collection, key);
        self.watch.after_get(&self.inner, collection);
        row
    }

    fn list(&self, collection: Collection, after: &str, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.inner.list(collection, after, limit)
    }

    fn balance(&self, account: &str) -> Result<Millipence, StoreError> {
        self.inner.balance(account)
    }

    fn balances(&self) -> Result<Vec<(String, Millipence)>, StoreError> {
        self.inner.balances()
    }

    fn head(&self) -> Result<Head, StoreError> {
        self.inner.head()
    }

    fn record(&self, seq: u64) -> Result<Option<Vec<u8>>, StoreError> {
        self.inner.record(seq)
    }

    fn records(&self, from: u64, limit: usize) -> Result<Vec<Vec<u8>>, StoreError> {
        self.inner.records(from, limit)
    }

    fn seq_of_seal(&self, seal: &Hash) -> Result<Option<u64>, StoreError> {
        self.inner.seq_of_seal(seal)
    }

    fn seq_of_tx(&self, tx: &Hash) -> Result<Option<u64>, StoreError> {
        self.inner.seq_of_tx(tx)
    }

    fn node(&self, level: u8, index: u64) -> Result<Option<Hash>, StoreError> {
        self.inner.node(level, index)
    }

    fn answer(&self, seq: u64) -> Result<Option<StoredAnswer>, StoreError> {
        self.inner.answer(seq)
    }

    fn answer_of_intent(&self, handle: &str) -> Result<Option<u64>, StoreError> {
        self.inner.answer_of_intent(handle)
    }

    fn outbox(&self, account: &str, after: Option<OutboxPosition>, limit: usize) -> Result<Vec<OutboxRow>, StoreError> {
        self.inner.outbox(account, after, limit)
    }

    fn outgoing(&self, account: &str, place: OutboxPosition) -> Result<Option<OutboxRow>, StoreError> {
        self.inner.outgoing(account, place)
    }

    fn outbox_account(&self, after: &str) -> Result<Option<String>, StoreError> {
        self.inner.outbox_account(after)
    }

    fn kv_get(&self, bucket: &str, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.inner.kv_get(bucket, key)
    }

    fn kv_list(&self, bucket: &str, after: &str, limit: usize) -> Result<Vec<(String, usize)>, StoreError> {
        self.inner.kv_list(bucket, after, limit)
    }
}
