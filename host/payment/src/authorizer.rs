//! Quotes and authorizations: promises a price, and reserves it on a paid intent or on
//! prepaid credit before a call runs.

use std::sync::Arc;

use tollbridge_core::money::Millipence;
use tollbridge_ledger::{LedgerAccount, Payer};
use tollbridge_store::{Collection, Db, Hosts, Store, StoreError, SubmitError};

use super::balance_holds::{BalanceHolds, Hold, HoldError};
use super::declined::PaymentDeclined;
use super::host_reservations::{HostReservations, Patience, Shortfall};
use super::intent::{IntentRow, IntentStatus};
use super::mpp::rail::MppRail;
use super::quote::{IntentHandle, IssuedQuote, QuoteError, QuoteTerms};
use super::quote_signer::QuoteSigner;
use super::spend_limiter::{DailySpendLimit, SpendLimitError, SpendLimiter, SpendReservation};
use super::wallet::rail::WalletRail;

/// Quote settings from the configuration.
#[derive(Clone, Copy, Debug)]
pub struct QuotePolicy {
    /// Seconds until an unpaid quote expires.
    pub ttl_s: u64,
    /// The smallest payment that the processor accepts.
    pub minimum_charge: Millipence,
}

/// Quotes prices and authorizes calls against paid intents and prepaid credit.
pub struct PaymentAuthorizer {
    pub(crate) signer: QuoteSigner,
    store: Arc<dyn Store>,
    pub(crate) holds: BalanceHolds,
    /// Daily limits of keys.
    pub spend_limiter: SpendLimiter,
    policy: QuotePolicy,
    /// Reservations shared with other hosts; `None` on a single host.
    reservations: Option<Arc<HostReservations>>,
    /// The wallet rail, if the server accepts payments by wallet.
    pub(crate) wallet: Option<Arc<WalletRail>>,
    /// The MPP rail, if the server accepts payments by credential.
    pub(crate) mpp: Option<MppRail>,
}

/// The reserved price of one call and its payer.
#[must_use]
#[derive(Debug)]
pub struct PaymentAuthorization {
    /// Releases the amount when dropped. Drop it only after the sale is sealed.
    pub hold: Hold,
    /// The payer.
    pub payer: Payer,
    /// The price of the call.
    pub amount: Millipence,
    /// The amount reserved on the key's daily limit, if it has one.
    pub spend_reservation: Option<SpendReservation>,
}

impl PaymentAuthorization {
    /// Returns the handle of the intent that pays; `None` when credit pays.
    pub fn intent(&self) -> Option<&str> {
        match &self.payer {
            Payer::Intent(handle) => Some(handle),
            Payer::Account(_) | Payer::Task { .. } => None,
        }
    }
}

impl PaymentAuthorizer {
    /// Creates an authorizer over the balances of a store.
    pub fn new(signer: QuoteSigner, store: Arc<dyn Store>, policy: QuotePolicy) -> Self {
        Self {
            signer,
            holds: BalanceHolds::new(store.clone()),
            spend_limiter: SpendLimiter::new(store.clone()),
            store,
            policy,
            reservations: None,
            wallet: None,
            mpp: None,
        }
    }

    /// Also accepts payments by wallet.
    #[must_use]
    pub fn with_wallet(self, rail: Arc<WalletRail>) -> Self {
        Self { wallet: Some(rail), ..self }
    }

    /// Also accepts payments by credential.
    #[must_use]
    pub fn with_mpp(self, rail: MppRail) -> Self {
        Self { mpp: Some(rail), ..self }
    }

    /// Coordinates reservations with other hosts, so that no balance is promised twice.
    #[must_use]
    pub fn with_hosts(self, hosts: Arc<Hosts>, db: Db) -> Self {
        let reservations = Arc::new(HostReservations::new(hosts, db));
        let holds = self.holds.with_reservations(reservations.clone());
        Self { holds, reservations: Some(reservations), ..self }
    }

