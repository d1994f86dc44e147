//! Who gives records their place in the chain.

use crate::engine::{Store, StoreError};
use crate::sealing::{Draft, SealedRecord};

/// Gives drafts their place in the chain. Supplied by the ledger; called only
/// by the single writer, in order, for drafts that will be kept.
pub trait Sealer: Send {
    /// Gives a draft the next place.
    fn seal(&mut self, draft: &Draft) -> SealedRecord;

    /// Goes on from the newest record of a store: other hosts have sealed records
    /// since, or some that were sealed here are not kept.
    ///
    /// # Errors
    /// When the newest records cannot be read.
    fn resume_from(&mut self, store: &dyn Store) -> Result<(), StoreError>;
}
