//! The interface that assigns records their positions in the chain.

use crate::engine::{Store, StoreError};
use crate::sealing::{Draft, SealedRecord};

/// Assigns draft records their positions in the chain. Implemented by the ledger; called
/// only by the single writer, in order, for drafts that passed all checks.
pub trait Sealer: Send {
    /// Seals a draft at the next position of the chain.
    fn seal(&mut self, draft: &Draft) -> SealedRecord;

    /// Continues the chain after the newest record of a store: other hosts have sealed
    /// records, or records sealed here were discarded.
    ///
    /// # Errors
    /// The newest records cannot be read.
    fn resume_from(&mut self, store: &dyn Store) -> Result<(), StoreError>;
}
