//! Operator commands for accounts and keys.

use serde_json::{Value, json};
use tollbridge_access::{Account, RateLimits, Tier};
use tollbridge_core::limits::RATE_LIMIT_MAX;
use tollbridge_market::accounts::AccountsError;

use super::command::LimitsChange;
use super::error::OperatorError;
use super::service::OperatorService;

/// Number of accounts on one page of the list.
const PAGE: usize = 100;

impl OperatorService {
    pub(super) async fn key_create(&self, tier: Option<&str>, email: Option<&str>) -> Result<Value, OperatorError> {
        let tier = tier.map_or(Ok(Tier::Free), parse_tier)?;
        let opened = self.accounts.key_for(tier, email, (self.now_ms)()).await?;
        Ok(json!({ "account_id": opened.account.id, "api_key": opened.key.expose() }))
    }

    pub(super) fn key_list(&self, account: &str) -> Result<Value, OperatorError> {
        let keys = self.accounts.keys(account)?;
        let keys: Vec<Value> = keys
            .iter()
            .map(|key| {
                json!({
                    "id": key.id, "label": key.row.label, "created_ms": key.row.created_ms,
                    "expires_ms": key.row.expires_ms, "revoked": key.row.revoked,
                })
            })
            .collect();
        Ok(json!({ "keys": keys }))
    }

    pub(super) async fn key_revoke(&self, account: &str, id: &str) -> Result<Value, OperatorError> {
        self.accounts.revoke_key(account, id, (self.now_ms)()).await?;
        Ok(json!({ "revoked": id }))
    }

    pub(super) fn account_list(&self, after: &str) -> Result<Value, OperatorError> {
        let accounts = self.accounts.list(after, PAGE)?;
        let accounts: Vec<Value> = accounts.iter().map(view).collect();
        Ok(json!({ "accounts": accounts }))
    }

    pub(super) fn account_show(&self, id: &str) -> Result<Value, OperatorError> {
        let id = &self.account_id(id)?;
        let mut shown = view(&self.accounts.account(id)?);
        let balance = self.accounts.balance(id)?;
        if let Some(members) = shown.as_object_mut() {
            members.insert("balance_gbp".to_owned(), balance.available.pounds().into());
            members.insert("pending_gbp".to_owned(), balance.pending.pounds().into());
            members.insert("credit_gbp".to_owned(), balance.credit.pounds().into());
        }
        Ok(shown)
    }

    pub(super) async fn account_tier(&self, id: &str, tier: &str) -> Result<Value, OperatorError> {
        let tier = parse_tier(tier)?;
        let given = |account: &mut Account| {
            // A tier given by the operator does not end with a purchase, and custom limits are part
            // of the enterprise tier.
            (account.tier, account.tier_until_ms) = (tier, None);
            account.limits = account.limits.filter(|_| tier == Tier::Enterprise);
        };
        Ok(view(&self.accounts.update(id, given).await?))
    }

    /// Shows or changes the rate limits of an account.
    pub(super) async fn account_limits(&self, id: &str, change: LimitsChange) -> Result<Value, OperatorError> {
        let account = self.accounts.account(id)?;
        let now = self.accounts.access.directory().limits_of(&account, (self.now_ms)());
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
                "custom limits are part of the enterprise tier, and {id} has the {} tier; give it the other first: \
                 tollbridge account tier {id} enterprise",
                account.tier
            )));
        }
        let account = match own == account.limits {
            true => account,
            false => self.accounts.update(id, |account| account.limits = own).await?,
        };
        let limits = self.accounts.access.directory().limits_of(&account, (self.now_ms)());
        Ok(json!({
            "account_id": account.id,
            "tier": account.tier.as_str(),
            "per_minute": limits.per_minute,
            "per_hour": limits.per_hour,
            "custom": account.limits.is_some(),
        }))
    }

    pub(super) async fn account_suspend(&self, id: &str, suspended: bool) -> Result<Value, OperatorError> {
        Ok(view(&self.accounts.update(id, |account| account.suspended = suspended).await?))
    }

    pub(super) async fn account_credit(&self, id: &str, amount_gbp: &str) -> Result<Value, OperatorError> {
        if !self.sandbox {
            return Err(OperatorError::Refused(
                "test credit exists in the sandbox only; real credit is bought, or given out of the house's own money: \
                 tollbridge credit give"
                    .to_owned(),
            ));
        }
        let amount = amount_gbp.parse().map_err(|error| OperatorError::Refused(format!("{error}")))?;
        self.accounts.give_credit(id, amount, (self.now_ms)()).await?;
        self.account_show(id)
    }
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

fn view(account: &Account) -> Value {
    json!({
        "account_id": account.id,
        "email": account.email,
        "email_verified_ms": account.email_verified_ms,
        "withdrawals_from_ms": account.withdrawals_from_ms,
        "tier": account.tier.as_str(),
        "created_ms": account.created_ms,
        "suspended": account.suspended,
        "referral_code": account.referral_code,
        "referred_by": account.referred_by,
    })
}
