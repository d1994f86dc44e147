//! `WalletPayments`: reads payments by wallet and their state.

use std::sync::Arc;

use serde_json::{Map, Value};
use tollbridge_store::{Collection, Store, StoreError};
use tollbridge_x402::{ExactPayload, PaymentPayload, Requirement, SettlementResponse, V2, check};

use super::offer::{OFFER, OfferTerms, UptoTerms};
use super::payment::WalletPayment;
use super::rail::WalletRail;
use super::settlement_row::{UsedSignature, booked_key, open_key};
use crate::declined::WalletDeclined;
use crate::intents::Intents;
use crate::quote::{IntentHandle, Quote};

/// Reads the payments of wallets.
pub struct WalletPayments {
    store: Arc<dyn Store>,
    intents: Arc<Intents>,
    /// The wallet rail, if the server accepts payments by wallet.
    rail: Option<Arc<WalletRail>>,
}

impl WalletPayments {
    pub(crate) fn new(store: Arc<dyn Store>, intents: Arc<Intents>, rail: Option<Arc<WalletRail>>) -> Self {
        Self { store, intents, rail }
    }

    /// Reads a wallet's payment. A payment that was accepted before is checked as of the
    /// time of that acceptance, so that a late repeat still pays.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read. The inner result says why the payment does not
    /// pay for a call.
    pub fn read(
        &self,
        payment: &PaymentPayload,
        now_ms: u64,
    ) -> Result<Result<WalletPayment, WalletDeclined>, StoreError> {
        let Some(rail) = &self.rail else { return Ok(Err(WalletDeclined::NotTaken)) };
        let offer = payment.accepted.extra.get(OFFER).and_then(Value::as_str).unwrap_or_default();
        let Some((handle, terms, requirement)) = self.read_offer(rail, offer) else {
            return Ok(Err(WalletDeclined::UnknownOffer));
        };
        let (taken, now_s) = (self.taken(&handle)?, now_ms / 1000);
        if taken.is_none() && terms.quote.expires_s < now_s {
            return Ok(Err(WalletDeclined::Expired));
        }
        let checked_s = taken.as_ref().map_or(now_s, |taken| taken.checked_s);
        let authorized = match check(payment, &requirement, checked_s) {
            Ok(authorized) => authorized,
            Err(invalid) => return Ok(Err(invalid.into())),
        };
        let quote = Quote { handle, terms: terms.quote.clone() };
        let read = WalletPayment { quote, terms, authorized, checked_s, challenge_id: None };
        match taken.is_none_or(|taken| taken.is_same(&read.taken())) {
            true => Ok(Ok(read)),
            false => Ok(Err(WalletDeclined::OtherSignature)),
        }
    }

    /// Reads an offer of either scheme and its requirement; `None` if this host did not
    /// issue the offer, or its token is no longer accepted.
    fn read_offer(&self, rail: &WalletRail, offer: &str) -> Option<(IntentHandle, OfferTerms, Requirement)> {
        if let Ok((handle, terms)) = self.intents.signer.verify_wallet_offer::<OfferTerms>(offer) {
            let requirement = terms.requirement(rail)?;
            return Some((handle, terms, requirement));
        }
        let (handle, upto) = self.intents.signer.verify_upto_offer::<UptoTerms>(offer).ok()?;
        let requirement = upto.requirement(upto.terms.requirement(rail)?);
        Some((handle, upto.terms, requirement))
    }

    /// Returns the time as of which the signature on an offer was checked; `None` if no
    /// signature was accepted.
    pub(crate) fn checked_s(&self, offer: &str) -> Result<Option<u64>, StoreError> {
        let Ok((handle, _)) = self.intents.signer.verify_wallet_offer::<OfferTerms>(offer) else { return Ok(None) };
        Ok(self.taken(&handle)?.map(|taken| taken.checked_s))
    }

    /// Reads a wallet's signature on an offer, sent in the MPP format instead of x402.
    pub(crate) fn read_signature(
        &self,
        offer: &str,
        signed: &ExactPayload,
        now_ms: u64,
    ) -> Result<Result<WalletPayment, WalletDeclined>, StoreError> {
        let Some(rail) = &self.rail else { return Ok(Err(WalletDeclined::NotTaken)) };
        let asked = self.intents.signer.verify_wallet_offer::<OfferTerms>(offer).ok();
        let asked = asked.and_then(|(_, terms)| terms.requirement(rail));
        let (Some(asked), Ok(Value::Object(payload))) = (asked, serde_json::to_value(signed)) else {
            return Ok(Err(WalletDeclined::UnknownOffer));
        };
        let mut accepted = asked.to_wire();
        accepted.extra.insert(OFFER.to_owned(), Value::String(offer.to_owned()));
        let payment = PaymentPayload { version: V2, resource: None, accepted, payload, extensions: Map::new() };
        self.read(&payment, now_ms)
    }

    /// Reads a payment encoded by [`WalletPayment::encode`].
    ///
    /// # Errors
    ///
    /// Fails if it no longer pays, or if the store cannot be read.
    pub fn decode(&self, text: &str, now_ms: u64) -> Result<WalletPayment, WalletDeclined> {
        let payment = PaymentPayload::decode(text.as_bytes()).map_err(|_| WalletDeclined::UnknownOffer)?;
        self.read(&payment, now_ms).unwrap_or(Err(WalletDeclined::UnknownOffer))
    }

    /// Returns whether the payment is recorded in the ledger, so that calls can draw on
    /// it.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub fn is_booked(&self, payment: &WalletPayment) -> Result<bool, StoreError> {
        Ok(self.intents.row(&payment.quote.handle)?.is_some())
    }

    /// Returns the settlement of a payment, once the payment is recorded.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub fn settlement(&self, payment: &WalletPayment) -> Result<Option<SettlementResponse>, StoreError> {
        let Some(row) = self.intents.row(&payment.quote.handle)? else { return Ok(None) };
        Ok(Some(SettlementResponse {
            success: true,
            error_reason: None,
            payer: Some(payment.payer().to_string()),
            transaction: row.reference.unwrap_or_default(),
            network: payment.authorized.requirement().token().chain.network(),
            amount: if payment.is_upto() { payment.units(row.charge).ok() } else { Some(payment.authorized.amount()) },
            extensions: serde_json::Map::new(),
        }))
    }

    /// Returns the time at which the payment was recorded, Unix milliseconds.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub fn paid_ms(&self, payment: &WalletPayment) -> Result<Option<u64>, StoreError> {
        Ok(self.intents.row(&payment.quote.handle)?.map(|row| row.paid_ms))
    }

    /// Returns the signature that was accepted for an intent, if any.
    pub(super) fn taken(&self, handle: &IntentHandle) -> Result<Option<UsedSignature>, StoreError> {
        for key in [booked_key(handle), open_key(handle)] {
            if let Some(row) = self.store.get(Collection::Settlements, &key)? {
                let read = serde_json::from_slice(&row);
                let doing = "reading a settlement";
                return read.map(Some).map_err(|error| StoreError { doing, source: Box::new(error) });
            }
        }
        Ok(None)
    }
}
