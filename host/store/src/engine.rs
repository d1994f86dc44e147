//! What a storage engine does for the rest of the host.

use tollbridge_core::money::Millipence;

use crate::change::{Change, Receipt, Refusal, StoredAnswer};
use crate::collection::Collection;
use crate::outbox_event::{OutboxPosition, OutboxRow};
use crate::sealer::Sealer;
use crate::sealing::{Hash, Head};

/// The store cannot go on; the process should stop.
#[derive(Debug, thiserror::Error)]
#[error("{doing}: {source}")]
pub struct StoreError {
    /// What the engine was doing.
    pub doing: &'static str,
    /// What went wrong there.
    #[source]
    pub source: Box<dyn std::error::Error + Send + Sync>,
}

/// Makes an error of the engine one of the store.
pub(super) fn store_error<E: std::error::Error + Send + Sync + 'static>(
    doing: &'static str,
) -> impl FnOnce(E) -> StoreError {
    move |source| StoreError { doing, source: Box::new(source) }
}

/// An engine that keeps rows, balances and records. Reads see only what is
/// durable.
pub trait Store: Send + Sync + 'static {
    /// Applies changes in order in one durable write. Each is applied whole or
    /// refused; an `Err` means that nothing is known about any of them.
    fn commit(&self, changes: &[Change], sealer: &mut dyn Sealer) -> Result<Vec<Result<Receipt, Refusal>>, StoreError>;

    /// To be called before the changes of a commit are gathered: where hosts take
    /// turns, waits for this one's, so that what comes meanwhile shares the commit.
    ///
    /// # Errors
    /// As [`Store::commit`]; nothing was written.
    fn begin_turn(&self, _: &mut dyn Sealer) -> Result<(), StoreError> {
        Ok(())
    }

    /// Whether other hosts write to the same ledger. Then a commit without changes
    /// takes in what they have written.
    fn is_shared(&self) -> bool {
        false
    }

    /// The bytes of a row.
    fn get(&self, collection: Collection, key: &str) -> Result<Option<Vec<u8>>, StoreError>;
    /// Rows with `key > after`, in key order, at most `limit`.
    fn list(&self, collection: Collection, after: &str, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError>;

    /// Balance of an account; zero when it has no row.
    fn balance(&self, account: &str) -> Result<Millipence, StoreError>;
    /// Every account that is not zero, in name order.
    fn balances(&self) -> Result<Vec<(String, Millipence)>, StoreError>;

    /// Size and end of the chain.
    fn head(&self) -> Result<Head, StoreError>;
    /// The bytes of a record.
    fn record(&self, seq: u64) -> Result<Option<Vec<u8>>, StoreError>;
    /// At most so many records from a number on, without a gap: it ends before the
    /// first that is not there. Cheaper than each by itself.
    fn records(&self, from: u64, limit: usize) -> Result<Vec<Vec<u8>>, StoreError>;
    /// Number of the record with a seal.
    fn seq_of_seal(&self, seal: &Hash) -> Result<Option<u64>, StoreError>;
    /// Number of the record of a transaction.
    fn seq_of_tx(&self, tx: &Hash) -> Result<Option<u64>, StoreError>;
    /// A kept node of the Merkle tree.
    fn node(&self, level: u8, index: u64) -> Result<Option<Hash>, StoreError>;

    /// The answer that was stored with a record, while it is kept.
    fn answer(&self, seq: u64) -> Result<Option<StoredAnswer>, StoreError>;
    /// Sequence number of the last record that drew on an intent.
    fn answer_of_intent(&self, handle: &str) -> Result<Option<u64>, StoreError>;

    /// What is told to an account, after a place, in order.
    fn outbox(&self, account: &str, after: Option<OutboxPosition>, limit: usize) -> Result<Vec<OutboxRow>, StoreError>;
    /// One of them, if it is still kept.
    fn outgoing(&self, account: &str, place: OutboxPosition) -> Result<Option<OutboxRow>, StoreError>;
    /// The first account after a name that anything is kept for.
    fn outbox_account(&self, after: &str) -> Result<Option<String>, StoreError>;

    /// A value in a plugin's bucket.
    fn kv_get(&self, bucket: &str, key: &str) -> Result<Option<Vec<u8>>, StoreError>;
    /// Keys of a bucket with `key > after` and the sizes of their values.
    fn kv_list(&self, bucket: &str, after: &str, limit: usize) -> Result<Vec<(String, usize)>, StoreError>;
}
