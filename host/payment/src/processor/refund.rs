//! A refund as the processor states it.

/// How far a refund has come at the processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcessorRefund {
    /// Accepted, not finished.
    Pending,
    /// On its way to the buyer, or there. It may still fail, weeks later.
    Paid {
        /// The processor's id of the refund.
        reference: String,
    },
    /// The money stays here.
    Failed {
        /// The processor's code.
        reason: String,
    },
}
