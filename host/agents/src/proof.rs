//! Proofs of answers: signed statements of the agent, task, input, output and time of an
//! answer, which anyone can verify with common tools.
//!
//! A proof is derived from the sealed record of the task alone, so it can be created
//! again at any time with the same contents. It proves which answer was given, not that
//! the answer is true.
//!
//! Invariants: only a durable record is proven; the key signs proofs and nothing else;
//! the signature covers the canonical form (RFC 8785) of the statement.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_core::signing::Keyring;
use tollbridge_core::time::rfc3339_millis;
use tollbridge_ledger::{
    Entry, LedgerError, Notary, Proof, ProofFailure, Route, Sealed, TaskFacts, task_id, tx_of_task,
};
use tollbridge_store::{Hash, Store, StoreError};

/// The domain of the statement, which distinguishes it from other signed data.
const DOMAIN: &str = "tollbridge task proof v1";

/// Creates and signs proofs.
pub struct ProofIssuer {
    keys: Arc<Keyring>,
    notary: Arc<Notary>,
    store: Arc<dyn Store>,
}

/// An answered task, read from its sealed record.
#[derive(Clone, Debug)]
pub struct SealedTask {
    /// The id of the task.
    pub task_id: String,
    /// The seal of the record.
    pub seal: Hash,
    /// The position of the record in the ledger.
    pub seq: u64,
    /// The body of the record.
    pub route: Route,
    /// The task's times, and the digests of its input and output.
    pub facts: TaskFacts,
}

/// The signed statement. All members are plain texts in canonical order, so plain
/// serialization yields the canonical form; a test checks this.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "TaskStatement", description = "The signed statement")]
struct Statement {
    agent_id: String,
    component_sha256: String,
    #[schemars(extend("const" = DOMAIN))]
    domain: &'static str,
    finished_at: String,
    input_sha256: String,
    output_sha256: String,
    slug: String,
    started_at: String,
    task_id: String,
    version: String,
    worm_seal: String,
}

/// A signed statement.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TaskProof {
    task_id: String,
    #[serde(skip)]
    seal: Hash,
    #[schemars(extend("const" = "Ed25519"))]
    algorithm: &'static str,
    key_id: String,
    /// The key in hex.
    public_key: String,
    /// The signature in hex.
    signature: String,
    /// The signed bytes, in base64.
    signed: String,
    statement: Statement,
    inclusion: Inclusion,
}

/// The record's position in the ledger, and the proof of its inclusion once a signed
/// checkpoint covers it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "status", rename_all = "snake_case")]
enum Inclusion {
    /// The record is in no signed checkpoint yet.
    Pending {
        seal: String,
        seq: u64,
        /// The path of the proof.
        proof: String,
    },
    Included(Proof),
}

/// The reason why a proof cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum TaskProofError {
    /// The record cannot be found.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The record cannot be read.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The proof that the record is in the ledger cannot be created.
    #[error(transparent)]
    Log(#[from] ProofFailure),
    /// The record does not describe a task.
    #[error("the record does not describe a task")]
    Damaged,
}

impl ProofIssuer {
    /// Creates an issuer that signs with the keyring's key for proofs.
    pub fn new(keys: Arc<Keyring>, notary: Arc<Notary>, store: Arc<dyn Store>) -> Self {
        Self { keys, notary, store }
    }

    /// Returns the answered task from its sealed record; `None` while the task has no
    /// answer.
    pub fn answered(&self, task: &str) -> Result<Option<SealedTask>, TaskProofError> {
        match tx_of_task(task) {
            Some(tx) => self.answered_by_tx(&tx),
            None => Ok(None),
        }
    }

    fn answered_by_tx(&self, tx: &Hash) -> Result<Option<SealedTask>, TaskProofError> {
        let Some(seq) = self.store.seq_of_tx(tx)? else { return Ok(None) };
        let Some((bytes, record)) = self.notary.ledger().record(seq)? else { return Ok(None) };
        if record.kind != "route" {
            return Ok(None);
        }
        let Ok(Entry::Route(route)) = Entry::read(&record.kind, &record.body) else {
            return Err(TaskProofError::Damaged);
        };
        let (Some(facts), PluginKind::Agent) = (route.task, route.plugin_kind) else { return Ok(None) };
        let seal = tollbridge_ledger::seal_of(&bytes);
        Ok(Some(SealedTask { task_id: task_id(tx), seal, seq, route, facts }))
    }

