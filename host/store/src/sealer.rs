//! The interface that assigns records their place in the chain.

use crate::engine::{Store, StoreError};
use crate::sealing::{Draft, SealedRecord};

/// Assigns drafts their place in the chain. Supplied by the ledger; called only by the single
/// writer, in order, for drafts that will be kept.
pub trait Sealer: Send {
    /// Seals a draft at the next place.
    fn seal(&mut self, draft: &Draft) -> SealedRecord;

    /// Resumes after the newest record of a store, because other hosts have sealed records
    /// since, or because records sealed here were not kept.
    ///
    /// # Errors
    /// When the newest records cannot be read.
    fn resume_from(&mut self, store: &dyn Store) -> Result<(), StoreError>;
}
