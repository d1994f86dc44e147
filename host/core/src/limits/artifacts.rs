//! Limits of following artifacts in other registries, each with its reason.

use std::time::Duration;

/// Artifacts that the configuration may name: a repository without a tag covers
/// all its versions, so more are never needed.
pub const ARTIFACTS_MAX: usize = 256;
/// Shortest interval between checks: registries limit the rate of requests.
pub const ARTIFACTS_EVERY_MIN: Duration = Duration::from_secs(10);
/// Longest interval between checks: a version published yesterday is available
/// today.
pub const ARTIFACTS_EVERY_MAX: Duration = Duration::from_secs(24 * 3_600);
/// Delay before the first retry of an unreachable registry; doubles up to the
/// usual interval: a registry that restarts is reached again in seconds, one
/// that is down is not flooded.
pub const ARTIFACT_RETRY: Duration = Duration::from_secs(10);
/// Longest download of one artifact: 32 MiB at 1 Mbit/s.
pub const ARTIFACT_TIME_MAX: Duration = Duration::from_secs(300);
/// Concurrent downloads; each artifact is in memory completely.
pub const ARTIFACTS_AT_ONCE_MAX: usize = 4;
/// Versions of a repository that are fetched, from the newest. New callers
/// never need older ones.
pub const ARTIFACT_VERSIONS_MAX: usize = 5;
/// Tags of a repository that are examined.
pub const ARTIFACT_TAGS_MAX: usize = 1_000;
