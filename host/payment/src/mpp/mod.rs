//! Payments by the `Payment` authentication scheme (MPP): challenges beside a quote,
//! credentials that come with the call, charges of the tokens in them.
//!
//! A challenge asks for one of two things. Method `stripe` asks for a Shared
//! Payment Token, which the processor charges before the call runs: it becomes the
//! payment of the challenge's intent, which may cover further calls. Method `evm`
//! asks a wallet for a signature; that is a payment by wallet, and settled as one.
//!
//! Invariants:
//! 1. Nothing of a challenge is stored: it is its id, and names an intent of its
//!    own, which nobody can pay in another way.
//! 2. That the processor is asked to charge a token is durable before it is. One
//!    challenge is paid by one token, for ever; the token itself is not stored.
//! 3. An unclear charge is looked up until it is known; it is asked for again only
//!    for its payer, and only while its challenge holds.
//! 4. One credential pays for one call, by a row that is written with its seal or, of
//!    a task, when that is accepted. What is left is the intent's, whose id only who
//!    sent the credential is told.

mod challenges;
mod charge_row;
mod charges;
mod credential;
pub(crate) mod declined;
pub(crate) mod rail;
#[cfg(test)]
mod tests;
mod token_payment;

pub use challenges::Purchase;
pub use charges::TokenCharges;
pub use credential::CredentialPayment;
pub use declined::CredentialDeclined;
pub use rail::{MppRail, StripeTerms};
pub use token_payment::{PaidByToken, TokenPayment};
