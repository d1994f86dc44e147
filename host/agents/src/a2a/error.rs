//! Errors of A2A requests.

use tollbridge_store::StoreError;

use super::canonical::CanonicalFormError;
use super::rpc_error::{RpcError, RpcErrorKind};
use super::skills::ids;
use super::task_store::TaskStoreError;
use crate::error::AgentError;

/// The reason an A2A request has no result.
#[derive(Debug, thiserror::Error)]
pub enum HandlerError {
    /// The request is invalid.
    #[error("{}", .0.detail)]
    Rpc(RpcError),
    /// The agent's call was refused or failed, so no task was created or changed.
    #[error(transparent)]
    Agents(#[from] AgentError),
    /// Another message for this task is being processed.
    #[error("another message for this task, or this same message, is being processed")]
    Busy,
    /// The message id was used before, with different content.
    #[error("this messageId was used for another message; use a new one")]
    MessageIdReused,
    /// The tasks cannot be read or written.
    #[error(transparent)]
    Store(#[from] TaskStoreError),
    /// A card cannot be serialized.
    #[error(transparent)]
    Card(#[from] CanonicalFormError),
    /// The operating system provides no randomness.
    #[error("no randomness is available")]
    NoRandomness,
    /// The task may or may not have been written.
    #[error("the outcome is unknown; send the same message again")]
    OutcomeUnknown,
}

impl From<RpcError> for HandlerError {
    fn from(error: RpcError) -> Self {
        Self::Rpc(error)
    }
}

impl From<StoreError> for HandlerError {
    fn from(error: StoreError) -> Self {
        Self::Store(error.into())
    }
}

pub(super) fn no_task(id: &str) -> RpcError {
    let shown: String = id.chars().take(80).collect();
    RpcError::new(RpcErrorKind::TaskNotFound, format!("this account has no task {shown}; tasks are kept for a day"))
        .with("code", "E012")
}

pub(super) fn no_skill(capability: &str) -> RpcError {
    let shown: String = capability.chars().take(80).collect();
    RpcError::params(
        "/params/message/metadata/capability",
        format!("there is no skill `{shown}`; the skills are {}", ids()),
    )
    .with("code", "E007")
}
