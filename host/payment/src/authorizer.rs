//! Quotes and authorizations: promising a price, and reserving it on a paid
//! intent or on prepaid credit before a call runs.

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

/// How quotes are made, from the configuration.
#[derive(Clone, Copy, Debug)]
pub struct QuotePolicy {
    /// Seconds until an unpaid quote expires.
    pub ttl_s: u64,
    /// The smallest payment that the processor is asked to take.
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
    /// Where several hosts may serve.
    reservations: Option<Arc<HostReservations>>,
    /// How payments by wallet are taken, if they are.
    pub(crate) wallet: Option<Arc<WalletRail>>,
    /// How payments by credential are taken, if they are.
    pub(crate) mpp: Option<MppRail>,
}

/// The price of one call, reserved; and who pays it.
#[must_use]
#[derive(Debug)]
pub struct PaymentAuthorization {
    /// Released when dropped. Drop it only after the sale is sealed.
    pub hold: Hold,
    /// Who pays.
    pub payer: Payer,
    /// What the call costs.
    pub amount: Millipence,
    /// Reserved on the daily limit of the key, if it has one.
    pub spend_reservation: Option<SpendReservation>,
}

impl PaymentAuthorization {
    /// Handle of the intent that pays; `None` when credit pays.
    pub fn intent(&self) -> Option<&str> {
        match &self.payer {
            Payer::Intent(handle) => Some(handle),
            Payer::Account(_) | Payer::Task { .. } => None,
        }
    }
}

impl PaymentAuthorizer {
    /// An authorizer over the balances of a store.
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

    /// Likewise taking payments by wallet.
    #[must_use]
    pub fn with_wallet(self, rail: Arc<WalletRail>) -> Self {
        Self { wallet: Some(rail), ..self }
    }

    /// Likewise taking payments by credential.
    #[must_use]
    pub fn with_mpp(self, rail: MppRail) -> Self {
        Self { mpp: Some(rail), ..self }
    }

    /// Likewise on one of several hosts, which promise no balance twice.
    #[must_use]
    pub fn with_hosts(self, hosts: Arc<Hosts>, db: Db) -> Self {
        let reservations = Arc::new(HostReservations::new(hosts, db));
        let holds = self.holds.with_reservations(reservations.clone());
        Self { holds, reservations: Some(reservations), ..self }
    }

