//! The accounts service: opening accounts, managing keys, and reading balances.

use std::net::IpAddr;
use std::sync::Arc;

use tollbridge_access::{
    AccessControl, Account, AccountError, ApiKey, DailyQuota, DailyQuotaError, Email, EmailDigestKey, KeyAuthority,
    KeyMode, ListedKey, NewKey, SignUpRequest, Tier, change_email, create_key, find_account_by_email, list_keys,
    load_account, revoke_key, roll_key, sign_up, update_account,
};
use tollbridge_core::money::Millipence;
use tollbridge_core::time::DAY_MS;
use tollbridge_ledger::events;
use tollbridge_ledger::{Entry, LedgerAccount, Notary, NotaryError, TestCredit, random_tx};
use tollbridge_store::{Change, Collection, Db, Draft, Put, StoreError, SubmitError};

use super::delegations::Delegations;
use super::earnings_indexer::EarningsIndexer;
use super::error::AccountsError;
use super::history::History;
use crate::limits::WITHDRAWAL_PENCE_MIN;

/// Time for which an API key remains valid after it was rolled.
const ROLL_GRACE_MS: u64 = DAY_MS;

/// Accounts, their keys, balances and history.
pub struct Accounts {
    /// Handle on the data folder.
    pub db: Db,
    /// Notary that seals records.
    pub notary: Arc<Notary>,
    /// Access control; its cache is invalidated when accounts or keys change.
    pub access: Arc<AccessControl>,
    /// Key for the digests under which e-mail addresses are stored.
    pub email_key: EmailDigestKey,
    /// Mode of new API keys: test or live.
    pub mode: KeyMode,
    /// Test credit granted to a new account; zero in live mode.
    pub starting_credit: Millipence,
    /// Daily limit on sign-ups per IP address.
    pub sign_ups: DailyQuota,
    /// Daily limit per IP address on requests to be notified about upcoming features.
    pub notices: DailyQuota,
    /// Index of the plugins' earnings by day.
    pub earnings_indexer: EarningsIndexer,
    /// Reader of the records that concern an account.
    pub history: History,
    /// OAuth clients and grants.
    pub delegations: Delegations,
}

/// A new account and its API key, which is shown only once.
pub struct OpenedAccount {
    /// The new account.
    pub account: Account,
    /// The API key, which is shown only once.
    pub key: ApiKey,
}

/// The balances of an account.
#[derive(Clone, Copy, Debug)]
pub struct Balance {
    /// Earnings that can be withdrawn.
    pub available: Millipence,
    /// Earnings that are on hold.
    pub pending: Millipence,
    /// Prepaid credit.
    pub credit: Millipence,
}

impl Accounts {
    /// Opens an account for an unauthenticated client, which must give an e-mail address
    /// and is limited per IP address.
    pub async fn sign_up(
        &self,
        email: &str,
        referral: Option<String>,
        client: IpAddr,
        now_ms: u64,
    ) -> Result<OpenedAccount, AccountsError> {
        let email: Email = email.parse()?;
        let counted = self.sign_ups.take(self.db.store(), client, now_ms).map_err(|error| match error {
            DailyQuotaError::Exceeded { retry_after_s } => AccountsError::TooMany { retry_after_s },
            DailyQuotaError::Row(error) => error.into(),
        })?;
        let request = SignUpRequest { email: Some(email), tier: Tier::Free, referral };
        let opened = self.open_with(request, vec![counted], now_ms).await;
        if opened.is_err() {
            self.sign_ups.release(client, now_ms);
        }
        opened
    }

    /// Opens an account.
    pub async fn open(&self, request: SignUpRequest, now_ms: u64) -> Result<OpenedAccount, AccountsError> {
        self.open_with(request, Vec::new(), now_ms).await
    }

    /// Opens an account and writes `puts` in the same change.
    async fn open_with(
        &self,
        request: SignUpRequest,
        puts: Vec<Put>,
        now_ms: u64,
    ) -> Result<OpenedAccount, AccountsError> {
        // The closure cannot return an error, so it stores its result here.
        let mut grant = Ok(None);
        let code = request.referral.clone();
        let opening = sign_up(self.db.store(), &self.email_key, self.mode, request, now_ms, |account| {
            grant = self.grant(&account.id, self.starting_credit, now_ms);
            grant.as_mut().ok().and_then(Option::take)
        })?;
        grant?;
        let (id, referrer) = (&opening.account.id, opening.account.referred_by.as_deref());
        let events_to_send = events::signup_created(id, referrer, code.as_deref(), now_ms);
        let mut change = events::attach(self.db.writer(), opening.change.clone(), events_to_send)?;
        change.puts.extend(puts);
        match self.db.submit(change).await {
            Ok(_) => Ok(OpenedAccount { account: opening.account, key: opening.key }),
            Err(SubmitError::Refused(refusal)) => match opening.explain(&refusal) {
                Some(known) => Err(known.into()),
                None => Err(SubmitError::Refused(refusal).into()),
            },
            Err(error) => Err(error.into()),
        }
    }

