//! Context shared by all parts of the payment service.

use std::sync::Arc;

use tokio::sync::{Mutex, MutexGuard};
use tollbridge_store::{Change, Db, Put, Refusal, SubmitError};

use super::call_payments::CallPayments;
use super::error::PaymentError;
use super::poll_throttle::PollThrottle;
use super::processor::PaymentProcessor;

/// Dependencies shared by the parts of the payment service.
pub(crate) struct PaymentContext {
    pub(crate) payments: Arc<CallPayments>,
    pub(crate) processor: Arc<dyn PaymentProcessor>,
    /// Database handle.
    pub(crate) db: Db,
    pub(crate) throttle: PollThrottle,
    /// Held while a dispute or a failed refund is recorded, so that only one is recorded
    /// at a time.
    pub(crate) booking: Mutex<()>,
}

/// The exclusive right to record a dispute or the return of a failed refund. Two disputes
/// recorded at once would each claim the same spending, and a failed refund must not
/// return money to a payer while a dispute against that payer is being opened.
pub(crate) struct BookingTurn<'a> {
    _turn: MutexGuard<'a, ()>,
}

impl PaymentContext {
    /// Writes rows; returns [`PaymentError::Conflict`] if a row has changed since it
    /// was read.
    pub(crate) async fn write_rows(&self, puts: Vec<Put>) -> Result<(), PaymentError> {
        match self.db.submit(Change { puts, ..Change::default() }).await {
            Ok(_) => Ok(()),
            Err(SubmitError::Refused(Refusal::Unexpected { .. })) => Err(PaymentError::Conflict),
            Err(error) => Err(PaymentError::Write(error)),
        }
    }

    /// Waits for the exclusive right to record disputes and the return of failed refunds.
    pub(crate) async fn booking_turn(&self) -> BookingTurn<'_> {
        BookingTurn { _turn: self.booking.lock().await }
    }
}
