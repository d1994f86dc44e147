//! Disputes: payments that a buyer takes back through the card scheme, in the state
//! reported by the processor.
//!
//! A dispute is covered first by the rest of the payment, including amounts reserved for
//! queued tasks; then by the rest of the credit that the payment became; then by the
//! earnings on hold that other accounts received from its spending. Only the remainder is
//! written off. If a refund to the payer fails later, the returned money reduces the
//! write-off and the amounts taken from earnings. Money held by calls in flight is taken
//! too: the answers of those calls are neither sealed nor sent.

mod book;
mod earlier_claims;
mod payer_event;
mod payer_history;
mod recovery;
mod task_reservations;
mod tx;
mod unbooked;
mod unresolved;

pub use book::Disputes;
pub use task_reservations::TaskReservations;
pub(crate) use unresolved::UnresolvedDispute;
