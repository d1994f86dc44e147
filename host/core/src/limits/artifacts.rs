//! Bounds of what a host takes from registries of artifacts by itself. Each with its
//! reason.

use std::time::Duration;

/// Artifacts that the configuration may name: a repository without a tag stands for
/// all its versions, so nobody needs more.
pub const ARTIFACTS_MAX: usize = 256;
/// How often one is asked for at the most: registries count requests.
pub const ARTIFACTS_EVERY_MIN: Duration = Duration::from_secs(10);
/// … and at the least: what was published yesterday is there today.
pub const ARTIFACTS_EVERY_MAX: Duration = Duration::from_secs(24 * 3_600);
/// How soon one is asked for again that was not reached. Doubles up to the usual
/// time: a registry that restarts is back in seconds, one that is away is left alone.
pub const ARTIFACT_RETRY: Duration = Duration::from_secs(10);
/// Longest that one artifact may take to come: 32 MiB at 1 Mbit/s.
pub const ARTIFACT_TIME_MAX: Duration = Duration::from_secs(300);
/// Artifacts that come at once; each is in memory whole.
pub const ARTIFACTS_AT_ONCE_MAX: usize = 4;
/// Versions of a repository that are taken: the newest. Older ones serve nobody who
/// begins today.
pub const ARTIFACT_VERSIONS_MAX: usize = 5;
/// Tags of a repository that are looked through.
pub const ARTIFACT_TAGS_MAX: usize = 1_000;
