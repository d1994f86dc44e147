//! Making the version that is tried out follow the operator.
//!
//! Invariant: what serves everybody is never touched here.

use std::sync::Arc;

use tollbridge_ledger::{Entry, PluginAct, PluginVerb};
use tollbridge_runtime::registry::{CanaryPlan, Candidate, Candidates, PluginId, PluginState, distrusted};
use tollbridge_store::{Collection, Expect, Put, StoreError};

use super::canary::Canary;
use super::deployers::tenant_of;
use super::loads::Asked;
use super::offer::{LoadedVersion, Offer};
use super::reconciler::{CatalogReconciler, Trust};
use super::snapshot::CatalogEntry;
use super::version_loader::LoadError;

impl CatalogReconciler {
    /// Puts the version that is tried out beside the one that serves, or takes it
    /// away.
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
        if let Some(why) = present.as_ref().and_then(|canary| canary.worse()) {
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
        } else if !present.is_some_and(|canary| canary.follows(&plan)) {
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
                let canary = Canary::new(Arc::new(offer), plan, self.pass_requested.clone());
                serving.canary.store(Some(Arc::new(canary)));
                tracing::info!(plugin = %id, version, share, "serves some callers");
            }
            // Files that change, or a disk that was away: the next pass tries again.
            Err(LoadError::Transient(reason) | LoadError::Changing(reason)) => {
                tracing::info!(plugin = %id, reason, "a version that is to be tried out does not load yet");
            }
            Err(LoadError::Permanent(error)) => {
                let reason = format!("it does not load: {error}");
                self.end(id, (state, row), &reason).await;
                serving.canary.store(None);
            }
        }
    }

    /// Remembers why a version serves nobody any more. What cannot be written is
    /// tried again in the next pass; it serves nobody meanwhile.
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
                tracing::warn!(plugin = %id, %version, why, "serves nobody any more; the version before serves all");
                (*state, *row) = (next, Some(value));
            }
            Err(error) => tracing::warn!(plugin = %id, %error, "that a canary has ended could not be written"),
        }
    }
}

/// Why a version must not be tried out, or not any more.
fn obstacle(plan: &CanaryPlan, candidate: &Candidate, trust: &Trust, serving: &Offer) -> Option<String> {
    if plan.digest != candidate.digest {
        return Some("the registry holds other bytes for it now".to_owned());
    }
    if candidate.manifest.price != serving.price {
        return Some("its price is not that of the version that serves".to_owned());
    }
    distrusted(&trust.publishers, &trust.revoked, candidate).map(|cause| cause.to_string())
}
