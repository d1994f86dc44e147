//! `choose`: which version of a plugin should run. A pure function, so that
//! every rule of it can be tried in a table.
//!
//! The rules, strongest first:
//! 1. A disabled plugin does not run. A version of a publisher who is revoked
//!    or no longer trusted does not run, and stops if it does.
//! 2. A version with other bytes than it had before does not run.
//! 3. A pinned version runs and nothing else.
//! 4. Otherwise the highest version runs that is not yanked, not a pre-release
//!    and not below any that was active before. Files that vanish therefore
//!    never bring an older version back.
//! 5. A version waits for approval if its publisher has no `auto_activate`, or
//!    if it asks for more than the version before, or if it comes from another
//!    publisher. The version before serves on.

use std::fmt;

use semver::Version;

use super::digest::Digest;
use super::id::Name;
use super::publishers::{Publishers, Revocations};
use super::state::{Candidates, PluginState, Terms};
use super::versions::Candidate;
use tollbridge_core::config::Grant;
use tollbridge_core::config::HostPattern;

/// All that the choice depends on.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    pub state: &'a PluginState,
    pub candidates: &'a Candidates,
    pub publishers: &'a Publishers,
    pub revoked: &'a Revocations,
    /// What is loaded now, even if its files are gone.
    pub serving: Option<&'a Candidate>,
    /// Versions (by digest) that did not load since the process began; they
    /// are passed over, so that the last good one serves.
    pub failed: &'a [Digest],
}

/// What should happen, and what keeps better versions from running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    pub action: Action,
    /// Versions above the chosen one that do not run, highest first.
    pub held: Vec<(Version, Obstacle)>,
}

/// What to do with a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Load this candidate and swap it in.
    Activate(Version),
    /// What is loaded serves on.
    Keep,
    /// Nothing may serve; if something does, it stops at once.
    Stop(Cause),
}

/// What keeps one version from running.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Obstacle {
    #[error("publisher {0} is revoked")]
    Revoked(Name),
    #[error("publisher {0} is no longer trusted with this name")]
    NotTrusted(Name),
    #[error("its bytes are not those that this version had before; publish a new version")]
    OtherBytes,
    #[error("it did not load")]
    Failed,
    #[error("waits for `tollbridge plugin approve`: {0}")]
    Waiting(WaitReason),
}

/// Why a version needs the operator's approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// The publisher has no `auto_activate`, or not for bridges.
    Publisher(Name),
    /// The version before came from another publisher.
    OtherPublisher { before: Name, now: Name },
    /// The version before did not ask for these.
    Asks { grants: Vec<Grant>, hosts: Vec<HostPattern> },
}

/// Why nothing may serve.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    #[error("disabled by the operator")]
    Disabled,
    #[error("publisher {0} is revoked")]
    Revoked(Name),
    #[error("publisher {0} is no longer trusted with this name")]
    NotTrusted(Name),
    #[error("the pinned version {0} cannot run")]
    Pinned(Version),
    #[error("version {version} is held back: {obstacle}")]
    Held { version: Version, obstacle: Obstacle },
    #[error("version {0} was active and is not in the registry; put it back, or roll back")]
    Gone(Version),
    #[error("there is no version that may run")]
    Nothing,
}

impl fmt::Display for WaitReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Publisher(name) => write!(f, "publisher {name} is trusted without auto_activate for it"),
            Self::OtherPublisher { before, now } => {
                write!(f, "it comes from publisher {now}, the version before from {before}")
            }
            Self::Asks { grants, hosts } => {
                let grants = grants.iter().map(Grant::to_string);
                let asked: Vec<String> = grants.chain(hosts.iter().map(HostPattern::to_string)).collect();
                write!(f, "it asks for more than the version before: {}", asked.join(", "))
            }
        }
    }
}

impl Decision {
    /// The highest version that waits for approval.
    pub fn waiting(&self) -> Option<(&Version, &WaitReason)> {
        self.held.iter().find_map(|(version, obstacle)| match obstacle {
            Obstacle::Waiting(reason) => Some((version, reason)),
            _ => None,
        })
    }
}

/// Decides which version of a plugin runs. The state must have learnt the
/// candidates (`PluginState::learn`).
pub fn choose(situation: &Situation<'_>) -> Decision {
    let state = situation.state;
    if state.is_disabled() {
        return Decision { action: Action::Stop(Cause::Disabled), held: Vec::new() };
    }
    let mut held = Vec::new();
    for candidate in eligible(situation) {
        match obstacle(situation, candidate) {
            None => return Decision { action: run(situation, candidate), held },
            Some(obstacle) => held.push((candidate.version().clone(), obstacle)),
        }
    }
    let action = match situation.serving {
        Some(serving) => keep_or_stop(situation, serving, &held),
        None => Action::Stop(why_nothing(state, &held)),
    };
    Decision { action, held }
}

