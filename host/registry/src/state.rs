//! `PluginState`: the operator's decisions about a plugin, and the versions that were seen. Stored
//! as one row; the actions here are pure, and their caller writes the row.
//!
//! Invariants:
//! 1. A version never changes its content: `seen` stores the digest of its manifest.
//! 2. The floor (highest version that was active and is not yanked) goes down only by an action in
//!    this file.
//! 3. A refused action leaves the state unchanged.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use semver::Version;
use serde::{Deserialize, Serialize};
use tollbridge_core::config::Grant;
use tollbridge_core::config::HostPattern;

use super::canary::CanaryPlan;
use super::digest::Digest;
use super::error::OperatorActionError;
use super::id::Name;
use super::manifest::Manifest;
use super::versions::Candidate;
use crate::limits::VERSIONS_PER_PLUGIN_MAX;

/// The candidates of one plugin, by version.
pub type Candidates = BTreeMap<Version, Arc<Candidate>>;

/// The operator's decisions about one plugin, and the plugin's history.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PluginState {
    disabled: bool,
    pinned: Option<Version>,
    yanked: BTreeSet<Version>,
    /// Versions that were ever active, except pre-releases.
    activated: BTreeSet<Version>,
    /// Time at which each of `activated` first became active, Unix milliseconds; missing for
    /// versions that were active before times were recorded.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    activated_ms: BTreeMap<Version, u64>,
    /// Manifest digest of every version ever seen.
    seen: BTreeMap<Version, Digest>,
    /// Manifest digest of each version that the operator approved.
    approved: BTreeMap<Version, Digest>,
    /// Publisher and requested permissions of the version that was last active.
    terms: Option<ActivationTerms>,
    /// Whether a version with a price was ever active.
    #[serde(default = "not_known")]
    sold: bool,
    /// The canary, which only some callers get.
    #[serde(skip_serializing_if = "Option::is_none")]
    canary: Option<CanaryPlan>,
}

/// Default for rows written before `sold` existed: the plugin may have been sold.
const fn not_known() -> bool {
    true
}

/// The publisher of a version and the permissions that it requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActivationTerms {
    /// The publisher that signed the version.
    pub publisher: Name,
    /// Host interfaces that the version requests.
    pub grants: BTreeSet<Grant>,
    /// Hosts that the version requests to reach.
    pub allow_hosts: BTreeSet<HostPattern>,
}

impl ActivationTerms {
    /// Returns the publisher of a manifest, and the grants and hosts that it requests.
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

    /// Returns whether a version with a price was ever active; true if that is unknown.
    pub fn was_sold(&self) -> bool {
        self.sold
    }

    /// Returns whether the operator disabled the plugin.
    pub fn is_disabled(&self) -> bool {
        self.disabled
    }

    /// Returns the version that the operator pinned, if any.
    pub fn pinned(&self) -> Option<&Version> {
        self.pinned.as_ref()
    }

    /// Returns the current or last canary.
    pub fn canary(&self) -> Option<&CanaryPlan> {
        self.canary.as_ref()
    }

    /// Starts a canary. The serving version is pinned, so that all other callers keep getting it.
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

    /// Ends the canary and records the reason.
    pub fn end_canary(&mut self, why: &str) -> Result<Version, OperatorActionError> {
        let canary = self.canary.as_mut().filter(|canary| canary.ended.is_none());
        let canary = canary.ok_or(OperatorActionError::NoCanary)?;
        canary.ended = Some(why.to_owned());
        Ok(canary.version.clone())
    }

    /// Returns whether the operator withdrew this version.
    pub fn is_yanked(&self, version: &Version) -> bool {
        self.yanked.contains(version)
    }

    /// Returns the highest version that was ever active.
    pub fn highest(&self) -> Option<&Version> {
        self.activated.last()
    }

    /// Returns the highest version that was ever active and is not yanked: without a pin, no lower
    /// version runs.
    pub fn floor(&self) -> Option<&Version> {
        self.activated.iter().rev().find(|version| !self.yanked.contains(version))
    }

    /// Returns whether a version was active before; pre-releases do not count.
    pub fn was_active(&self, version: &Version) -> bool {
        self.activated.contains(version)
    }

    /// Returns the time at which a version first became active here, Unix milliseconds, if known.
    pub fn active_since_ms(&self, version: &Version) -> Option<u64> {
        self.activated_ms.get(version).copied()
    }

    /// Returns the terms of the version that was last active.
    pub fn terms(&self) -> Option<&ActivationTerms> {
        self.terms.as_ref()
    }

    /// Returns whether the operator approved exactly these bytes.
    pub fn is_approved(&self, candidate: &Candidate) -> bool {
        self.approved.get(candidate.version()) == Some(&candidate.digest)
    }

    /// Returns whether the candidate's bytes are those first seen for its version.
    pub fn is_genuine(&self, candidate: &Candidate) -> bool {
        self.seen.get(candidate.version()).is_none_or(|digest| *digest == candidate.digest)
    }

    /// Records the digests of new versions; returns whether there were any, so that the row must be
    /// written. Beyond a maximum number, the lowest versions are forgotten.
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

    /// Calls [`PluginState::activate`] and records the time of the first activation. For a version
    /// that was active before times were recorded, the time stays unknown.
    pub fn activate_at(&mut self, candidate: &Candidate, now_ms: u64) -> bool {
        let is_new = !self.was_active(candidate.version());
        let changed = self.activate(candidate);
        if is_new && self.was_active(candidate.version()) {
            self.activated_ms.insert(candidate.version().clone(), now_ms);
        }
        changed
    }

    /// Records that a version becomes active; returns whether the row changed. Write the row before
    /// the version serves its first call.
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

    /// Approves a version that is waiting for approval.
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

    /// Pins exactly this version, even if it is older, yanked or a pre-release; later versions do
    /// not change that.
    pub fn pin(&mut self, candidate: &Candidate) -> Result<(), OperatorActionError> {
        self.check_genuine(candidate)?;
        self.keep_approved(candidate);
        self.pinned = Some(candidate.version().clone());
        self.canary = None;
        Ok(())
    }

    /// Removes the pin, so that the highest version runs again; returns whether there was a pin.
    pub fn unpin(&mut self) -> bool {
        self.canary = None;
        self.pinned.take().is_some()
    }

    /// Rolls back to `target`, or else to the last lower version that was active and is still in
    /// the registry, and pins it: newer versions wait for `unpin`. If `target` is the newest
    /// version, the pin is removed instead. Returns the target.
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
        // A rollback may go forward only to a version that was active; others need `approve` or
        // `pin`.
        if target == current || (target > current && !self.activated.contains(&target)) {
            return Err(OperatorActionError::NotOlder { version: target, current });
        }
        self.keep_approved(candidate);
        (self.pinned, self.canary) = (Some(target.clone()), None);
        Ok(target)
    }

    /// Returns the version that would run without a pin if no candidate were held back.
    fn newest<'c>(&self, candidates: &'c Candidates) -> Option<&'c Version> {
        let newest = candidates.keys().rev().find(|version| version.pre.is_empty() && !self.yanked.contains(version));
        newest.filter(|version| self.floor().is_none_or(|floor| *version >= floor))
    }

    /// Withdraws a version permanently; removes a pin on it.
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

    /// Disables or enables the plugin; returns whether the setting changed.
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
