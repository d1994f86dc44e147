//! What is done next about a withdrawal under way, from what the processor said.
//!
//! These functions ask nobody and write nothing, so that the model of
//! `withdrawal_model.rs` goes through the very decisions of the service.
//!
//! Invariant: only a refusal of the transfer itself, or the operator's, restores
//! a balance.

use tollbridge_core::limits::{TRANSFER_CONFIRM_MS, TRANSFER_REPEAT_MS_MAX};
use tollbridge_core::money::Millipence;
use tollbridge_core::planted::Defect;
use tollbridge_payment::{LookupError, ProcessorError, ProcessorTransfer};

use super::withdrawal::{Withdrawal, WithdrawalState};

/// What follows from an answer of the processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TransferStep {
    /// Ask for the transfer, under the withdrawal's id.
    Request,
    /// It was made; a part may have come back already.
    Settle(ProcessorTransfer),
    /// It was refused: the balance is restored.
    Fail {
        /// The processor's code.
        reason: String,
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
    /// The balance is restored by what has come back and is not booked yet.
    Restore(Millipence),
    /// The transfer is not confirmed yet: it is looked up first.
    LookUp,
    /// It was restored before, or never left.
    Ignore,
}

/// After a look-up of a withdrawal whose transfer was first due `waited_ms` ago.
pub(super) fn after_look_up(found: Result<Option<ProcessorTransfer>, LookupError>, waited_ms: u64) -> TransferStep {
    match found {
        Ok(Some(transfer)) => TransferStep::Settle(transfer),
        Ok(None) if waited_ms > TRANSFER_REPEAT_MS_MAX => TransferStep::AwaitOperator,
        Ok(None) => TransferStep::Request,
        Err(error) if Defect::LookupRefusalIsNo.is_planted() => after_request(Err(error.into())),
        Err(_) => TransferStep::Unclear,
    }
}

/// After a request for the transfer.
pub(super) fn after_request(answer: Result<String, ProcessorError>) -> TransferStep {
    match answer {
        Ok(reference) => TransferStep::Settle(ProcessorTransfer { reference, reversed: Millipence::ZERO }),
        Err(ProcessorError::Rejected { code, .. }) => TransferStep::Fail { reason: code },
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

/// What to do when the processor says how much of a transfer has come back.
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
