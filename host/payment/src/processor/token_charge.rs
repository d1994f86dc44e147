//! Charges of payment tokens that callers send with their calls.

use tollbridge_core::money::Millipence;

use super::order::ProcessorPayment;

/// A charge to request from the processor.
pub struct TokenCharge<'t> {
    /// Public handle of the intent: the processor stores it with the payment, and a
    /// repeat with the same handle returns the same charge.
    pub handle: &'t str,
    /// Id of the challenge that the token pays.
    pub challenge_id: &'t str,
    /// The payer's token, a secret.
    pub token: &'t str,
    /// Amount in whole pence.
    pub amount: Millipence,
    /// Title shown to the payer, one line.
    pub title: &'t str,
}

/// The status of a token's charge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenChargeStatus {
    /// Paid.
    Paid(ProcessorPayment),
    /// No money moved and none will move; contains the processor's reason.
    Refused(String),
    /// The outcome is not known yet.
    Pending,
}
