//! `select_version`: decides which version of a plugin should run. A pure function, so
//! that tests can cover every rule in a table.
//!
//! The rules, strongest first:
//! 1. A disabled plugin does not run. A version whose publisher is revoked or no longer
//!    trusted does not run, and is stopped if it is running.
//! 2. A version whose bytes differ from those first seen does not run.
//! 3. If a version is pinned, only that version runs.
//! 4. Otherwise, the highest version runs among those that are not yanked, not
//!    pre-releases and not below any version that was active before. Missing files
//!    therefore never bring an older version back.
//! 5. A version waits for approval if its publisher has no `auto_activate`, or if it
//!    requests more than the previous version, or if it comes from another publisher. The
//!    previous version keeps serving.

use std::fmt;

use semver::Version;
use tollbridge_core::config::Grant;
use tollbridge_core::config::HostPattern;

use super::digest::Digest;
use super::id::Name;
use super::publishers::{Publishers, Revocations};
use super::state::{ActivationTerms, Candidates, PluginState};
use super::versions::Candidate;

/// The inputs of the selection.
#[derive(Clone, Copy, Debug)]
pub struct SelectionInput<'a> {
    /// The operator's decisions and the versions seen before.
    pub state: &'a PluginState,
    /// Versions that are signed and complete.
    pub candidates: &'a Candidates,
    /// The publishers that are currently trusted.
    pub publishers: &'a Publishers,
    /// Keys that are no longer trusted.
    pub revoked: &'a Revocations,
    /// The currently loaded version, even if its files were deleted.
    pub serving: Option<&'a Candidate>,
    /// Digests of versions that failed to load since the process started; these are skipped, so
    /// that the last good version serves.
    pub failed: &'a [Digest],
}

/// The selected action, and the reasons why higher versions do not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The action to take now.
    pub action: Action,
    /// Versions above the chosen one that do not run, highest first.
    pub held: Vec<(Version, HoldReason)>,
}

/// The action to take on a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Load this version and let it replace the serving one.
    Activate(Version),
    /// The loaded version keeps serving.
    Keep,
    /// No version may serve; a serving version stops at once.
    Stop(StopReason),
}

/// The reason why a version does not run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum HoldReason {
    #[error("publisher {0} is revoked")]
    Revoked(Name),
    #[error("publisher {0} is no longer trusted with this name")]
    NotTrusted(Name),
    #[error("the version's bytes differ from those first seen; publish a new version")]
    OtherBytes,
    #[error("the version did not load")]
    Failed,
    #[error("waits for `tollbridge plugin approve`: {0}")]
    Waiting(ApprovalReason),
}

/// The reason why a version needs the operator's approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovalReason {
    /// The publisher has no `auto_activate` that covers this kind of plugin.
    Publisher(Name),
    /// The previous version came from another publisher.
    OtherPublisher {
        /// The publisher of the version that was last active.
        before: Name,
        /// The publisher of this version.
        now: Name,
    },
    /// The version requests grants or hosts that the previous version did not.
    Asks {
        /// Newly requested host interfaces.
        grants: Vec<Grant>,
        /// Newly requested hosts.
        hosts: Vec<HostPattern>,
    },
}

/// The reason why no version may serve.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum StopReason {
    #[error("disabled by the operator")]
    Disabled,
    #[error("publisher {0} is revoked")]
    Revoked(Name),
    #[error("publisher {0} is no longer trusted with this name")]
    NotTrusted(Name),
    #[error("the pinned version {0} cannot run")]
    Pinned(Version),
    #[error("version {version} is held back: {obstacle}")]
    Held { version: Version, obstacle: HoldReason },
    #[error("version {0} was active and is not in the registry; put it back, or roll back")]
    Gone(Version),
    #[error("there is no version that may run")]
    Nothing,
}

impl fmt::Display for ApprovalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Publisher(name) => write!(f, "publisher {name} has no auto_activate for plugins of this kind"),
            Self::OtherPublisher { before, now } => {
                write!(f, "the version is from publisher {now}, the previous one from {before}")
            }
            Self::Asks { grants, hosts } => {
                let grants = grants.iter().map(Grant::to_string);
                let asked: Vec<String> = grants.chain(hosts.iter().map(HostPattern::to_string)).collect();
                write!(f, "the version requests more than the previous one: {}", asked.join(", "))
            }
        }
    }
}

impl Decision {
    /// Returns the highest version that waits for approval.
    pub fn waiting(&self) -> Option<(&Version, &ApprovalReason)> {
        self.held.iter().find_map(|(version, obstacle)| match obstacle {
            HoldReason::Waiting(reason) => Some((version, reason)),
            _ => None,
        })
    }
}

/// Decides which version of a plugin runs. Call `PluginState::learn` with the candidates first.
pub fn select_version(input: &SelectionInput<'_>) -> Decision {
    let state = input.state;
    if state.is_disabled() {
        return Decision { action: Action::Stop(StopReason::Disabled), held: Vec::new() };
    }
    let mut held = Vec::new();
    for candidate in eligible(input) {
        match hold_reason(input, candidate) {
            None => return Decision { action: run(input, candidate), held },
            Some(obstacle) => held.push((candidate.version().clone(), obstacle)),
        }
    }
    let action = match input.serving {
        Some(serving) => keep_or_stop(input, serving, &held),
        None => Action::Stop(stop_reason(state, &held)),
    };
    Decision { action, held }
}

