//! Disputes as reported by the processor.

use tollbridge_core::money::Millipence;

use super::balance_transaction::ProcessorFee;

/// A payment that its buyer takes back through the card scheme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessorDispute {
    /// The processor's id of the dispute.
    pub id: String,
    /// The processor's id of the payment.
    pub payment: String,
    /// The intent's handle that the processor stored with the payment.
    pub handle: Option<String>,
    /// Disputed amount.
    pub amount: Millipence,
    /// Whether the disputed money is with the processor or with this server now.
    pub status: DisputeStatus,
    /// Fees of the dispute itself.
    pub fees: Vec<ProcessorFee>,
}

/// The status of a dispute, which says who has the disputed money.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisputeStatus {
    /// An inquiry: no money has moved.
    Inquiry,
    /// The processor withdrew the amount from this server.
    FundsWithdrawn,
    /// The processor returned the amount.
    Won,
}

/// The processor's current data for answering a dispute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisputeCase {
    /// The processor's own status, such as `needs_response` or `lost`.
    pub status: String,
    /// The buyer's reason, as reported by the processor.
    pub reason: Option<String>,
    /// The processor's id of the payment.
    pub payment: Option<String>,
    /// Deadline for evidence, Unix seconds.
    pub evidence_due_s: Option<u64>,
    /// Number of times that evidence was submitted.
    pub evidence_sent: u64,
    /// Whether real money is involved.
    pub is_live: bool,
}
