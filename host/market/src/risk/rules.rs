//! The rules on amount, frequency and referrals; the other rules are in separate files.

use std::sync::Arc;

use serde::Deserialize;
use tollbridge_access::load_account;
use tollbridge_core::config::RiskConfig;
use tollbridge_core::money::Millipence;
use tollbridge_store::{Collection, Rows, Store};

use super::payout::{BlockReason, PayoutBlock, PayoutRequest, RiskDecision, RiskError, RiskLevel, RiskRule};
use crate::catalog::PluginHost;

pub(super) use tollbridge_core::time::{DAY_MS, HOUR_MS};

/// Maximum number of accounts that are searched for referrals.
const RISK_ACCOUNTS_SCANNED_MAX: usize = 100_000;

/// The engine that evaluates payouts by the risk rules.
pub struct RiskEngine {
    /// Limits set by the operator.
    pub settings: RiskConfig,
    /// Store, for reading.
    pub store: Arc<dyn Store>,
    /// Access to the bridge that scores addresses; `None` in commands that run while the
    /// server is stopped.
    pub plugins: Option<PluginHost>,
}

impl RiskEngine {
    /// Evaluates a payout by every rule.
    pub async fn evaluate_payout(&self, payout: &PayoutRequest<'_>) -> Result<RiskDecision, RiskError> {
        let known = load_account(self.store.as_ref(), payout.account)?;
        let mut reasons = self.velocity(payout, known.created_ms);
        reasons.extend(self.sign_up_burst(payout)?);
        reasons.extend(self.self_dealing(payout)?);
        reasons.extend(self.address_score(payout).await);
        if reasons.is_empty() {
            return Ok(RiskDecision::Pass);
        }
        let grave = |reason: &BlockReason| matches!(reason.rule, RiskRule::SelfDealing | RiskRule::Address);
        let level = if reasons.len() > 1 || reasons.iter().any(grave) { RiskLevel::High } else { RiskLevel::Medium };
        metrics::counter!("tollbridge_payouts_blocked_total").increment(1);
        Ok(RiskDecision::Block(PayoutBlock { level, reasons }))
    }

    /// Checks the number and the total of a day's payouts; a new account has a lower
    /// limit.
    fn velocity(&self, payout: &PayoutRequest<'_>, created_ms: u64) -> Vec<BlockReason> {
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
            reasons.push(
                RiskRule::Velocity
                    .reason(format!("payout {count} of the day; the limit is {}", settings.payouts_per_day)),
            );
        }
        if sum > settings.payout_per_day {
            reasons
                .push(RiskRule::Velocity.reason(format!("{sum} in a day; the limit is {}", settings.payout_per_day)));
        }
        let age_ms = payout.now_ms.saturating_sub(created_ms);
        if u128::from(age_ms) < settings.fresh_account.as_millis() && sum > settings.fresh_payout {
            let hours = age_ms / HOUR_MS;
            reasons.push(RiskRule::FreshAccount.reason(format!(
                "{sum} in a day by an account {hours} hours old; the limit for new accounts is {}",
                settings.fresh_payout
            )));
        }
        reasons
    }

    /// Finds a burst of sign-ups with this account's referral code.
    fn sign_up_burst(&self, payout: &PayoutRequest<'_>) -> Result<Option<BlockReason>, RiskError> {
        let mut times = Vec::new();
        for row in self.referred(payout.account)? {
            times.push(row.created_ms);
        }
        times.sort_unstable();
        // Find the largest number of sign-ups within any one hour.
        let mut largest = 0_usize;
        for (start, time) in times.iter().enumerate() {
            let end = times.partition_point(|other| *other < time.saturating_add(HOUR_MS));
            largest = largest.max(end.saturating_sub(start));
        }
        let limit = self.settings.referrals_per_hour;
        let burst = u32::try_from(largest).unwrap_or(u32::MAX) > limit;
        Ok(burst
            .then(|| RiskRule::SignUpBurst.reason(format!("{largest} referrals within an hour; the limit is {limit}"))))
    }

    /// Returns accounts that this account referred, up to a maximum number of scanned
    /// rows.
    pub(super) fn referred(&self, id: &str) -> Result<Vec<ReferredAccount>, RiskError> {
        let mut referred = Vec::new();
        for row in Rows::of(self.store.as_ref(), Collection::Accounts).take(RISK_ACCOUNTS_SCANNED_MAX) {
            let (_, row) = row?;
            let Ok(row) = serde_json::from_slice::<ReferredAccount>(&row) else { continue };
            if row.referred_by.as_deref() == Some(id) {
                referred.push(row);
            }
        }
        Ok(referred)
    }
}

/// The fields that are read from an account's row.
#[derive(Deserialize)]
pub(super) struct ReferredAccount {
    pub(super) id: String,
    created_ms: u64,
    referred_by: Option<String>,
}
