//! Limits on following artifacts in other registries, each with its reason.

use std::time::Duration;

/// Maximum number of artifacts in the configuration: a repository without a tag covers
/// all its versions, so more are never needed.
pub const ARTIFACTS_MAX: usize = 256;
/// Minimum interval between checks of an artifact, for a registry of one's own: public
/// ones limit the rate of requests.
pub const ARTIFACTS_EVERY_MIN: Duration = Duration::from_secs(1);
/// Maximum interval between checks of an artifact: a version published yesterday is
/// available today.
pub const ARTIFACTS_EVERY_MAX: Duration = Duration::from_secs(24 * 3_600);
/// Delay before the first retry of an unreachable registry; it doubles up to the usual
/// interval. A registry that restarts is reached again within seconds, and one that is
/// down is not flooded.
pub const ARTIFACT_RETRY: Duration = Duration::from_secs(10);
/// Maximum time for downloading one artifact: 32 MiB at 1 Mbit/s.
pub const ARTIFACT_TIME_MAX: Duration = Duration::from_secs(300);
/// Maximum number of concurrent downloads; each artifact is completely in memory.
pub const ARTIFACTS_AT_ONCE_MAX: usize = 4;
/// Maximum number of versions fetched from a repository, starting with the newest. New
/// callers never need older ones.
pub const ARTIFACT_VERSIONS_MAX: usize = 5;
/// Maximum number of a repository's tags that are examined.
pub const ARTIFACT_TAGS_MAX: usize = 1_000;