    /// Creates an API key for the account that has an e-mail address; opens the account
    /// if there is none.
    pub async fn key_for(&self, tier: Tier, email: Option<&str>, now_ms: u64) -> Result<OpenedAccount, AccountsError> {
        let email = email.map(str::parse::<Email>).transpose()?;
        let known = match &email {
            Some(email) => find_account_by_email(self.db.store(), &self.email_key, email)?,
            None => None,
        };
        match known {
            Some(account) => {
                let key = self.create_key(&account.id, KeyAuthority::FULL, NewKey::default(), now_ms).await?.0;
                Ok(OpenedAccount { account, key })
            }
            None => self.open(SignUpRequest { email, tier, referral: None }, now_ms).await,
        }
    }

    /// Creates an API key; returns the key, which is shown only once, and its id.
    pub async fn create_key(
        &self,
        id: &str,
        authority: KeyAuthority,
        new: NewKey,
        now_ms: u64,
    ) -> Result<(ApiKey, String), AccountsError> {
        let issued = create_key(self.db.store(), self.mode, id, authority, new, now_ms)?;
        self.db.submit(issued.change).await?;
        Ok((issued.key, issued.digest.id()))
    }

    /// Creates an API key with the properties of an old one; the old key stays valid for
    /// another day.
    pub async fn roll_key(
        &self,
        id: &str,
        authority: KeyAuthority,
        key_id: &str,
        now_ms: u64,
    ) -> Result<(ApiKey, String), AccountsError> {
        let issued = roll_key(self.db.store(), self.mode, id, authority, key_id, ROLL_GRACE_MS, now_ms)?;
        self.db.submit(issued.change).await?;
        if let Some(old) = &issued.replaces {
            self.access.directory().invalidate_key(old);
        }
        Ok((issued.key, issued.digest.id()))
    }

    /// Revokes an API key. Revoking a key twice is not an error.
    pub async fn revoke_key(&self, id: &str, key_id: &str, now_ms: u64) -> Result<(), AccountsError> {
        let revoked = revoke_key(self.db.store(), id, key_id, now_ms)?;
        self.db.submit(revoked.change).await?;
        self.access.directory().invalidate_key(&revoked.digest);
        Ok(())
    }

    /// Returns the API keys of an account, without their secrets.
    pub fn keys(&self, id: &str) -> Result<Vec<ListedKey>, AccountsError> {
        Ok(list_keys(self.db.store(), id)?)
    }

    /// Returns an account by its id.
    pub fn account(&self, id: &str) -> Result<Account, AccountsError> {
        Ok(load_account(self.db.store(), id)?)
    }

    /// Returns the account that has an e-mail address, ignoring upper and lower case.
    pub fn by_email(&self, email: &str) -> Result<Option<Account>, AccountsError> {
        Ok(find_account_by_email(self.db.store(), &self.email_key, &email.parse::<Email>()?)?)
    }

    /// Changes an account's e-mail address; the new address counts as unverified. Returns
    /// the account before and after.
    pub async fn change_email(&self, id: &str, email: &str) -> Result<(Account, Account), AccountsError> {
        let before = self.account(id)?;
        let changed = change_email(self.db.store(), &self.email_key, id, &email.parse::<Email>()?)?;
        match self.db.submit(changed.change.clone()).await {
            Ok(_) => Ok((before, changed.account)),
            Err(SubmitError::Refused(refusal)) => match changed.explain(&refusal) {
                Some(known) => Err(known.into()),
                None => Err(SubmitError::Refused(refusal).into()),
            },
            Err(error) => Err(error.into()),
        }
    }

    /// Returns accounts in id order, after a given id.
    pub fn list(&self, after: &str, limit: usize) -> Result<Vec<Account>, AccountsError> {
        let rows = self.db.list(Collection::Accounts, after, limit).map_err(AccountError::from)?;
        rows.into_iter().map(|(id, _)| self.account(&id)).collect()
    }

    /// Changes fields of an account; the change takes effect immediately.
    pub async fn update(&self, id: &str, update: impl FnOnce(&mut Account)) -> Result<Account, AccountsError> {
        let (change, account) = update_account(self.db.store(), id, update)?;
        self.db.submit(change).await?;
        self.access.directory().invalidate_account(id);
        Ok(account)
    }

    /// Returns the balances of an account.
    pub fn balance(&self, id: &str) -> Result<Balance, StoreError> {
        Ok(Balance {
            available: self.notary.balance(&LedgerAccount::DevAvailable(id.to_owned()))?,
            pending: self.notary.balance(&LedgerAccount::DevPending(id.to_owned()))?,
            credit: self.notary.balance(&LedgerAccount::Credit(id.to_owned()))?,
        })
    }

    /// Grants an account further test credit.
    pub async fn give_credit(&self, id: &str, amount: Millipence, now_ms: u64) -> Result<(), AccountsError> {
        let record = self.grant(&self.account(id)?.id, amount, now_ms)?;
        self.db.submit(Change { record, ..Change::default() }).await?;
        Ok(())
    }

    fn grant(&self, id: &str, amount: Millipence, now_ms: u64) -> Result<Option<Draft>, NotaryError> {
        if amount.is_zero() {
            return Ok(None);
        }
        Ok(Some(Entry::Grant(TestCredit { account: id.to_owned(), amount }).draft(random_tx()?, now_ms)?))
    }
}

impl Balance {
    /// Returns whether the available earnings reach the minimum for a withdrawal.
    pub const fn withdrawal_eligible(&self) -> bool {
        self.available.pence_floor() >= WITHDRAWAL_PENCE_MIN
    }
}
