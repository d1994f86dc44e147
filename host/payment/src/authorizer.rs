//! Authorizations: before a call runs, its price is reserved on a paid intent or on
//! prepaid credit.

use std::sync::Arc;

use tollbridge_core::money::Millipence;
use tollbridge_core::planted::Defect;
use tollbridge_ledger::{LedgerAccount, Payer};
use tollbridge_store::{Collection, Hash, Store};

use super::balance_holds::{BalanceHolds, Hold, HoldError};
use super::declined::{PaymentDeclined, check_use};
use super::host_reservations::Shortfall;
use super::intents::Intents;
use super::mpp::token_payment::TokenPayment;
use super::quote::IntentHandle;
use super::spend_limiter::{DailySpendLimit, SpendLimitError, SpendLimiter, SpendReservation};
use super::wallet::payment::WalletPayment;

/// Authorizes calls against paid intents and prepaid credit.
pub struct PaymentAuthorizer {
    store: Arc<dyn Store>,
    intents: Arc<Intents>,
    pub(crate) holds: Arc<BalanceHolds>,
    /// The daily spending limits of API keys.
    pub spend_limiter: SpendLimiter,
}

/// The price reserved for one call, and its payer.
#[must_use]
#[derive(Debug)]
pub struct PaymentAuthorization {
    /// The reserved amount, released when dropped. Drop it only after the sale is sealed.
    pub hold: Hold,
    /// The payer.
    pub payer: Payer,
    /// The price of the call.
    pub amount: Millipence,
    /// The amount reserved against the key's daily limit, if it has one.
    pub spend_reservation: Option<SpendReservation>,
}

impl PaymentAuthorization {
    /// Returns the handle of the intent that pays; `None` if an account's credit pays.
    pub fn intent(&self) -> Option<&str> {
        match &self.payer {
            Payer::Intent(handle) => Some(handle),
            Payer::Account(_) | Payer::Task { .. } => None,
        }
    }
}

impl PaymentAuthorizer {
    pub(crate) fn new(store: Arc<dyn Store>, intents: Arc<Intents>, holds: Arc<BalanceHolds>) -> Self {
        Self { spend_limiter: SpendLimiter::new(store.clone()), store, intents, holds }
    }

    /// Reserves the price of one call on a paid intent: the lower of the quoted price
    /// and the current price.
    ///
    /// # Errors
    ///
    /// Returns a [`PaymentDeclined`] if the intent does not pay for the call.
    pub fn authorize_intent(
        &self,
        intent_id: &str,
        bridge: &str,
        account: Option<&str>,
        price: Millipence,
        now_ms: u64,
    ) -> Result<PaymentAuthorization, PaymentDeclined> {
        let quote = self.intents.signer.verify_intent_id(intent_id).map_err(|_| PaymentDeclined::UnknownIntent)?;
        check_use(&quote.terms, bridge, account)?;
        if self.intents.row(&quote.handle)?.is_none() {
            let expired = quote.terms.expires_s < now_ms / 1000;
            return Err(if expired { PaymentDeclined::QuoteExpired } else { PaymentDeclined::Unpaid(quote) });
        }
        let payer = Payer::Intent(quote.handle.as_str().to_owned());
        self.draw(payer, price.min(quote.terms.price), &quote.handle)
    }

    /// Reserves `amount` on a paid intent.
    fn draw(
        &self,
        payer: Payer,
        amount: Millipence,
        handle: &IntentHandle,
    ) -> Result<PaymentAuthorization, PaymentDeclined> {
        let unearned = payer.ledger_account();
        self.authorize(payer, amount).map_err(|error| match error {
            HoldError::Reserved => PaymentDeclined::FundsInUse,
            HoldError::Insufficient { balance } if balance.is_zero() => {
                PaymentDeclined::IntentUsedUp { handle: handle.clone() }
            }
            HoldError::Insufficient { balance } => PaymentDeclined::InsufficientIntent(balance),
            other => exceeds_share(&unearned, other),
        })
    }

    /// Reserves the offered price of a call on a wallet's payment, which must already be
    /// recorded.
    ///
    /// # Errors
    ///
    /// Returns a [`PaymentDeclined`] if the payment does not cover the price.
    pub fn authorize_wallet(&self, payment: &WalletPayment) -> Result<PaymentAuthorization, PaymentDeclined> {
        let payer = Payer::Intent(payment.handle().to_owned());
        self.draw(payer, payment.price(), &payment.quote().handle)
    }

