//! Settings of payments by credential.

use tollbridge_core::vault::SecretBytes;
use tollbridge_mpp::{ChallengeSigner, RealmError};

use crate::quote_signer::QuoteSigner;

/// The methods and keys of payments by credential.
pub struct MppRail {
    pub(super) signer: ChallengeSigner,
    /// Terms of method `stripe`, if the processor charges tokens.
    pub(super) stripe: Option<StripeTerms>,
    /// Whether wallets can pay by signature.
    pub(super) evm: bool,
}

/// The terms of method `stripe` that are sent to payers.
#[derive(Clone, Debug)]
pub struct StripeTerms {
    /// The seller's Business Network profile, `profile_…`.
    pub network_id: String,
    /// Accepted payment method types: `card`, `link`.
    pub payment_method_types: Vec<String>,
}

impl MppRail {
    /// Creates a rail for `realm`, this server's host and port. The challenge key is
    /// derived from the quote key, so hosts that share a quote key accept each other's
    /// challenges.
    ///
    /// # Errors
    ///
    /// Fails if `realm` is invalid.
    pub fn new(realm: &str, quotes: &QuoteSigner, stripe: Option<StripeTerms>, evm: bool) -> Result<Self, RealmError> {
        let signer = ChallengeSigner::new(realm, SecretBytes::new(quotes.challenge_key()), None)?;
        Ok(Self { signer, stripe, evm })
    }
}
