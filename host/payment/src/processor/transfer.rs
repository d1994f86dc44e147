//! Transfers as reported by the processor.

use tollbridge_core::money::Millipence;

/// Money sent to a payout account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessorTransfer {
    /// The processor's id of the transfer.
    pub reference: String,
    /// Total amount of all reversals so far.
    pub reversed: Millipence,
}
