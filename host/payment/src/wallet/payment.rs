//! `WalletPayment`: a signature that pays an offer of this host.

use serde_json::{Map, Value};
use tollbridge_core::money::Millipence;
use tollbridge_core::planted::Defect;
use tollbridge_ledger::Payer;
use tollbridge_store::StoreError;
use tollbridge_x402::{
    Address, Amount, Authorized, ExactPayload, Nonce, PaymentIdentifier, PaymentPayload, Requirement,
    SettlementResponse, V2, check,
};

use super::declined::WalletDeclined;
use super::offer::{OFFER, OfferTerms, UptoTerms};
use super::rail::WalletRail;
use super::sale::UptoSale;
use super::settlement_row::Taken;
use crate::authorizer::{PaymentAuthorization, PaymentAuthorizer};
use crate::declined::{PaymentDeclined, check_use};
use crate::error::PaymentError;
use crate::quote::{IntentHandle, Quote};

/// A payment by wallet with a valid signature for an offer of this host. Whether the
/// wallet has the money is known only at settlement.
#[derive(Clone, Debug, PartialEq)]
pub struct WalletPayment {
    pub(super) quote: Quote,
    pub(super) terms: OfferTerms,
    pub(super) authorized: Authorized,
    /// Time for which it was checked, Unix time in seconds.
    pub(super) checked_s: u64,
    /// The MPP challenge that it pays, if it came in a credential.
    pub(super) challenge_id: Option<String>,
}

impl WalletPayment {
    /// Returns the handle of the intent that it pays.
    pub fn handle(&self) -> &str {
        self.quote.handle.as_str()
    }

    /// Returns the nonce, unique among payments of its payer. It identifies repeats of
    /// a call without an `Idempotency-Key`.
    pub fn nonce(&self) -> Nonce {
        self.authorized.nonce()
    }

    /// Returns the payer's identifier of the payment (extension `payment-identifier`),
    /// if there is a valid one. Compare it only among payments of the same payer.
    pub fn identifier(&self) -> Option<PaymentIdentifier> {
        PaymentIdentifier::of(&self.authorized.payment().extensions, false).ok().flatten()
    }

    /// Returns the address of the payer.
    pub fn payer(&self) -> Address {
        self.authorized.payer()
    }

    /// Returns the key that identifies repeats without an `Idempotency-Key`: the
    /// payer's identifier, otherwise the nonce.
    pub fn repeat_key(&self) -> String {
        self.identifier().map_or_else(|| self.nonce().to_string(), |name| name.to_string())
    }

    /// Returns the tenant whose share of call places a call without a key uses: the
    /// wallet.
    pub fn tenant(&self) -> String {
        format!("wallet_{}", self.payer())
    }

    /// Returns the challenge that it pays, if it came in a credential.
    pub fn challenge_id(&self) -> Option<&str> {
        self.challenge_id.as_deref()
    }

    /// Marks the payment as paying an MPP challenge.
    pub(crate) fn of_challenge(self, id: &str) -> Self {
        Self { challenge_id: Some(id.to_owned()), ..self }
    }

    /// Encodes it as the header value that it came in.
    pub fn encode(&self) -> String {
        self.authorized.payment().encode()
    }

    /// Returns the purchase: a bridge, `agents/NAME`, or `product:…`.
    pub fn sold_as(&self) -> &str {
        &self.quote.terms.bridge
    }

    /// Returns the amount in pounds.
    pub const fn price(&self) -> Millipence {
        self.quote.terms.price
    }

    /// Converts a price to the token, at the rate of the offer.
    pub(super) fn units(&self, price: Millipence) -> Result<Amount, PaymentError> {
        let decimals = self.authorized.requirement().token().decimals;
        let converted = self.terms.convert(price, decimals);
        converted.map_err(|_| PaymentDeclined::from(WalletDeclined::UnknownOffer).into())
    }

    /// Returns the payment that a facilitator is asked to settle: the signed amount, or
    /// for `upto` the cost of the sale, never more.
    ///
    /// # Errors
    ///
    /// Fails for `upto` without a sale or with a cost above the signed amount, and for
    /// another scheme with a sale.
    pub(super) fn to_settle(&self, sale: Option<&UptoSale>) -> Result<Authorized, PaymentError> {
        let charged = match (sale, self.is_upto()) {
            (None, false) => Some(self.authorized.clone()),
            (Some(_), true) if Defect::UptoSettlesMost.is_planted() => Some(self.authorized.clone()),
            (Some(sale), true) => self.authorized.charging(self.units(sale.amount())?),
            _ => None,
        };
        charged.ok_or_else(|| PaymentDeclined::from(WalletDeclined::UnknownOffer).into())
    }

    pub(super) const fn quote(&self) -> &Quote {
        &self.quote
    }

    pub(super) fn taken(&self) -> Taken {
        Taken { checked_s: self.checked_s, payer: self.payer(), nonce: self.nonce() }
    }
}

