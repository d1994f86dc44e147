//! A version that some callers get before all do, and whether it is worse.
//!
//! Invariants:
//! 1. A caller gets the same version each time.
//! 2. A version that is found to be worse serves nobody from that moment on.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use tokio::sync::Notify;
use tollbridge_runtime::registry::{CANARY_SHARE_ALL, CanaryPlan, CanaryRules};

use super::offer::Offer;

/// Failures from which on a share of them says anything.
const FAILURES_MIN: u64 = 3;
/// Times of each version from which on they are compared.
const TIMES_MIN: usize = 50;
/// Answers that are compared from which on the share of others says anything.
const COMPARED_MIN: u64 = 20;
/// Times of each version that are remembered.
const TIMES_MAX: usize = 256;
/// Callers whose refusals are told apart.
const REFUSED_MAX: usize = 1_024;
/// What a call may take longer whatever the share: the noise of a machine.
const NOISE_MICROS: u64 = 2_000;

/// A version that is tried out.
pub struct Canary {
    /// What it offers.
    pub offer: Arc<Offer>,
    plan: CanaryPlan,
    tally: Mutex<Tally>,
    /// Why it serves nobody any more.
    worse: OnceLock<String>,
    /// Told when it is worse.
    pass_requested: Arc<Notify>,
}

/// What was seen of both versions since it began.
#[derive(Default)]
struct Tally {
    canary: VersionTally,
    stable: VersionTally,
    /// Whom the canary refused what the other version answered.
    refused: HashSet<String>,
    compared: u64,
    changed: u64,
}

/// What was seen of one version.
#[derive(Default)]
struct VersionTally {
    calls: u64,
    failures: u64,
    micros: VecDeque<u64>,
}

/// What came of a call of the version that is tried out.
#[derive(Clone, Copy, Debug)]
pub enum Tried<'a> {
    /// It did what it should, or the other version does no better.
    Answered,
    /// It failed by its own doing.
    Failed,
    /// It refused what the other version answers. Of each caller this counts once:
    /// whoever sends what only the old version takes does not end a trial alone.
    Refused {
        /// Whose call it was.
        caller: &'a str,
    },
}

/// How a trial goes, for the operator.
#[derive(Clone, Debug, Serialize)]
pub struct CanaryReport {
    /// The version that is tried out.
    pub version: String,
    /// Percentage of callers who get it.
    pub share_pct: String,
    /// Whether some callers get it now.
    pub serves: bool,
    /// Unix time, milliseconds.
    pub began_ms: u64,
    /// Its calls, and those that failed where the version that serves would not.
    pub calls: u64,
    /// Of `calls`.
    pub failures: u64,
    /// Calls of the version that serves meanwhile.
    pub stable_calls: u64,
    /// Of `stable_calls`.
    pub stable_failures: u64,
    /// 95 of 100 of its calls took at most so many microseconds.
    pub p95_micros: Option<u64>,
    /// Likewise of the version that serves.
    pub stable_p95_micros: Option<u64>,
    /// Answers that were compared, and those that differed.
    pub compared: u64,
    /// Of `compared`.
    pub changed: u64,
    /// Why nobody gets it any more.
    pub ended: Option<String>,
}

impl Canary {
    pub(super) fn new(offer: Arc<Offer>, plan: CanaryPlan, pass_requested: Arc<Notify>) -> Self {
        Self { offer, plan, tally: Mutex::default(), worse: OnceLock::new(), pass_requested }
    }

    /// Whether a caller gets it: the same ones each time.
    pub fn serves(&self, tenant: &str) -> bool {
        let hash = Sha256::new().chain_update(self.plan.digest.bytes()).chain_update(tenant).finalize();
        let place = hash.iter().take(4).fold(0_u32, |place, byte| (place << 8) | u32::from(*byte));
        self.worse.get().is_none() && place % CANARY_SHARE_ALL < self.plan.share
    }

    /// Whether answers of both versions are to be compared.
    pub fn compares(&self) -> bool {
        self.plan.rules.changed_max.is_some()
    }

    /// A call of the version that serves everybody else.
    pub fn count_stable(&self, failed: bool, took: Duration) {
        self.tally.lock().stable.count(failed, took);
    }

    /// A call of the version that is tried out.
    pub fn count(&self, tried: Tried<'_>, took: Duration) {
        let mut tally = self.tally.lock();
        tally.count_tried(tried, took);
        self.judge(&tally);
    }