    /// Repeats `attempt` until it succeeds or is finally declined. With several hosts,
    /// this host may have to announce a larger share first.
    ///
    /// # Errors
    ///
    /// Returns the error of `attempt`, except [`PaymentDeclined::BeyondShare`].
    pub async fn reserve<T>(&self, attempt: impl Fn() -> Result<T, PaymentDeclined>) -> Result<T, PaymentDeclined> {
        let mut patience = None;
        loop {
            let shortfall = match attempt() {
                Err(PaymentDeclined::BeyondShare(shortfall)) => shortfall,
                outcome => return outcome,
            };
            let Some(reservations) = &self.reservations else { return Err(PaymentDeclined::FundsInUse) };
            let patience = patience.get_or_insert_with(Patience::new);
            if shortfall.is_elsewhere() {
                // Two hosts that both keep a share and wait for the other's would
                // deadlock.
                self.holds.give_up(&shortfall.account);
            }
            match reservations.cover(&shortfall, patience).await {
                Ok(true) => {}
                Ok(false) => return Err(PaymentDeclined::FundsInUse),
                Err(error) => {
                    let source = Box::new(error);
                    return Err(StoreError { doing: "announcing this host's reservations", source }.into());
                }
            }
        }
    }

    /// Reads the latest writes of other hosts before a refusal. Returns whether other
    /// hosts exist, in which case the caller may try again.
    ///
    /// # Errors
    ///
    /// Fails if the writes of other hosts cannot be read.
    pub async fn look_again(&self) -> Result<bool, SubmitError> {
        match &self.reservations {
            Some(reservations) => reservations.look_again().await,
            None => Ok(false),
        }
    }

    /// Waits until this host has given up part of its shares, then writes it, once.
    pub async fn keep_reservations(&self) {
        let Some(reservations) = &self.reservations else { return std::future::pending().await };
        if let Err(error) = reservations.write_given_up().await {
            tracing::warn!(%error, "cannot release reservations that this host no longer needs");
        }
    }

    /// Gives up amounts that were reserved in advance and not used. Call it
    /// periodically.
    pub fn sweep_reservations(&self) {
        self.holds.sweep();
    }

    /// Deletes the reservations of hosts that have left.
    pub async fn tidy_reservations(&self) {
        let Some(reservations) = &self.reservations else { return };
        if let Err(error) = reservations.tidy().await {
            tracing::warn!(%error, "cannot delete the reservations of hosts that have left");
        }
    }

    /// Quotes a price for calls of a bridge. Writes nothing.
    ///
    /// # Errors
    ///
    /// Fails if the system has no randomness.
    pub fn quote(
        &self,
        bridge: &str,
        price: Millipence,
        account: Option<&str>,
        now_ms: u64,
    ) -> Result<IssuedQuote, QuoteError> {
        self.signer.issue(QuoteTerms {
            bridge: bridge.to_owned(),
            price,
            charge: self.charge(price),
            expires_s: (now_ms / 1000).saturating_add(self.policy.ttl_s),
            account: account.map(str::to_owned),
        })
    }

    /// Quotes credit or a tier to an account. Writes nothing.
    ///
    /// # Errors
    ///
    /// Fails if the system has no randomness.
    pub fn quote_product(
        &self,
        product: &str,
        amount: Millipence,
        account: &str,
        now_ms: u64,
    ) -> Result<IssuedQuote, QuoteError> {
        self.signer.issue(QuoteTerms {
            bridge: QuoteTerms::product_name(product),
            price: amount,
            charge: amount,
            expires_s: (now_ms / 1000).saturating_add(self.policy.ttl_s),
            account: Some(account.to_owned()),
        })
    }

    pub(crate) fn store(&self) -> &dyn Store {
        self.store.as_ref()
    }

    /// Returns the seconds until an unpaid quote expires.
    pub(crate) const fn quote_ttl_s(&self) -> u64 {
        self.policy.ttl_s
    }

    /// Returns the smallest payment that the processor accepts.
    pub const fn minimum_charge(&self) -> Millipence {
        self.policy.minimum_charge
    }

