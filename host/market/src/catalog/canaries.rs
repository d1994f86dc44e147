//! Applies the operator's plans for canaries.
//!
//! Invariant: this module never changes the stable version.

use std::sync::Arc;

use tollbridge_ledger::{Entry, PluginAct, PluginVerb};
use tollbridge_registry::{CanaryPlan, Candidate, Candidates, PluginId, PluginState, distrusted};
use tollbridge_store::{Collection, Expect, Put, StoreError};

use super::deployers::tenant_of;
use super::loads::Asked;
use super::offer::{Canary, LoadedVersion, Offer};
use super::reconciler::CatalogReconciler;
use super::snapshot::CatalogEntry;
use super::trial::Trial;
use super::trust::Trust;
use super::version_loader::LoadError;

impl CatalogReconciler {
    /// Loads the canary alongside the serving version, or removes it, according to the
    /// operator's plan.
    pub(super) async fn follow_canary(
        &self,
        id: &PluginId,
        candidates: &Candidates,
        trust: &Trust,
        (state, row): (&mut PluginState, &mut Option<Vec<u8>>),
    ) -> Result<(), StoreError> {
        let snapshot = self.catalog.snapshot();
        let Some(CatalogEntry::Live(serving)) = snapshot.entry(id.kind, id.name.as_str()) else { return Ok(()) };
        let present = serving.canary();
        if let Some(why) = present.as_ref().and_then(|canary| canary.trial.worse()) {
            self.end(id, (state, row), why).await;
        }
        let plan = state.canary().filter(|plan| plan.ended.is_none()).cloned();
        let candidate = plan.as_ref().and_then(|plan| candidates.get(&plan.version));
        let (Some(plan), Some(candidate)) = (plan, candidate) else {
            serving.canary.store(None);
            return Ok(());
        };
        if let Some(cause) = obstacle(&plan, candidate, trust, serving) {
            self.end(id, (state, row), &cause).await;
            serving.canary.store(None);
        } else if !present.is_some_and(|canary| canary.trial.follows(&plan)) {
            self.load_canary(id, candidate, plan, trust, serving, (state, row)).await;
        }
        Ok(())
    }

    async fn load_canary(
        &self,
        id: &PluginId,
        candidate: &Arc<Candidate>,
        plan: CanaryPlan,
        trust: &Trust,
        serving: &Arc<Offer>,
        (state, row): (&mut PluginState, &mut Option<Vec<u8>>),
    ) {
        let Some(publisher) = trust.publishers.find(&candidate.manifest.publisher) else { return };
        let loaded = match self.loads.take(candidate, tenant_of(publisher)) {
            Asked::Loading => return,
            Asked::Ended(_, loaded) => loaded,
        };
        match loaded {
            Ok((plugin, needs)) => {
                let version = LoadedVersion { plugin, needs, models: self.models.clone() };
                let offer = Offer::of(candidate, publisher.account.clone(), version, state.was_sold());
                let (version, share) = (offer.version_text.clone(), plan.share);
                let trial = Trial::new(plan, self.pass_requested.clone());
                let canary = Canary { offer: Arc::new(offer), trial };
                serving.canary.store(Some(Arc::new(canary)));
                tracing::info!(plugin = %id, version, share, "a canary serves some callers");
            }
            // The files are still changing, or the disk had a temporary error; the next
            // pass tries again.
            Err(LoadError::Transient(reason) | LoadError::Changing(reason)) => {
                tracing::info!(plugin = %id, reason, "could not load a canary yet");
            }
            Err(LoadError::Permanent(error)) => {
                let reason = format!("it failed to load: {error}");
                self.end(id, (state, row), &reason).await;
                serving.canary.store(None);
            }
        }
    }

    /// Ends a canary and records the reason. If the write fails, the next pass tries
    /// again; until then the canary serves no callers.
    async fn end(&self, id: &PluginId, (state, row): (&mut PluginState, &mut Option<Vec<u8>>), why: &str) {
        let mut next = state.clone();
        let Ok(version) = next.end_canary(why) else { return };
        let Ok(value) = next.to_row() else { return };
        let act = PluginAct {
            act: PluginVerb::EndCanary,
            plugin: id.name.to_string(),
            plugin_kind: id.kind,
            version: Some(version.to_string()),
            component_sha256: None,
            publisher: None,
            by: "host".to_owned(),
        };
        let put = Put {
            collection: Collection::Plugins,
            key: id.row_key(),
            value: Some(value.clone()),
            expect: row.clone().map_or(Expect::Absent, Expect::Exactly),
        };
        match self.notary.note(&Entry::Plugin(act), vec![put], (self.now_ms)()).await {
            Ok(_) => {
                metrics::counter!("tollbridge_canaries_ended_total").increment(1);
                tracing::warn!(plugin = %id, %version, why, "canary ended; the stable version serves all callers");
                (*state, *row) = (next, Some(value));
            }
            Err(error) => tracing::warn!(plugin = %id, %error, "could not write the end of a canary"),
        }
    }
}

/// Returns the reason a version cannot start or continue as a canary; `None` if it can.
fn obstacle(plan: &CanaryPlan, candidate: &Candidate, trust: &Trust, serving: &Offer) -> Option<String> {
    if plan.digest != candidate.digest {
        return Some("the registry now has different bytes for it".to_owned());
    }
    // A caller is quoted before the version is chosen, so both versions must have one price.
    if candidate.manifest.price != serving.price {
        return Some("its price differs from that of the serving version".to_owned());
    }
    distrusted(&trust.publishers, &trust.revoked, candidate).map(|cause| cause.to_string())
}
