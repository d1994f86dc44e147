//! Operator commands for accounts and keys.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tollbridge_access::{Account, KeyRow, ListedKey, RateLimits, Tier};
use tollbridge_core::limits::RATE_LIMIT_MAX;
use tollbridge_core::time::now_ms;
use tollbridge_market::accounts::{Accounts, AccountsError};

use super::answers::answers;
use super::error::OperatorError;

answers! {
    /// A new key and its account.
    CreatedKey { account_id: String, api_key: String }
    /// The keys of an account, without their secrets.
    Keys { keys: Vec<KeyView> }
    /// A key, as commands return it.
    KeyView { id: String, label: String, created_ms: u64, expires_ms: Option<u64>, revoked: bool }
    /// The id of a revoked key.
    KeyRevoked { revoked: String }
    /// A page of accounts.
    AccountsPage { accounts: Vec<AccountView> }
    /// An account, as commands return it.
    AccountView {
        account_id: String, email: Option<String>, email_verified_ms: Option<u64>, withdrawals_from_ms: Option<u64>,
        tier: String, created_ms: u64, suspended: bool, referral_code: String, referred_by: Option<String>,
    }
    /// An account with its balances.
    AccountShown {
        #[serde(flatten)] account: AccountView,
        balance_gbp: String, pending_gbp: String, credit_gbp: String,
    }
    /// The rate limits of an account.
    LimitsView { account_id: String, tier: String, per_minute: u32, per_hour: u32, custom: bool }
}

/// A change of an account's custom limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum LimitsChange {
    /// No change: show the limits.
    Keep,
    /// Set these limits; omitted ones are unchanged.
    Set {
        /// Calls per minute.
        per_minute: Option<u32>,
        /// Calls per hour.
        per_hour: Option<u32>,
    },
    /// Remove the custom limits, so that the limits of the tier apply again.
    Reset,
}

/// Number of accounts on one page of the list.
const PAGE: usize = 100;

/// The commands for accounts and keys.
pub(super) struct AccountCommands {
    pub(super) accounts: Arc<Accounts>,
    pub(super) sandbox: bool,
}

impl AccountCommands {
    pub(super) async fn create_key(
        &self,
        tier: Option<&str>,
        email: Option<&str>,
    ) -> Result<CreatedKey, OperatorError> {
        let tier = tier.map_or(Ok(Tier::Free), parse_tier)?;
        let opened = self.accounts.key_for(tier, email, now_ms()).await?;
        Ok(CreatedKey { account_id: opened.account.id, api_key: opened.key.expose().to_owned() })
    }

    pub(super) fn keys(&self, account: &str) -> Result<Keys, OperatorError> {
        let keys = self.accounts.keys(account)?;
        let view = |ListedKey { id, row, .. }| {
            let KeyRow { label, created_ms, expires_ms, revoked, .. } = row;
            KeyView { id, label, created_ms, expires_ms, revoked }
        };
        Ok(Keys { keys: keys.into_iter().map(view).collect() })
    }

    pub(super) async fn revoke_key(&self, account: &str, id: &str) -> Result<KeyRevoked, OperatorError> {
        self.accounts.revoke_key(account, id, now_ms()).await?;
        Ok(KeyRevoked { revoked: id.to_owned() })
    }

    pub(super) fn list(&self, after: &str) -> Result<AccountsPage, OperatorError> {
        let accounts = self.accounts.list(after, PAGE)?;
        Ok(AccountsPage { accounts: accounts.into_iter().map(view).collect() })
    }

    pub(super) fn show(&self, id: &str) -> Result<AccountShown, OperatorError> {
        let id = &account_id(&self.accounts, id)?;
        let account = view(self.accounts.account(id)?);
        let balance = self.accounts.balance(id)?;
        Ok(AccountShown {
            account,
            balance_gbp: balance.available.pounds(),
            pending_gbp: balance.pending.pounds(),
            credit_gbp: balance.credit.pounds(),
        })
    }

