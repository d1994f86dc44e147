//! `WalletPayment`: a signature that pays an offer of this host.

use tollbridge_core::money::Millipence;
use tollbridge_core::planted::Defect;
use tollbridge_x402::{Address, Amount, Authorized, Nonce, PaymentIdentifier, Scheme};

use super::offer::OfferTerms;
use super::sale::UptoSale;
use super::settlement_row::UsedSignature;
use crate::declined::{PaymentDeclined, WalletDeclined, check_use};
use crate::error::PaymentError;
use crate::quote::Quote;

/// A payment by wallet with a valid signature for an offer of this host. Whether the
/// wallet has the money is known only at settlement.
#[derive(Clone, Debug, PartialEq)]
pub struct WalletPayment {
    pub(super) quote: Quote,
    pub(super) terms: OfferTerms,
    pub(super) authorized: Authorized,
    /// Unix time in seconds as of which the signature was checked.
    pub(super) checked_s: u64,
    /// Id of the MPP challenge that the payment pays; `None` if it did not come in an MPP
    /// credential.
    pub(super) challenge_id: Option<String>,
}

impl WalletPayment {
    /// Returns the handle of the intent that this payment pays.
    pub fn handle(&self) -> &str {
        self.quote.handle.as_str()
    }

    /// Returns the nonce, which is unique among the payments of one payer and identifies
    /// repeats of a call without an `Idempotency-Key`.
    pub fn nonce(&self) -> Nonce {
        self.authorized.nonce()
    }

    /// Returns the id that the payer gave this payment (extension `payment-identifier`),
    /// if it is present and valid. Compare it only among payments of the same payer.
    pub fn identifier(&self) -> Option<PaymentIdentifier> {
        PaymentIdentifier::of(&self.authorized.payment().extensions, false).ok().flatten()
    }

    /// Returns the address of the payer.
    pub fn payer(&self) -> Address {
        self.authorized.payer()
    }

    /// Returns the key by which repeats of a call without an `Idempotency-Key` are
    /// recognized: the payer's identifier, otherwise the nonce.
    pub fn repeat_key(&self) -> String {
        self.identifier().map_or_else(|| self.nonce().to_string(), |name| name.to_string())
    }

    /// Returns the tenant under which a call without an API key competes for call slots:
    /// the wallet.
    pub fn tenant(&self) -> String {
        format!("wallet_{}", self.payer())
    }

    /// Returns the id of the MPP challenge that the payment pays; `None` if it did not
    /// come in an MPP credential.
    pub fn challenge_id(&self) -> Option<&str> {
        self.challenge_id.as_deref()
    }

    /// Marks this payment as the payment of an MPP challenge.
    pub(crate) fn of_challenge(self, id: &str) -> Self {
        Self { challenge_id: Some(id.to_owned()), ..self }
    }

    /// Encodes the payment as the header value that the caller sent.
    pub fn encode(&self) -> String {
        self.authorized.payment().encode()
    }

    /// Returns the purchased product: a bridge, `agents/NAME`, or `product:…`.
    pub fn sold_as(&self) -> &str {
        &self.quote.terms.bridge
    }

    /// Returns the amount in pounds.
    pub const fn price(&self) -> Millipence {
        self.quote.terms.price
    }

    /// Returns whether the payment is settled for the actual cost instead of the signed
    /// amount.
    pub const fn is_upto(&self) -> bool {
        matches!(self.authorized.requirement().scheme(), Scheme::Upto { .. })
    }

    /// Converts a price to units of the payment's token, at the exchange rate of the
    /// offer.
    pub(super) fn units(&self, price: Millipence) -> Result<Amount, PaymentError> {
        let decimals = self.authorized.requirement().token().decimals;
        let converted = self.terms.convert(price, decimals);
        converted.map_err(|_| PaymentDeclined::from(WalletDeclined::UnknownOffer).into())
    }

    /// Returns the payment to send to a facilitator. Its amount is the signed amount; for
    /// `upto`, it is the cost of the sale, at most the signed amount.
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

    /// Checks that the offer is for this bridge and this caller.
    ///
    /// # Errors
    ///
    /// Fails if it is for another bridge or account.
    pub fn check_use(&self, bridge: &str, account: Option<&str>) -> Result<(), PaymentDeclined> {
        check_use(&self.quote.terms, bridge, account)
    }

    pub(crate) const fn quote(&self) -> &Quote {
        &self.quote
    }

    pub(super) fn taken(&self) -> UsedSignature {
        UsedSignature { checked_s: self.checked_s, payer: self.payer(), nonce: self.nonce() }
    }
}
