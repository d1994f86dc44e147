//! What host calls of a plugin find on this machine, without a server: what a
//! golden case states, and nothing else.

use futures_util::future::{BoxFuture, FutureExt, ready};
use parking_lot::Mutex;
use tollbridge_sdk::Error;
use tollbridge_sdk::bridges as sdk_bridges;
use tollbridge_sdk::inference as sdk;
use tollbridge_sdk::ledger::Verdict as StatedVerdict;
use tollbridge_sdk::testing::{Bridges, Inference, Ledger};

use tollbridge_runtime::plugins::{
    Asker, CalleeError, Completion, Embeddings, Errand, InferenceError, LedgerEntry, Prompt, Proven, RecordId,
    ServiceError, Services, Verdict,
};
use tollbridge_runtime::registry::Kind;

/// A digest, as the ledger has it.
type Hash = [u8; 32];

/// Empty buckets, and the ledger, models and other plugins of a case.
#[derive(Default)]
pub struct StatedServices {
    ledger: Ledger,
    inference: Mutex<Inference>,
    bridges: Mutex<Bridges>,
}

impl StatedServices {
    pub fn new(ledger: Ledger, inference: Inference, bridges: Bridges) -> Self {
        Self { ledger, inference: Mutex::new(inference), bridges: Mutex::new(bridges) }
    }

    fn record(&self, id: RecordId) -> Result<Option<LedgerEntry>, ServiceError> {
        let id = match id {
            RecordId::Seal(seal) => hex::encode(seal),
            RecordId::Transaction(tx) => format!("tx_{}", hex::encode(tx)),
        };
        let Some(entry) = self.ledger.record(&id).map_err(said)? else { return Ok(None) };
        Ok(Some(LedgerEntry { seal: hash(&entry.seal)?, seq: entry.seq, body: entry.body }))
    }

    fn verify(&self, document: &str, record: Option<&str>) -> Result<Verdict, ServiceError> {
        Ok(match self.ledger.verify(document, record) {
            StatedVerdict::NotProven(why) => Verdict::NotProven(why),
            StatedVerdict::Proven(proven) => Verdict::Proven(Proven {
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

impl Services for StatedServices {
    fn kv_get(&self, _bucket: &str, _key: &str) -> Result<Option<Vec<u8>>, ServiceError> {
        Ok(None)
    }

    fn kv_list(&self, _bucket: &str, _after: &str, _limit: usize) -> Result<Vec<(String, usize)>, ServiceError> {
        Ok(Vec::new())
    }

    fn ledger_record(
        &self,
        id: RecordId,
        _account: Option<String>,
    ) -> BoxFuture<'_, Result<Option<LedgerEntry>, ServiceError>> {
        ready(self.record(id)).boxed()
    }

    fn ledger_proof(&self, seal: Hash) -> BoxFuture<'_, Result<Option<String>, ServiceError>> {
        ready(self.ledger.proof(&hex::encode(seal)).map_err(said)).boxed()
    }

    fn ledger_verify(&self, document: String, record: Option<String>) -> BoxFuture<'_, Result<Verdict, ServiceError>> {
        ready(self.verify(&document, record.as_deref())).boxed()
    }

    fn complete(&self, _asker: Asker, _prompt: Prompt) -> BoxFuture<'_, Result<Completion, InferenceError>> {
        let answer = self.inference.lock().complete().map_err(failed);
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
        _asker: Asker,
        _model: String,
        texts: Vec<String>,
    ) -> BoxFuture<'_, Result<Embeddings, InferenceError>> {
        let made = self.inference.lock().embed(texts.len()).map_err(failed);
        let made = made.map(|made| Embeddings {
            vectors: made.vectors,
            model: made.model,
            provider: made.provider,
            input_tokens: made.input_tokens,
            cost_millipence: made.cost_millipence,
        });
        ready(made).boxed()
    }

    fn call_plugin(&self, errand: Errand) -> BoxFuture<'_, Result<Vec<u8>, CalleeError>> {
        let name = match errand.kind {
            Kind::Bridge => errand.name,
            Kind::Agent => format!("agents/{}", errand.name),
        };
        let input = errand.input.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok());
        let answer = self.bridges.lock().answer(&name, errand.task.as_deref(), input);
        ready(answer.map(String::into_bytes).map_err(callee_failed)).boxed()
    }
}

fn hash(text: &str) -> Result<Hash, ServiceError> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(text, &mut bytes)
        .map_err(|_| ServiceError("a seal that the case states is not 64 hexadecimal digits".to_owned()))?;
    Ok(bytes)
}

fn said(error: Error) -> ServiceError {
    ServiceError(error.message().to_owned())
}

fn failed(error: sdk::Error) -> InferenceError {
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
