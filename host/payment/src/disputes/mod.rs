//! Disputes: payments that a buyer takes back through the card scheme, in the state
//! reported by the processor.
//!
//! A dispute is covered first by the rest of the payment, including amounts reserved
//! for queued tasks; then by the rest of the credit that the payment became; then by
//! the earnings on hold that its spending brought to others. Only the remainder is
//! written off. A refund that fails later takes over its part. Money held by calls in
//! flight is taken too: the answers of those calls are neither sealed nor sent.

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
