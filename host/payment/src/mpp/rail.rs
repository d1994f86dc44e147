//! How payments by credential are taken.

use tollbridge_core::vault::SecretBytes;
use tollbridge_mpp::{ChallengeSigner, RealmError};

use crate::quote_signer::QuoteSigner;

/// How payments by credential are taken.
pub struct MppRail {
    pub(super) signer: ChallengeSigner,
    /// Whether the processor charges tokens.
    pub(super) stripe: Option<StripeTerms>,
    /// Whether wallets sign for what they pay.
    pub(super) evm: bool,
}

/// What method `stripe` tells its payers.
#[derive(Clone, Debug)]
pub struct StripeTerms {
    /// The seller's Business Network profile, `profile_…`.
    pub network_id: String,
    /// What the seller takes: `card`, `link`.
    pub payment_method_types: Vec<String>,
}

impl MppRail {
    /// Takes what is offered for `realm`, this server's host and port. Challenges
    /// have a key of their own, made from that of quotes: whichever hosts share
    /// that know each other's challenges.
    ///
    /// # Errors
    /// `realm` is none.
    pub fn new(realm: &str, quotes: &QuoteSigner, stripe: Option<StripeTerms>, evm: bool) -> Result<Self, RealmError> {
        let signer = ChallengeSigner::new(realm, SecretBytes::new(quotes.challenge_key()), None)?;
        Ok(Self { signer, stripe, evm })
    }
}
