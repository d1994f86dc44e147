//! Credit that queued tasks reserve. The queue stands above the payments, so it
//! is asked through a trait.

use futures_util::future::BoxFuture;
use tollbridge_core::money::Millipence;

use super::super::error::PaymentError;

/// Credit that is reserved for queued tasks.
pub trait TaskReservations: Send + Sync {
    /// Cancels queued tasks of an account, the newest first, until `amount` has
    /// come back to its credit or none is left. Returns how much came back.
    fn reclaim<'a>(&'a self, account: &'a str, amount: Millipence) -> BoxFuture<'a, Result<Millipence, PaymentError>>;
}
