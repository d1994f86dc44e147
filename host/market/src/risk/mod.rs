//! Risk rules: whether a payout goes out at once or waits for the operator.
//!
//! Invariants: every block names its reasons with figures, so that the operator
//! can judge and the user can be told; a rule that cannot be evaluated blocks
//! nothing; addresses of people are never written to the ledger.

mod dealing;
mod signal;

#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::catalog::PluginHost;
use tollbridge_access::AccountError;
use tollbridge_access::load_account;
use tollbridge_core::config::Risk as Settings;
use tollbridge_core::limits::RISK_ACCOUNTS_SCANNED_MAX;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::LedgerError;
use tollbridge_ledger::events::{self, Suspicion};
use tollbridge_store::{Collection, Outgoing, Store, StoreError};

const DAY_MS: u64 = 24 * 60 * 60 * 1000;
const HOUR_MS: u64 = 60 * 60 * 1000;

/// Judges payouts.
pub struct Risk {
    pub settings: Settings,
    pub store: Arc<dyn Store>,
    /// Where the bridge that scores addresses is found; `None` on a stopped server.
    pub plugins: Option<PluginHost>,
}

/// A payout that somebody asks for.
#[derive(Clone, Copy, Debug)]
pub struct Payout<'a> {
    pub account: &'a str,
    pub amount: Millipence,
    /// Time (Unix milliseconds) and amount of the account's earlier payouts, at
    /// least those of the last day; failed ones do not count.
    pub earlier: &'a [(u64, Millipence)],
    /// Where the request came from.
    pub client: Option<IpAddr>,
    pub now_ms: u64,
}

/// Whether a payout may go out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    Pass,
    Block(Block),
}

/// Why a payout waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    pub level: Level,
    /// At least one; each a rule and its figures.
    pub reasons: Vec<Reason>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Medium,
    High,
}

/// A rule that a payout broke.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    pub rule: Rule,
    /// For the operator: what was found and what the limit is.
    pub found: String,
    /// The plugin that it is about, if one is, and how sure the rule is, in
    /// thousandths.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub about: Option<(String, u16)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    Velocity,
    FreshAccount,
    SelfDealing,
    SignUpBurst,
    Address,
}

