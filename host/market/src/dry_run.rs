//! Runs of plugins for the operator, without a sale.
//!
//! Invariants:
//! 1. Nothing is charged, sealed or counted as a call, and no values written by a plugin
//!    are stored.
//! 2. Plugins that a plugin calls run in the same way, at most as deep as in a sale.
//! 3. Callers keep their call slots: dry runs use those of a separate tenant.
//! 4. A run spends at most the price of the call on models, as in a sale.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt};
use serde_json::Value;
use tollbridge_core::fair_limiter::FairShare;
use tollbridge_core::money::Millipence;
use tollbridge_plugin::{CallContext, CalleeError, Failure, Models, PluginCall, PluginCaller, PluginOutput, Services};

use crate::catalog::Offer;
use crate::checkout::callee_error::{failed, missing, refused};
use crate::checkout::{CallBudget, Checkout, CheckoutError, Input};
use crate::limits::NESTED_DEPTH_MAX;

/// Tenant whose share of call slots dry runs use.
const DRY_RUNS: &str = "dry runs";

/// A dry run of one call.
#[derive(Clone)]
pub struct DryRun {
    checkout: Arc<Checkout>,
    models: Arc<dyn Models>,
    now_ms: u64,
    /// Whether inputs are refused whose needs are unmet, as in a sale.
    checks_needs: bool,
    /// Number of calls above this one.
    depth: u32,
}

/// The answer of a dry run.
#[derive(Debug)]
pub struct DryAnswer {
    /// The answer, or the reason there is none.
    pub answer: Result<Value, CheckoutError>,
    /// Time that the plugin ran.
    pub wall: Duration,
    /// Cost of models.
    pub cost: Millipence,
}

impl DryRun {
    /// Prepares a dry run with the models of sales.
    pub fn new(checkout: Arc<Checkout>, now_ms: u64) -> Self {
        let models = checkout.services.models.clone();
        Self { checkout, models, now_ms, checks_needs: true, depth: 0 }
    }

    /// Prepares a dry run with other models, whatever the needs of the plugins say about
    /// the models of sales.
    pub fn with_models(checkout: Arc<Checkout>, models: Arc<dyn Models>, now_ms: u64) -> Self {
        Self { checkout, models, now_ms, checks_needs: false, depth: 0 }
    }

    /// Runs a plugin on the body of a call.
    pub async fn answer(&self, offer: &Offer, body: &Bytes) -> DryAnswer {
        let budget = Arc::new(CallBudget::new(self.models.clone(), offer.price).of(offer));
        let output = async {
            let input = Input::of_body(body, offer).await?;
            input.require_complete()?;
            if self.checks_needs {
                self.checkout.catalog.ensure_answerable(offer, input.value())?;
            }
            self.run(offer, &input, budget.clone()).await
        };
        let (answer, wall) = match output.await {
            Ok(output) => (answer(&output), output.usage.wall),
            Err(error) => (Err(error), Duration::ZERO),
        };
        DryAnswer { answer, wall, cost: budget.spent() }
    }

    async fn run(&self, offer: &Offer, input: &Input, models: Arc<CallBudget>) -> Result<PluginOutput, CheckoutError> {
        let below = Self { models: models.clone(), depth: self.depth.saturating_add(1), ..self.clone() };
        let context = CallContext {
            request_id: "dry-run".to_owned(),
            caller: None,
            share: FairShare::single(DRY_RUNS),
            is_nested: self.depth > 0,
            now_ms: self.now_ms,
            resource: None,
            deadline: None,
            services: Services { models, plugins: Arc::new(below), ..self.checkout.services.clone() },
        };
        // Values that the plugin writes are discarded with the output.
        Ok(offer.plugin.call(context, input.for_plugin()).await?)
    }

    async fn call_other(&self, call: PluginCall) -> Result<Vec<u8>, CalleeError> {
        if self.depth > NESTED_DEPTH_MAX {
            return Err(CalleeError::Refused(format!("calls may be nested at most {NESTED_DEPTH_MAX} deep")));
        }
        let offer = self.checkout.catalog.offer(call.kind, &call.name).map_err(|_| missing(&call))?;
        let input = Input::of_plugin_call(&call, &offer).await.map_err(refused)?;
        // Models of nested calls count towards the budget of the whole run.
        let budget = Arc::new(CallBudget::new(self.models.clone(), offer.price));
        match self.run(&offer, &input, budget).await {
            Ok(output) => Ok(output.body),
            Err(CheckoutError::Plugin(failure)) => Err(failed(&offer, failure)),
            Err(error) => Err(refused(error)),
        }
    }
}

impl PluginCaller for DryRun {
    fn call(&self, call: PluginCall) -> BoxFuture<'_, Result<Vec<u8>, CalleeError>> {
        self.call_other(call).boxed()
    }
}

fn answer(output: &PluginOutput) -> Result<Value, CheckoutError> {
    let answer = serde_json::from_slice(&output.body);
    Ok(answer.map_err(|error| Failure::Unavailable(format!("its answer is not JSON: {error}")))?)
}