/// Returns the versions to consider, best first: the pinned version alone, or all
/// versions from the floor upwards.
fn eligible<'a>(input: &SelectionInput<'a>) -> Vec<&'a Candidate> {
    let (state, candidates) = (input.state, input.candidates);
    if let Some(pinned) = state.pinned() {
        return candidates.get(pinned).map(AsRef::as_ref).into_iter().collect();
    }
    let above_floor = |version: &Version| state.floor().is_none_or(|floor| version >= floor);
    let counts = |version: &Version| version.pre.is_empty() && !state.is_yanked(version) && above_floor(version);
    candidates.iter().rev().filter(|(version, _)| counts(version)).map(|(_, candidate)| candidate.as_ref()).collect()
}

fn run(input: &SelectionInput<'_>, candidate: &Candidate) -> Action {
    match input.serving {
        Some(serving) if serving.digest == candidate.digest => Action::Keep,
        _ => Action::Activate(candidate.version().clone()),
    }
}

/// Returns the reason why a candidate does not run, if any.
fn hold_reason(input: &SelectionInput<'_>, candidate: &Candidate) -> Option<HoldReason> {
    if let Some(obstacle) = distrust(input.publishers, input.revoked, candidate) {
        return Some(obstacle);
    }
    if !input.state.is_genuine(candidate) {
        return Some(HoldReason::OtherBytes);
    }
    if input.failed.contains(&candidate.digest) {
        return Some(HoldReason::Failed);
    }
    let publisher = input.publishers.find(&candidate.manifest.publisher);
    let auto = publisher.is_some_and(|publisher| publisher.auto_activate.covers(candidate.id().kind));
    let reason = approval_needed(input.state, candidate, auto)?;
    Some(HoldReason::Waiting(reason))
}

/// Returns the reason why the serving version must stop at once, even without a replacement; `None`
/// if its publisher is still trusted.
pub fn distrusted(publishers: &Publishers, revoked: &Revocations, serving: &Candidate) -> Option<StopReason> {
    let name = serving.manifest.publisher.clone();
    match distrust(publishers, revoked, serving)? {
        HoldReason::Revoked(_) => Some(StopReason::Revoked(name)),
        _ => Some(StopReason::NotTrusted(name)),
    }
}

/// Returns the reason why a version's publisher is not trusted to run it, if any.
fn distrust(publishers: &Publishers, revoked: &Revocations, candidate: &Candidate) -> Option<HoldReason> {
    let name = &candidate.manifest.publisher;
    match publishers.find(name) {
        Some(publisher) if revoked.contains(publisher) => Some(HoldReason::Revoked(name.clone())),
        Some(publisher)
            if publisher.key.id() == candidate.key_id && publisher.namespaces.contain(&candidate.id().name) =>
        {
            None
        }
        _ if revoked.contains_key(&candidate.key_id) => Some(HoldReason::Revoked(name.clone())),
        _ => Some(HoldReason::NotTrusted(name.clone())),
    }
}

fn approval_needed(state: &PluginState, candidate: &Candidate, auto_activate: bool) -> Option<ApprovalReason> {
    let ActivationTerms { publisher, grants, allow_hosts } = ActivationTerms::of(&candidate.manifest);
    // A version that was active before needs no approval.
    let was_active = state.was_active(candidate.version());
    if state.is_approved(candidate) || was_active {
        return None;
    }
    if !auto_activate {
        return Some(ApprovalReason::Publisher(publisher));
    }
    let before = state.terms()?;
    if before.publisher != publisher {
        return Some(ApprovalReason::OtherPublisher { before: before.publisher.clone(), now: publisher });
    }
    let grants: Vec<Grant> = grants.difference(&before.grants).copied().collect();
    let covered = |host: &HostPattern| before.allow_hosts.iter().any(|known| known.covers(host));
    let hosts: Vec<HostPattern> = allow_hosts.into_iter().filter(|host| !covered(host)).collect();
    match (grants.is_empty(), hosts.is_empty()) {
        (true, true) => None,
        _ => Some(ApprovalReason::Asks { grants, hosts }),
    }
}

/// Decides whether the loaded version keeps serving when no other version can run.
fn keep_or_stop(input: &SelectionInput<'_>, serving: &Candidate, held: &[(Version, HoldReason)]) -> Action {
    let state = input.state;
    let version = serving.version();
    if let Some(reason) = distrusted(input.publishers, input.revoked, serving) {
        return Action::Stop(reason);
    }
    let pinned = state.pinned() == Some(version);
    if !pinned && (state.is_yanked(version) || (state.pinned().is_none() && !version.pre.is_empty())) {
        return Action::Stop(stop_reason(state, held));
    }
    Action::Keep
}

fn stop_reason(state: &PluginState, held: &[(Version, HoldReason)]) -> StopReason {
    match (held.first(), state.pinned(), state.floor()) {
        (Some((_, HoldReason::Revoked(name))), ..) => StopReason::Revoked(name.clone()),
        (Some((_, HoldReason::NotTrusted(name))), ..) => StopReason::NotTrusted(name.clone()),
        (Some((version, obstacle)), ..) => StopReason::Held { version: version.clone(), obstacle: obstacle.clone() },
        (None, Some(pinned), _) => StopReason::Pinned(pinned.clone()),
        (None, None, Some(floor)) => StopReason::Gone(floor.clone()),
        (None, None, None) => StopReason::Nothing,
    }
}

#[cfg(test)]
#[path = "selection_tests.rs"]
mod tests;
