//! Maps errors of deploying plugins to API errors.

use tollbridge_agents::DeployError;
use tollbridge_api::error::{ApiError, Code, internal, not_found};
use tollbridge_core::plugin_kind::PluginKind;

/// Maps a deployment error to the API error that the client sees.
pub(crate) fn deploy_error(error: DeployError) -> ApiError {
    let message = error.to_string();
    match error {
        DeployError::Refused { field, .. } => ApiError::invalid(field, message),
        DeployError::QuotaExceeded(_) => ApiError::new(Code::RateLimited, message).retry_after(3_600),
        DeployError::Busy(_) => ApiError::new(Code::Overloaded, message).retry_after(60),
        DeployError::Revoked => ApiError::new(Code::Blocked, message),
        DeployError::NotFound { kind: PluginKind::Agent, .. } => ApiError::new(Code::AgentNotFound, message),
        DeployError::NotFound { kind: PluginKind::Bridge, .. } => not_found(message),
        DeployError::Conflict(_) => ApiError::new(Code::AlreadySealed, message),
        DeployError::NotServing(_) | DeployError::NoRunner => ApiError::new(Code::NotLoaded, message),
        DeployError::Store(error) => internal(&error),
        DeployError::Notary(error) => internal(&error),
        DeployError::Registry(_) => internal(&message),
    }
}
