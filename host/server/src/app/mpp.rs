//! How calls are paid by credentials, from the configuration.

use anyhow::{Context, Result};
use tollbridge_core::config::{Config, MppConfig, Processor};
use tollbridge_payment::{MppRail, QuoteSigner, StripeTerms};

/// How credentials pay; `None` where they cannot.
pub(super) fn mpp_rail(config: &Config, quotes: &QuoteSigner) -> Result<Option<MppRail>> {
    let (payments, mpp) = (&config.payments, &config.payments.mpp);
    let has_key = payments.processor == Processor::Stripe && payments.stripe.secret_key.is_some();
    let stripe = stripe_terms(mpp).filter(|_| has_key);
    let evm = payments.x402.enabled;
    if !mpp.enabled || (stripe.is_none() && !evm) {
        return Ok(None);
    }
    let url = config.server.public_url(config.server.listen).to_string();
    let rail = MppRail::new(realm(&url), quotes, stripe, evm);
    rail.map(Some).with_context(|| format!("no realm of challenges can be made of {url}"))
}

fn stripe_terms(mpp: &MppConfig) -> Option<StripeTerms> {
    let (network_id, payment_method_types) = (mpp.network_id.clone()?, mpp.payment_method_types.clone());
    Some(StripeTerms { network_id, payment_method_types })
}

/// Host and port of an address: what clients compare with where they asked.
fn realm(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split('/').next().unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::realm;

    #[test]
    fn a_realm_is_host_and_port() {
        assert_eq!(realm("http://127.0.0.1:8402"), "127.0.0.1:8402");
        assert_eq!(realm("https://api.example.com/tolls"), "api.example.com");
    }
}
