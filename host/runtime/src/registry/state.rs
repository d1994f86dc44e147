//! `PluginState`: what the operator decided about a plugin and what has been
//! seen of it. One row in the store; the acts here are pure, the caller seals.
//!
//! Invariants:
//! 1. A version that was seen once is never another version: `seen` keeps the
//!    digest of its manifest.
//! 2. The floor (highest version that was active and is not yanked) goes down
//!    only by an act in this file.
//! 3. A refused act leaves the state as it was.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use semver::Version;
use serde::{Deserialize, Serialize};
use tollbridge_core::config::Grant;
use tollbridge_core::config::HostPattern;
use tollbridge_core::limits::VERSIONS_PER_PLUGIN_MAX;

use super::canary::CanaryPlan;
use super::digest::Digest;
use super::error::OperatorActionError;
use super::id::Name;
use super::manifest::Manifest;
use super::versions::Candidate;

/// The candidates of one plugin, by version.
pub type Candidates = BTreeMap<Version, Arc<Candidate>>;

/// Decisions and memory about one plugin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PluginState {
    disabled: bool,
    pinned: Option<Version>,
    yanked: BTreeSet<Version>,
    /// Versions that were active, pre-releases left out.
    activated: BTreeSet<Version>,
    /// When each of them first became active, Unix milliseconds; those from before this
    /// was kept have none.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    activated_ms: BTreeMap<Version, u64>,
    /// Digest of the manifest of every version ever seen.
    seen: BTreeMap<Version, Digest>,
    /// Versions that the operator let run, with the digest that was approved.
    approved: BTreeMap<Version, Digest>,
    /// What the version asked for that was active last.
    terms: Option<ActivationTerms>,
    /// Whether a version with a price was ever active.
    #[serde(default = "not_known")]
    sold: bool,
    /// The version that some callers get.
    #[serde(skip_serializing_if = "Option::is_none")]
    canary: Option<CanaryPlan>,
}

/// Rows from before the field existed: the plugin may have been sold.
const fn not_known() -> bool {
    true
}

/// What a version asks for and in whose name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActivationTerms {
    /// Who signed it.
    pub publisher: Name,
    /// Host interfaces that it asks for.
    pub grants: BTreeSet<Grant>,
    /// Hosts that it asks to reach.
    pub allow_hosts: BTreeSet<HostPattern>,
}

impl ActivationTerms {
    /// What a manifest asks for.
    pub fn of(manifest: &Manifest) -> Self {
        Self {
            publisher: manifest.publisher.clone(),
            grants: manifest.grants.clone(),
            allow_hosts: manifest.allow_hosts.clone(),
        }
    }
}

impl PluginState {
    /// Reads a row of `Collection::Plugins`.
    pub fn from_row(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(bytes)
    }

    /// Serializes a row of `Collection::Plugins`.
    pub fn to_row(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(self)
    }

    /// Whether a version with a price was ever active; true where that is not known.
    pub fn was_sold(&self) -> bool {
        self.sold
    }

    /// Whether the operator switched the plugin off.
    pub fn is_disabled(&self) -> bool {
        self.disabled
    }

    /// The version that the operator pinned, if any.
    pub fn pinned(&self) -> Option<&Version> {
        self.pinned.as_ref()
    }

    /// The version that some callers get, or got last.
    pub fn canary(&self) -> Option<&CanaryPlan> {
        self.canary.as_ref()
    }

    /// Gives a version to some callers. What serves is pinned, so that it is what all
    /// others go on getting.
    pub fn begin_canary(&mut self, plan: CanaryPlan, candidates: &Candidates) -> Result<(), OperatorActionError> {
        let unknown = |version: &Version| OperatorActionError::Unknown(version.clone());
        let current = self.pinned.as_ref().or_else(|| self.floor()).cloned();
        let current = current.ok_or(OperatorActionError::NothingServes)?;
        let serving = candidates.get(&current).ok_or_else(|| unknown(&current))?;
        let candidate = candidates.get(&plan.version).ok_or_else(|| unknown(&plan.version))?;
        self.check_genuine(candidate)?;
        if plan.version == current {
            return Err(OperatorActionError::Serves(current));
        }
        if self.yanked.contains(&plan.version) {
            return Err(OperatorActionError::Yanked(plan.version));
        }
        let terms = |one: &Candidate| (one.manifest.price, one.manifest.publisher.clone());
        if terms(candidate) != terms(serving) {
            return Err(OperatorActionError::OtherTerms { version: plan.version, current });
        }
        self.keep_approved(serving);
        self.keep_approved(candidate);
        self.pinned = Some(current);
        self.canary = Some(plan);
        Ok(())
    }