    /// Both versions were asked the same.
    pub fn count_compared(&self, changed: bool) {
        let mut tally = self.tally.lock();
        tally.compared = tally.compared.saturating_add(1);
        tally.changed = tally.changed.saturating_add(u64::from(changed));
        self.judge(&tally);
    }

    /// How it goes.
    pub fn report(&self) -> CanaryReport {
        let tally = self.tally.lock();
        CanaryReport {
            serves: self.worse.get().is_none(),
            calls: tally.canary.calls,
            failures: tally.canary.failures,
            stable_calls: tally.stable.calls,
            stable_failures: tally.stable.failures,
            p95_micros: tally.canary.p95(),
            stable_p95_micros: tally.stable.p95(),
            compared: tally.compared,
            changed: tally.changed,
            ended: self.worse.get().cloned(),
            ..CanaryReport::of(&self.plan)
        }
    }

    pub(super) fn worse(&self) -> Option<&str> {
        self.worse.get().map(String::as_str)
    }

    pub(super) fn follows(&self, plan: &CanaryPlan) -> bool {
        self.plan == *plan
    }

    fn judge(&self, tally: &Tally) {
        if let Some(why) = tally.worse_by(&self.plan.rules)
            && self.worse.set(why).is_ok()
        {
            self.pass_requested.notify_one();
        }
    }
}

impl CanaryReport {
    /// Of a trial of which nothing else is known here.
    pub(super) fn of(plan: &CanaryPlan) -> Self {
        Self {
            version: plan.version.to_string(),
            share_pct: format!("{}.{:02}", plan.share.div_euclid(100), plan.share.rem_euclid(100)),
            serves: false,
            began_ms: plan.began_ms,
            ended: plan.ended.clone(),
            calls: 0,
            failures: 0,
            stable_calls: 0,
            stable_failures: 0,
            p95_micros: None,
            stable_p95_micros: None,
            compared: 0,
            changed: 0,
        }
    }
}

impl VersionTally {
    fn count(&mut self, failed: bool, took: Duration) {
        self.calls = self.calls.saturating_add(1);
        self.failures = self.failures.saturating_add(u64::from(failed));
        if self.micros.len() >= TIMES_MAX {
            self.micros.pop_front();
        }
        self.micros.push_back(u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
    }

    /// What 95 of 100 calls take at most; none of too few.
    fn p95(&self) -> Option<u64> {
        let mut times: Vec<u64> = self.micros.iter().copied().collect();
        times.sort_unstable();
        let last = (times.len() >= TIMES_MIN).then(|| times.len().saturating_mul(95).div_ceil(100))?;
        times.get(last.saturating_sub(1)).copied()
    }

    /// Tenths of a percent.
    fn failure_share(&self) -> u64 {
        share(self.failures, self.calls)
    }
}

impl Tally {
    fn count_tried(&mut self, tried: Tried<'_>, took: Duration) {
        let failed = match tried {
            Tried::Answered => false,
            Tried::Failed => true,
            Tried::Refused { caller } => self.refused.len() < REFUSED_MAX && self.refused.insert(caller.to_owned()),
        };
        self.canary.count(failed, took);
    }

    /// By which rule the version that is tried out is worse, if it is.
    fn worse_by(&self, rules: &CanaryRules) -> Option<String> {
        let Self { canary, stable, compared, changed, refused: _ } = self;
        let beyond = canary.failure_share().saturating_sub(stable.failure_share());
        if canary.failures >= FAILURES_MIN && beyond > u64::from(rules.failures_max) {
            return Some(format!("{} of its {} calls failed", canary.failures, canary.calls));
        }
        if let Some(max) = rules.changed_max
            && *compared >= COMPARED_MIN
            && share(*changed, *compared) > u64::from(max)
        {
            return Some(format!("{changed} of {compared} answers differ from those of the version that serves"));
        }
        // Sorting times is not for every call.
        if canary.calls.is_multiple_of(16)
            && let (Some(own), Some(other)) = (canary.p95(), stable.p95())
        {
            let allowed = other.saturating_mul(u64::from(rules.slower_max).saturating_add(100)).div_euclid(100);
            if own > allowed.saturating_add(NOISE_MICROS) {
                return Some(format!("95 of 100 calls take up to {own} µs, those of the version that serves {other}"));
            }
        }
        None
    }
}

/// Tenths of a percent.
fn share(part: u64, all: u64) -> u64 {
    part.saturating_mul(1_000).div_ceil(all.max(1))
}

#[cfg(test)]
#[path = "canary_tests.rs"]
mod tests;
