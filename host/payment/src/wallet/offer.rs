//! Offers: prices in a token, promised until they expire. An offer contains all data
//! needed to accept the payment, signed by this host.

use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;
use tollbridge_ledger::TokenPaid;
use tollbridge_x402::{Address, Amount, PaymentRequirements, PriceError, Rate, Requirement};

use super::rail::WalletRail;
use crate::quote::QuoteTerms;

/// Name of the member of `extra` in a payment requirement that contains the encoded
/// offer.
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
    /// Unix time in seconds until which the offer can be paid.
    pub expires_s: u64,
}

impl OfferTerms {
    pub(super) fn new(rail: &WalletRail, quote: QuoteTerms, amount: Amount) -> Self {
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
    /// accepted token since.
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

    /// Converts a price to token units at the rate of the offer, rounded down.
    pub(super) fn convert(&self, price: Millipence, decimals: u8) -> Result<Amount, PriceError> {
        let rate = Rate::new(&self.rate, self.rate_source.as_str(), self.rate_as_of_s, u64::MAX)?;
        rate.convert(price, decimals, self.rate_as_of_s).map(|conversion| conversion.amount)
    }
}
