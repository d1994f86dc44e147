//! The part of a call's price that its plugin may still spend on models and nested calls.
//!
//! Invariants: the cost of models plus the covered part of nested calls never exceeds the
//! price of the call; the cost of models is counted even if the plugin does not report
//! it.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use parking_lot::Mutex;
use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_plugin::{Completion, CompletionRequest, Embeddings, InferenceContext, InferenceError, Models};

use crate::catalog::Offer;

/// The models available to one call, and the money that the call may still spend.
pub(crate) struct CallBudget {
    models: Arc<dyn Models>,
    /// Remaining money, millipence.
    left: Mutex<u64>,
    spent: Mutex<u64>,
    /// Name of the agent that is called, which also makes the requests of the bridges that
    /// it calls.
    agent: Option<String>,
}

impl CallBudget {
    pub(crate) fn new(models: Arc<dyn Models>, price: Millipence) -> Self {
        let left = u64::try_from(price.get()).unwrap_or(0);
        Self { models, left: Mutex::new(left), spent: Mutex::new(0), agent: None }
    }

    /// Names the agent that is called, if the offer is one.
    pub(crate) fn of(self, offer: &Offer) -> Self {
        Self { agent: (offer.kind == PluginKind::Agent).then(|| offer.name.clone()), ..self }
    }

    /// Returns the cost of models that the call has used so far.
    pub(crate) fn spent(&self) -> Millipence {
        Millipence::new(i64::try_from(*self.spent.lock()).unwrap_or(i64::MAX))
    }

    /// Deducts a nested call's price, or the remaining amount if that is less; returns
    /// the deducted amount.
    pub(super) fn cover(&self, price: Millipence) -> Millipence {
        let wanted = u64::try_from(price.get()).unwrap_or(0);
        let mut left = self.left.lock();
        let covered = wanted.min(*left);
        *left -= covered;
        Millipence::new(i64::try_from(covered).unwrap_or(0))
    }

    /// Adds back the part of a deduction that a nested call did not use.
    pub(super) fn give_back(&self, covered: Millipence) {
        *self.left.lock() += u64::try_from(covered.get()).unwrap_or(0);
    }

    /// Deducts the entire remaining amount for a model request; `settle` adds the unused
    /// part back. A cancelled request never reaches `settle` and keeps the amount, but
    /// then its call fails anyway.
    fn take(&self) -> u64 {
        std::mem::take(&mut *self.left.lock())
    }

    fn settle(&self, taken: u64, cost: u64) {
        // The model router never exceeds its budget; `min` only guards against a defect.
        let cost = cost.min(taken);
        *self.left.lock() += taken - cost;
        *self.spent.lock() += cost;
    }
}

impl Models for CallBudget {
    fn complete(
        &self,
        mut context: InferenceContext,
        request: CompletionRequest,
    ) -> BoxFuture<'_, Result<Completion, InferenceError>> {
        async move {
            let taken = self.take();
            context.budget_millipence = Some(taken);
            context.agent = context.agent.or_else(|| self.agent.clone());
            let answer = self.models.complete(context, request).await;
            self.settle(taken, answer.as_ref().map_or(0, |completion| completion.cost_millipence));
            answer
        }
        .boxed()
    }

    fn embed(
        &self,
        mut context: InferenceContext,
        model: String,
        texts: Vec<String>,
    ) -> BoxFuture<'_, Result<Embeddings, InferenceError>> {
        async move {
            let taken = self.take();
            context.budget_millipence = Some(taken);
            context.agent = context.agent.or_else(|| self.agent.clone());
            let answer = self.models.embed(context, model, texts).await;
            self.settle(taken, answer.as_ref().map_or(0, |made| made.cost_millipence));
            answer
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nothing;

    impl Models for Nothing {
        fn complete(
            &self,
            context: InferenceContext,
            request: CompletionRequest,
        ) -> BoxFuture<'_, Result<Completion, InferenceError>> {
            async move {
                let cost = context.budget_millipence.unwrap_or(u64::MAX);
                if request.max_tokens == 0 {
                    return Err(InferenceError::Refused(cost.to_string()));
                }
                Ok(Completion {
                    text: cost.to_string(),
                    truncated: false,
                    model: String::new(),
                    provider: String::new(),
                    input_tokens: 0,
                    output_tokens: 0,
                    cost_millipence: u64::from(request.max_tokens),
                })
            }
            .boxed()
        }

        fn embed(
            &self,
            _: InferenceContext,
            _: String,
            _: Vec<String>,
        ) -> BoxFuture<'_, Result<Embeddings, InferenceError>> {
            futures_util::future::ready(Err(InferenceError::NoProvider(String::new()))).boxed()
        }
    }

    async fn ask(budget: &CallBudget, cost: u32) -> String {
        let context = InferenceContext {
            plugin: "p".to_owned(),
            agent: None,
            request_id: "r".to_owned(),
            account: None,
            deadline: tokio::time::Instant::now(),
            budget_millipence: None,
        };
        let request = CompletionRequest {
            model: "auto".to_owned(),
            messages: Vec::new(),
            max_tokens: cost,
            temperature: None,
            response_schema: None,
        };
        match budget.complete(context, request).await {
            Ok(completion) => completion.text,
            Err(error) => error.to_string(),
        }
    }

    #[tokio::test]
    async fn each_request_may_spend_what_the_ones_before_left() {
        let budget = CallBudget::new(Arc::new(Nothing), Millipence::new(100));
        assert_eq!(ask(&budget, 30).await, "100");
        assert_eq!(ask(&budget, 0).await, "70");
        assert_eq!(ask(&budget, 70).await, "70");
        assert_eq!(ask(&budget, 5).await, "0");
        assert_eq!(budget.spent(), Millipence::new(100), "more was spent than the budget allows");
        // A nested call draws on the same remaining amount.
        let shared = CallBudget::new(Arc::new(Nothing), Millipence::new(100));
        assert_eq!(shared.cover(Millipence::new(60)), Millipence::new(60));
        assert_eq!(ask(&shared, 30).await, "40");
        assert_eq!(shared.cover(Millipence::new(60)), Millipence::new(10));
        shared.give_back(Millipence::new(5));
        assert_eq!(ask(&shared, 0).await, "5");
        // A cancelled request does not return its deduction.
        let budget = CallBudget::new(Arc::new(Nothing), Millipence::new(100));
        drop(ask(&budget, 30));
        assert_eq!(budget.take(), 100, "a future that was never polled deducted money");
    }
}
