//! Orders: what a buyer is asked to pay, and how far that has come.

use tollbridge_core::money::Millipence;

/// A payment to ask a buyer for.
#[derive(Clone, Debug)]
pub struct PaymentOrder {
    /// Public handle of the intent: the processor stores it with the payment.
    pub handle: String,
    /// Differs when an expired order is opened again.
    pub attempt: u64,
    /// Whole pence.
    pub amount: Millipence,
    /// One line for the buyer.
    pub title: String,
    /// Unix time in seconds until which it can be paid.
    pub expires_s: u64,
    /// Where the processor sends the buyer back to.
    pub return_url: String,
}

/// The processor's page for one order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentPage {
    /// The processor's id of the page, to ask for its status.
    pub session: String,
    /// Where to send the buyer.
    pub url: String,
}

/// An order whose page may have been opened without anybody hearing of it.
#[derive(Clone, Copy, Debug)]
pub struct LostPage<'o> {
    /// Public handle of the intent.
    pub handle: &'o str,
    /// Which attempt, as in [`PaymentOrder::attempt`]: Unix milliseconds at which
    /// the processor was asked first.
    pub attempt: u64,
    /// Unix time in seconds until which it could be paid.
    pub expires_s: u64,
}

/// How far an order has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaymentOrderStatus {
    /// Not paid yet.
    Open,
    /// It was not paid and cannot be paid any more.
    Expired,
    /// Paid.
    Paid(ProcessorPayment),
}

/// A payment as the processor states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessorPayment {
    /// The processor's id of the payment.
    pub reference: String,
    /// What the buyer paid.
    pub amount: Millipence,
    /// The intent's handle that the processor stored with the payment.
    pub handle: Option<String>,
}
