//! What one round of reconciliation did.

use super::error::PaymentError;

/// Counts of one round of reconciliation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReconcileReport {
    /// Orders, refunds, disputes and fees that were looked up.
    pub checked: usize,
    /// Those that are finished now.
    pub finished: usize,
    /// Those whose outcome the processor did not say.
    pub unknown: usize,
}

impl ReconcileReport {
    /// Counts one item; `Ok(true)` means finished. An error of the processor
    /// concerns that item only, any other ends the round.
    pub(crate) fn count(&mut self, outcome: Result<bool, PaymentError>) -> Result<(), PaymentError> {
        self.checked += 1;
        match outcome {
            Ok(finished) => self.finished += usize::from(finished),
            Err(PaymentError::Processor(error)) => {
                tracing::warn!(%error, "the payment processor did not say what became of a payment");
                self.unknown += 1;
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}
