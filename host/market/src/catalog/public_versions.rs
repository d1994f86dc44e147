//! The public versions of a plugin: serving, earlier and canary versions. Versions that
//! wait for approval or never ran are visible only to the plugin's author and the
//! operator.

use semver::Version;
use tollbridge_core::money::Millipence;
use tollbridge_registry::{Candidate, PluginState, PluginVersions};

/// A version as shown publicly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicVersion {
    /// The version.
    pub version: String,
    /// Current state.
    pub state: VersionState,
    /// Price of one call.
    pub price: Millipence,
    /// SHA-256 of the version's component.
    pub sha256: [u8; 32],
    /// Time at which the version first served on this server, Unix milliseconds; unknown
    /// for versions activated before this time was recorded.
    pub since_ms: Option<u64>,
}

/// The state of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionState {
    /// The version serves.
    Live,
    /// The version is a canary: some callers get this version.
    OnTrial,
    /// The version served earlier.
    Earlier,
    /// The operator withdrew the version.
    Yanked,
}

impl VersionState {
    /// Returns the state as text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::OnTrial => "on trial",
            Self::Earlier => "earlier",
            Self::Yanked => "yanked",
        }
    }
}

/// Returns the public versions in the registry, newest first.
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
