//! A refund as the processor states it.

/// How far a refund has come at the processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcessorRefund {
    /// Accepted, not finished.
    Pending,
    /// The buyer has the money.
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