#[derive(Debug, thiserror::Error)]
pub enum RiskError {
    #[error(transparent)]
    Account(#[from] AccountError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

impl Risk {
    /// Judges a payout by every rule.
    pub async fn judge_payout(&self, payout: &Payout<'_>) -> Result<Judgement, RiskError> {
        let known = load_account(self.store.as_ref(), payout.account)?;
        let mut reasons = self.velocity(payout, known.created_ms);
        reasons.extend(self.burst(payout)?);
        reasons.extend(self.self_dealing(payout)?);
        reasons.extend(self.address(payout).await);
        if reasons.is_empty() {
            return Ok(Judgement::Pass);
        }
        let grave = |reason: &Reason| matches!(reason.rule, Rule::SelfDealing | Rule::Address);
        let level = if reasons.len() > 1 || reasons.iter().any(grave) { Level::High } else { Level::Medium };
        metrics::counter!("tollbridge_payouts_blocked_total").increment(1);
        Ok(Judgement::Block(Block { level, reasons }))
    }

    /// How often and how much in a day, with less for a fresh account.
    fn velocity(&self, payout: &Payout<'_>, created_ms: u64) -> Vec<Reason> {
        let since = payout.now_ms.saturating_sub(DAY_MS);
        let today = payout.earlier.iter().filter(|(time_ms, _)| *time_ms > since);
        let (mut count, mut sum) = (1_u32, payout.amount.get());
        for (_, amount) in today {
            (count, sum) = (count.saturating_add(1), sum.saturating_add(amount.get()));
        }
        let sum = Millipence::new(sum);
        let settings = &self.settings;
        let mut reasons = Vec::new();
        if count > settings.payouts_per_day {
            reasons
                .push(Rule::Velocity.because(format!("payout {count} of the day; {} pass", settings.payouts_per_day)));
        }
        if sum > settings.payout_per_day {
            reasons.push(Rule::Velocity.because(format!("{sum} in a day; {} pass", settings.payout_per_day)));
        }
        let age_ms = payout.now_ms.saturating_sub(created_ms);
        if u128::from(age_ms) < settings.fresh_account.as_millis() && sum > settings.fresh_payout {
            let hours = age_ms / HOUR_MS;
            reasons.push(Rule::FreshAccount.because(format!(
                "{sum} in a day by an account of {hours} hours; {} pass while it is fresh",
                settings.fresh_payout
            )));
        }
        reasons
    }

    /// Accounts that came in a burst on this account's referral code.
    fn burst(&self, payout: &Payout<'_>) -> Result<Option<Reason>, RiskError> {
        let mut times = Vec::new();
        for row in self.referred(payout.account)? {
            times.push(row.created_ms);
        }
        times.sort_unstable();
        // The most that fall into any hour.
        let mut most = 0_usize;
        for (start, time) in times.iter().enumerate() {
            let end = times.partition_point(|other| *other < time.saturating_add(HOUR_MS));
            most = most.max(end.saturating_sub(start));
        }
        let limit = self.settings.referrals_per_hour;
        let burst = u32::try_from(most).unwrap_or(u32::MAX) > limit;
        Ok(burst.then(|| Rule::SignUpBurst.because(format!("{most} accounts referred within an hour; {limit} pass"))))
    }

    /// Accounts that this one referred, among the newest that are looked at.
    fn referred(&self, id: &str) -> Result<Vec<Referred>, RiskError> {
        let (mut found, mut after, mut seen) = (Vec::new(), String::new(), 0_usize);
        loop {
            let page = self.store.list(Collection::Accounts, &after, 1_000)?;
            let Some((last, _)) = page.last() else { return Ok(found) };
            after.clone_from(last);
            seen += page.len();
            for (_, row) in &page {
                let Ok(row) = serde_json::from_slice::<Referred>(row) else { continue };
                if row.referred_by.as_deref() == Some(id) {
                    found.push(row);
                }
            }
            if seen >= RISK_ACCOUNTS_SCANNED_MAX {
                return Ok(found);
            }
        }
    }
}

/// What is read of an account's row.
#[derive(Deserialize)]
struct Referred {
    id: String,
    created_ms: u64,
    referred_by: Option<String>,
}

impl Rule {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Velocity => "velocity",
            Self::FreshAccount => "fresh_account",
            Self::SelfDealing => "self_dealing",
            Self::SignUpBurst => "sign_up_burst",
            Self::Address => "address",
        }
    }

    const fn because(self, found: String) -> Reason {
        Reason { rule: self, found, about: None }
    }
}

impl Level {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl Block {
    /// What is told of it: fraud.blocked to the user and the operator, and
    /// fraud.detected for each plugin that a reason is about. Goes into the
    /// change that holds the payout back.
    pub fn told(&self, user: &str, client: Option<IpAddr>, now_ms: u64) -> Vec<Outgoing> {
        let mut told = events::fraud_blocked(user, &self.rules(), self.level.as_str(), now_ms);
        let ip = client.map(|client| client.to_string());
        for (plugin, permille) in self.reasons.iter().filter_map(|reason| reason.about.as_ref()) {
            let found = Suspicion {
                owner: user,
                agent_id: plugin,
                ip: ip.as_deref(),
                risk_permille: *permille,
                action: "blocked",
            };
            told.extend(events::fraud_detected(&found, now_ms));
        }
        told
    }

    /// The rules, as the event and the user's answer name them.
    pub fn rules(&self) -> String {
        let mut names: Vec<&str> = self.reasons.iter().map(|reason| reason.rule.as_str()).collect();
        names.dedup();
        names.join(", ")
    }
}
