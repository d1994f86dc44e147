//! A dispute as the processor states it.

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
    /// What the buyer takes back.
    pub amount: Millipence,
    /// Where the money is now.
    pub status: DisputeStatus,
    /// What the dispute itself costs.
    pub fees: Vec<ProcessorFee>,
}

/// Where the money of a dispute is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisputeStatus {
    /// An inquiry: no money has moved.
    Inquiry,
    /// The processor withdrew the amount.
    FundsWithdrawn,
    /// The processor gave the amount back.
    Won,
}

/// What whoever answers a dispute has to know of it, as the processor says it now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisputeCase {
    /// The processor's own word, such as `needs_response` or `lost`.
    pub status: String,
    /// Why the buyer takes the money back, in the processor's words.
    pub reason: Option<String>,
    /// The processor's id of the payment.
    pub payment: Option<String>,
    /// Until when evidence is taken, Unix seconds.
    pub evidence_due_s: Option<u64>,
    /// How often evidence was sent.
    pub evidence_sent: u64,
    /// Whether it is about real money.
    pub is_live: bool,
}
