//! Intents: what a quote becomes when somebody pays it, and what it is good for.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::funds::{BalanceHolds, Hold, HoldError};
use super::quote::{IntentHandle, IssuedQuote, Quote, QuoteError, QuoteSigner, QuoteTerms};
use super::spending::{DailySpendLimit, SpendLimitError, SpendLimiter, SpendReservation};
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{LedgerAccount, Payer};
use tollbridge_store::{Collection, Store, StoreError};

/// A paid intent, as kept in `Collection::Intents` under its handle. Written
/// once; what remains of it is the balance of its ledger account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntentRow {
    pub bridge: String,
    pub account: Option<String>,
    pub price: Millipence,
    pub charge: Millipence,
    pub paid_ms: u64,
    pub processor: String,
    /// The processor's own name for the payment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

/// Policy of quoting, from the configuration.
#[derive(Clone, Copy, Debug)]
pub struct QuotePolicy {
    /// Seconds for which an unpaid quote stands.
    pub ttl_s: u64,
    /// The least that the processor is asked to take at once.
    pub minimum_charge: Millipence,
}

/// Quotes, intents and credit in one place.
pub struct PaymentAuthorizer {
    pub(super) book: QuoteSigner,
    pub(super) store: Arc<dyn Store>,
    pub(super) funds: BalanceHolds,
    pub spending: SpendLimiter,
    quoting: QuotePolicy,
}

/// Money reserved for one call, and where it will come from.
#[must_use]
#[derive(Debug)]
pub struct PaymentAuthorization {
    /// Released when dropped, which must be after the sale is sealed.
    pub hold: Hold,
    pub payer: Payer,
    pub amount: Millipence,
    /// Taken from the daily limit of the key, if it has one.
    pub spend_reservation: Option<SpendReservation>,
}

impl PaymentAuthorization {
    /// Handle of the intent that pays, if one does.
    pub fn intent(&self) -> Option<&str> {
        match &self.payer {
            Payer::Intent(handle) => Some(handle),
            Payer::Account(_) | Payer::Task { .. } => None,
        }
    }
}

/// Why an intent or credit does not pay for this call.
#[derive(Debug, thiserror::Error)]
pub enum PaymentDeclined {
    #[error("the payment intent is not one of this server; use the id from the quote unchanged")]
    UnknownIntent,
    #[error("the payment intent is for bridge `{0}`")]
    WrongBridge(String),
    #[error("the payment intent was quoted to another account; send the key it was quoted to")]
    WrongAccount,
    #[error("the payment intent is not paid yet; open its payment_link")]
    Unpaid(Quote),
    #[error("the quote expired before it was paid")]
    QuoteExpired,
    #[error("what remains of the payment intent ({0}) does not cover this call")]
    InsufficientIntent(Millipence),
    #[error("the account's credit ({0}) does not cover this call")]
    InsufficientCredit(Millipence),
    /// Nothing is left: it was drawn, became credit or was taken back.
    #[error("the payment intent is used up")]
    IntentUsedUp { handle: IntentHandle },
    #[error("what is left of the key's daily limit ({0}) does not cover this call")]
    DailyLimitExceeded(Millipence),
    #[error("this call costs {price}, more than the {most} that the request allows")]
    MaxCostExceeded { price: Millipence, most: Millipence },
    /// By a dispute, while the call ran.
    #[error("the payment was taken back while the call ran, so it was neither charged nor answered")]
    Disputed,
    #[error("another call is using this payment right now")]
    FundsInUse,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// State of an intent for whoever holds its id or token.
#[derive(Clone, Debug)]
pub struct IntentStatus {
    pub quote: Quote,
    /// None while nobody has paid.
    pub paid: Option<IntentRow>,
    pub remaining: Millipence,
    pub expired: bool,
}

impl PaymentAuthorizer {
    pub fn new(book: QuoteSigner, store: Arc<dyn Store>, quoting: QuotePolicy) -> Self {
        Self {
            book,
            funds: BalanceHolds::new(store.clone()),
            spending: SpendLimiter::new(store.clone()),
            store,
            quoting,
        }
    }

    /// Promises a price for calls of a bridge. Nothing is written.
    pub fn quote(
        &self,
        bridge: &str,
        price: Millipence,
        account: Option<&str>,
        now_ms: u64,
    ) -> Result<IssuedQuote, QuoteError> {
        self.book.issue(QuoteTerms {
            bridge: bridge.to_owned(),
            price,
            charge: self.charge(price),
            expires_s: (now_ms / 1000).saturating_add(self.quoting.ttl_s),
            account: account.map(str::to_owned),
        })
    }

    /// Promises a product of the checkout to an account. Nothing is written.
    pub fn quote_product(
        &self,
        product: &str,
        amount: Millipence,
        account: &str,
        now_ms: u64,
    ) -> Result<IssuedQuote, QuoteError> {
        self.book.issue(QuoteTerms {
            bridge: QuoteTerms::of_product(product),
            price: amount,
            charge: amount,
            expires_s: (now_ms / 1000).saturating_add(self.quoting.ttl_s),
            account: Some(account.to_owned()),
        })
    }

    /// The least that one payment takes.
    pub const fn minimum_charge(&self) -> Millipence {
        self.quoting.minimum_charge
    }

    /// The price, or the smallest multiple of it that the processor takes.
    fn charge(&self, price: Millipence) -> Millipence {
        let least = self.quoting.minimum_charge.get();
        if price.get() <= 0 || least <= price.get() {
            return price;
        }
        let calls = least.div_euclid(price.get()) + i64::from(least % price.get() != 0);
        Millipence::new(price.get().saturating_mul(calls))
    }