    /// Creates the proof of a task that was just sealed. It does not yet include the
    /// proof that the task's record is in the ledger, which is available after the next
    /// checkpoint.
    pub fn prove(&self, answered: &SealedTask) -> Result<TaskProof, TaskProofError> {
        let seal = hex::encode(answered.seal);
        let proof = format!("/v1/ledger/proof/{seal}");
        self.sign(answered, Inclusion::Pending { seal, seq: answered.seq, proof })
    }

    /// Creates the proof of a task, including the proof that its record is in the ledger.
    pub async fn prove_included(&self, answered: &SealedTask, now_ms: u64) -> Result<TaskProof, TaskProofError> {
        let proof = self.notary.proof(&answered.seal, None, now_ms).await?;
        self.sign(answered, Inclusion::Included(proof))
    }

    fn sign(&self, answered: &SealedTask, inclusion: Inclusion) -> Result<TaskProof, TaskProofError> {
        let statement = Statement::new(answered);
        let signed = serde_json::to_vec(&statement).map_err(|_| TaskProofError::Damaged)?;
        let signer = self.keys.proofs();
        let public = signer.public();
        Ok(TaskProof {
            task_id: answered.task_id.clone(),
            seal: answered.seal,
            algorithm: "Ed25519",
            key_id: public.kid.clone(),
            public_key: hex::encode(public.bytes),
            signature: hex::encode(signer.sign(&signed)),
            signed: STANDARD.encode(&signed),
            statement,
            inclusion,
        })
    }
}

impl SealedTask {
    /// Creates a sealed task from its new record; returns `None` if the record is not
    /// about a task.
    pub fn of(sealed: &Sealed, route: Route) -> Option<Self> {
        let facts = route.task?;
        Some(Self { task_id: task_id(sealed.tx()), seal: *sealed.seal(), seq: sealed.seq(), route, facts })
    }
}

impl Statement {
    fn new(answered: &SealedTask) -> Self {
        let SealedTask { task_id, seal, route, facts, .. } = answered;
        Self {
            agent_id: route.plugin.clone(),
            component_sha256: hex::encode(route.component_sha256),
            domain: DOMAIN,
            finished_at: rfc3339_millis(facts.finished_ms),
            input_sha256: hex::encode(facts.input_sha256),
            output_sha256: hex::encode(facts.output_sha256),
            slug: route.plugin.clone(),
            started_at: rfc3339_millis(facts.started_ms),
            task_id: task_id.clone(),
            version: route.version.clone(),
            worm_seal: hex::encode(seal),
        }
    }
}

impl TaskProof {
    /// Returns the seal of the record.
    pub const fn seal(&self) -> &Hash {
        &self.seal
    }

    /// The name of the agent.
    pub fn slug(&self) -> &str {
        &self.statement.slug
    }

    /// Formats the proof for clients.
    pub fn to_json(&self) -> Value {
        json!(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_written_in_canonical_form() {
        let text = |byte: &str| byte.repeat(32);
        let statement = Statement {
            agent_id: "a-b".to_owned(),
            component_sha256: text("0f"),
            domain: DOMAIN,
            finished_at: rfc3339_millis(1_700_000_000_123),
            input_sha256: text("1f"),
            output_sha256: text("2f"),
            slug: "a-b".to_owned(),
            started_at: rfc3339_millis(1_700_000_000_000),
            task_id: "task_1".to_owned(),
            version: "1.2.3-rc.1+b".to_owned(),
            worm_seal: text("3f"),
        };
        assert_eq!(serde_json::to_vec(&statement).unwrap(), serde_json_canonicalizer::to_vec(&statement).unwrap());
    }
}
