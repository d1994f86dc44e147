//! Payments signed by a wallet that come with the call (x402): offers, signatures,
//! settlements.
//!
//! An offer is a quote for one price in a token, sent in a 402 response. A wallet signs
//! that this amount may be moved; a facilitator moves it, and it is booked as the
//! payment of the offer's intent, which then pays for the call like any intent.
//!
//! Invariants:
//! 1. Only payments requested by an offer of this host are accepted; all terms of an
//!    offer are signed by this host, and none are stored before a facilitator is asked.
//! 2. The request to a facilitator is durable before it is sent. One offer is paid by
//!    one signature, and one signature pays one offer, permanently.
//! 3. An unclear settlement is looked up again until its outcome is known; it is never
//!    treated as a refusal, and no call is answered on it.
//! 4. A settled payment is booked whether the call is answered or not: the same
//!    signature then pays for a repeat.

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
