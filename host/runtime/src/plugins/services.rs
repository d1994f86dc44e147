//! What host calls of plugins need from rooms above this one.

use std::time::Instant;

use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt, ready};

use crate::registry::Kind;
use tollbridge_store::Hash;

/// Supplied by the application. What answers at once is plain; what may wait
/// for a disk or for other servers is a future.
pub trait Services: Send + Sync {
    /// A durable value of a bucket.
    fn kv_get(&self, bucket: &str, key: &str) -> Result<Option<Vec<u8>>, ServiceError>;
    /// Durable keys of a bucket with `key > after`, in order, and the sizes of
    /// their values in bytes; at most `limit`.
    fn kv_list(&self, bucket: &str, after: &str, limit: usize) -> Result<Vec<(String, usize)>, ServiceError>;

    /// A record by its seal; or by its transaction id, if `account` is a party
    /// to it.
    fn ledger_record(
        &self,
        _id: RecordId,
        _account: Option<String>,
    ) -> BoxFuture<'_, Result<Option<LedgerEntry>, ServiceError>> {
        no_ledger()
    }

    /// The proof document of the record with this seal, JSON.
    fn ledger_proof(&self, _seal: Hash) -> BoxFuture<'_, Result<Option<String>, ServiceError>> {
        no_ledger()
    }

    /// What a proof document proves, and whether it is about this record.
    fn ledger_verify(
        &self,
        _document: String,
        _record: Option<String>,
    ) -> BoxFuture<'_, Result<Verdict, ServiceError>> {
        no_ledger()
    }

    /// Asks a model.
    fn complete(&self, _asker: Asker, _prompt: Prompt) -> BoxFuture<'_, Result<Completion, InferenceError>> {
        no_provider()
    }

    /// Vectors of texts, one for each.
    fn embed(
        &self,
        _asker: Asker,
        _model: String,
        _texts: Vec<String>,
    ) -> BoxFuture<'_, Result<Embeddings, InferenceError>> {
        no_provider()
    }

    /// Calls another plugin on behalf of the one that asks. The answer is the
    /// text of a JSON object.
    fn call_plugin(&self, _errand: Errand) -> BoxFuture<'_, Result<Vec<u8>, CalleeError>> {
        ready(Err(CalleeError::Unavailable("there are no other plugins behind this call".to_owned()))).boxed()
    }
}

/// Nothing behind a plugin: it only describes itself, or is measured or tested
/// alone.
pub struct NoServices;

impl Services for NoServices {
    fn kv_get(&self, _: &str, _: &str) -> Result<Option<Vec<u8>>, ServiceError> {
        Ok(None)
    }

    fn kv_list(&self, _: &str, _: &str, _: usize) -> Result<Vec<(String, usize)>, ServiceError> {
        Ok(Vec::new())
    }
}

/// The service behind a host call failed. The text is for the operator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ServiceError(pub String);

/// What a record is asked for by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordId {
    Seal(Hash),
    Transaction(Hash),
}

/// A sealed record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerEntry {
    pub seal: Hash,
    pub seq: u64,
    /// Its canonical text, if the account is a party to it.
    pub body: Option<String>,
}

/// What the verifier says of a proof document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Proven(Proven),
    /// Why it proves nothing.
    NotProven(String),
}

/// What a proof document proves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proven {
    pub seal: Hash,
    pub seq: u64,
    pub tree_size: u64,
    pub origin: String,
    pub key: String,
    pub record_checked: bool,
}

/// On whose behalf a plugin asks a model, and until when an answer is of use.
#[derive(Clone, Debug)]
pub struct Asker {
    pub plugin: String,
    pub request_id: String,
    /// The calling account, if there is one.
    pub account: Option<String>,
    pub deadline: Instant,
    /// The most that it may cost; set by who sells the call.
    pub budget_millipence: Option<u64>,
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    System,
    User,
    Assistant,
}

/// What a model is asked. The bounds of `limits.rs` hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// A model's id, or `auto`.
    pub model: String,
    pub messages: Vec<(Role, String)>,
    pub max_tokens: u32,
    /// From 0 to 2.
    pub temperature: Option<f64>,
    /// Text of a JSON object.
    pub response_schema: Option<String>,
}

/// What a model answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    pub text: String,
    pub truncated: bool,
    pub model: String,
    pub provider: String,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost_millipence: u64,
}

/// Vectors of texts, in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Embeddings {
    pub vectors: Vec<Vec<f32>>,
    pub model: String,
    pub provider: String,
    pub input_tokens: u64,
    pub cost_millipence: u64,
}

/// Why a model gave no answer. The texts are for callers too.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InferenceError {
    /// Nobody is configured or able to answer; names the fix.
    #[error("{0}")]
    NoProvider(String),
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    Failed(String),
}

/// What one plugin asks of another, which its manifest names.
#[derive(Clone, Debug)]
pub struct Errand {
    pub kind: Kind,
    pub name: String,
    /// Agents only.
    pub task: Option<String>,
    /// The text of a JSON object, not checked yet; a bridge always gets one.
    pub input: Option<Bytes>,
    /// When the asking plugin's own time ends.
    pub deadline: Instant,
}

/// Why another plugin gave no answer. The texts are for callers too; nothing is
/// paid for any of these.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CalleeError {
    #[error("{message}")]
    InvalidInput { field: String, message: String },
    #[error("{0}")]
    NotFound(String),
    /// It is not here, or cannot answer now.
    #[error("{0}")]
    Unavailable(String),
    /// It was not called: money, depth or number.
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    Failed(String),
    /// It needs a model and nobody has one; names the fix.
    #[error("{0}")]
    NoProvider(String),
}

fn no_ledger<'a, T: Send + 'a>() -> BoxFuture<'a, Result<T, ServiceError>> {
    ready(Err(ServiceError("there is no ledger behind this call".to_owned()))).boxed()
}

fn no_provider<'a, T: Send + 'a>() -> BoxFuture<'a, Result<T, InferenceError>> {
    ready(Err(InferenceError::NoProvider("there are no inference providers behind this call".to_owned()))).boxed()
}
