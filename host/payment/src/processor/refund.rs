//! Refunds as reported by the processor.

/// The status of a refund at the processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcessorRefund {
    /// Accepted, not finished.
    Pending,
    /// Sent to the buyer. The refund may still fail, weeks later.
    Paid {
        /// The processor's id of the refund.
        reference: String,
    },
    /// The refund failed, and the money stays with this server.
    Failed {
        /// The processor's reason code.
        reason: String,
    },
}
