//! Canaries: a new version that only some callers get, to compare it with the serving version.

use semver::Version;
use serde::{Deserialize, Serialize};

use super::digest::Digest;

/// The value of `CanaryPlan::share` that means all callers.
pub const CANARY_SHARE_ALL: u32 = 10_000;

/// A canary: its version, its share of callers, and the rules that end it automatically.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CanaryPlan {
    /// The version under trial.
    pub version: Version,
    /// The digest of the version's manifest.
    pub digest: Digest,
    /// Number of callers out of 10,000 that get the canary.
    pub share: u32,
    /// The rules that end the canary if it is worse than the serving version.
    pub rules: CanaryRules,
    /// Time at which the canary began, Unix milliseconds.
    pub began_ms: u64,
    /// The reason why the canary ended; `None` while it runs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ended: Option<String>,
}

/// The thresholds beyond which a canary counts as worse than the serving version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CanaryRules {
    /// Highest allowed excess of the canary's failure rate over the serving version's, in tenths of
    /// a percent.
    pub failures_max: u32,
    /// Highest allowed increase of the 95th percentile of latency, in percent.
    pub slower_max: u32,
    /// Highest allowed share of answers that differ from the serving version's, in tenths of a
    /// percent; if absent, answers are not compared.
    pub changed_max: Option<u32>,
}

impl Default for CanaryRules {
    fn default() -> Self {
        Self { failures_max: 10, slower_max: 100, changed_max: None }
    }
}