    /// Gives the version to nobody any more, and remembers why.
    pub fn end_canary(&mut self, why: &str) -> Result<Version, OperatorActionError> {
        let canary = self.canary.as_mut().filter(|canary| canary.ended.is_none());
        let canary = canary.ok_or(OperatorActionError::NoCanary)?;
        canary.ended = Some(why.to_owned());
        Ok(canary.version.clone())
    }

    /// Whether the operator withdrew this version.
    pub fn is_yanked(&self, version: &Version) -> bool {
        self.yanked.contains(version)
    }

    /// The highest version that was ever active.
    pub fn highest(&self) -> Option<&Version> {
        self.activated.last()
    }

    /// The highest version that was ever active and is not yanked: without a
    /// pin, nothing below it runs.
    pub fn floor(&self) -> Option<&Version> {
        self.activated.iter().rev().find(|version| !self.yanked.contains(version))
    }

    /// Whether a version was active before; pre-releases do not count.
    pub fn was_active(&self, version: &Version) -> bool {
        self.activated.contains(version)
    }

    /// When a version first became active here, Unix milliseconds, if that is known.
    pub fn active_since_ms(&self, version: &Version) -> Option<u64> {
        self.activated_ms.get(version).copied()
    }

    /// What the version asked for that was active last.
    pub fn terms(&self) -> Option<&ActivationTerms> {
        self.terms.as_ref()
    }

    /// Whether the operator approved exactly these bytes.
    pub fn is_approved(&self, candidate: &Candidate) -> bool {
        self.approved.get(candidate.version()) == Some(&candidate.digest)
    }

    /// Whether these are the bytes that this version has always had here.
    pub fn is_genuine(&self, candidate: &Candidate) -> bool {
        self.seen.get(candidate.version()).is_none_or(|digest| *digest == candidate.digest)
    }

    /// Remembers the digests of new versions; true if there are any, so that the
    /// row must be written. The lowest are forgotten beyond a bound.
    pub fn learn(&mut self, candidates: &Candidates) -> bool {
        let before = self.seen.len();
        for (version, candidate) in candidates {
            self.seen.entry(version.clone()).or_insert(candidate.digest);
        }
        let changed = self.seen.len() != before;
        while self.seen.len() > 2 * VERSIONS_PER_PLUGIN_MAX {
            let mattered =
                |version: &Version| self.activated.contains(version) || self.pinned.as_ref() == Some(version);
            let Some(lowest) = self.seen.keys().find(|version| !mattered(version)).cloned() else { break };
            self.seen.remove(&lowest);
        }
        changed
    }

    /// As [`PluginState::activate`], and remembers when, the first time. Of a version that
    /// was active before that was kept, the time stays unknown.
    pub fn activate_at(&mut self, candidate: &Candidate, now_ms: u64) -> bool {
        let is_new = !self.was_active(candidate.version());
        let changed = self.activate(candidate);
        if is_new && self.was_active(candidate.version()) {
            self.activated_ms.insert(candidate.version().clone(), now_ms);
        }
        changed
    }

    /// Remembers that a version becomes active; true if the row changed.
    /// Write the row before the version serves its first call.
    pub fn activate(&mut self, candidate: &Candidate) -> bool {
        let before = self.clone();
        let version = candidate.version();
        self.seen.entry(version.clone()).or_insert(candidate.digest);
        if version.pre.is_empty() {
            self.activated.insert(version.clone());
        }
        while self.activated.len() > VERSIONS_PER_PLUGIN_MAX {
            if let Some(oldest) = self.activated.pop_first() {
                self.activated_ms.remove(&oldest);
            }
        }
        self.terms = Some(ActivationTerms::of(&candidate.manifest));
        self.sold |= !candidate.manifest.price.is_zero();
        *self != before
    }

    /// Lets a version run that waits.
    pub fn approve(&mut self, candidate: &Candidate) -> Result<(), OperatorActionError> {
        let version = candidate.version();
        self.check_genuine(candidate)?;
        if self.yanked.contains(version) {
            return Err(OperatorActionError::Yanked(version.clone()));
        }
        if !version.pre.is_empty() {
            return Err(OperatorActionError::PreRelease(version.clone()));
        }
        if let Some(floor) = self.floor().filter(|floor| version < *floor) {
            return Err(OperatorActionError::Older { version: version.clone(), floor: floor.clone() });
        }
        self.keep_approved(candidate);
        Ok(())
    }

