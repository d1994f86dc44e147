//! Why an A2A request has no result.

use tollbridge_store::StoreError;

use super::canonical::CanonicalFormError;
use super::rpc::{RpcError, RpcErrorKind};
use super::skills::ids;
use super::task_store::TaskStoreError;
use crate::error::AgentError;

/// Why a request has no result.
#[derive(Debug, thiserror::Error)]
pub enum HandlerError {
    /// The request itself is wrong.
    #[error("{}", .0.detail)]
    Rpc(RpcError),
    /// The agent's call was refused or failed before it could be a task.
    #[error(transparent)]
    Agents(#[from] AgentError),
    /// Another message is being handled for this task.
    #[error("another message works on this task, or this very message is on its way")]
    Busy,
    /// The same message id came before, with other content.
    #[error("this messageId was used for another message; use a new one")]
    MessageIdReused,
    /// The tasks cannot be read or written.
    #[error(transparent)]
    Store(#[from] TaskStoreError),
    /// A card cannot be written.
    #[error(transparent)]
    Card(#[from] CanonicalFormError),
    /// The system gave no random bytes.
    #[error("no randomness is available")]
    NoRandomness,
    /// The write may or may not have happened.
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
