//! Charges of tokens that payers send with their calls.

use tollbridge_core::money::Millipence;

use super::order::ProcessorPayment;

/// A charge to ask the processor for.
pub struct TokenCharge<'t> {
    /// Public handle of the intent: the processor stores it with the payment, and
    /// the same handle again is the same charge.
    pub handle: &'t str,
    /// Id of the challenge that the token pays.
    pub challenge_id: &'t str,
    /// The payer's token, a secret.
    pub token: &'t str,
    /// Whole pence.
    pub amount: Millipence,
    /// One line for the payer.
    pub title: &'t str,
}

/// How far the charge of a token has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenChargeStatus {
    /// Paid.
    Paid(ProcessorPayment),
    /// No money moved and none will; in words of the processor.
    Refused(String),
    /// The processor does not know yet.
    Pending,
}
