//! The versions of a plugin that anybody may know of: what serves, served or is tried
//! out. What waits for approval, or never ran, is its author's and the operator's.

use semver::Version;
use tollbridge_core::money::Millipence;
use tollbridge_runtime::registry::{Candidate, PluginState, PluginVersions};

/// A version as everybody may see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicVersion {
    /// The version.
    pub version: String,
    /// What it is now.
    pub state: VersionState,
    /// Price of one call.
    pub price: Millipence,
    /// SHA-256 of its component.
    pub sha256: [u8; 32],
    /// When it first served here, Unix milliseconds; not known of versions from
    /// before this was kept.
    pub since_ms: Option<u64>,
}

/// What a version is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionState {
    /// It serves.
    Live,
    /// Some callers get it.
    OnTrial,
    /// It served before.
    Earlier,
    /// The operator withdrew it.
    Yanked,
}

impl VersionState {
    /// In words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::OnTrial => "on trial",
            Self::Earlier => "earlier",
            Self::Yanked => "yanked",
        }
    }
}

/// The versions in the registry that everybody may see, newest first.
pub(super) fn public_versions(
    versions: &PluginVersions,
    state: &PluginState,
    serving: Option<&Candidate>,
    on_trial: Option<&str>,
) -> Vec<PublicVersion> {
    let state_of = |version: &Version| {
        let serves = serving.is_some_and(|serving| serving.version() == version);
        match (serves, state.was_active(version)) {
            (true, _) => Some(VersionState::Live),
            _ if on_trial.is_some_and(|text| text == version.to_string()) => Some(VersionState::OnTrial),
            (false, true) if state.is_yanked(version) => Some(VersionState::Yanked),
            (false, true) => Some(VersionState::Earlier),
            (false, false) => None,
        }
    };
    let candidates = versions.candidates.iter().rev();
    let seen = candidates.filter_map(|(version, candidate)| {
        Some(PublicVersion {
            version: version.to_string(),
            state: state_of(version)?,
            price: candidate.manifest.price,
            sha256: candidate.component.sha256.bytes(),
            since_ms: state.active_since_ms(version),
        })
    });
    seen.collect()
}
