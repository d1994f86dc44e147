//! Services for a plugin that runs without a server. They provide only the data that a golden case
//! states.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt, ready};
use parking_lot::Mutex;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_plugin::{
    CalleeError, Completion, CompletionRequest, Embeddings, InferenceContext, InferenceError, LedgerReader,
    LedgerRecord, Models, PluginCall, PluginCaller, ProofVerdict, RecordId, ServiceError, Services, VerifiedProof,
};
use tollbridge_sdk::Error;
use tollbridge_sdk::bridges as sdk_bridges;
use tollbridge_sdk::inference as sdk;
use tollbridge_sdk::ledger::Verdict as StatedVerdict;
use tollbridge_sdk::testing::{Bridges, Inference, Ledger};

/// A SHA-256 digest.
type Hash = [u8; 32];

/// Returns services with empty buckets, and with the ledger, models and other plugins of a case.
pub(crate) fn stated_services(ledger: Ledger, inference: Inference, bridges: Bridges) -> Services {
    Services {
        ledger: Arc::new(StatedLedger(ledger)),
        models: Arc::new(StatedModels(Mutex::new(inference))),
        plugins: Arc::new(StatedPlugins(Mutex::new(bridges))),
        ..Services::none()
    }
}

/// Returns services with no data at all.
pub(crate) fn no_services() -> Services {
    stated_services(Ledger::default(), Inference::default(), Bridges::default())
}

struct StatedLedger(Ledger);

impl StatedLedger {
    fn stated_record(&self, id: RecordId) -> Result<Option<LedgerRecord>, ServiceError> {
        let id = match id {
            RecordId::Seal(seal) => hex::encode(seal),
            RecordId::Transaction(tx) => format!("tx_{}", hex::encode(tx)),
        };
        let Some(entry) = self.0.record(&id).map_err(ledger_failed)? else { return Ok(None) };
        Ok(Some(LedgerRecord { seal: hash(&entry.seal)?, seq: entry.seq, body: entry.body }))
    }

    fn stated_verdict(&self, document: &str, record: Option<&str>) -> Result<ProofVerdict, ServiceError> {
        Ok(match self.0.verify(document, record) {
            StatedVerdict::NotProven(why) => ProofVerdict::NotProven(why),
            StatedVerdict::Proven(proven) => ProofVerdict::Proven(VerifiedProof {
                seal: hash(&proven.seal)?,
                seq: proven.seq,
                tree_size: proven.tree_size,
                origin: proven.origin,
                key: proven.key,
                record_checked: proven.record_checked,
            }),
        })
    }
}

impl LedgerReader for StatedLedger {
    fn record(
        &self,
        id: RecordId,
        _account: Option<String>,
    ) -> BoxFuture<'_, Result<Option<LedgerRecord>, ServiceError>> {
        ready(self.stated_record(id)).boxed()
    }

    fn proof(&self, seal: Hash) -> BoxFuture<'_, Result<Option<String>, ServiceError>> {
        ready(self.0.proof(&hex::encode(seal)).map_err(ledger_failed)).boxed()
    }

    fn verify(&self, document: String, record: Option<String>) -> BoxFuture<'_, Result<ProofVerdict, ServiceError>> {
        ready(self.stated_verdict(&document, record.as_deref())).boxed()
    }
}

struct StatedModels(Mutex<Inference>);

impl Models for StatedModels {
    fn complete(
        &self,
        _context: InferenceContext,
        _request: CompletionRequest,
    ) -> BoxFuture<'_, Result<Completion, InferenceError>> {
        let answer = self.0.lock().complete().map_err(inference_failed);
        let answer = answer.map(|response| Completion {
            text: response.text,
            truncated: response.truncated,
            model: response.model,
            provider: response.provider,
            input_tokens: response.input_tokens,
            output_tokens: response.output_tokens,
            cost_millipence: response.cost_millipence,
        });
        ready(answer).boxed()
    }

    fn embed(
        &self,
        _context: InferenceContext,
        _model: String,
        texts: Vec<String>,
    ) -> BoxFuture<'_, Result<Embeddings, InferenceError>> {
        let made = self.0.lock().embed(texts.len()).map_err(inference_failed);
        let made = made.map(|made| Embeddings {
            vectors: made.vectors,
            model: made.model,
            provider: made.provider,
            input_tokens: made.input_tokens,
            cost_millipence: made.cost_millipence,
        });
        ready(made).boxed()
    }
}

struct StatedPlugins(Mutex<Bridges>);

impl PluginCaller for StatedPlugins {
    fn call(&self, call: PluginCall) -> BoxFuture<'_, Result<Vec<u8>, CalleeError>> {
        let name = match call.kind {
            PluginKind::Bridge => call.name,
            PluginKind::Agent => format!("agents/{}", call.name),
        };
        let input = call.input.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok());
        let answer = self.0.lock().answer(&name, call.task.as_deref(), input);
        ready(answer.map(String::into_bytes).map_err(callee_failed)).boxed()
    }
}

fn hash(text: &str) -> Result<Hash, ServiceError> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(text, &mut bytes)
        .map_err(|_| ServiceError("a seal that the case states is not 64 hexadecimal digits".to_owned()))?;
    Ok(bytes)
}

fn ledger_failed(error: Error) -> ServiceError {
    ServiceError(error.message().to_owned())
}

fn inference_failed(error: sdk::Error) -> InferenceError {
    match error {
        sdk::Error::NoProvider(text) => InferenceError::NoProvider(text),
        sdk::Error::Refused(text) => InferenceError::Refused(text),
        sdk::Error::Failed(text) => InferenceError::Failed(text),
    }
}

fn callee_failed(error: sdk_bridges::Error) -> CalleeError {
    match error {
        sdk_bridges::Error::InvalidInput { field, message } => CalleeError::InvalidInput { field, message },
        sdk_bridges::Error::NotFound(text) => CalleeError::NotFound(text),
        sdk_bridges::Error::Unavailable(text) => CalleeError::Unavailable(text),
        sdk_bridges::Error::Refused(text) => CalleeError::Refused(text),
        sdk_bridges::Error::Failed(text) => CalleeError::Failed(text),
        sdk_bridges::Error::NoProvider(text) => CalleeError::NoProvider(text),
    }
}
