//! Operator commands for withdrawals.

use std::sync::Arc;

use tollbridge_core::time::now_ms;
use tollbridge_market::accounts::{WithdrawError, Withdrawal, Withdrawals};

use super::answers::answers;
use super::error::OperatorError;

answers! {
    /// Open withdrawals.
    OpenWithdrawals { withdrawals: Vec<WithdrawalView> }
    /// A withdrawal in the answer of a command.
    WithdrawalView {
        withdrawal_id: String, account_id: String, state: String, reason: Option<String>, amount_gbp: String,
        destination: String, transfer: Option<String>, created_ms: u64,
    }
}

/// The commands for withdrawals.
pub(super) struct WithdrawalCommands {
    pub(super) withdrawals: Arc<Withdrawals>,
}

impl WithdrawalCommands {
    /// Lists open withdrawals; the blocked ones wait for the operator.
    pub(super) fn list(&self) -> Result<OpenWithdrawals, OperatorError> {
        Ok(OpenWithdrawals { withdrawals: self.withdrawals.open()?.into_iter().map(view).collect() })
    }

    pub(super) async fn release(&self, id: &str) -> Result<WithdrawalView, OperatorError> {
        Ok(view(self.withdrawals.release(id, now_ms()).await?))
    }

    pub(super) async fn reject(&self, id: &str, reason: &str) -> Result<WithdrawalView, OperatorError> {
        Ok(view(self.withdrawals.reject(id, reason, now_ms()).await?))
    }
}

fn view(withdrawal: Withdrawal) -> WithdrawalView {
    WithdrawalView {
        state: withdrawal.state.name().to_owned(),
        reason: withdrawal.state.reason().map(str::to_owned),
        withdrawal_id: withdrawal.id,
        account_id: withdrawal.account,
        amount_gbp: withdrawal.amount.pounds(),
        destination: withdrawal.destination,
        transfer: withdrawal.reference,
        created_ms: withdrawal.created_ms,
    }
}

impl From<WithdrawError> for OperatorError {
    fn from(error: WithdrawError) -> Self {
        match error {
            WithdrawError::Write(error) => error.into(),
            WithdrawError::Store(error) => error.into(),
            WithdrawError::Unknown(_) => Self::NotFound(error.to_string()),
            error => Self::Refused(error.to_string()),
        }
    }
}
