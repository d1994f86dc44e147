//! Decides whether a failed attempt at a queued task is retried.

use tollbridge_market::checkout::CheckoutError;
use tollbridge_plugin::Failure;

use super::task::TaskRow;
use crate::limits::TASK_AGE_MS_MAX;

/// Maximum number of attempts at a queued task whose agent fails.
const TASK_ATTEMPTS_MAX: u32 = 4;
/// Pause before the second attempt at a task; doubled before each further one.
const TASK_BACKOFF_MS: u64 = 1_000;

/// The consequence of a failed attempt: a retry, or the end of the task.
pub(super) enum RetryDecision {
    /// Do nothing: the task has already ended in another way.
    AlreadyEnded,
    /// Retry after this time; `counts` is true if the attempt counts towards the maximum.
    Retry { after_ms: u64, counts: bool },
    /// Fail the task; `by_agent` is true if the agent is at fault.
    GiveUp { by_agent: bool },
}

pub(super) fn retry_decision(error: &CheckoutError, row: &TaskRow, now_ms: u64) -> RetryDecision {
    if matches!(error, CheckoutError::Superseded) {
        return RetryDecision::AlreadyEnded;
    }
    // The failed attempt was charged: another attempt could cost the caller more than was
    // quoted.
    if matches!(error, CheckoutError::Charged { .. }) {
        return RetryDecision::GiveUp { by_agent: is_agents_fault(error) };
    }
    let old = now_ms.saturating_sub(row.created_ms) > TASK_AGE_MS_MAX;
    let busy = matches!(
        error,
        CheckoutError::Busy
            | CheckoutError::InProgress
            | CheckoutError::Lost
            | CheckoutError::Plugin(Failure::Overloaded { .. })
    );
    if busy && !old {
        return RetryDecision::Retry { after_ms: 1_000, counts: false };
    }
    let by_agent = is_agents_fault(error);
    // The providers of models may only be paused.
    let is_transient = by_agent || matches!(error.cause(), CheckoutError::Plugin(Failure::NoProvider(_)));
    if is_transient && !old && row.failed_attempts.saturating_add(1) < TASK_ATTEMPTS_MAX {
        let doubled = TASK_BACKOFF_MS.saturating_mul(1 << row.failed_attempts.min(16));
        return RetryDecision::Retry { after_ms: doubled, counts: true };
    }
    RetryDecision::GiveUp { by_agent }
}

pub(super) fn is_agents_fault(error: &CheckoutError) -> bool {
    matches!(
        error.cause(),
        CheckoutError::Plugin(
            Failure::Upstream(_)
                | Failure::Internal(_)
                | Failure::Trapped(_)
                | Failure::BadOutput(_)
                | Failure::TimedOut(_)
        )
    )
}

/// Returns a fixed code for the reason of a failure.
pub(super) fn error_kind(error: &CheckoutError) -> &'static str {
    match error.cause() {
        CheckoutError::Plugin(failure) => failure.kind(),
        CheckoutError::Invalid { .. } => "invalid_input",
        CheckoutError::Offer(_) => "agent_gone",
        CheckoutError::PaymentRequired(_) => "unpaid",
        _ => "host",
    }
}

#[cfg(test)]
mod tests {
    use tollbridge_core::money::Millipence;

    use super::super::task::{TaskPayment, TaskState};
    use super::*;

    #[test]
    fn a_task_waits_for_paused_models_but_not_for_ever() {
        let paused = CheckoutError::Plugin(Failure::NoProvider("all providers are paused".to_owned()));
        let mut row = TaskRow {
            account: "acct_1".to_owned(),
            weight: None,
            agent: "a".to_owned(),
            body: "{}".to_owned(),
            fingerprint: [0; 32],
            request_id: "req_1".to_owned(),
            payment: TaskPayment::Credit,
            price: Millipence::ZERO,
            spend: None,
            counted: None,
            state: TaskState::Working,
            failed_attempts: 0,
            not_before_ms: 0,
            created_ms: 0,
            updated_ms: 0,
            error: None,
        };
        assert!(matches!(retry_decision(&paused, &row, 0), RetryDecision::Retry { counts: true, .. }));
        row.failed_attempts = TASK_ATTEMPTS_MAX - 1;
        assert!(matches!(retry_decision(&paused, &row, 0), RetryDecision::GiveUp { by_agent: false }));
    }
}
