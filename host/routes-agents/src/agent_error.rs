//! Errors of agents and their tasks.

use tollbridge_agents::AgentError;
use tollbridge_api::error::{ApiError, Code, internal, not_found};
use tollbridge_market::catalog::OfferError;
use tollbridge_market::checkout::CheckoutError;
use tollbridge_web::AppState;
use tollbridge_web::error_mapping::checkout_error;

/// Maps an agent error to the API error that the client sees.
pub(crate) fn agent_error(app: &AppState, error: AgentError) -> ApiError {
    let message = error.to_string();
    match error {
        AgentError::Call(CheckoutError::Offer(OfferError::Unknown { suggestion })) => {
            let error = ApiError::new(Code::AgentNotFound, "no such agent");
            match suggestion {
                Some(name) => error.hint(&format!("did you mean `{name}`? GET /api/v1/agents lists all")),
                None => error.hint("GET /api/v1/agents lists all"),
            }
        }
        AgentError::Call(CheckoutError::Offer(OfferError::Disabled { .. })) => {
            ApiError::new(Code::AgentNotFound, message)
        }
        AgentError::Call(error) => checkout_error(app, error),
        AgentError::NoCapableAgent => {
            ApiError::new(Code::AgentNotFound, message).hint("GET /api/v1/agents lists agents and their skills")
        }
        AgentError::TaskNotFound => not_found(message),
        AgentError::AlreadyEnded(_) | AgentError::NotCancelable => {
            ApiError::new(Code::InProgress, message).hint("GET /v1/tasks/{id} shows it")
        }
        AgentError::QueueFull(_) => ApiError::new(Code::RateLimited, message).retry_after(60),
        AgentError::ServerFull => ApiError::new(Code::Overloaded, message).retry_after(60),
        AgentError::Proof(error) => internal(&error),
        AgentError::Store(error) => internal(&error),
        AgentError::Entry(error) => internal(&error),
        AgentError::Damaged(_) => internal(&error),
    }
}
