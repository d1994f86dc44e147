//! The paywall over HTTP: the offers in a 402 response in every payment protocol, the
//! payment headers of a request, the receipt headers of a response, and price lists.
//!
//! Invariants: a rejected payment is answered with a fresh offer and the reason; this
//! crate moves no money and writes nothing, and its lists are informative only.
//!
//! Never imports `web` or a crate of routes: the only routes it uses are the paths of the products.

pub mod authorization;
pub mod call_headers;
pub mod discovery;
pub mod mpp;
mod offer_extensions;
pub mod payment_errors;
pub mod payment_source;
pub mod payout_errors;
pub mod price;
pub mod wallet;
mod wallet_claims;

use std::sync::Arc;

use tollbridge_market::catalog::Catalog;
use tollbridge_payment::CallPayments;

pub use offer_extensions::OfferExtensions;
pub use wallet_claims::{ClaimSigner, DidDocument};

/// The services that build offers.
pub struct Paywall {
    /// Issues quotes and offers, and reads payments.
    pub payments: Arc<CallPayments>,
    /// The products for sale.
    pub catalog: Arc<Catalog>,
    /// Signs claims for wallets.
    pub claims: ClaimSigner,
    /// Public base URL without a trailing slash.
    pub base_url: String,
    /// Name of the site.
    pub display_name: String,
    /// Cache of signed offer extensions.
    pub offer_extensions: OfferExtensions,
}
