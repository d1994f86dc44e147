//! Access of plugins to the store and the ledger.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;
use tollbridge_agents::qualification::Qualifications;
use tollbridge_core::time::now_ms;
use tollbridge_gateway::Gateway;
use tollbridge_ledger::{LedgerError, Notary, Proof, ProofContext, ProofFailure, ProofUnavailable, VisibleRecord};
use tollbridge_plugin::{
    KeyValueReader, LedgerReader, LedgerRecord, ProofVerdict, RecordId, ServiceError, Services, VerifiedProof,
};
use tollbridge_store::{Hash, Store, StoreError};

use super::base::Base;
use super::models::{Admission, GatewayModels};

/// Builds the services that every plugin of this host may use, except calls of other
/// plugins: the checkout adds those, because it knows the payer.
pub(super) fn services(base: &Base, gateway: Arc<Gateway>) -> Services {
    let (store, notary) = (base.db.shared_store(), base.notary.clone());
    let admission = match base.config.inference.require_qualification {
        true => Admission::Qualified(Qualifications::new(store.clone())),
        false => Admission::Every,
    };
    Services {
        key_value: Arc::new(StoredValues(store)),
        ledger: Arc::new(NotaryReader(notary)),
        models: Arc::new(GatewayModels { gateway, admission }),
        ..Services::none()
    }
}

struct StoredValues(Arc<dyn Store>);

impl KeyValueReader for StoredValues {
    fn get(&self, bucket: &str, key: &str) -> Result<Option<Vec<u8>>, ServiceError> {
        self.0.kv_get(bucket, key).map_err(store_failed)
    }

    fn list(&self, bucket: &str, after: &str, limit: usize) -> Result<Vec<(String, usize)>, ServiceError> {
        self.0.kv_list(bucket, after, limit).map_err(store_failed)
    }
}

struct NotaryReader(Arc<Notary>);

impl LedgerReader for NotaryReader {
    fn record(
        &self,
        id: RecordId,
        account: Option<String>,
    ) -> BoxFuture<'_, Result<Option<LedgerRecord>, ServiceError>> {
        let notary = self.0.clone();
        blocking(move || {
            let Some(record) = find_record(&notary, id, account.as_deref()).map_err(failed)? else { return Ok(None) };
            let body = record.body.map(String::from_utf8).transpose().map_err(failed)?;
            Ok(Some(LedgerRecord { seal: record.seal, seq: record.seq, body }))
        })
    }

    fn proof(&self, seal: Hash) -> BoxFuture<'_, Result<Option<String>, ServiceError>> {
        let notary = self.0.clone();
        // A proof reads much of the tree, and may wait for a checkpoint.
        let handle = Handle::current();
        blocking(move || match handle.block_on(notary.proof(&seal, None, now_ms())) {
            Ok(proof) => Ok(Some(serde_json::Value::Object(proof.to_json()).to_string())),
            Err(ProofFailure::None(ProofUnavailable::Unknown)) => Ok(None),
            Err(error) => Err(failed(error)),
        })
    }

    fn verify(&self, document: String, record: Option<String>) -> BoxFuture<'_, Result<ProofVerdict, ServiceError>> {
        let notary = self.0.clone();
        blocking(move || verify(&notary, &document, record.as_deref()))
    }
}

fn find_record(notary: &Notary, id: RecordId, account: Option<&str>) -> Result<Option<VisibleRecord>, LedgerError> {
    match id {
        RecordId::Seal(seal) => notary.by_seal(&seal, account),
        // A caller who guesses an id must not learn that the transaction exists.
        RecordId::Transaction(tx) => Ok(notary.by_tx(&tx, account)?.filter(|seen| seen.body.is_some())),
    }
}

/// Verifies a proof, trusting only this ledger's keys. Also compares the proof with the
/// ledger's record of that number, because an inclusion path alone does not bind the seal
/// to the record.
fn verify(notary: &Notary, document: &str, record: Option<&str>) -> Result<ProofVerdict, ServiceError> {
    let ledger = notary.ledger();
    let proof = match Proof::parse(document) {
        Ok(proof) => proof,
        Err(error) => return Ok(ProofVerdict::NotProven(error.to_string())),
    };
    let newest = ledger.newest_checkpoint().map_err(failed)?.map(|checkpoint| checkpoint.key);
    let keys: Vec<_> = std::iter::once(ledger.key()).chain(newest).collect();
    let record_bytes = ledger.record(proof.seq).map_err(failed)?.map(|(bytes, _)| bytes);
    let check = |record| proof.verify(&ProofContext { keys: &keys, record, since: None });
    match check(record_bytes.as_deref()).and_then(|_| check(record.map(str::as_bytes))) {
        Ok(report) => Ok(ProofVerdict::Proven(VerifiedProof {
            seal: proof.seal,
            seq: report.seq,
            tree_size: report.tree_size,
            origin: report.origin,
            key: report.key,
            record_checked: report.record_checked,
        })),
        Err(error) => Ok(ProofVerdict::NotProven(error.to_string())),
    }
}

/// Runs disk work on a blocking thread.
fn blocking<T: Send + 'static>(
    body: impl FnOnce() -> Result<T, ServiceError> + Send + 'static,
) -> BoxFuture<'static, Result<T, ServiceError>> {
    spawn_blocking(body).map(|done| done.unwrap_or_else(|stopped| Err(failed(stopped)))).boxed()
}

fn failed(error: impl std::fmt::Display) -> ServiceError {
    ServiceError(error.to_string())
}

fn store_failed(error: StoreError) -> ServiceError {
    ServiceError(format!("{error}: {:?}", error.source))
}
