//! What is left of a call's price for models that its plugin asks.
//!
//! Invariants: models never cost more than the price of the call; what they
//! cost is counted even if the plugin does not mention it.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use parking_lot::Mutex;

use tollbridge_core::money::Millipence;
use tollbridge_runtime::plugins::{
    Asker, Completion, Embeddings, InferenceError, LedgerEntry, Prompt, RecordId, ServiceError, Services, Verdict,
};
use tollbridge_store::Hash;

/// The services behind one call, with the money that it may spend on them.
pub(super) struct Purse {
    services: Arc<dyn Services>,
    /// What is left, millipence.
    left: Mutex<u64>,
    spent: Mutex<u64>,
}

impl Purse {
    pub(super) fn new(services: Arc<dyn Services>, price: Millipence) -> Self {
        let left = u64::try_from(price.get()).unwrap_or(0);
        Self { services, left: Mutex::new(left), spent: Mutex::new(0) }
    }

    /// What models took so far.
    pub(super) fn spent(&self) -> Millipence {
        Millipence::new(i64::try_from(*self.spent.lock()).unwrap_or(i64::MAX))
    }

    /// Takes all that is left; what a request did not need comes back. A request
    /// that is given up keeps it, and so does its call, which fails.
    fn take(&self) -> u64 {
        std::mem::take(&mut *self.left.lock())
    }

    fn settle(&self, taken: u64, cost: u64) {
        // The router keeps within what it was given.
        let cost = cost.min(taken);
        *self.left.lock() += taken - cost;
        *self.spent.lock() += cost;
    }
}

impl Services for Purse {
    fn kv_get(&self, bucket: &str, key: &str) -> Result<Option<Vec<u8>>, ServiceError> {
        self.services.kv_get(bucket, key)
    }

    fn kv_list(&self, bucket: &str, after: &str, limit: usize) -> Result<Vec<(String, usize)>, ServiceError> {
        self.services.kv_list(bucket, after, limit)
    }

    fn ledger_record(
        &self,
        id: RecordId,
        account: Option<String>,
    ) -> BoxFuture<'_, Result<Option<LedgerEntry>, ServiceError>> {
        self.services.ledger_record(id, account)
    }

    fn ledger_proof(&self, seal: Hash) -> BoxFuture<'_, Result<Option<String>, ServiceError>> {
        self.services.ledger_proof(seal)
    }

    fn ledger_verify(&self, document: String, record: Option<String>) -> BoxFuture<'_, Result<Verdict, ServiceError>> {
        self.services.ledger_verify(document, record)
    }

    fn complete(&self, mut asker: Asker, prompt: Prompt) -> BoxFuture<'_, Result<Completion, InferenceError>> {
        async move {
            let taken = self.take();
            asker.budget_millipence = Some(taken);
            let answer = self.services.complete(asker, prompt).await;
            self.settle(taken, answer.as_ref().map_or(0, |completion| completion.cost_millipence));
            answer
        }
        .boxed()
    }

    fn embed(
        &self,
        mut asker: Asker,
        model: String,
        texts: Vec<String>,
    ) -> BoxFuture<'_, Result<Embeddings, InferenceError>> {
        async move {
            let taken = self.take();
            asker.budget_millipence = Some(taken);
            let answer = self.services.embed(asker, model, texts).await;
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

    impl Services for Nothing {
        fn kv_get(&self, _: &str, _: &str) -> Result<Option<Vec<u8>>, ServiceError> {
            Ok(None)
        }

        fn kv_list(&self, _: &str, _: &str, _: usize) -> Result<Vec<(String, usize)>, ServiceError> {
            Ok(Vec::new())
        }

        fn complete(&self, asker: Asker, prompt: Prompt) -> BoxFuture<'_, Result<Completion, InferenceError>> {
            async move {
                let cost = asker.budget_millipence.unwrap_or(u64::MAX);
                if prompt.max_tokens == 0 {
                    return Err(InferenceError::Refused(cost.to_string()));
                }
                Ok(Completion {
                    text: cost.to_string(),
                    truncated: false,
                    model: String::new(),
                    provider: String::new(),
                    input_tokens: 0,
                    output_tokens: 0,
                    cost_millipence: u64::from(prompt.max_tokens),
                })
            }
            .boxed()
        }
    }

    async fn ask(purse: &Purse, cost: u32) -> String {
        let asker = Asker {
            plugin: "p".to_owned(),
            request_id: "r".to_owned(),
            account: None,
            deadline: std::time::Instant::now(),
            budget_millipence: None,
        };
        let prompt = Prompt {
            model: "auto".to_owned(),
            messages: Vec::new(),
            max_tokens: cost,
            temperature: None,
            response_schema: None,
        };
        match purse.complete(asker, prompt).await {
            Ok(completion) => completion.text,
            Err(error) => error.to_string(),
        }
    }

    #[tokio::test]
    async fn each_request_may_spend_what_the_ones_before_left() {
        let purse = Purse::new(Arc::new(Nothing), Millipence::new(100));
        assert_eq!(ask(&purse, 30).await, "100");
        assert_eq!(ask(&purse, 0).await, "70");
        assert_eq!(ask(&purse, 70).await, "70");
        assert_eq!(ask(&purse, 5).await, "0");
        assert_eq!(purse.spent(), Millipence::new(100), "more than there was");
        // One that is given up keeps what it was given.
        let purse = Purse::new(Arc::new(Nothing), Millipence::new(100));
        drop(ask(&purse, 30));
        assert_eq!(purse.take(), 100, "a future that never ran took something");
    }
}
