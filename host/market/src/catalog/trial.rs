//! Trials of canaries, which are new versions that serve only some callers at first: the
//! check whether a canary is worse than the stable version.
//!
//! Invariants:
//! 1. A caller always gets the same version.
//! 2. As soon as a canary is found to be worse, it serves no callers.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tokio::sync::Notify;
use tollbridge_registry::{CANARY_SHARE_ALL, CanaryPlan, CanaryRules};

/// Minimum number of a canary's failures for their share to be significant.
const FAILURES_MIN: u64 = 3;
/// Minimum number of recorded call durations per version for a comparison.
const TIMES_MIN: usize = 50;
/// Minimum number of compared answers for the share of differing answers to be
/// significant.
const COMPARED_MIN: u64 = 20;
/// Maximum number of recorded call durations per version.
const TIMES_MAX: usize = 256;
/// Maximum number of distinct callers for whom refusals by the canary are counted.
const REFUSED_MAX: usize = 1_024;
/// Additional time in microseconds that a canary's calls may always take, so that timing
/// noise does not count.
const NOISE_MICROS: u64 = 2_000;

/// The trial of a version that serves some callers.
pub struct Trial {
    plan: CanaryPlan,
    tally: Mutex<Tally>,
    /// Reason the canary was found to be worse; once set, it serves no callers.
    worse: OnceLock<String>,
    /// Requests a pass of the reconciler when the canary is found to be worse.
    pass_requested: Arc<Notify>,
}

/// Counts of both versions' calls since the trial began.
#[derive(Default)]
struct Tally {
    canary: VersionTally,
    stable: VersionTally,
    /// Callers to whom the canary refused a call that the stable version answered.
    refused: HashSet<String>,
    compared: u64,
    changed: u64,
}

/// Counts of one version's calls during the trial.
#[derive(Default)]
struct VersionTally {
    calls: u64,
    failures: u64,
    micros: VecDeque<u64>,
}

/// The outcome of a canary call.
#[derive(Clone, Copy, Debug)]
pub enum Tried<'a> {
    /// The canary answered, or the stable version failed on the same call too.
    Answered,
    /// The canary failed on a call that the stable version answered.
    Failed,
    /// The canary refused a call that the stable version answered. Counts once per
    /// caller, so that a single caller whose input only the stable version accepts cannot
    /// end a trial.
    Refused {
        /// Caller of the plugin.
        caller: &'a str,
    },
}

/// The progress of a trial, for the operator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CanaryReport {
    /// Version on trial.
    pub version: String,
    /// Percentage of callers who get the canary.
    pub share_pct: String,
    /// Whether the canary currently serves callers.
    pub serves: bool,
    /// Start of the trial, Unix time in milliseconds.
    pub began_ms: u64,
    /// Number of the canary's calls.
    pub calls: u64,
    /// Number of `calls` on which the canary failed although the stable version did not.
    pub failures: u64,
    /// Number of calls of the stable version during the trial.
    pub stable_calls: u64,
    /// Number of `stable_calls` that failed.
    pub stable_failures: u64,
    /// 95th percentile of the canary's call durations, microseconds.
    pub p95_micros: Option<u64>,
    /// 95th percentile of the stable version's call durations, microseconds.
    pub stable_p95_micros: Option<u64>,
    /// Number of requests for which the answers of both versions were compared.
    pub compared: u64,
    /// Number of `compared` requests for which the answers differed.
    pub changed: u64,
    /// Reason the trial ended; `None` while it continues.
    pub ended: Option<String>,
}

impl Trial {
    pub(super) fn new(plan: CanaryPlan, pass_requested: Arc<Notify>) -> Self {
        Self { plan, tally: Mutex::default(), worse: OnceLock::new(), pass_requested }
    }

    /// Returns whether a caller gets the canary; the result for a caller is always the
    /// same until the canary ends.
    pub fn serves(&self, tenant: &str) -> bool {
        // The hash includes the version, so that each canary gets a different set of callers.
        let hash = Sha256::new().chain_update(self.plan.digest.bytes()).chain_update(tenant).finalize();
        let place = hash.iter().take(4).fold(0_u32, |place, byte| (place << 8) | u32::from(*byte));
        self.worse.get().is_none() && place % CANARY_SHARE_ALL < self.plan.share
    }

    /// Returns whether the plan requires comparing the answers of both versions.
    pub fn compares(&self) -> bool {
        self.plan.rules.changed_max.is_some()
    }

    /// Counts a call of the stable version.
    pub fn count_stable(&self, failed: bool, took: Duration) {
        self.tally.lock().stable.count(failed, took);
    }

    /// Counts a call of the canary.
    pub fn count(&self, tried: Tried<'_>, took: Duration) {
        let mut tally = self.tally.lock();
        tally.count_tried(tried, took);
        self.judge(&tally);
    }

    /// Counts a comparison of both versions' answers to one request.
    pub fn count_compared(&self, changed: bool) {
        let mut tally = self.tally.lock();
        tally.compared = tally.compared.saturating_add(1);
        tally.changed = tally.changed.saturating_add(u64::from(changed));
        self.judge(&tally);
    }

    /// Returns the progress of the trial.
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
    /// Creates the report of a trial for which this host has no counts.
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

    /// Returns the 95th percentile of the durations in microseconds; `None` if there are too
    /// few.
    fn p95(&self) -> Option<u64> {
        let mut times: Vec<u64> = self.micros.iter().copied().collect();
        times.sort_unstable();
        let last = (times.len() >= TIMES_MIN).then(|| times.len().saturating_mul(95).div_ceil(100))?;
        times.get(last.saturating_sub(1)).copied()
    }

    /// Returns the share of failures in tenths of a percent.
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

    /// Returns, as text, the rule by which the canary is worse than the stable version;
    /// `None` if it is not worse.
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
            return Some(format!("{changed} of {compared} answers differ from those of the stable version"));
        }
        // Compare durations only on every 16th call: sorting them each time would be too
        // expensive.
        if canary.calls.is_multiple_of(16)
            && let (Some(own), Some(other)) = (canary.p95(), stable.p95())
        {
            let allowed = other.saturating_mul(u64::from(rules.slower_max).saturating_add(100)).div_euclid(100);
            if own > allowed.saturating_add(NOISE_MICROS) {
                return Some(format!(
                    "95 of 100 calls take up to {own} µs, compared with {other} µs for the stable version"
                ));
            }
        }
        None
    }
}

/// Returns the share of `part` in `all`, in tenths of a percent.
fn share(part: u64, all: u64) -> u64 {
    part.saturating_mul(1_000).div_ceil(all.max(1))
}

#[cfg(test)]
#[path = "trial_tests.rs"]
mod tests;
