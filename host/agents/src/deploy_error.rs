//! Errors of deployments.

use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_ledger::NotaryError;
use tollbridge_store::StoreError;

/// The operator's agent whose component declared agents run.
pub(super) const RUNNER: &str = "prompted";

/// The reason a plugin was not deployed or changed.
#[derive(Debug, thiserror::Error)]
pub enum DeployError {
    /// The request is not a valid plugin; the message includes the fix.
    #[error("{message}")]
    Refused {
        /// The JSON pointer of the invalid member; empty for the whole request.
        field: &'static str,
        /// The problem and how to correct it.
        message: String,
    },
    /// A limit of the account is reached.
    #[error("{0}, the maximum")]
    QuotaExceeded(String),
    /// This host is too busy now.
    #[error("{0}")]
    Busy(String),
    /// The operator revoked the account's key.
    #[error("the operator revoked your account's publisher key; contact the operator")]
    Revoked,
    /// The account owns no such plugin.
    #[error("you have no {} {name}", kind.as_str())]
    NotFound {
        /// The kind: agent or bridge.
        kind: PluginKind,
        /// The full name in the request.
        name: String,
    },
    /// The current state does not allow the operation.
    #[error("{0}")]
    Conflict(String),
    /// The version was published, did not serve and was removed.
    #[error("the version was published but does not serve, so it was removed: {0}")]
    NotServing(String),
    /// The operator's agent for prompts is missing.
    #[error(
        "a prompt runs as the operator's agent `{RUNNER}`, which does not serve here; deploy a component, or ask the \
         operator to publish it"
    )]
    NoRunner,
    /// A row cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The record cannot be sealed.
    #[error(transparent)]
    Notary(#[from] NotaryError),
    /// The registry folder cannot be read or written.
    #[error("the registry: {0}")]
    Registry(String),
}

pub(super) fn refused(field: &'static str, message: String) -> DeployError {
    DeployError::Refused { field, message }
}