    /// Returns the price, or its smallest multiple that the processor accepts.
    pub(crate) fn charge(&self, price: Millipence) -> Millipence {
        let minimum = self.policy.minimum_charge.get();
        if price.get() <= 0 || minimum <= price.get() {
            return price;
        }
        let calls = minimum.div_euclid(price.get()) + i64::from(minimum % price.get() != 0);
        Millipence::new(price.get().saturating_mul(calls))
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
        let quote = self.signer.verify_intent_id(intent_id).map_err(|_| PaymentDeclined::UnknownIntent)?;
        if quote.terms.bridge != bridge {
            return Err(PaymentDeclined::WrongBridge(quote.terms.bridge));
        }
        if quote.terms.account.is_some() && quote.terms.account.as_deref() != account {
            return Err(PaymentDeclined::WrongAccount);
        }
        if self.intent_row(&quote.handle)?.is_none() {
            let expired = quote.terms.expires_s < now_ms / 1000;
            return Err(if expired { PaymentDeclined::QuoteExpired } else { PaymentDeclined::Unpaid(quote) });
        }
        let payer = Payer::Intent(quote.handle.as_str().to_owned());
        self.draw(payer, price.min(quote.terms.price), &quote.handle)
    }

    /// Reserves an amount on a paid intent.
    pub(crate) fn draw(
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
            other => beyond_share(&unearned, other),
        })
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

    /// Reserves the amount that was set aside for a queued task.
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

    /// Reserves as [`PaymentAuthorizer::authorize_credit`] does, within the key's daily
    /// limit if it has one.
    ///
    /// # Errors
    ///
    /// Also returns [`PaymentDeclined::DailyLimitExceeded`].
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

    /// Returns whether the payment of an intent is recorded; false if it cannot be
    /// read.
    pub fn is_paid(&self, intent_id: &str) -> bool {
        let quote = self.signer.verify_intent_id(intent_id);
        quote.is_ok_and(|quote| matches!(self.intent_row(&quote.handle), Ok(Some(_))))
    }

    /// Returns the state of an intent by its id (`pi_…`) or pay token (`pt_…`).
    ///
    /// # Errors
    ///
    /// Returns [`PaymentDeclined::UnknownIntent`], or an error if the store cannot be
    /// read.
    pub fn intent_status(&self, text: &str, now_ms: u64) -> Result<IntentStatus, PaymentDeclined> {
        let quote = if text.starts_with("pt_") {
            self.signer.verify_pay_token(text)
        } else {
            self.signer.verify_intent_id(text)
        };
        let quote = quote.map_err(|_| PaymentDeclined::UnknownIntent)?;
        let paid = self.intent_row(&quote.handle)?;
        let remaining = self.store.balance(&LedgerAccount::Unearned(quote.handle.as_str().to_owned()).to_string())?;
        let expired = paid.is_none() && quote.terms.expires_s < now_ms / 1000;
        Ok(IntentStatus { quote, paid, remaining, expired })
    }

    /// Finds a paid intent by its id, its pay token, or its handle, which represents
    /// the id in the ledger. For the operator only: a handle is not secret.
    ///
    /// # Errors
    ///
    /// Fails if the intent is unknown or unpaid, or if the store cannot be read.
    pub fn find_paid(&self, name: &str, now_ms: u64) -> Result<(IntentHandle, IntentRow), PaymentDeclined> {
        let (handle, paid) = match IntentHandle::parse(name) {
            Some(handle) => {
                let paid = self.intent_row(&handle)?;
                (handle, paid)
            }
            None => {
                let status = self.intent_status(name, now_ms)?;
                (status.quote.handle, status.paid)
            }
        };
        paid.map(|paid| (handle, paid)).ok_or(PaymentDeclined::UnknownIntent)
    }

    pub(crate) fn intent_row(&self, handle: &IntentHandle) -> Result<Option<IntentRow>, StoreError> {
        let Some(bytes) = self.store.get(Collection::Intents, handle.as_str())? else { return Ok(None) };
        let row = serde_json::from_slice(&bytes)
            .map_err(|error| StoreError { doing: "reading an intent", source: Box::new(error) })?;
        Ok(Some(row))
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
        other => beyond_share(account, other),
    }
}

/// Converts errors that do not depend on the payer: other hosts' shares, or the store.
pub(crate) fn beyond_share(account: &LedgerAccount, error: HoldError) -> PaymentDeclined {
    match error {
        HoldError::BeyondShare { held, needed, available } => {
            PaymentDeclined::BeyondShare(Shortfall { account: account.to_string(), held, needed, available })
        }
        HoldError::Store(error) => error.into(),
        HoldError::Reserved | HoldError::Insufficient { .. } => PaymentDeclined::FundsInUse,
    }
}
