//! Challenges: the ways in which a caller without a payment can pay.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};
use tollbridge_core::money::Millipence;
use tollbridge_mpp::{
    Challenge, CredentialHeader, EvmCharge, EvmDetails, Intent, Method, StripeCharge, StripeDetails, Terms, Units,
};

use super::rail::{MppRail, StripeTerms};
use crate::quote::{QuoteError, QuoteTerms};
use crate::quotes::Quotes;
use crate::wallet::offers::WalletOffers;

/// Name of the member of a challenge's `opaque` parameter that contains the encoded
/// offer.
pub(super) const OFFER: &str = "offer";

/// The call to be paid for.
#[derive(Clone, Copy, Debug)]
pub struct Purchase<'p> {
    /// The bridge, or `agents/` and the name of an agent.
    pub bridge: &'p str,
    /// Price of one call.
    pub price: Millipence,
    /// Account of the caller, if any.
    pub account: Option<&'p str>,
    /// Body of the request.
    pub body: &'p [u8],
}

/// The content of one challenge.
struct ChallengeContent<'a> {
    method: &'a Method,
    request: Map<String, Value>,
    description: String,
    offer: String,
    expires_s: u64,
}

/// Issues challenges.
pub struct Challenges {
    /// The MPP rail, if the server accepts payments by credential.
    rail: Option<Arc<MppRail>>,
    quotes: Arc<Quotes>,
    offers: Arc<WalletOffers>,
}

impl Challenges {
    pub(crate) fn new(rail: Option<Arc<MppRail>>, quotes: Arc<Quotes>, offers: Arc<WalletOffers>) -> Self {
        Self { rail, quotes, offers }
    }

    /// Issues one challenge for each accepted method. Writes nothing.
    ///
    /// # Errors
    ///
    /// Fails if the system has no randomness.
    pub fn issue(&self, purchase: &Purchase<'_>, now_ms: u64) -> Result<Vec<Challenge>, QuoteError> {
        let Some(rail) = &self.rail else { return Ok(Vec::new()) };
        let mut challenges = Vec::new();
        let is_whole_pence = self.quotes.charge(purchase.price).get().rem_euclid(1000) == 0;
        if let Some(stripe) = rail.stripe.as_ref().filter(|_| is_whole_pence) {
            challenges.extend(issue(rail, purchase, &self.token_challenge(stripe, purchase, now_ms)?));
        }
        if let Some(content) = self.signature_challenge(rail, purchase, now_ms)? {
            challenges.extend(issue(rail, purchase, &content));
        }
        Ok(challenges)
    }

    fn token_challenge(
        &self,
        stripe: &StripeTerms,
        purchase: &Purchase<'_>,
        now_ms: u64,
    ) -> Result<ChallengeContent<'_>, QuoteError> {
        let quote = QuoteTerms {
            bridge: purchase.bridge.to_owned(),
            price: purchase.price,
            charge: self.quotes.charge(purchase.price),
            expires_s: self.quotes.expires_s(now_ms),
            account: purchase.account.map(str::to_owned),
        };
        let description = describe(&quote);
        let charge = StripeCharge {
            amount: pence(quote.charge),
            currency: "gbp".to_owned(),
            description: Some(description.clone()),
            external_id: None,
            method_details: StripeDetails {
                network_id: stripe.network_id.clone(),
                payment_method_types: stripe.payment_method_types.clone(),
            },
        };
        let offer = self.quotes.signer.issue_token_offer(&quote)?;
        Ok(ChallengeContent {
            method: &Method::STRIPE,
            request: charge.request(),
            description,
            offer,
            expires_s: quote.expires_s,
        })
    }

    /// Returns the content of a challenge for method `evm`, which asks a wallet for a
    /// signature; `None` if wallets cannot pay for this purchase.
    fn signature_challenge(
        &self,
        rail: &MppRail,
        purchase: &Purchase<'_>,
        now_ms: u64,
    ) -> Result<Option<ChallengeContent<'_>>, QuoteError> {
        let (Some(wallet), true) = (self.offers.rail(), rail.evm) else { return Ok(None) };
        let Purchase { bridge, price, account, .. } = *purchase;
        let Some(offered) = self.offers.exact(bridge, price, account, now_ms)? else { return Ok(None) };
        let asked = offered.requirements;
        let description = format!("One call of {bridge}");
        let charge = EvmCharge {
            amount: Units(asked.amount.get()),
            currency: asked.asset,
            recipient: asked.pay_to,
            description: Some(description.clone()),
            external_id: None,
            method_details: EvmDetails {
                chain_id: wallet.token().chain.get(),
                credential_types: vec!["authorization".to_owned()],
                decimals: Some(wallet.token().decimals),
                permit2_address: None,
            },
        };
        let offer = asked.extra.get("offer").and_then(Value::as_str).unwrap_or_default().to_owned();
        // The wallet's signature must not outlive the challenge.
        let expires_s = offered.expires_s.min((now_ms / 1000).saturating_add(asked.max_timeout_seconds));
        Ok(Some(ChallengeContent { method: &Method::EVM, request: charge.request(), description, offer, expires_s }))
    }
}

fn issue(rail: &MppRail, purchase: &Purchase<'_>, content: &ChallengeContent<'_>) -> Option<Challenge> {
    // A caller with an account may already send its key in `Authorization`, so the
    // credential needs another header.
    let header = match purchase.account {
        Some(_) => CredentialHeader::PaymentAuthorization,
        None => CredentialHeader::Authorization,
    };
    let opaque = BTreeMap::from([(OFFER.to_owned(), content.offer.clone())]);
    let terms = Terms {
        method: content.method,
        intent: &Intent::CHARGE,
        request: &content.request,
        expires_s: content.expires_s,
        body: Some(purchase.body),
        description: Some(&content.description),
        opaque: Some(&opaque),
        header,
    };
    let issued = rail.signer.issue(terms);
    issued.inspect_err(|error| tracing::error!(%error, bridge = purchase.bridge, "cannot create a challenge")).ok()
}

/// Converts to whole pence; charges contain no fractions of a penny.
pub(super) fn pence(amount: Millipence) -> Units {
    Units(u128::try_from(amount.pence_floor()).unwrap_or_default())
}

/// Describes the number of calls that a payment covers.
fn describe(quote: &QuoteTerms) -> String {
    let calls = quote.charge.get().checked_div(quote.price.get()).unwrap_or(1);
    match calls {
        1 => format!("One call of {}", quote.bridge),
        calls => format!("{calls} calls of {} at GBP {} each", quote.bridge, quote.price.pounds()),
    }
}
