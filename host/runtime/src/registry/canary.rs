//! A version that some callers get before all do.

use semver::Version;
use serde::{Deserialize, Serialize};

use super::digest::Digest;

/// All callers, as a share.
pub const CANARY_SHARE_ALL: u32 = 10_000;

/// Which version is tried out, on whom, and when that ends by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CanaryPlan {
    /// The version.
    pub version: Version,
    /// Its manifest's digest.
    pub digest: Digest,
    /// How many of 10,000 callers get it.
    pub share: u32,
    /// When it is bad.
    pub rules: CanaryRules,
    /// Unix time, milliseconds.
    pub began_ms: u64,
    /// Why nobody gets it any more.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ended: Option<String>,
}

/// What makes a version worse than the one that serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CanaryRules {
    /// Failures beyond those of the version that serves, in tenths of a percent of
    /// its calls.
    pub failures_max: u32,
    /// How much more time 95 of 100 of its calls may take, in percent.
    pub slower_max: u32,
    /// Answers that differ from those of the version that serves, in tenths of a
    /// percent of those that are compared; none are compared without it.
    pub changed_max: Option<u32>,
}

impl Default for CanaryRules {
    fn default() -> Self {
        Self { failures_max: 10, slower_max: 100, changed_max: None }
    }
}