    pub(super) async fn set_tier(&self, id: &str, tier: &str) -> Result<AccountView, OperatorError> {
        let tier = parse_tier(tier)?;
        let given = |account: &mut Account| {
            // Unlike a purchased tier, a tier given by the operator does not expire. Only
            // the enterprise tier has custom limits.
            (account.tier, account.tier_until_ms) = (tier, None);
            account.limits = account.limits.filter(|_| tier == Tier::Enterprise);
        };
        Ok(view(self.accounts.update(id, given).await?))
    }

    /// Shows or changes the rate limits of an account.
    pub(super) async fn limits(&self, id: &str, change: LimitsChange) -> Result<LimitsView, OperatorError> {
        let account = self.accounts.account(id)?;
        let now = self.accounts.access.directory().limits_of(&account, now_ms());
        let own = match change {
            LimitsChange::Keep => account.limits,
            LimitsChange::Reset => None,
            LimitsChange::Set { per_minute, per_hour } => Some(RateLimits {
                per_minute: within("per minute", per_minute.unwrap_or(now.per_minute))?,
                per_hour: within("per hour", per_hour.unwrap_or(now.per_hour))?,
            }),
        };
        if own.is_some() && account.tier != Tier::Enterprise {
            return Err(OperatorError::Refused(format!(
                "custom limits are part of the enterprise tier, and {id} has the {} tier; change the tier first: \
                 tollbridge account tier {id} enterprise",
                account.tier
            )));
        }
        let account = match own == account.limits {
            true => account,
            false => self.accounts.update(id, |account| account.limits = own).await?,
        };
        let limits = self.accounts.access.directory().limits_of(&account, now_ms());
        Ok(LimitsView {
            account_id: account.id,
            tier: account.tier.as_str().to_owned(),
            per_minute: limits.per_minute,
            per_hour: limits.per_hour,
            custom: account.limits.is_some(),
        })
    }

    pub(super) async fn suspend(&self, id: &str, suspended: bool) -> Result<AccountView, OperatorError> {
        Ok(view(self.accounts.update(id, |account| account.suspended = suspended).await?))
    }

    pub(super) async fn give_test_credit(&self, id: &str, amount_gbp: &str) -> Result<AccountShown, OperatorError> {
        if !self.sandbox {
            return Err(OperatorError::Refused(
                "test credit exists in the sandbox only; real credit is bought, or given by the operator: \
                 tollbridge credit give"
                    .to_owned(),
            ));
        }
        let amount = amount_gbp.parse().map_err(|error| OperatorError::Refused(format!("{error}")))?;
        self.accounts.give_credit(id, amount, now_ms()).await?;
        self.show(id)
    }
}

/// Returns the id of an account that is named by its id or by the e-mail address of its
/// sign-up.
pub(super) fn account_id(accounts: &Accounts, name: &str) -> Result<String, OperatorError> {
    if !name.contains('@') {
        return Ok(accounts.account(name)?.id);
    }
    let account = accounts.by_email(name)?;
    account
        .map(|account| account.id)
        .ok_or_else(|| OperatorError::NotFound(format!("no account has the id or e-mail address {name}")))
}

fn parse_tier(text: &str) -> Result<Tier, OperatorError> {
    text.parse().map_err(|_| OperatorError::Refused(AccountsError::Tier(text.to_owned()).to_string()))
}

fn within(what: &str, limit: u32) -> Result<u32, OperatorError> {
    if (1..=RATE_LIMIT_MAX).contains(&limit) {
        return Ok(limit);
    }
    Err(OperatorError::Refused(format!(
        "{limit} calls {what} is not a valid limit: use 1 to {RATE_LIMIT_MAX}; to refuse all calls, suspend the account"
    )))
}

fn view(account: Account) -> AccountView {
    AccountView {
        account_id: account.id,
        email: account.email,
        email_verified_ms: account.email_verified_ms,
        withdrawals_from_ms: account.withdrawals_from_ms,
        tier: account.tier.as_str().to_owned(),
        created_ms: account.created_ms,
        suspended: account.suspended,
        referral_code: account.referral_code,
        referred_by: account.referred_by,
    }
}
