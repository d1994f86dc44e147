//! Maps this server's errors to errors of the A2A protocol.

use tollbridge_agents::AgentError;
use tollbridge_agents::a2a::{HandlerError, RpcError, RpcErrorKind, TaskStoreError};
use tollbridge_api::error::{ApiError, Code, internal};
use tollbridge_market::catalog::OfferError;
use tollbridge_market::checkout::CheckoutError;
use tollbridge_store::{Refusal, SubmitError};
use tollbridge_web::AppState;

use crate::agent_error::agent_error;

/// Maps a handler error to a protocol error.
pub(super) fn refuse(app: &AppState, error: HandlerError) -> RpcError {
    let message = error.to_string();
    let coded = |code: Code| from_api(ApiError::new(code, message.clone()));
    match error {
        HandlerError::Rpc(error) => error,
        // For an unknown or disabled agent the caller should choose another skill. An agent that is
        // not loaded may recover, so its error stays retryable.
        HandlerError::Agents(AgentError::Call(CheckoutError::Offer(why)))
            if !matches!(why, OfferError::NotLoaded { .. }) =>
        {
            let detail = "the agent of this skill is not deployed here, or is disabled; try another skill";
            RpcError::params("/params/message/metadata/capability", detail).with("code", "E007")
        }
        HandlerError::Agents(error) => from_api(agent_error(app, error)),
        HandlerError::Busy
        | HandlerError::Store(TaskStoreError::Submit(SubmitError::Refused(Refusal::Unexpected { .. }))) => {
            from_api(ApiError::new(Code::InProgress, HandlerError::Busy.to_string()).retry_after(1))
        }
        HandlerError::MessageIdReused => coded(Code::IdempotencyReused),
        HandlerError::Store(TaskStoreError::Full) => coded(Code::Overloaded),
        HandlerError::Store(TaskStoreError::Submit(SubmitError::Busy)) => {
            from_api(ApiError::new(Code::Overloaded, "too many changes wait to be written").retry_after(1))
        }
        HandlerError::OutcomeUnknown => coded(Code::Internal),
        HandlerError::Store(_) | HandlerError::Card(_) | HandlerError::NoRandomness => from_api(internal(&message)),
    }
}

/// Wraps an API error in a protocol error: its code, text and further members.
pub(super) fn from_api(error: ApiError) -> RpcError {
    let kind = match error.code {
        Code::PaymentRequired => RpcErrorKind::PaymentRequired,
        Code::Invalid | Code::NotFound | Code::PlatformRules | Code::IdempotencyReused => RpcErrorKind::InvalidParams,
        _ => RpcErrorKind::Internal,
    };
    let (detail, data) = error.into_data();
    RpcError { kind, detail, data }
}
