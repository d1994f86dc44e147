//! Operator commands for the ledger, which show all records.

use std::sync::Arc;

use serde_json::Value;
use tollbridge_agents::{ProofIssuer, TaskProofError};
use tollbridge_core::time::now_ms;
use tollbridge_ledger::{Notary, Record, seal_of};
use tollbridge_store::{Db, Hash};

use super::answers::answers;
use super::error::OperatorError;

answers! {
    /// The end of the ledger, with its signed checkpoint.
    HeadView { size: u64, seal: String, root: String, checkpoint: String, key: String }
    /// A record in full.
    RecordShown { seq: u64, seal: String, record: Value }
}

/// The commands for the ledger.
pub(super) struct LedgerCommands {
    pub(super) db: Db,
    pub(super) notary: Arc<Notary>,
    pub(super) proofs: Arc<ProofIssuer>,
}

impl LedgerCommands {
    pub(super) async fn head(&self) -> Result<HeadView, OperatorError> {
        let head = self.notary.ledger().head()?;
        let signed = self.notary.checkpoint(now_ms()).await?;
        Ok(HeadView {
            size: head.size,
            seal: hex::encode(head.seal),
            root: hex::encode(signed.checkpoint.root),
            checkpoint: signed.note().to_owned(),
            key: self.notary.ledger().key().to_string(),
        })
    }

    /// Finds a record by its number, its seal or its transaction id (`tx_…`).
    pub(super) fn show(&self, name: &str) -> Result<RecordShown, OperatorError> {
        let unknown = || OperatorError::NotFound(format!("there is no record {name}"));
        // A seal may consist of digits only, but always has 64 characters; a record
        // number has fewer.
        let number = if name.len() == 64 { None } else { name.parse::<u64>().ok() };
        let seq = if let Some(seq) = number {
            seq
        } else if let Some(tx) = name.strip_prefix("tx_") {
            self.db.seq_of_tx(&parse(tx)?)?.ok_or_else(unknown)?
        } else {
            self.db.seq_of_seal(&parse(name)?)?.ok_or_else(unknown)?
        };
        let (bytes, record): (Vec<u8>, Record) = self.notary.ledger().record(seq)?.ok_or_else(unknown)?;
        let text = String::from_utf8_lossy(&bytes);
        let body: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
        Ok(RecordShown { seq: record.seq, seal: hex::encode(seal_of(&bytes)), record: body })
    }

    /// Proves that a record, named by its seal, is in the log; for the id of a task,
    /// proves the task's result.
    pub(super) async fn proof(&self, seal: &str) -> Result<Value, OperatorError> {
        if seal.starts_with("task_") {
            return self.task_proof(seal).await;
        }
        let proof = self.notary.proof(&parse(seal)?, None, now_ms()).await;
        let proof = proof.map_err(|error| OperatorError::NotFound(error.to_string()))?;
        Ok(Value::Object(proof.to_json()))
    }

    async fn task_proof(&self, task: &str) -> Result<Value, OperatorError> {
        let failed = |error: TaskProofError| OperatorError::Failed(error.to_string());
        let answered = self.proofs.answered(task).map_err(failed)?;
        let answered = answered.ok_or_else(|| OperatorError::NotFound(format!("{task} has no answer")))?;
        Ok(self.proofs.prove_included(&answered, now_ms()).await.map_err(failed)?.to_json())
    }
}

fn parse(seal: &str) -> Result<Hash, OperatorError> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(seal, &mut bytes)
        .map_err(|_| OperatorError::Refused(format!("{seal} is not a record's number, seal or transaction id")))?;
    Ok(bytes)
}
