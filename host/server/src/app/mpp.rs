//! Settings for payment by MPP credentials, built from the configuration.

use anyhow::{Context, Result};
use tollbridge_core::config::{Config, MppConfig, Processor};
use tollbridge_payment::{MppRail, QuoteSigner, StripeTerms};

/// The seller's profile in the sandbox, where every token is accepted.
const SANDBOX_PROFILE: &str = "profile_sandbox";

/// Returns the settings for payment by credentials; `None` if it is not configured.
pub(super) fn mpp_rail(config: &Config, quotes: &QuoteSigner) -> Result<Option<MppRail>> {
    let (payments, mpp) = (&config.payments, &config.payments.mpp);
    let stripe = match payments.processor {
        Processor::Sandbox => Some(stripe_terms(mpp, SANDBOX_PROFILE.to_owned())),
        Processor::Stripe if payments.stripe.secret_key.is_none() => None,
        Processor::Stripe => mpp.network_id.clone().map(|profile| stripe_terms(mpp, profile)),
    };
    let evm = payments.x402.enabled && mpp.evm;
    if !mpp.enabled || (stripe.is_none() && !evm) {
        return Ok(None);
    }
    let url = config.server.public_url(config.server.listen).to_string();
    let rail = MppRail::new(realm(&url), quotes, stripe, evm);
    rail.map(Some).with_context(|| format!("cannot derive the realm of challenges from {url}"))
}

fn stripe_terms(mpp: &MppConfig, network_id: String) -> StripeTerms {
    StripeTerms { network_id, payment_method_types: mpp.payment_method_types.clone() }
}

/// Returns the host and port of this server's URL. Clients compare them with the URL that
/// they called.
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