    /// Reserves the whole payment of a charged token for the call with transaction id
    /// `tx`, because a credential pays for one call only. Afterwards, the remainder can
    /// be spent by the intent's id.
    ///
    /// # Errors
    ///
    /// Returns a [`PaymentDeclined`] if the token does not pay for this call.
    pub fn authorize_token(
        &self,
        payment: &TokenPayment,
        price: Millipence,
        tx: &Hash,
    ) -> Result<PaymentAuthorization, PaymentDeclined> {
        let terms = &payment.quote().terms;
        let payer = Payer::Intent(payment.handle().to_owned());
        let user = self.store.get(Collection::Settlements, &payment.used_key())?;
        if user.is_some_and(|user| user != tx) && !Defect::TokenPaysTwice.is_planted() {
            return Err(payment.used());
        }
        let whole = self.draw(payer, terms.charge, &payment.quote().handle).map_err(|declined| match declined {
            PaymentDeclined::IntentUsedUp { .. } | PaymentDeclined::InsufficientIntent(_) => payment.used(),
            other => other,
        })?;
        Ok(PaymentAuthorization { amount: price.min(terms.price), ..whole })
    }

    /// Reserves the price of one call on an account's credit.
    ///
    /// # Errors
    ///
    /// Returns a [`PaymentDeclined`] if the credit does not cover the price.
    pub fn authorize_credit(&self, account: &str, price: Millipence) -> Result<PaymentAuthorization, PaymentDeclined> {
        let payer = Payer::Account(account.to_owned());
        let credit = payer.ledger_account();
        self.authorize(payer, price).map_err(|error| credit_declined(&credit, error))
    }

    /// Reserves the price of a call made by a plugin on the credit of the plugin's
    /// owner.
    ///
    /// # Errors
    ///
    /// Same as [`PaymentAuthorizer::authorize_credit`].
    pub fn hold_credit(&self, owner: &str, price: Millipence) -> Result<Hold, PaymentDeclined> {
        self.authorize_credit(owner, price).map(|authorization| authorization.hold)
    }

    /// Reserves `amount` of the credit that was set aside when `task` was queued.
    ///
    /// # Errors
    ///
    /// Same as [`PaymentAuthorizer::authorize_credit`].
    pub fn authorize_task(
        &self,
        account: &str,
        task: &str,
        amount: Millipence,
    ) -> Result<PaymentAuthorization, PaymentDeclined> {
        let payer = Payer::Task { account: account.to_owned(), task: task.to_owned() };
        let set_aside = payer.ledger_account();
        self.authorize(payer, amount).map_err(|error| credit_declined(&set_aside, error))
    }

    /// Reserves the price of one call on an account's credit, and on the key's daily
    /// limit if it has one.
    ///
    /// # Errors
    ///
    /// Same as [`PaymentAuthorizer::authorize_credit`]; also returns
    /// [`PaymentDeclined::DailyLimitExceeded`].
    pub fn authorize_credit_within(
        &self,
        account: &str,
        price: Millipence,
        limit: Option<&DailySpendLimit>,
        now_ms: u64,
    ) -> Result<PaymentAuthorization, PaymentDeclined> {
        let spend_reservation = limit.map(|limit| self.spend_limiter.reserve(limit, price, now_ms)).transpose();
        let spend_reservation = spend_reservation.map_err(|error| match error {
            SpendLimitError::Exceeded { left } => PaymentDeclined::DailyLimitExceeded(left),
            SpendLimitError::Store(error) => error.into(),
        })?;
        Ok(PaymentAuthorization { spend_reservation, ..self.authorize_credit(account, price)? })
    }

    fn authorize(&self, payer: Payer, amount: Millipence) -> Result<PaymentAuthorization, HoldError> {
        let hold = self.holds.hold(&payer.ledger_account().to_string(), amount)?;
        Ok(PaymentAuthorization { hold, payer, amount, spend_reservation: None })
    }
}

fn credit_declined(account: &LedgerAccount, error: HoldError) -> PaymentDeclined {
    match error {
        HoldError::Reserved => PaymentDeclined::FundsInUse,
        HoldError::Insufficient { balance } => PaymentDeclined::InsufficientCredit(balance),
        other => exceeds_share(account, other),
    }
}

/// Converts a [`HoldError`] that means the same for every kind of payer: this host's
/// share of the balance is too small, or the store failed.
pub(crate) fn exceeds_share(account: &LedgerAccount, error: HoldError) -> PaymentDeclined {
    match error {
        HoldError::BeyondShare { held, needed, available } => {
            PaymentDeclined::BeyondShare(Shortfall { account: account.to_string(), held, needed, available })
        }
        HoldError::Store(error) => error.into(),
        HoldError::Reserved | HoldError::Insufficient { .. } => PaymentDeclined::FundsInUse,
    }
}
