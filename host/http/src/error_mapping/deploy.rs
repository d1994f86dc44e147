//! Errors of deploying plugins.

use crate::error::{ApiError, Code, internal, not_found};
use tollbridge_agents::DeployError;
use tollbridge_runtime::registry::Kind;

/// An error of a deployment as the client sees it.
pub(crate) fn deploy_error(error: DeployError) -> ApiError {
    let message = error.to_string();
    match error {
        DeployError::Refused { field, .. } => ApiError::invalid(field, message),
        DeployError::QuotaExceeded(_) => ApiError::new(Code::RateLimited, message).retry_after(3_600),
        DeployError::Revoked => ApiError::new(Code::Blocked, message),
        DeployError::NotFound { kind: Kind::Agent, .. } => ApiError::new(Code::AgentNotFound, message),
        DeployError::NotFound { kind: Kind::Bridge, .. } => not_found(message),
        DeployError::Conflict(_) => ApiError::new(Code::AlreadySealed, message),
        DeployError::NotServing(_) | DeployError::NoRunner => ApiError::new(Code::NotLoaded, message),
        DeployError::Store(error) => internal(&error),
        DeployError::Notary(error) => internal(&error),
        DeployError::Registry(_) => internal(&message),
    }
}
