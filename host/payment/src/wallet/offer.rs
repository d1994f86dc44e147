//! Offers: prices in a token, promised until they expire. An offer contains all data
//! needed to accept the payment, signed by this host.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::TokenPaid;
use tollbridge_x402::{Address, Amount, PaymentRequirements, PriceError, Rate, Requirement};

use super::rail::WalletRail;
use crate::authorizer::PaymentAuthorizer;
use crate::quote::{QuoteError, QuoteTerms};

/// Member of `extra` that has the encoded offer.
pub(super) const OFFER: &str = "offer";

/// The terms of an offer. They are encoded in the offer, so the layout is fixed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct OfferTerms {
    pub(super) quote: QuoteTerms,
    pub(super) chain: u64,
    pub(super) asset: [u8; 20],
    pub(super) pay_to: [u8; 20],
    pub(super) amount: u128,
    pub(super) timeout_s: u64,
    rate: String,
    rate_as_of_s: u64,
    rate_source: String,
}

/// The terms of an `upto` offer. They are encoded in the offer, so the layout is fixed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct UptoTerms {
    pub(super) terms: OfferTerms,
    pub(super) facilitator: [u8; 20],
}

impl UptoTerms {
    /// Returns the `upto` requirement for the matching `exact` one.
    pub(super) fn requirement(&self, exact: Requirement) -> Requirement {
        exact.upto(Address::new(self.facilitator))
    }
}

/// A way to pay for a call by wallet: an entry of `accepts`.
#[derive(Clone, Debug, PartialEq)]
pub struct WalletOffer {
    /// The requirements in wire format.
    pub requirements: PaymentRequirements,
    /// End of the time in which it can be paid, Unix seconds.
    pub expires_s: u64,
}

impl PaymentAuthorizer {
    /// Offers one call of a bridge for payment by wallet; `None` if wallets are not
    /// accepted or no current rate is known. Writes nothing.
    ///
    /// # Errors
    ///
    /// Fails if the system has no randomness.
    pub fn wallet_offer(
        &self,
        bridge: &str,
        price: Millipence,
        account: Option<&str>,
        now_ms: u64,
    ) -> Result<Option<WalletOffer>, QuoteError> {
        let Some(rail) = &self.wallet else { return Ok(None) };
        let Some(terms) = self.offer_terms(rail, (bridge, price, account), now_ms) else { return Ok(None) };
        let Some(mut requirements) = rail.requirements(Amount::new(terms.amount)) else { return Ok(None) };
        let (_, text) = self.signer.issue_wallet_offer(&terms)?;
        requirements.extra.insert(OFFER.to_owned(), Value::String(text));
        Ok(Some(WalletOffer { requirements, expires_s: terms.quote.expires_s }))
    }

    /// Returns the terms of an offer; `None` if no current rate is known.
    pub(super) fn offer_terms(
        &self,
        rail: &WalletRail,
        (sold, price, account): (&str, Millipence, Option<&str>),
        now_ms: u64,
    ) -> Option<OfferTerms> {
        let now_s = now_ms / 1000;
        let converted = rail.convert(price, now_s).inspect_err(|error| {
            tracing::debug!(%error, sold, "payment by wallet is not offered");
        });
        let quote = QuoteTerms {
            bridge: sold.to_owned(),
            price,
            charge: price,
            expires_s: now_s.saturating_add(self.quote_ttl_s()),
            account: account.map(str::to_owned),
        };
        Some(OfferTerms::new(rail, quote, converted.ok()?.amount))
    }
}

impl OfferTerms {
    fn new(rail: &WalletRail, quote: QuoteTerms, amount: Amount) -> Self {
        let rate = rail.rate();
        Self {
            quote,
            chain: rail.token.chain.get(),
            asset: rail.token.address.bytes(),
            pay_to: rail.pay_to.bytes(),
            amount: amount.get(),
            timeout_s: rail.timeout_s,
            rate: rate.tokens_per_pound(),
            rate_as_of_s: rate.as_of_s(),
            rate_source: rate.source().to_owned(),
        }
    }

    /// Returns the requirement of the offer; `None` if the operator has changed the
    /// token since.
    pub(super) fn requirement(&self, rail: &WalletRail) -> Option<Requirement> {
        let token = &rail.token;
        if (token.chain.get(), token.address.bytes()) != (self.chain, self.asset) {
            return None;
        }
        let pay_to = Address::new(self.pay_to);
        Requirement::new(token.clone(), Amount::new(self.amount), pay_to, self.timeout_s).ok()
    }

    /// Returns the payment in the token, as recorded in the ledger.
    pub(super) fn token_paid(&self, requirement: &Requirement, amount: Amount) -> TokenPaid {
        TokenPaid {
            amount: amount.to_string(),
            asset: Address::new(self.asset).to_string(),
            network: requirement.token().chain.to_string(),
            rate: self.rate.clone(),
            rate_as_of_s: self.rate_as_of_s,
            rate_source: self.rate_source.clone(),
        }
    }

    /// Converts a price at the rate of the offer, rounded down.
    pub(super) fn convert(&self, price: Millipence, decimals: u8) -> Result<Amount, PriceError> {
        let rate = Rate::new(&self.rate, self.rate_source.as_str(), self.rate_as_of_s, u64::MAX)?;
        rate.convert(price, decimals, self.rate_as_of_s).map(|conversion| conversion.amount)
    }
}
