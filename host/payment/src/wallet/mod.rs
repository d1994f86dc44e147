//! Payments that a wallet signs and that come with the call (x402): offers,
//! signatures, settlements.
//!
//! An offer is a quote for one price in a token, told in the answer 402. A wallet
//! signs that this amount may be taken; a facilitator takes it, and it is booked
//! as the payment of the offer's intent, which then pays for the call as any
//! intent does.
//!
//! Invariants:
//! 1. Nothing is taken but what an offer of this host asked for; everything that
//!    an offer says is signed by this host, and nothing of it is stored before a
//!    facilitator is asked.
//! 2. That a facilitator is asked is durable before it is. One offer is paid by
//!    one signature, and one signature pays one offer, for ever.
//! 3. An unclear settlement is asked about again, until it is known; it is never
//!    taken for a no, and no call is answered on it.
//! 4. What was settled is booked, whether the call is answered or not: the same
//!    signature then pays for a repeat.

pub(crate) mod declined;
mod facilitator;
mod for_others;
mod offer;
pub(crate) mod payment;
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

pub use declined::WalletDeclined;
pub use facilitator::WalletFacilitator;
#[cfg(any(test, feature = "testing"))]
pub use facilitator::{FacilitatorPeer, faulty};
pub use offer::WalletOffer;
pub use payment::WalletPayment;
pub use rail::{SettleWhen, WalletRail, WalletRailError};
pub use sale::UptoSale;
pub use settlements::WalletSettlements;
pub use upto::{UptoCall, UptoHold};
