//! Why a deployment is refused.

use tollbridge_ledger::NotaryError;
use tollbridge_runtime::registry::Kind;
use tollbridge_store::StoreError;

/// The operator's agent whose component declared agents run.
pub(super) const RUNNER: &str = "prompted";

#[derive(Debug, thiserror::Error)]
pub enum DeployError {
    /// What was sent cannot be a plugin; names what and the fix.
    #[error("{message}")]
    Refused { field: &'static str, message: String },
    #[error("{0}; that is the most")]
    QuotaExceeded(String),
    #[error("the operator revoked what your account publishes; ask the operator")]
    Revoked,
    #[error("you have no {} {name}", kind.as_str())]
    NotFound { kind: Kind, name: String },
    #[error("{0}")]
    Conflict(String),
    #[error("it was published and does not serve, so it was taken back: {0}")]
    NotServing(String),
    #[error(
        "a prompt runs as the operator's agent `{RUNNER}`, which does not serve here; deploy a component, or ask the \
         operator to publish it"
    )]
    NoRunner,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Notary(#[from] NotaryError),
    #[error("the registry: {0}")]
    Registry(String),
}

pub(super) fn refused(field: &'static str, message: String) -> DeployError {
    DeployError::Refused { field, message }
}
