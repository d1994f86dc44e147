//! Canaries: a version that some callers get before all do.

use semver::Version;
use serde::{Deserialize, Serialize};

use super::digest::Digest;

/// All callers, as a share.
pub const CANARY_SHARE_ALL: u32 = 10_000;

/// A canary: its version, its share of callers, and the rules that end it automatically.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CanaryPlan {
    /// The version.
    pub version: Version,
    /// The digest of its manifest.
    pub digest: Digest,
    /// Callers of 10,000 that get it.
    pub share: u32,
    /// The rules by which it counts as bad.
    pub rules: CanaryRules,
    /// Start, Unix time in milliseconds.
    pub began_ms: u64,
    /// The reason why the canary ended, if it has.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ended: Option<String>,
}

/// The rules by which a canary counts as worse than the serving version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CanaryRules {
    /// Failures beyond those of the serving version, in tenths of a percent of its calls.
    pub failures_max: u32,
    /// The increase of the 95th percentile of latency that is allowed, in percent.
    pub slower_max: u32,
    /// Answers that may differ from the serving version's, in tenths of a percent of the compared
    /// ones; if absent, answers are not compared.
    pub changed_max: Option<u32>,
}

impl Default for CanaryRules {
    fn default() -> Self {
        Self { failures_max: 10, slower_max: 100, changed_max: None }
    }
}
