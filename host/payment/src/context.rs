//! What every part of the payment service works with.

use std::sync::Arc;

use tokio::sync::{Mutex, MutexGuard};
use tollbridge_store::{Change, Db, Put, Refusal, SubmitError};

use super::authorizer::PaymentAuthorizer;
use super::error::PaymentError;
use super::poll_throttle::PollThrottle;
use super::processor::PaymentProcessor;

/// Shared by the parts of the payment service.
pub(crate) struct PaymentContext {
    pub(crate) authorizer: Arc<PaymentAuthorizer>,
    pub(crate) processor: Arc<PaymentProcessor>,
    /// The data folder.
    pub(crate) db: Db,
    pub(crate) throttle: PollThrottle,
    /// Whose turn it is.
    pub(crate) booking: Mutex<()>,
}

/// The right to record what a dispute takes or what a failed refund gives back,
/// which nobody else has as long as this lives: two disputes at once would each
/// claim the same spending, and money that comes back must not slip past a dispute
/// that is opened at the same moment.
pub(crate) struct BookingTurn<'a> {
    _turn: MutexGuard<'a, ()>,
}

impl PaymentContext {
    /// Writes rows; [`PaymentError::Conflict`] when one is not as it was.
    pub(crate) async fn write_rows(&self, puts: Vec<Put>) -> Result<(), PaymentError> {
        match self.db.submit(Change { puts, ..Change::default() }).await {
            Ok(_) => Ok(()),
            Err(SubmitError::Refused(Refusal::Unexpected { .. })) => Err(PaymentError::Conflict),
            Err(error) => Err(PaymentError::Write(error)),
        }
    }

    /// Waits for the turn.
    pub(crate) async fn booking_turn(&self) -> BookingTurn<'_> {
        BookingTurn { _turn: self.booking.lock().await }
    }
}