    /// Runs exactly this version from now on, whatever else appears, be it
    /// older, yanked or a pre-release.
    pub fn pin(&mut self, candidate: &Candidate) -> Result<(), OperatorActionError> {
        self.check_genuine(candidate)?;
        self.keep_approved(candidate);
        self.pinned = Some(candidate.version().clone());
        self.canary = None;
        Ok(())
    }

    /// Lets the highest version run again; true if there was a pin.
    pub fn unpin(&mut self) -> bool {
        self.canary = None;
        self.pinned.take().is_some()
    }

    /// Goes back to `target`, else to the last version below the present one
    /// that was active and is still there, and stays there: it is pinned, and
    /// newer versions wait for `unpin`. Naming the newest takes the pin off
    /// instead. Returns the target.
    pub fn rollback(
        &mut self,
        target: Option<&Version>,
        candidates: &Candidates,
    ) -> Result<Version, OperatorActionError> {
        let current =
            self.pinned.as_ref().or_else(|| self.floor()).cloned().ok_or(OperatorActionError::NothingEarlier)?;
        let earlier = |version: &&Version| **version < current && !self.yanked.contains(version);
        let target = match target {
            Some(target) => target,
            None => {
                let present = |version: &&Version| candidates.get(*version).is_some_and(|c| self.is_genuine(c));
                let last = self.activated.iter().rev().filter(earlier).find(present);
                last.ok_or(OperatorActionError::NothingEarlier)?
            }
        }
        .clone();
        let candidate = candidates.get(&target).ok_or_else(|| OperatorActionError::Unknown(target.clone()))?;
        self.check_genuine(candidate)?;
        if self.yanked.contains(&target) {
            return Err(OperatorActionError::Yanked(target));
        }
        if !target.pre.is_empty() {
            return Err(OperatorActionError::PreRelease(target));
        }
        if self.pinned.is_some() && target != current && self.newest(candidates) == Some(&target) {
            (self.pinned, self.canary) = (None, None);
            return Ok(target);
        }
        // Forwards only to where it has been: what never ran is for `approve` and `pin`.
        if target == current || (target > current && !self.activated.contains(&target)) {
            return Err(OperatorActionError::NotOlder { version: target, current });
        }
        self.keep_approved(candidate);
        (self.pinned, self.canary) = (Some(target.clone()), None);
        Ok(target)
    }

    /// The version that runs without a pin, if nothing holds it back.
    fn newest<'c>(&self, candidates: &'c Candidates) -> Option<&'c Version> {
        let newest = candidates.keys().rev().find(|version| version.pre.is_empty() && !self.yanked.contains(version));
        newest.filter(|version| self.floor().is_none_or(|floor| *version >= floor))
    }

    /// Takes a version out for good; a pin on it goes too.
    pub fn yank(&mut self, version: &Version, candidates: &Candidates) -> Result<(), OperatorActionError> {
        let known =
            [self.seen.contains_key(version), self.activated.contains(version), candidates.contains_key(version)];
        if !known.contains(&true) {
            return Err(OperatorActionError::Unknown(version.clone()));
        }
        self.yanked.insert(version.clone());
        self.approved.remove(version);
        if self.pinned.as_ref() == Some(version) {
            self.pinned = None;
        }
        self.canary.take_if(|canary| canary.version == *version);
        Ok(())
    }

    /// Stops the plugin, or lets it run again; true if that is a change.
    pub fn set_disabled(&mut self, disabled: bool) -> bool {
        std::mem::replace(&mut self.disabled, disabled) != disabled
    }

    fn check_genuine(&self, candidate: &Candidate) -> Result<(), OperatorActionError> {
        match self.is_genuine(candidate) {
            true => Ok(()),
            false => Err(OperatorActionError::OtherBytes(candidate.version().clone())),
        }
    }

    fn keep_approved(&mut self, candidate: &Candidate) {
        self.seen.entry(candidate.version().clone()).or_insert(candidate.digest);
        self.approved.insert(candidate.version().clone(), candidate.digest);
        while self.approved.len() > VERSIONS_PER_PLUGIN_MAX {
            self.approved.pop_first();
        }
    }
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
