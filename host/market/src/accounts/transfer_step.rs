//! What is done next about a withdrawal under way, from what the processor said.
//!
//! These functions ask nobody and write nothing, so that the model of
//! `withdrawal_model.rs` goes through the very decisions of the service.
//!
//! Invariant: only a refusal of the transfer itself, or the operator's, restores
//! a balance.

use tollbridge_core::limits::{TRANSFER_CONFIRM_MS, TRANSFER_REPEAT_MS_MAX};
use tollbridge_payment::{LookupError, ProcessorError};

use super::withdrawal::WithdrawalState;

/// What follows from an answer of the processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TransferStep {
    /// Ask for the transfer, under the withdrawal's id.
    Request,
    /// It is over.
    End {
        /// How.
        state: WithdrawalState,
        /// The processor's own name for the transfer.
        reference: Option<String>,
    },
    /// Look it up until it is clear.
    Unclear,
    /// It is not asked for any more: the operator decides.
    AwaitOperator,
}

/// Whether the operator may decide about a withdrawal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OperatorTurn {
    /// The processor was never asked.
    Now,
    /// If the processor knows of no transfer.
    AfterLookUp,
    /// The processor is still being asked, or may still act on what it was asked.
    NotYet,
}

/// What the return of a transfer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReturnStep {
    /// The balance is restored.
    Restore,
    /// The transfer is not confirmed yet: the processor is to tell it again.
    Later,
    /// It was restored before, or never left.
    Ignore,
}

/// After a look-up of a withdrawal whose transfer was first due `waited_ms` ago.
pub(super) fn after_look_up(found: Result<Option<String>, LookupError>, waited_ms: u64) -> TransferStep {
    match found {
        Ok(Some(reference)) => settled(reference),
        Ok(None) if waited_ms > TRANSFER_REPEAT_MS_MAX => TransferStep::AwaitOperator,
        Ok(None) => TransferStep::Request,
        Err(_) => TransferStep::Unclear,
    }
}

/// After a request for the transfer.
pub(super) fn after_request(answer: Result<String, ProcessorError>) -> TransferStep {
    match answer {
        Ok(reference) => settled(reference),
        Err(ProcessorError::Rejected { code, .. }) => {
            TransferStep::End { state: WithdrawalState::Failed { reason: code }, reference: None }
        }
        Err(ProcessorError::NotConfigured(_) | ProcessorError::OutcomeUnknown(_)) => TransferStep::Unclear,
    }
}

/// Whether the operator may decide about a withdrawal that was first due
/// `waited_ms` ago.
pub(super) const fn operator_turn(state: &WithdrawalState, waited_ms: u64) -> OperatorTurn {
    match state {
        WithdrawalState::Blocked { .. } => OperatorTurn::Now,
        WithdrawalState::Sending | WithdrawalState::Unclear
            if waited_ms > TRANSFER_REPEAT_MS_MAX.saturating_add(TRANSFER_CONFIRM_MS) =>
        {
            OperatorTurn::AfterLookUp
        }
        _ => OperatorTurn::NotYet,
    }
}

/// What to do when the processor says that a transfer came back.
pub(super) const fn after_return(state: &WithdrawalState) -> ReturnStep {
    match state {
        WithdrawalState::Settled => ReturnStep::Restore,
        WithdrawalState::Sending | WithdrawalState::Unclear | WithdrawalState::Blocked { .. } => ReturnStep::Later,
        WithdrawalState::Failed { .. } | WithdrawalState::Rejected { .. } | WithdrawalState::Returned => {
            ReturnStep::Ignore
        }
    }
}

const fn settled(reference: String) -> TransferStep {
    TransferStep::End { state: WithdrawalState::Settled, reference: Some(reference) }
}
