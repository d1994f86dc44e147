//! The interface of a storage engine, and of the sealer that its commits call.

use tollbridge_core::money::Millipence;

use crate::change::{Change, Receipt, Refusal, StoredAnswer};
use crate::collection::Collection;
use crate::outbox_event::{OutboxPosition, OutboxRow};
use crate::sealing::{Draft, Hash, Head, SealedRecord};

/// A fatal error of the store; the process should stop.
#[derive(Debug, thiserror::Error)]
#[error("{doing}: {source}")]
pub struct StoreError {
    /// The store operation that failed.
    pub doing: &'static str,
    /// The underlying error.
    #[source]
    pub source: Box<dyn std::error::Error + Send + Sync>,
}

/// Wraps an error of the storage engine in a [`StoreError`].
pub(super) fn store_error<E: std::error::Error + Send + Sync + 'static>(
    doing: &'static str,
) -> impl FnOnce(E) -> StoreError {
    move |source| StoreError { doing, source: Box::new(source) }
}

/// A storage engine for rows, balances and records. Reads return only durable data.
pub trait Store: Send + Sync + 'static {
    /// Applies changes in order in one durable write. Each change is applied completely
    /// or refused. After an `Err`, it is unknown which changes were applied.
    fn commit(&self, changes: &[Change], sealer: &mut dyn Sealer) -> Result<Vec<Result<Receipt, Refusal>>, StoreError>;

    /// Prepares a commit; called before its changes are gathered. If hosts currently take
    /// turns writing, waits for this host's turn, so that changes arriving during the
    /// wait are part of the commit.
    ///
    /// # Errors
    /// As [`Store::commit`]; nothing was written.
    fn begin_turn(&self, _: &mut dyn Sealer) -> Result<(), StoreError> {
        Ok(())
    }

    /// Returns whether other hosts write to the same ledger. If so, a commit without changes
    /// applies their writes.
    fn is_shared(&self) -> bool {
        false
    }

    /// Returns the bytes of a row.
    fn get(&self, collection: Collection, key: &str) -> Result<Option<Vec<u8>>, StoreError>;
    /// Returns rows with `key > after`, in key order, at most `limit`.
    fn list(&self, collection: Collection, after: &str, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError>;

    /// Returns the balance of an account; zero if it has no row.
    fn balance(&self, account: &str) -> Result<Millipence, StoreError>;
    /// Returns every account with a non-zero balance, in name order.
    fn balances(&self) -> Result<Vec<(String, Millipence)>, StoreError>;

    /// Returns the size and head of the chain.
    fn head(&self) -> Result<Head, StoreError>;
    /// Returns the bytes of a record.
    fn record(&self, seq: u64) -> Result<Option<Vec<u8>>, StoreError>;
    /// Returns at most `limit` consecutive records starting at `from`; stops before the
    /// first missing record. Cheaper than reading each record separately.
    fn records(&self, from: u64, limit: usize) -> Result<Vec<Vec<u8>>, StoreError>;
    /// Returns the sequence number of the record that has this seal.
    fn seq_of_seal(&self, seal: &Hash) -> Result<Option<u64>, StoreError>;
    /// Returns the sequence number of a transaction's record.
    fn seq_of_tx(&self, tx: &Hash) -> Result<Option<u64>, StoreError>;
    /// Returns a stored node of the Merkle tree.
    fn node(&self, level: u8, index: u64) -> Result<Option<Hash>, StoreError>;

    /// Returns the answer stored with a record, until it is pruned.
    fn answer(&self, seq: u64) -> Result<Option<StoredAnswer>, StoreError>;
    /// Returns the sequence number of the last record that drew on a payment intent.
    fn answer_of_intent(&self, handle: &str) -> Result<Option<u64>, StoreError>;

    /// Returns an account's outbox events after a position, in order.
    fn outbox(&self, account: &str, after: Option<OutboxPosition>, limit: usize) -> Result<Vec<OutboxRow>, StoreError>;
    /// Returns one event of an account; `None` if it was deleted.
    fn outgoing(&self, account: &str, place: OutboxPosition) -> Result<Option<OutboxRow>, StoreError>;
    /// Returns the first account that has outbox events and whose name is after `after`.
    fn outbox_account(&self, after: &str) -> Result<Option<String>, StoreError>;

    /// Returns a value from a plugin's bucket.
    fn kv_get(&self, bucket: &str, key: &str) -> Result<Option<Vec<u8>>, StoreError>;
    /// Returns the keys of a bucket that are after `after`, with the sizes of their
    /// values.
    fn kv_list(&self, bucket: &str, after: &str, limit: usize) -> Result<Vec<(String, usize)>, StoreError>;
}

/// Assigns draft records their positions in the chain. Implemented by the ledger; called
/// only by the single writer, in order, for drafts that passed all checks.
pub trait Sealer: Send {
    /// Seals a draft at the next position of the chain.
    fn seal(&mut self, draft: &Draft) -> SealedRecord;

    /// Continues the chain after the newest record of a store. Required if other hosts
    /// have sealed records, or if records sealed here were discarded.
    ///
    /// # Errors
    /// The newest records cannot be read.
    fn resume_from(&mut self, store: &dyn Store) -> Result<(), StoreError>;
}
