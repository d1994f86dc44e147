//! Disputes: payments that a buyer takes back through the card scheme, as the
//! processor states them.
//!
//! What is left of the payment covers a dispute first, reservations of queued
//! tasks included; then what is left of the credit that the payment became; then
//! what its spending earned for others and is still on hold. Only the rest is
//! written off. A refund that fails later bears its part then. Money that calls in flight hold is taken, too: their answers are
//! not sealed then and never leave.

mod book;
mod earlier_claims;
mod payer_event;
mod payer_history;
mod recovery;
mod standing;
mod task_reservations;
mod tx;
mod unbooked;

pub use book::Disputes;
pub(crate) use standing::StandingDispute;
pub use task_reservations::TaskReservations;
