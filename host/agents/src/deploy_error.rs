//! Errors of deployments.

use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_ledger::NotaryError;
use tollbridge_store::StoreError;

/// The name of the operator's agent that runs declared agents.
pub(super) const RUNNER: &str = "prompted";

/// The reason why a plugin could not be deployed or changed.
#[derive(Debug, thiserror::Error)]
pub enum DeployError {
    /// The request does not describe a valid plugin; the message says how to fix it.
    #[error("{message}")]
    Refused {
        /// The JSON pointer of the invalid member; empty for the whole request.
        field: &'static str,
        /// The problem and how to correct it.
        message: String,
    },
    /// The account has reached a limit.
    #[error("{0}, the maximum")]
    QuotaExceeded(String),
    /// This host is too busy to accept a deployment now.
    #[error("{0}")]
    Busy(String),
    /// The operator revoked the account's publisher key.
    #[error("the operator revoked your account's publisher key; contact the operator")]
    Revoked,
    /// The account has no such plugin.
    #[error("you have no {} {name}", kind.as_str())]
    NotFound {
        /// The kind of plugin: agent or bridge.
        kind: PluginKind,
        /// The full name that was requested.
        name: String,
    },
    /// The plugin's current state does not allow the operation.
    #[error("{0}")]
    Conflict(String),
    /// The version was removed again, because it did not serve after it was published.
    #[error("the version was published but does not serve, so it was removed: {0}")]
    NotServing(String),
    /// The operator's agent that runs declared agents is not in service.
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
