//! The services outside the runtime that plugins' host calls use: stored values, the ledger, models
//! and other plugins.
//!
//! The crates above implement the four traits; [`Services`] bundles them for one call. A decorator
//! implements the trait whose behaviour it changes, and copies the other services from the bundle that
//! it decorates:
//!
//! ```text
//! Services { models: Arc::new(budget), ..services.clone() }
//! ```

mod bundle;
mod error;
mod key_value;
mod ledger;
mod models;
mod none;
mod plugin_calls;

pub use bundle::Services;
pub use error::ServiceError;
pub use key_value::KeyValueReader;
pub use ledger::{LedgerReader, LedgerRecord, ProofVerdict, RecordId, VerifiedProof};
pub use models::{
    Completion, CompletionRequest, Embeddings, InferenceContext, InferenceError, ModelOutage, Models, Role,
};
pub use plugin_calls::{CalleeError, PluginCall, PluginCaller};
