//! Step 6 of a call: runs the version that the caller gets, which is the stable version,
//! or the canary with the stable version as fallback.
//!
//! Invariant: callers do not notice a failing canary, unless the plugin may spend money
//! (on models or other plugins): such a call is not run twice.

use std::sync::Arc;

use serde_json::Value;
use tokio::time::Instant;
use tollbridge_core::fair_limiter::FairShare;
use tollbridge_plugin::{CallContext, Failure, PluginOutput, Services};

use super::call::Call;
use super::error::CheckoutError;
use super::input::Input;
use super::{resource, trace};
use crate::catalog::{Canary, Offer, Tried};
use crate::kept_inputs::{FailedInput, KeptInputs, PendingInput};
use crate::resources::{Resources, StoredResource};

/// Tenant whose share of call slots the comparisons use.
const COMPARING: &str = "comparing versions";

/// The offer of the version that ran, and its result.
pub(super) type RunResult = (Arc<Offer>, Result<PluginOutput, CheckoutError>);

/// The runner of calls: runs the stable version or the canary, and stores inputs for
/// replays.
pub(super) struct VersionRunner {
    pub(super) services: Services,
    pub(super) resources: Arc<Resources>,
    /// Storage of inputs for replays, if configured.
    pub(super) kept_inputs: Option<Arc<KeptInputs>>,
}

impl VersionRunner {
    /// Runs the version that the caller gets.
    pub(super) async fn run(
        &self,
        call: &Call,
        offer: &Arc<Offer>,
        input: &Input,
        resource: Option<StoredResource>,
        services: Services,
    ) -> RunResult {
        let Some(canary) = offer.canary() else {
            return (offer.clone(), self.call(call, offer, input, resource, services).await);
        };
        let began = Instant::now();
        if !canary.trial.serves(&call.share.tenant) {
            let output = self.call(call, offer, input, resource, services).await;
            canary.trial.count_stable(is_fault(&output), began.elapsed());
            return (offer.clone(), output);
        }
        let tried = self.try_canary(call, &canary, resource.clone(), services.clone()).await;
        let took = began.elapsed();
        let failed = is_fault(&tried);
        // A call that may spend money is not repeated with the stable version, even if it
        // failed.
        if tried.is_ok() || canary.offer.plugin.spends() {
            canary.trial.count(if failed { Tried::Failed } else { Tried::Answered }, took);
            if let Ok(output) = &tried {
                self.compare(&canary, offer, input, output, call);
            }
            return (canary.offer.clone(), tried);
        }
        let output = self.call(call, offer, input, resource, services).await;
        match (&output, &tried) {
            // A failure caused by overload does not show whether the canary is worse.
            (_, Err(CheckoutError::Plugin(Failure::Overloaded { .. }))) => {}
            (Ok(_), _) if failed => canary.trial.count(Tried::Failed, took),
            (Ok(_), _) => canary.trial.count(Tried::Refused { caller: &call.share.tenant }, took),
            // The stable version failed too, so the canary is not to blame.
            (Err(_), _) => canary.trial.count(Tried::Answered, took),
        }
        (offer.clone(), output)
    }

    /// Runs the canary, if the canary's schema accepts the input.
    async fn try_canary(
        &self,
        call: &Call,
        canary: &Canary,
        resource: Option<StoredResource>,
        services: Services,
    ) -> Result<PluginOutput, CheckoutError> {
        let input = Input::read(call, &canary.offer).await?;
        input.require_complete()?;
        self.call(call, &canary.offer, &input, resource, services).await
    }

    /// Runs the stable version on the same input in the background, and counts whether
    /// its answer differs from the canary's. Only for plugins without external effects or
    /// stored data.
    fn compare(&self, canary: &Arc<Canary>, offer: &Arc<Offer>, input: &Input, output: &PluginOutput, call: &Call) {
        let plugin = &offer.plugin;
        if !canary.trial.compares() || plugin.reaches_out() || plugin.keeps_data() || input.stored_resource().is_some()
        {
            return;
        }
        let Ok(new) = serde_json::from_slice::<Value>(&output.body) else { return };
        let context = CallContext {
            request_id: call.request_id.clone(),
            caller: call.account.clone(),
            share: FairShare::single(COMPARING),
            is_nested: false,
            now_ms: call.now_ms,
            resource: None,
            deadline: None,
            services: self.services.clone(),
        };
        let (canary, plugin, input) = (canary.clone(), plugin.clone(), input.for_plugin());
        tokio::spawn(async move {
            match plugin.call(context, input).await {
                Ok(old) => canary.trial.count_compared(serde_json::from_slice::<Value>(&old.body).ok() != Some(new)),
                Err(Failure::Overloaded { .. }) => {}
                Err(_) => canary.trial.count_compared(true),
            }
        });
    }

    /// Runs one version.
    async fn call(
        &self,
        call: &Call,
        offer: &Offer,
        input: &Input,
        resource: Option<StoredResource>,
        services: Services,
    ) -> Result<PluginOutput, CheckoutError> {
        let resource = resource.map(|stored| resource::load(&self.resources, stored)).transpose()?;
        let context = CallContext {
            request_id: call.request_id.clone(),
            caller: call.account.clone(),
            share: call.share.clone(),
            is_nested: false,
            now_ms: call.now_ms,
            resource,
            deadline: None,
            services,
        };
        trace::version(&tollbridge_telemetry::current(), &offer.version_text);
        let started = Instant::now();
        let outcome = trace::step("run", offer.plugin.call(context, input.for_plugin())).await;
        offer.meter.count(outcome.is_ok(), started.elapsed());
        if let Err(failure) = &outcome {
            self.keep_failed(call, offer, input, failure);
        }
        Ok(outcome?)
    }

    /// Returns the input to store if the call is answered; `None` if inputs of this
    /// plugin are not stored.
    pub(super) fn input_to_keep(&self, offer: &Offer, input: &Input) -> Option<PendingInput> {
        self.kept_inputs.as_ref()?.choose(offer, || input.body_to_keep())
    }

    /// Stores the input of a call that failed in the plugin.
    fn keep_failed(&self, call: &Call, offer: &Offer, input: &Input, failure: &Failure) {
        let Some(report) = failure.report() else { return };
        if let (Some(kept_inputs), Some(to_keep)) = (&self.kept_inputs, self.input_to_keep(offer, input)) {
            let failed = FailedInput {
                request_id: call.request_id.clone(),
                version: offer.version_text.clone(),
                at_ms: call.now_ms,
                why: format!("{}: {}", failure.kind(), report.headline()),
                body: String::new(),
            };
            kept_inputs.keep_failed(to_keep, failed);
        }
    }

    /// Stores the input of an answered call.
    pub(super) fn keep(&self, input: Option<PendingInput>) {
        if let (Some(kept_inputs), Some(input)) = (&self.kept_inputs, input) {
            kept_inputs.keep(input);
        }
    }
}

/// Returns whether the plugin caused the failure, as opposed to its caller.
fn is_fault(outcome: &Result<PluginOutput, CheckoutError>) -> bool {
    use Failure::{BadOutput, Internal, TimedOut, Trapped, Upstream};
    let Err(CheckoutError::Plugin(failure)) = outcome else { return false };
    matches!(failure, Internal(_) | Trapped(_) | BadOutput(_) | TimedOut(_) | Upstream(_))
}
