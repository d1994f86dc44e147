//! Credit that queued tasks reserve. The queue depends on the payment service, so the
//! payment service calls it through a trait.

use futures_util::future::BoxFuture;
use tollbridge_core::money::Millipence;

use super::super::error::PaymentError;

/// Access to the credit reserved for queued tasks.
pub trait TaskReservations: Send + Sync {
    /// Cancels queued tasks of an account, newest first, until `amount` has returned to
    /// its credit or no task is left. Returns the amount returned.
    fn reclaim<'a>(&'a self, account: &'a str, amount: Millipence) -> BoxFuture<'a, Result<Millipence, PaymentError>>;
}
