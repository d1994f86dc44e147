//! A transfer as the processor states it.

use tollbridge_core::money::Millipence;

/// Money that went out to a payout account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessorTransfer {
    /// The processor's id of the transfer.
    pub reference: String,
    /// What has come back of it so far, all reversals together.
    pub reversed: Millipence,
}
