//! Decisions about the next step of a pending withdrawal, based on the processor's
//! answers.
//!
//! These functions do no I/O, so that the model in `withdrawal_model.rs` explores exactly
//! the decisions of the service.
//!
//! Invariant: a balance is restored only if the processor refuses the transfer itself, or
//! the operator rejects the withdrawal.

use tollbridge_core::money::Millipence;
use tollbridge_core::planted::Defect;
use tollbridge_payment::{LookupError, ProcessorError, ProcessorTransfer};

use super::withdrawal::{Withdrawal, WithdrawalState};
use crate::limits::{TRANSFER_CONFIRM_MS, TRANSFER_REPEAT_MS_MAX};

/// The next step of a withdrawal after an answer of the processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TransferStep {
    /// Request the transfer, with the withdrawal's id as idempotency key.
    Request,
    /// Mark the withdrawal as settled: the transfer was made, and a part may already have
    /// been returned.
    Settle(ProcessorTransfer),
    /// Restore the balance: the transfer was refused.
    Fail {
        /// The processor's error code.
        reason: String,
    },
    /// Look the transfer up again later: its outcome is unknown.
    Unclear,
    /// Stop requesting the transfer and wait for the operator's decision.
    AwaitOperator,
}

/// Whether the operator may decide about a withdrawal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OperatorTurn {
    /// Allowed: no transfer was ever requested from the processor.
    Now,
    /// Allowed if a look-up at the processor finds no transfer.
    AfterLookUp,
    /// Not allowed: the transfer is still being requested, or the processor may still
    /// execute an earlier request.
    NotYet,
}

/// The step to take when the processor reports a returned transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReturnStep {
    /// Restore the balance by this amount: the part that was returned and is not recorded
    /// yet.
    Restore(Millipence),
    /// Look the transfer up first: it is not confirmed yet.
    LookUp,
    /// Do nothing: the balance was already restored, or the money never left.
    Ignore,
}

/// Returns the next step after looking up the transfer of a withdrawal, whose first
/// request was due `waited_ms` ago.
pub(super) fn after_look_up(found: Result<Option<ProcessorTransfer>, LookupError>, waited_ms: u64) -> TransferStep {
    match found {
        Ok(Some(transfer)) => TransferStep::Settle(transfer),
        Ok(None) if waited_ms > TRANSFER_REPEAT_MS_MAX => TransferStep::AwaitOperator,
        Ok(None) => TransferStep::Request,
        Err(error) if Defect::LookupRefusalIsNo.is_planted() => after_request(Err(error.into())),
        Err(_) => TransferStep::Unclear,
    }
}

/// Returns the next step after requesting the transfer.
pub(super) fn after_request(answer: Result<String, ProcessorError>) -> TransferStep {
    match answer {
        Ok(reference) => TransferStep::Settle(ProcessorTransfer { reference, reversed: Millipence::ZERO }),
        Err(ProcessorError::Rejected { code, .. }) => TransferStep::Fail { reason: code },
        Err(ProcessorError::NotConfigured(_) | ProcessorError::OutcomeUnknown(_)) => TransferStep::Unclear,
    }
}

/// Returns whether the operator may decide about a withdrawal whose first request was due
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

/// Returns the step to take when the processor reports how much of a transfer was
/// returned.
pub(super) fn after_return(row: &Withdrawal, transfer: &ProcessorTransfer) -> ReturnStep {
    match row.state {
        _ if Defect::LateTruthIgnored.is_planted() => ReturnStep::Ignore,
        WithdrawalState::Sending | WithdrawalState::Unclear => ReturnStep::LookUp,
        WithdrawalState::Settled if row.reference.as_ref() == Some(&transfer.reference) => {
            let part = transfer.reversed.min(row.amount).checked_sub(row.returned).unwrap_or_default();
            if part > Millipence::ZERO { ReturnStep::Restore(part) } else { ReturnStep::Ignore }
        }
        _ => ReturnStep::Ignore,
    }
}
