//! Services that provide nothing.

use futures_util::future::{BoxFuture, FutureExt, ready};
use tollbridge_store::Hash;

use super::error::ServiceError;
use super::key_value::KeyValueReader;
use super::ledger::{LedgerReader, LedgerRecord, ProofVerdict, RecordId};
use super::models::{Completion, CompletionRequest, Embeddings, InferenceContext, InferenceError, Models};
use super::plugin_calls::{CalleeError, PluginCall, PluginCaller};

/// Services that provide empty buckets; every other operation fails.
pub(super) struct Nothing;

impl KeyValueReader for Nothing {
    fn get(&self, _: &str, _: &str) -> Result<Option<Vec<u8>>, ServiceError> {
        Ok(None)
    }

    fn list(&self, _: &str, _: &str, _: usize) -> Result<Vec<(String, usize)>, ServiceError> {
        Ok(Vec::new())
    }
}

impl LedgerReader for Nothing {
    fn record(&self, _: RecordId, _: Option<String>) -> BoxFuture<'_, Result<Option<LedgerRecord>, ServiceError>> {
        no_ledger()
    }

    fn proof(&self, _: Hash) -> BoxFuture<'_, Result<Option<String>, ServiceError>> {
        no_ledger()
    }

    fn verify(&self, _: String, _: Option<String>) -> BoxFuture<'_, Result<ProofVerdict, ServiceError>> {
        no_ledger()
    }
}

impl Models for Nothing {
    fn complete(&self, _: InferenceContext, _: CompletionRequest) -> BoxFuture<'_, Result<Completion, InferenceError>> {
        no_models()
    }

    fn embed(
        &self,
        _: InferenceContext,
        _: String,
        _: Vec<String>,
    ) -> BoxFuture<'_, Result<Embeddings, InferenceError>> {
        no_models()
    }
}

impl PluginCaller for Nothing {
    fn call(&self, _: PluginCall) -> BoxFuture<'_, Result<Vec<u8>, CalleeError>> {
        ready(Err(CalleeError::Unavailable("no other plugins are available to this call".to_owned()))).boxed()
    }
}

fn no_ledger<'a, T: Send + 'a>() -> BoxFuture<'a, Result<T, ServiceError>> {
    ready(Err(ServiceError("no ledger is available to this call".to_owned()))).boxed()
}

fn no_models<'a, T: Send + 'a>() -> BoxFuture<'a, Result<T, InferenceError>> {
    ready(Err(InferenceError::NoProvider("no inference providers are available to this call".to_owned()))).boxed()
}
