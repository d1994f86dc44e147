//! The result of one round of reconciliation.

use super::error::PaymentError;

/// Counts of one round of reconciliation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReconcileReport {
    /// Number of orders, refunds, disputes and fees that were looked up.
    pub checked: usize,
    /// Number of items finished in this round.
    pub finished: usize,
    /// Number of items whose outcome is still unknown.
    pub unknown: usize,
}

impl ReconcileReport {
    /// Counts one item; `Ok(true)` means finished. An error of the processor affects only
    /// that item; any other error ends the round.
    pub(crate) fn count(&mut self, outcome: Result<bool, PaymentError>) -> Result<(), PaymentError> {
        self.checked += 1;
        match outcome {
            Ok(finished) => self.finished += usize::from(finished),
            Err(PaymentError::Processor(error)) => {
                tracing::warn!(%error, "the payment processor did not report the outcome of a payment");
                self.unknown += 1;
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}
