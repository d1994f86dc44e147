//! What host calls of plugins read from the store and the ledger, and ask of
//! models.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

use super::{models, now_ms};
use tollbridge_gateway::Gateway;
use tollbridge_ledger::{LedgerError, NoProof, Notary, Proof, ProofContext, ProofFailure, Seen};
use tollbridge_runtime::plugins::{
    Asker, Completion, Embeddings, InferenceError, LedgerEntry, Prompt, Proven, RecordId, ServiceError, Services,
    Verdict,
};
use tollbridge_store::{Hash, Store, StoreError};

/// What plugins may ask of this host.
pub(super) struct HostServices {
    pub(super) store: Arc<dyn Store>,
    pub(super) notary: Arc<Notary>,
    pub(super) gateway: Arc<Gateway>,
}

impl Services for HostServices {
    fn kv_get(&self, bucket: &str, key: &str) -> Result<Option<Vec<u8>>, ServiceError> {
        self.store.kv_get(bucket, key).map_err(failed)
    }

    fn kv_list(&self, bucket: &str, after: &str, limit: usize) -> Result<Vec<(String, usize)>, ServiceError> {
        self.store.kv_list(bucket, after, limit).map_err(failed)
    }

    fn ledger_record(
        &self,
        id: RecordId,
        account: Option<String>,
    ) -> BoxFuture<'_, Result<Option<LedgerEntry>, ServiceError>> {
        let notary = self.notary.clone();
        blocking(move || {
            let Some(found) = found(&notary, id, account.as_deref()).map_err(said)? else { return Ok(None) };
            let body = found.body.map(String::from_utf8).transpose().map_err(said)?;
            Ok(Some(LedgerEntry { seal: found.seal, seq: found.seq, body }))
        })
    }

    fn ledger_proof(&self, seal: Hash) -> BoxFuture<'_, Result<Option<String>, ServiceError>> {
        let notary = self.notary.clone();
        // It reads much of the tree, and may wait for a checkpoint in between.
        let handle = Handle::current();
        blocking(move || match handle.block_on(notary.proof(&seal, None, now_ms())) {
            Ok(proof) => Ok(Some(serde_json::Value::Object(proof.to_json()).to_string())),
            Err(ProofFailure::None(NoProof::Unknown)) => Ok(None),
            Err(error) => Err(said(error)),
        })
    }

    fn ledger_verify(&self, document: String, record: Option<String>) -> BoxFuture<'_, Result<Verdict, ServiceError>> {
        let notary = self.notary.clone();
        blocking(move || verify(&notary, &document, record.as_deref()))
    }

    fn complete(&self, asker: Asker, prompt: Prompt) -> BoxFuture<'_, Result<Completion, InferenceError>> {
        models::complete(&self.gateway, asker, prompt)
    }

    fn embed(
        &self,
        asker: Asker,
        model: String,
        texts: Vec<String>,
    ) -> BoxFuture<'_, Result<Embeddings, InferenceError>> {
        models::embed(&self.gateway, asker, model, texts)
    }
}

fn found(notary: &Notary, id: RecordId, account: Option<&str>) -> Result<Option<Seen>, LedgerError> {
    match id {
        RecordId::Seal(seal) => notary.by_seal(&seal, account),
        // Who could guess an id must not learn that there is such a transaction.
        RecordId::Transaction(tx) => Ok(notary.by_tx(&tx, account)?.filter(|seen| seen.body.is_some())),
    }
}

/// Believes this ledger's keys only. The record that the document speaks of is
/// looked up, because a path alone does not tie the seal to it.
fn verify(notary: &Notary, document: &str, record: Option<&str>) -> Result<Verdict, ServiceError> {
    let ledger = notary.ledger();
    let proof = match Proof::parse(document) {
        Ok(proof) => proof,
        Err(error) => return Ok(Verdict::NotProven(error.to_string())),
    };
    let newest = ledger.newest_checkpoint().map_err(said)?.map(|checkpoint| checkpoint.key);
    let keys: Vec<_> = std::iter::once(ledger.key()).chain(newest).collect();
    let own = ledger.record(proof.seq).map_err(said)?.map(|(bytes, _)| bytes);
    let check = |record| proof.verify(&ProofContext { keys: &keys, record, since: None });
    match check(own.as_deref()).and_then(|_| check(record.map(str::as_bytes))) {
        Ok(report) => Ok(Verdict::Proven(Proven {
            seal: proof.seal,
            seq: report.seq,
            tree_size: report.tree_size,
            origin: report.origin,
            key: report.key,
            record_checked: report.record_checked,
        })),
        Err(error) => Ok(Verdict::NotProven(error.to_string())),
    }
}

/// Runs what waits for a disk where waiting does no harm.
fn blocking<T: Send + 'static>(
    body: impl FnOnce() -> Result<T, ServiceError> + Send + 'static,
) -> BoxFuture<'static, Result<T, ServiceError>> {
    spawn_blocking(body).map(|done| done.unwrap_or_else(|stopped| Err(said(stopped)))).boxed()
}

fn said(error: impl std::fmt::Display) -> ServiceError {
    ServiceError(error.to_string())
}

fn failed(error: StoreError) -> ServiceError {
    ServiceError(format!("{error}: {:?}", error.source))
}
