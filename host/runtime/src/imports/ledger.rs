//! Implements the `ledger` interface: reading and proving sealed records.
//!
//! Invariant: the body of a record is returned only to a party to the record; the account is that
//! of the call, never one that the guest names.

use tollbridge_core::limits::{PROOF_BYTES_MAX, RECORD_BYTES_MAX};
use tollbridge_plugin::{LedgerRecord, ProofVerdict, RecordId, ServiceError};
use tollbridge_store::Hash;
use wasmtime::Result;

use crate::bindings::ledger::{self, Entry, Error, Host, Verdict};
use crate::calls::state::State;

impl State {
    /// Logs a failure of the ledger with its details, which the returned error hides from the
    /// guest.
    fn ledger_failed(&self, error: &ServiceError) -> Error {
        tracing::error!(plugin = self.plugin.facts.name, request = self.request_id, %error, "reading the ledger failed");
        Error::Failed("the ledger cannot be read now".to_owned())
    }
}

impl Host for State {
    async fn record(&mut self, id: String) -> Result<Result<Option<Entry>, Error>> {
        self.limiter.count_ledger_read()?;
        let id = match record_id(&id) {
            Ok(id) => id,
            Err(error) => return Ok(Err(error)),
        };
        let reader = self.services.ledger.clone();
        let record = reader.record(id, self.account.clone()).await;
        Ok(record.map(|record| record.map(entry)).map_err(|error| self.ledger_failed(&error)))
    }

    async fn proof(&mut self, seal: String) -> Result<Result<String, Error>> {
        self.limiter.count_ledger_read()?;
        let seal = match hash(&seal) {
            Ok(seal) => seal,
            Err(error) => return Ok(Err(error)),
        };
        let reader = self.services.ledger.clone();
        Ok(match reader.proof(seal).await {
            Ok(Some(document)) => Ok(document),
            Ok(None) => Err(Error::Unknown("no record has this seal".to_owned())),
            Err(error) => Err(self.ledger_failed(&error)),
        })
    }

    async fn verify(&mut self, document: String, record: Option<String>) -> Result<Result<Verdict, Error>> {
        self.limiter.count_ledger_read()?;
        if document.len() > PROOF_BYTES_MAX || record.as_ref().is_some_and(|record| record.len() > RECORD_BYTES_MAX) {
            let text = format!("a proof document has at most {PROOF_BYTES_MAX} bytes, a record {RECORD_BYTES_MAX}");
            return Ok(Ok(Verdict::NotProven(text)));
        }
        let reader = self.services.ledger.clone();
        let verdict = reader.verify(document, record).await;
        Ok(verdict.map(verdict_for_guest).map_err(|error| self.ledger_failed(&error)))
    }
}

fn entry(record: LedgerRecord) -> Entry {
    Entry { seal: hex::encode(record.seal), seq: record.seq, body: record.body }
}

fn verdict_for_guest(verdict: ProofVerdict) -> Verdict {
    match verdict {
        ProofVerdict::NotProven(why) => Verdict::NotProven(why),
        ProofVerdict::Proven(proven) => Verdict::Proven(ledger::Proven {
            seal: hex::encode(proven.seal),
            seq: proven.seq,
            tree_size: proven.tree_size,
            origin: proven.origin,
            key: proven.key,
            record_checked: proven.record_checked,
        }),
    }
}

fn record_id(id: &str) -> Result<RecordId, Error> {
    match id.strip_prefix("tx_") {
        Some(digits) => hash(digits).map(RecordId::Transaction),
        None => hash(id).map(RecordId::Seal),
    }
}

fn hash(digits: &str) -> Result<Hash, Error> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(digits, &mut bytes).map_err(|_| {
        Error::Malformed("a seal is 64 hexadecimal digits, a transaction id tx_ and 64 digits".to_owned())
    })?;
    Ok(bytes)
}
