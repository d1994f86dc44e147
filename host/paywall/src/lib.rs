//! The paywall over HTTP: what an answer 402 offers, in every protocol that payers
//! speak; what the headers of a request pay with; what an answer says of how it was
//! paid; and what is told to whoever looks before.
//!
//! Invariants: what does not pay is answered with a fresh offer and the reason;
//! nothing here moves money or writes, and lists only tell.
//!
//! Never imports the crate `http`: it knows of no route but the paths of what is
//! sold.

pub mod call_headers;
pub mod discovery;
pub mod mpp;
mod offer_extensions;
pub mod payment_errors;
pub mod payout_errors;
pub mod price;
pub mod wallet;
mod wallet_claims;

use std::sync::Arc;

use tollbridge_core::signing::Keyring;
use tollbridge_market::catalog::Catalog;
use tollbridge_payment::PaymentAuthorizer;

pub use offer_extensions::OfferExtensions;
pub use wallet_claims::did_document;

/// What offers are made from.
pub struct Paywall {
    /// Quotes, offers and what pays them.
    pub payments: Arc<PaymentAuthorizer>,
    /// What is sold.
    pub catalog: Arc<Catalog>,
    /// Keys that sign what this host says.
    pub keys: Arc<Keyring>,
    /// Public address, without a slash at its end.
    pub base_url: String,
    /// Name of the site.
    pub display_name: String,
    /// What was said of offers.
    pub offer_extensions: OfferExtensions,
}
