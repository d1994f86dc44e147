//! `[risk]`: rules that hold a payout for the operator's review.

use std::time::Duration;

use super::key::Key;
use super::reader::{NAME_WANTED, Reader, is_name};
use crate::money::Millipence;

/// The section `[risk]`.
#[derive(Clone, Debug)]
pub struct RiskConfig {
    /// The maximum number of payouts of one account per day.
    pub payouts_per_day: u32,
    /// The maximum amount that one account may withdraw per day.
    pub payout_per_day: Millipence,
    /// The age up to which an account counts as new.
    pub fresh_account: Duration,
    /// The maximum amount that a new account may withdraw per day.
    pub fresh_payout: Millipence,
    /// A payout is held if at least this percentage of the account's earnings from calls
    /// was paid by the account itself or by accounts that it referred.
    pub self_dealing_pct: u32,
    /// The self-dealing rule applies only if the account itself and the accounts that it
    /// referred paid at least this amount.
    pub self_dealing_from: Millipence,
    /// The maximum number of accounts that one account may refer per hour.
    pub referrals_per_hour: u32,
    /// The minimum risk score, out of 100, at which a payout is held.
    pub signal_score: u32,
    /// The bridge that returns a risk score for the IP address that requests a payout.
    pub signal_bridge: String,
    /// The time-out of the risk score; if the bridge does not answer in time, the score
    /// is ignored.
    pub signal_time: Duration,
}

impl RiskConfig {
    pub(super) fn read(r: &mut Reader) -> Option<Self> {
        r.section("risk");
        let percent = 1..=100;
        let bridge: Option<String> = r.required("risk.signal_bridge");
        if bridge.as_ref().is_some_and(|name| !is_name(name)) {
            r.error(&Key::from("risk.signal_bridge"), NAME_WANTED.to_owned());
        }
        let payouts_per_day = r.within("risk.payouts_per_day", 1..=10_000, "from 1 to 10000");
        let payout_per_day = r.required("risk.payout_per_day_gbp");
        let (fresh_account, fresh_payout) = (r.required("risk.fresh_account"), r.required("risk.fresh_payout_gbp"));
        let self_dealing_pct = r.within("risk.self_dealing_pct", percent.clone(), "from 1 to 100");
        let self_dealing_from = r.required("risk.self_dealing_from_gbp");
        let referrals_per_hour = r.within("risk.referrals_per_hour", 1..=10_000, "from 1 to 10000");
        let signal_score = r.within("risk.signal_score", percent, "from 1 to 100");
        let signal_time = r.required("risk.signal_time");
        Some(Self {
            payouts_per_day: payouts_per_day?,
            payout_per_day: payout_per_day?,
            fresh_account: fresh_account?,
            fresh_payout: fresh_payout?,
            self_dealing_pct: self_dealing_pct?,
            self_dealing_from: self_dealing_from?,
            referrals_per_hour: referrals_per_hour?,
            signal_score: signal_score?,
            signal_bridge: bridge?,
            signal_time: signal_time?,
        })
    }
}
