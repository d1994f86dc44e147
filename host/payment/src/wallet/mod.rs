//! Payments signed by a wallet that come with the call (x402): offers, signatures,
//! settlements.
//!
//! An offer is a quote for one price in a token, sent in a 402 response. A wallet signs
//! that this amount may be moved; a facilitator moves it; the amount is then recorded as
//! the payment of the offer's intent, which pays for the call like any intent.
//!
//! Invariants:
//! 1. Only payments of an offer issued by this host are accepted; all terms of an offer
//!    are signed by this host, and none are stored before a facilitator is asked.
//! 2. The request to a facilitator is durable before it is sent. An offer can only ever
//!    be paid by one signature, and a signature can only ever pay one offer.
//! 3. A settlement with an unknown outcome is looked up until the outcome is known; it is
//!    never treated as a refusal, and no call is answered before then.
//! 4. A settled payment is recorded even if the call fails: the same signature then pays
//!    for a repeat.

mod facilitator;
#[cfg(test)]
mod faulty_facilitator;
mod for_others;
mod offer;
pub(crate) mod offers;
pub(crate) mod payment;
pub(crate) mod payments;
pub(crate) mod rail;
mod risk;
mod sale;
pub(crate) mod settlement_row;
mod settlements;
#[cfg(test)]
mod tests;
mod upto;
#[cfg(test)]
mod upto_tests;

pub use facilitator::{SandboxFacilitator, WalletFacilitator};
pub use offer::WalletOffer;
pub use offers::WalletOffers;
pub use payment::WalletPayment;
pub use payments::WalletPayments;
pub use rail::{SettleWhen, WalletRail, WalletRailError};
pub use sale::UptoSale;
pub use settlements::WalletSettlements;
pub use upto::{UptoCall, UptoHold};