/// The versions that come into question, best first: the pinned one, or all
/// from the floor upwards.
fn eligible<'a>(situation: &Situation<'a>) -> Vec<&'a Candidate> {
    let (state, candidates) = (situation.state, situation.candidates);
    if let Some(pinned) = state.pinned() {
        return candidates.get(pinned).map(AsRef::as_ref).into_iter().collect();
    }
    let above_floor = |version: &Version| state.floor().is_none_or(|floor| version >= floor);
    let counts = |version: &Version| version.pre.is_empty() && !state.is_yanked(version) && above_floor(version);
    candidates.iter().rev().filter(|(version, _)| counts(version)).map(|(_, candidate)| candidate.as_ref()).collect()
}

fn run(situation: &Situation<'_>, candidate: &Candidate) -> Action {
    match situation.serving {
        Some(serving) if serving.digest == candidate.digest => Action::Keep,
        _ => Action::Activate(candidate.version().clone()),
    }
}

/// What keeps a candidate from running.
fn obstacle(situation: &Situation<'_>, candidate: &Candidate) -> Option<Obstacle> {
    if let Some(obstacle) = distrust(situation, candidate) {
        return Some(obstacle);
    }
    if !situation.state.is_genuine(candidate) {
        return Some(Obstacle::OtherBytes);
    }
    if situation.failed.contains(&candidate.digest) {
        return Some(Obstacle::Failed);
    }
    let found = situation.publishers.find(&candidate.manifest.publisher);
    let auto = found.is_some_and(|found| found.auto_activate.covers(candidate.id().kind));
    let reason = approval_needed(situation.state, candidate, auto)?;
    Some(Obstacle::Waiting(reason))
}

/// Whether a version's publisher lost the right to run it.
fn distrust(situation: &Situation<'_>, candidate: &Candidate) -> Option<Obstacle> {
    let name = &candidate.manifest.publisher;
    match situation.publishers.find(name) {
        Some(found) if situation.revoked.contains(found) => Some(Obstacle::Revoked(name.clone())),
        Some(found) if found.key.id() == candidate.key_id && found.namespaces.contain(&candidate.id().name) => None,
        _ if situation.revoked.contains_key(&candidate.key_id) => Some(Obstacle::Revoked(name.clone())),
        _ => Some(Obstacle::NotTrusted(name.clone())),
    }
}

fn approval_needed(state: &PluginState, candidate: &Candidate, auto_activate: bool) -> Option<WaitReason> {
    let Terms { publisher, grants, allow_hosts } = Terms::of(&candidate.manifest);
    // What was active once was let in then.
    let was_active = state.was_active(candidate.version());
    if state.is_approved(candidate) || was_active {
        return None;
    }
    if !auto_activate {
        return Some(WaitReason::Publisher(publisher));
    }
    let before = state.terms()?;
    if before.publisher != publisher {
        return Some(WaitReason::OtherPublisher { before: before.publisher.clone(), now: publisher });
    }
    let grants: Vec<Grant> = grants.difference(&before.grants).copied().collect();
    let covered = |host: &HostPattern| before.allow_hosts.iter().any(|known| known.covers(host));
    let hosts: Vec<HostPattern> = allow_hosts.into_iter().filter(|host| !covered(host)).collect();
    match (grants.is_empty(), hosts.is_empty()) {
        (true, true) => None,
        _ => Some(WaitReason::Asks { grants, hosts }),
    }
}

/// Whether what is loaded may serve on although nothing better is there.
fn keep_or_stop(situation: &Situation<'_>, serving: &Candidate, held: &[(Version, Obstacle)]) -> Action {
    let state = situation.state;
    let version = serving.version();
    match distrust(situation, serving) {
        Some(Obstacle::Revoked(name)) => return Action::Stop(Cause::Revoked(name)),
        Some(_) => return Action::Stop(Cause::NotTrusted(serving.manifest.publisher.clone())),
        None => {}
    }
    let pinned = state.pinned() == Some(version);
    if !pinned && (state.is_yanked(version) || (state.pinned().is_none() && !version.pre.is_empty())) {
        return Action::Stop(why_nothing(state, held));
    }
    Action::Keep
}

fn why_nothing(state: &PluginState, held: &[(Version, Obstacle)]) -> Cause {
    match (held.first(), state.pinned(), state.floor()) {
        (Some((_, Obstacle::Revoked(name))), ..) => Cause::Revoked(name.clone()),
        (Some((_, Obstacle::NotTrusted(name))), ..) => Cause::NotTrusted(name.clone()),
        (Some((version, obstacle)), ..) => Cause::Held { version: version.clone(), obstacle: obstacle.clone() },
        (None, Some(pinned), _) => Cause::Pinned(pinned.clone()),
        (None, None, Some(floor)) => Cause::Gone(floor.clone()),
        (None, None, None) => Cause::Nothing,
    }
}

#[cfg(test)]
#[path = "choose_tests.rs"]
mod tests;