    /// Tries to reserve something until it is reserved or declined for good: where
    /// several hosts serve, this one may have to tell the others first.
    ///
    /// # Errors
    /// Those of the attempt, but for [`PaymentDeclined::BeyondShare`].
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
                // Hosts that insist on what they cannot have would wait for each other.
                self.holds.give_up(&shortfall.account);
            }
            match reservations.cover(&shortfall, patience).await {
                Ok(true) => {}
                Ok(false) => return Err(PaymentDeclined::FundsInUse),
                Err(error) => {
                    let source = Box::new(error);
                    return Err(StoreError { doing: "telling other hosts what this one holds", source }.into());
                }
            }
        }
    }

    /// Before something is refused: sees what other hosts have written. Whether there
    /// are others, so that it may be refused no more.
    ///
    /// # Errors
    /// What others have written cannot be seen.
    pub async fn look_again(&self) -> Result<bool, SubmitError> {
        match &self.reservations {
            Some(reservations) => reservations.look_again().await,
            None => Ok(false),
        }
    }

    /// Writes what this host gives up of its shares of balances; once, as soon as
    /// there is something to write.
    pub async fn keep_reservations(&self) {
        let Some(reservations) = &self.reservations else { return std::future::pending().await };
        if let Err(error) = reservations.write_given_up().await {
            tracing::warn!(%error, "what this host holds no longer is still reserved");
        }
    }

    /// Gives up what was reserved in advance and is not used. To be called now and
    /// then.
    pub fn sweep_reservations(&self) {
        self.holds.sweep();
    }

    /// Deletes what hosts that are gone had reserved.
    pub async fn tidy_reservations(&self) {
        let Some(reservations) = &self.reservations else { return };
        if let Err(error) = reservations.tidy().await {
            tracing::warn!(%error, "what hosts had reserved that are gone is still in the store");
        }
    }

    /// Quotes a price for calls of a bridge. Nothing is written.
    ///
    /// # Errors
    /// When there is no randomness.
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

    /// Quotes credit or a tier to an account. Nothing is written.
    ///
    /// # Errors
    /// When there is no randomness.
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

    /// Seconds until an unpaid quote expires.
    pub(crate) const fn quote_ttl_s(&self) -> u64 {
        self.policy.ttl_s
    }

    /// The smallest payment.
    pub const fn minimum_charge(&self) -> Millipence {
        self.policy.minimum_charge
    }

    /// The price, or the smallest multiple of it that the processor takes.
    pub(crate) fn charge(&self, price: Millipence) -> Millipence {
        let minimum = self.policy.minimum_charge.get();
        if price.get() <= 0 || minimum <= price.get() {
            return price;
        }
        let calls = minimum.div_euclid(price.get()) + i64::from(minimum % price.get() != 0);
        Millipence::new(price.get().saturating_mul(calls))
    }

    /// Reserves the price of one call on a paid intent: the lower of the quoted
    /// price and today's.
    ///
    /// # Errors
    /// [`PaymentDeclined`] says why the intent does not pay.
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

    /// Reserves an amount on an intent that is paid.
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
    /// [`PaymentDeclined`] says why the credit does not pay.
    pub fn authorize_credit(&self, account: &str, price: Millipence) -> Result<PaymentAuthorization, PaymentDeclined> {
        let payer = Payer::Account(account.to_owned());
        let credit = payer.ledger_account();
        self.authorize(payer, price).map_err(|error| credit_declined(&credit, error))
    }

    /// Reserves the price of a call that a plugin makes, on the credit of the
    /// plugin's owner.
    ///
    /// # Errors
    /// As [`PaymentAuthorizer::authorize_credit`].
    pub fn hold_credit(&self, owner: &str, price: Millipence) -> Result<Hold, PaymentDeclined> {
        self.authorize_credit(owner, price).map(|authorization| authorization.hold)
    }

    /// Reserves what was set aside for a queued task.
    ///
    /// # Errors
    /// As [`PaymentAuthorizer::authorize_credit`].
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

    /// As [`PaymentAuthorizer::authorize_credit`], for a key that may have a
    /// daily limit.
    ///
    /// # Errors
    /// [`PaymentDeclined::DailyLimitExceeded`] too.
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

    /// Whether the payment of an intent is recorded, as far as can be read.
    pub fn is_paid(&self, intent_id: &str) -> bool {
        let quote = self.signer.verify_intent_id(intent_id);
        quote.is_ok_and(|quote| matches!(self.intent_row(&quote.handle), Ok(Some(_))))
    }

    /// The state of an intent by its id (`pi_…`) or pay token (`pt_…`).
    ///
    /// # Errors
    /// [`PaymentDeclined::UnknownIntent`], or the store cannot be read.
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

    /// A paid intent by its id, its pay token, or its handle, which the ledger has in
    /// the place of the id. For the operator: a handle is no secret.
    ///
    /// # Errors
    /// There is none, it is not paid, or the store cannot be read.
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

/// What has nothing to do with the payer: other hosts, or the store.
pub(crate) fn beyond_share(account: &LedgerAccount, error: HoldError) -> PaymentDeclined {
    match error {
        HoldError::BeyondShare { held, needed, available } => {
            PaymentDeclined::BeyondShare(Shortfall { account: account.to_string(), held, needed, available })
        }
        HoldError::Store(error) => error.into(),
        HoldError::Reserved | HoldError::Insufficient { .. } => PaymentDeclined::FundsInUse,
    }
}
