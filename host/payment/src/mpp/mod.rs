//! Payments by the `Payment` authentication scheme (MPP): challenges sent with a quote,
//! credentials that come with the call, and charges of the tokens in them.
//!
//! A challenge uses one of two methods. Method `stripe` asks for a Shared Payment Token,
//! which the processor charges before the call runs: it becomes the payment of the
//! challenge's intent, which may cover further calls. Method `evm` asks a wallet for a
//! signature, which is a payment by wallet and is settled as one.
//!
//! Invariants:
//! 1. Challenges are not stored: all terms are in the id, which names an intent that
//!    cannot be paid in another way.
//! 2. The request to charge a token is durable before it is sent. A challenge can only
//!    ever be paid by one token; the token itself is not stored.
//! 3. A charge with an unknown outcome is looked up until its outcome is known; it is
//!    requested again only if its payer repeats the call, and only while its challenge is
//!    valid.
//! 4. One credential pays for one call; a row written with the seal of the call, or when
//!    a task is accepted, enforces this. The remainder stays on the intent, whose id only
//!    the sender of the credential receives.

pub(crate) mod challenges;
mod charge_row;
mod charges;
pub(crate) mod credentials;
pub(crate) mod rail;
#[cfg(test)]
mod tests;
pub(crate) mod token_payment;

pub use challenges::{Challenges, Purchase};
pub use charges::TokenCharges;
pub use credentials::{CredentialPayment, Credentials};
pub use rail::{MppRail, StripeTerms};
pub use token_payment::{PaidByToken, TokenPayment};