impl PaymentAuthorizer {
    /// Returns the wallet rail, if the server accepts payments by wallet.
    pub fn wallet(&self) -> Option<&WalletRail> {
        self.wallet.as_deref()
    }

    /// Reads a wallet's payment. A payment that was accepted before is read as of that
    /// time, however late it is repeated.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read. The inner result says why it does not pay.
    pub fn read_wallet_payment(
        &self,
        payment: &PaymentPayload,
        now_ms: u64,
    ) -> Result<Result<WalletPayment, WalletDeclined>, StoreError> {
        let Some(rail) = &self.wallet else { return Ok(Err(WalletDeclined::NotTaken)) };
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

    /// Reads an offer of either scheme and its requirement; `None` if it is not of this
    /// host, or its token is no longer accepted.
    fn read_offer(&self, rail: &WalletRail, offer: &str) -> Option<(IntentHandle, OfferTerms, Requirement)> {
        if let Ok((handle, terms)) = self.signer.verify_wallet_offer::<OfferTerms>(offer) {
            let requirement = terms.requirement(rail)?;
            return Some((handle, terms, requirement));
        }
        let (handle, upto) = self.signer.verify_upto_offer::<UptoTerms>(offer).ok()?;
        let requirement = upto.requirement(upto.terms.requirement(rail)?);
        Some((handle, upto.terms, requirement))
    }

    /// Returns the time for which the signature on an offer was checked, if one was
    /// accepted.
    pub(crate) fn wallet_checked_s(&self, offer: &str) -> Result<Option<u64>, StoreError> {
        let Ok((handle, _)) = self.signer.verify_wallet_offer::<OfferTerms>(offer) else { return Ok(None) };
        Ok(self.taken(&handle)?.map(|taken| taken.checked_s))
    }

    /// Reads a wallet's signature on an offer that was sent in another format (MPP).
    pub(crate) fn read_wallet_signature(
        &self,
        offer: &str,
        signed: &ExactPayload,
        now_ms: u64,
    ) -> Result<Result<WalletPayment, WalletDeclined>, StoreError> {
        let Some(rail) = &self.wallet else { return Ok(Err(WalletDeclined::NotTaken)) };
        let asked = self.signer.verify_wallet_offer::<OfferTerms>(offer).ok();
        let asked = asked.and_then(|(_, terms)| terms.requirement(rail));
        let (Some(asked), Ok(Value::Object(payload))) = (asked, serde_json::to_value(signed)) else {
            return Ok(Err(WalletDeclined::UnknownOffer));
        };
        let mut accepted = asked.to_wire();
        accepted.extra.insert(OFFER.to_owned(), Value::String(offer.to_owned()));
        let payment = PaymentPayload { version: V2, resource: None, accepted, payload, extensions: Map::new() };
        self.read_wallet_payment(&payment, now_ms)
    }

    /// Reads a payment encoded by [`WalletPayment::encode`].
    ///
    /// # Errors
    ///
    /// Fails if it no longer pays, or if the store cannot be read.
    pub fn decode_wallet_payment(&self, text: &str, now_ms: u64) -> Result<WalletPayment, WalletDeclined> {
        let payment = PaymentPayload::decode(text.as_bytes()).map_err(|_| WalletDeclined::UnknownOffer)?;
        self.read_wallet_payment(&payment, now_ms).unwrap_or(Err(WalletDeclined::UnknownOffer))
    }

    /// Checks that the offer is for this bridge and this caller.
    ///
    /// # Errors
    ///
    /// Fails if it is for another bridge or account.
    pub fn check_wallet_payment(
        &self,
        payment: &WalletPayment,
        bridge: &str,
        account: Option<&str>,
    ) -> Result<(), PaymentDeclined> {
        check_use(&payment.quote.terms, bridge, account)
    }

    /// Returns whether the payment is booked, so that [`Self::authorize_wallet`] can
    /// draw on it.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub fn is_wallet_payment_booked(&self, payment: &WalletPayment) -> Result<bool, StoreError> {
        Ok(self.intent_row(&payment.quote.handle)?.is_some())
    }

    /// Returns the settlement of a payment, once it is booked.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub fn wallet_settlement(&self, payment: &WalletPayment) -> Result<Option<SettlementResponse>, StoreError> {
        let Some(row) = self.intent_row(&payment.quote.handle)? else { return Ok(None) };
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

    /// Returns the time at which the payment was booked, Unix milliseconds.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub fn wallet_paid_ms(&self, payment: &WalletPayment) -> Result<Option<u64>, StoreError> {
        Ok(self.intent_row(&payment.quote.handle)?.map(|row| row.paid_ms))
    }

    /// Reserves the price on a booked payment.
    ///
    /// # Errors
    ///
    /// Returns a [`PaymentDeclined`] if it does not pay.
    pub fn authorize_wallet(&self, payment: &WalletPayment) -> Result<PaymentAuthorization, PaymentDeclined> {
        let payer = Payer::Intent(payment.handle().to_owned());
        self.draw(payer, payment.price(), &payment.quote.handle)
    }
}
