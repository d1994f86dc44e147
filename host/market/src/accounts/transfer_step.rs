//! Decisions about the next step of a pending withdrawal, based on the processor's answers.
//!
//! These functions do no I/O, so the model in `withdrawal_model.rs` explores exactly the
//! decisions of the service.
//!
//! Invariant: only a refusal of the transfer itself, or the operator's, restores a balance.

use tollbridge_core::limits::{TRANSFER_CONFIRM_MS, TRANSFER_REPEAT_MS_MAX};
use tollbridge_core::money::Millipence;
use tollbridge_core::planted::Defect;
use tollbridge_payment::{LookupError, ProcessorError, ProcessorTransfer};

use super::withdrawal::{Withdrawal, WithdrawalState};

/// The step after an answer of the processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TransferStep {
    /// Request the transfer, under the withdrawal's id.
    Request,
    /// The transfer was made; a part may already have come back.
    Settle(ProcessorTransfer),
    /// The transfer was refused; restore the balance.
    Fail {
        /// The processor's code.
        reason: String,
    },
    /// The outcome is unknown; look the transfer up until it is clear.
    Unclear,
    /// No longer request the transfer; the operator decides.
    AwaitOperator,
}

/// Whether the operator may decide about a withdrawal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OperatorTurn {
    /// Allowed: the processor was never asked.
    Now,
    /// Allowed if a look-up at the processor finds no transfer.
    AfterLookUp,
    /// Not allowed: the processor is still being asked, or may still act on an earlier
    /// request.
    NotYet,
}

/// The effect of a returned transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReturnStep {
    /// Restore the balance by the part that has come back and is not booked yet.
    Restore(Millipence),
    /// The transfer is not confirmed yet; look it up first.
    LookUp,
    /// The balance was already restored, or the money never left.
    Ignore,
}

/// Returns the step after looking up a withdrawal whose transfer was first due `waited_ms`
/// ago.
pub(super) fn after_look_up(found: Result<Option<ProcessorTransfer>, LookupError>, waited_ms: u64) -> TransferStep {
    match found {
        Ok(Some(transfer)) => TransferStep::Settle(transfer),
        Ok(None) if waited_ms > TRANSFER_REPEAT_MS_MAX => TransferStep::AwaitOperator,
        Ok(None) => TransferStep::Request,
        Err(error) if Defect::LookupRefusalIsNo.is_planted() => after_request(Err(error.into())),
        Err(_) => TransferStep::Unclear,
    }
}

/// Returns the step after a request for the transfer.
pub(super) fn after_request(answer: Result<String, ProcessorError>) -> TransferStep {
    match answer {
        Ok(reference) => TransferStep::Settle(ProcessorTransfer { reference, reversed: Millipence::ZERO }),
        Err(ProcessorError::Rejected { code, .. }) => TransferStep::Fail { reason: code },
        Err(ProcessorError::NotConfigured(_) | ProcessorError::OutcomeUnknown(_)) => TransferStep::Unclear,
    }
}

/// Returns whether the operator may decide about a withdrawal that was first due `waited_ms`
/// ago.
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

/// Returns the effect of the processor's report on how much of a transfer has come back.
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