    /// Reserves the price of one call on a paid intent. A call draws the lower
    /// of the quoted price and today's.
    pub fn authorize_intent(
        &self,
        intent_id: &str,
        bridge: &str,
        account: Option<&str>,
        price: Millipence,
        now_ms: u64,
    ) -> Result<PaymentAuthorization, PaymentDeclined> {
        let quote = self.book.verify_intent_id(intent_id).map_err(|_| PaymentDeclined::UnknownIntent)?;
        if quote.terms.bridge != bridge {
            return Err(PaymentDeclined::WrongBridge(quote.terms.bridge));
        }
        if quote.terms.account.is_some() && quote.terms.account.as_deref() != account {
            return Err(PaymentDeclined::WrongAccount);
        }
        if self.row(&quote.handle)?.is_none() {
            let expired = quote.terms.expires_s < now_ms / 1000;
            return Err(if expired { PaymentDeclined::QuoteExpired } else { PaymentDeclined::Unpaid(quote) });
        }
        let amount = price.min(quote.terms.price);
        let payer = Payer::Intent(quote.handle.as_str().to_owned());
        match self.funds.hold(&payer.ledger_account().to_string(), amount) {
            Ok(hold) => Ok(PaymentAuthorization { hold, payer, amount, spend_reservation: None }),
            Err(HoldError::Reserved) => Err(PaymentDeclined::FundsInUse),
            Err(HoldError::Insufficient { balance }) if balance.is_zero() => {
                Err(PaymentDeclined::IntentUsedUp { handle: quote.handle })
            }
            Err(HoldError::Insufficient { balance }) => Err(PaymentDeclined::InsufficientIntent(balance)),
            Err(HoldError::Store(error)) => Err(error.into()),
        }
    }

    /// Reserves the price of one call on an account's credit.
    pub fn authorize_credit(&self, account: &str, price: Millipence) -> Result<PaymentAuthorization, PaymentDeclined> {
        let payer = Payer::Account(account.to_owned());
        match self.funds.hold(&payer.ledger_account().to_string(), price) {
            Ok(hold) => Ok(PaymentAuthorization { hold, payer, amount: price, spend_reservation: None }),
            Err(HoldError::Reserved) => Err(PaymentDeclined::FundsInUse),
            Err(HoldError::Insufficient { balance }) => Err(PaymentDeclined::InsufficientCredit(balance)),
            Err(HoldError::Store(error)) => Err(error.into()),
        }
    }

    /// Reserves the price of a call that a plugin makes, on the credit of the
    /// plugin's owner.
    pub fn hold_credit(&self, owner: &str, price: Millipence) -> Result<Hold, PaymentDeclined> {
        self.authorize_credit(owner, price).map(|draw| draw.hold)
    }

    /// What was set aside for a queued task.
    pub fn authorize_task(
        &self,
        account: &str,
        task: &str,
        amount: Millipence,
    ) -> Result<PaymentAuthorization, PaymentDeclined> {
        let payer = Payer::Task { account: account.to_owned(), task: task.to_owned() };
        match self.funds.hold(&payer.ledger_account().to_string(), amount) {
            Ok(hold) => Ok(PaymentAuthorization { hold, payer, amount, spend_reservation: None }),
            Err(HoldError::Reserved) => Err(PaymentDeclined::FundsInUse),
            Err(HoldError::Insufficient { balance }) => Err(PaymentDeclined::InsufficientCredit(balance)),
            Err(HoldError::Store(error)) => Err(error.into()),
        }
    }

    /// The same for a key that may spend so much a day.
    pub fn authorize_credit_within(
        &self,
        account: &str,
        price: Millipence,
        limit: Option<&DailySpendLimit>,
        now_ms: u64,
    ) -> Result<PaymentAuthorization, PaymentDeclined> {
        let spend_reservation = limit.map(|limit| self.spending.reserve(limit, price, now_ms)).transpose();
        let spend_reservation = spend_reservation.map_err(|error| match error {
            SpendLimitError::Exceeded { left } => PaymentDeclined::DailyLimitExceeded(left),
            SpendLimitError::Store(error) => error.into(),
        })?;
        Ok(PaymentAuthorization { spend_reservation, ..self.authorize_credit(account, price)? })
    }

    /// What an intent id (`pi_…`) or pay token (`pt_…`) stands for.
    pub fn intent_status(&self, text: &str, now_ms: u64) -> Result<IntentStatus, PaymentDeclined> {
        let quote =
            if text.starts_with("pt_") { self.book.verify_pay_token(text) } else { self.book.verify_intent_id(text) };
        let quote = quote.map_err(|_| PaymentDeclined::UnknownIntent)?;
        let paid = self.row(&quote.handle)?;
        let remaining = self.store.balance(&LedgerAccount::Unearned(quote.handle.as_str().to_owned()).to_string())?;
        let expired = paid.is_none() && quote.terms.expires_s < now_ms / 1000;
        Ok(IntentStatus { quote, paid, remaining, expired })
    }

    pub(super) fn row(&self, handle: &IntentHandle) -> Result<Option<IntentRow>, StoreError> {
        let Some(bytes) = self.store.get(Collection::Intents, handle.as_str())? else { return Ok(None) };
        let row = serde_json::from_slice(&bytes)
            .map_err(|error| StoreError { doing: "reading an intent", source: Box::new(error) })?;
        Ok(Some(row))
    }
}
