//! `WalletOffers`: offers of calls to wallets.

use std::sync::Arc;

use serde_json::Value;
use tollbridge_core::money::Millipence;
use tollbridge_x402::Amount;

use super::offer::{OFFER, OfferTerms, UptoTerms, WalletOffer};
use super::rail::WalletRail;
use crate::quote::{QuoteError, QuoteTerms};
use crate::quotes::Quotes;

/// The only product sold by `upto`.
pub(super) const UPTO_PRODUCT: &str = "models";
/// Minimum validity of a signature in seconds; the model must answer and the payment be
/// settled within it.
const TIMEOUT_S_MIN: u64 = 180;

/// Offers calls for payment by wallet.
pub struct WalletOffers {
    quotes: Arc<Quotes>,
    /// The wallet rail, if the server accepts payments by wallet.
    rail: Option<Arc<WalletRail>>,
}

impl WalletOffers {
    pub(crate) fn new(quotes: Arc<Quotes>, rail: Option<Arc<WalletRail>>) -> Self {
        Self { quotes, rail }
    }

    /// Returns the wallet rail, if the server accepts payments by wallet.
    pub(crate) fn rail(&self) -> Option<&WalletRail> {
        self.rail.as_deref()
    }

    /// Offers one call of a bridge for payment by wallet; `None` if wallets are not
    /// accepted or no current rate is known. Writes nothing.
    ///
    /// # Errors
    ///
    /// Fails if the system has no randomness.
    pub fn exact(
        &self,
        bridge: &str,
        price: Millipence,
        account: Option<&str>,
        now_ms: u64,
    ) -> Result<Option<WalletOffer>, QuoteError> {
        let Some(rail) = &self.rail else { return Ok(None) };
        let Some(terms) = self.terms(rail, (bridge, price, account), now_ms) else { return Ok(None) };
        let Some(mut requirements) = rail.requirements(Amount::new(terms.amount)) else { return Ok(None) };
        let (_, text) = self.quotes.signer.issue_wallet_offer(&terms)?;
        requirements.extra.insert(OFFER.to_owned(), Value::String(text));
        Ok(Some(WalletOffer { requirements, expires_s: terms.quote.expires_s }))
    }

    /// Offers one model request that costs at most `most`, for payment by `upto`; `None`
    /// if `upto` is not accepted or the unpaid costs have reached their limit. Writes
    /// nothing.
    ///
    /// # Errors
    ///
    /// Fails if the system has no randomness.
    pub fn upto(&self, most: Millipence, now_ms: u64) -> Result<Option<WalletOffer>, QuoteError> {
        let Some(rail) = &self.rail else { return Ok(None) };
        let Some(facilitator) = rail.upto().filter(|_| rail.risk.has_room(most, now_ms)) else { return Ok(None) };
        // An amount that rounds to zero units could not be settled.
        let smallest = rail.convert(Millipence::new(1), now_ms / 1000);
        let sold = QuoteTerms::product_name(UPTO_PRODUCT);
        let Some(mut terms) = self.terms(rail, (&sold, most, None), now_ms).filter(|_| smallest.is_ok()) else {
            return Ok(None);
        };
        terms.timeout_s = terms.timeout_s.max(TIMEOUT_S_MIN);
        let expires_s = terms.quote.expires_s;
        let Some(exact) = terms.requirement(rail) else { return Ok(None) };
        let mut requirements = exact.upto(facilitator).to_wire();
        let offer = self.quotes.signer.issue_upto_offer(&UptoTerms { terms, facilitator: facilitator.bytes() })?;
        requirements.extra.insert(OFFER.to_owned(), Value::String(offer));
        Ok(Some(WalletOffer { requirements, expires_s }))
    }

    /// Returns the terms of an offer; `None` if no current rate is known.
    fn terms(
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
            expires_s: self.quotes.expires_s(now_ms),
            account: account.map(str::to_owned),
        };
        Some(OfferTerms::new(rail, quote, converted.ok()?.amount))
    }
}
