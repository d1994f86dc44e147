//! Orders: payments requested from buyers, and their status.

use tollbridge_core::money::Millipence;

/// A payment to request from a buyer.
#[derive(Clone, Debug)]
pub struct PaymentOrder {
    /// Public handle of the intent: the processor stores it with the payment.
    pub handle: String,
    /// Identifies the attempt: the time of its first request, Unix milliseconds. An
    /// expired order that is opened again is a new attempt.
    pub attempt: u64,
    /// Amount in whole pence.
    pub amount: Millipence,
    /// Title shown to the buyer, one line.
    pub title: String,
    /// Unix time in seconds until which the order can be paid.
    pub expires_s: u64,
    /// URL to which the processor sends the buyer back.
    pub return_url: String,
}

/// The processor's page for one order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentPage {
    /// The processor's id of the page, for status look-ups.
    pub session: String,
    /// URL to send the buyer to.
    pub url: String,
}

/// An order whose page may exist at the processor, although the processor's response was
/// lost.
#[derive(Clone, Copy, Debug)]
pub struct LostPage<'o> {
    /// Public handle of the intent.
    pub handle: &'o str,
    /// The attempt, as in [`PaymentOrder::attempt`].
    pub attempt: u64,
    /// Unix time in seconds until which the order could be paid.
    pub expires_s: u64,
}

/// The status of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaymentOrderStatus {
    /// Not paid yet.
    Open,
    /// Expired unpaid.
    Expired,
    /// Paid.
    Paid(ProcessorPayment),
}

/// A payment as reported by the processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessorPayment {
    /// The processor's id of the payment.
    pub reference: String,
    /// Amount paid by the buyer.
    pub amount: Millipence,
    /// The intent's handle that the processor stored with the payment.
    pub handle: Option<String>,
}
