//! `[risk]`: what makes a payout wait for the operator.

use std::time::Duration;

use super::key::Key;
use super::reader::{NAME_WANTED, Reader, is_name};
use crate::money::Millipence;

/// `[risk]`.
#[derive(Clone, Debug)]
pub struct RiskConfig {
    /// Payouts of one account in a day.
    pub payouts_per_day: u32,
    /// What one account may take out in a day.
    pub payout_per_day: Millipence,
    /// How long an account is fresh …
    pub fresh_account: Duration,
    /// … and what a fresh one may take out in a day.
    pub fresh_payout: Millipence,
    /// Of what an account earned from calls, the percentage that it or those it
    /// referred paid themselves …
    pub self_dealing_pct: u32,
    /// … judged only from this amount on.
    pub self_dealing_from: Millipence,
    /// Accounts that one account may refer in an hour.
    pub referrals_per_hour: u32,
    /// Score of the signal, of 100, from which on an address is blocked.
    pub signal_score: u32,
    /// Bridge that judges addresses.
    pub signal_bridge: String,
    /// How long it may take; no answer means no signal.
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
