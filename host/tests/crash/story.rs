//! What the engine was asked and what it said, by sync of the disk, with the
//! state that a naive model has after each durable write.

use std::sync::Mutex;

use tollbridge::ledger::Chain;
use tollbridge::money::Millipence;
use tollbridge::store::{
    Answer, Change, Collection, Hash, Head, OutboxRow, Place, Receipt, RedbStore, Refusal, Sealer, Store, StoreError,
};

use super::disk::Disk;
use super::model::Model;

/// One durable write.
#[derive(Clone)]
pub(crate) struct Batch {
    /// Epoch of the disk in which it began.
    pub(crate) began: usize,
    /// Epoch in which it was acknowledged; `None` when it failed.
    pub(crate) acknowledged: Option<usize>,
    pub(crate) changes: usize,
    /// The model after it.
    pub(crate) after: Model,
}

/// The redb engine under the eyes of a model that must agree with it.
pub(crate) struct Watched {
    inner: RedbStore,
    disk: Disk,
    state: Mutex<(Model, Chain, Vec<Batch>)>,
}

impl Watched {
    pub(crate) fn new(inner: RedbStore, disk: Disk) -> Self {
        Self { inner, disk, state: Mutex::new((Model::default(), Chain::new(), Vec::new())) }
    }

    pub(crate) fn batches(&self) -> Vec<Batch> {
        self.state.lock().unwrap().2.clone()
    }
}

impl Store for Watched {
    fn commit(&self, changes: &[Change], sealer: &mut dyn Sealer) -> Result<Vec<Result<Receipt, Refusal>>, StoreError> {
        let began = self.disk.epoch();
        let outcome = self.inner.commit(changes, sealer);
        let acknowledged = self.disk.epoch();
        let (model, chain, batches) = &mut *self.state.lock().unwrap();
        let expected: Vec<_> = changes.iter().map(|change| model.apply(change, chain)).collect();
        if let Ok(found) = &outcome {
            assert_eq!(found, &expected, "the engine and the model disagree");
        }
        batches.push(Batch {
            began,
            acknowledged: outcome.is_ok().then_some(acknowledged),
            changes: changes.len(),
            after: model.clone(),
        });
        outcome
    }

    fn get(&self, collection: Collection, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.inner.get(collection, key)
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

    fn seq_of_seal(&self, seal: &Hash) -> Result<Option<u64>, StoreError> {
        self.inner.seq_of_seal(seal)
    }

    fn seq_of_tx(&self, tx: &Hash) -> Result<Option<u64>, StoreError> {
        self.inner.seq_of_tx(tx)
    }

    fn node(&self, level: u8, index: u64) -> Result<Option<Hash>, StoreError> {
        self.inner.node(level, index)
    }

    fn answer(&self, seq: u64) -> Result<Option<Answer>, StoreError> {
        self.inner.answer(seq)
    }

    fn answer_of_intent(&self, handle: &str) -> Result<Option<u64>, StoreError> {
        self.inner.answer_of_intent(handle)
    }

    fn outbox(&self, account: &str, after: Option<Place>, limit: usize) -> Result<Vec<OutboxRow>, StoreError> {
        self.inner.outbox(account, after, limit)
    }

    fn outgoing(&self, account: &str, place: Place) -> Result<Option<OutboxRow>, StoreError> {
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
