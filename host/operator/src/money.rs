//! Operator commands for refunds and withdrawals.

use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;
use tollbridge_core::time::DAY_MS;
use tollbridge_market::accounts::{WithdrawError, Withdrawal};
use tollbridge_payment::{BalanceComparison, PaymentError, RefundRow, RefundStatus};

use super::answers::answers;
use super::error::OperatorError;
use super::service::OperatorService;

answers! {
    /// Open withdrawals.
    OpenWithdrawals { withdrawals: Vec<WithdrawalView> }
    /// A withdrawal as shown.
    WithdrawalView {
        withdrawal_id: String, account_id: String, state: String, reason: Option<String>, amount_gbp: String,
        destination: String, transfer: Option<String>, created_ms: u64,
    }
}

/// The outcome of a refund.
#[expect(missing_docs, reason = "each is named as in the JSON answer")]
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RefundAnswer {
    Refunded {
        refund_id: String,
        state: RefundStatus,
        amount_gbp: String,
        payment: Option<String>,
    },
    DryRun {
        state: String,
        amount_gbp: String,
        refundable_gbp: String,
        account_id: Option<String>,
        payment: Option<String>,
    },
    Credited {
        state: String,
        account_id: String,
        amount_gbp: String,
    },
}

/// A refund, as given by the command.
pub(super) struct RefundOrder {
    /// Part of the rest to refund; all of it if absent.
    pub(super) amount_gbp: Option<String>,
    pub(super) to_credit: bool,
    /// A short code, for the record.
    pub(super) reason: Option<String>,
    /// Only reports the effect.
    pub(super) dry_run: bool,
}

impl OperatorService {
    /// Refunds the rest of a payment, or a part of it: to the card, or to the credit of the account
    /// that owns the intent.
    pub(super) async fn payment_refund(&self, intent: &str, order: RefundOrder) -> Result<RefundAnswer, OperatorError> {
        let now = (self.now_ms)();
        let (handle, paid) = self.payments.intents.find_paid(intent, now).map_err(PaymentError::from)?;
        let part = order.amount_gbp.as_deref().map(str::parse::<Millipence>).transpose();
        let part = part.map_err(|error| OperatorError::Refused(format!("`amount`: {error}")))?;
        if order.dry_run {
            let all = self.payment_service.refunds.refundable(&handle, &paid)?;
            return Ok(RefundAnswer::DryRun {
                state: "not done (dry run)".to_owned(),
                amount_gbp: part.unwrap_or(all).pounds(),
                refundable_gbp: all.pounds(),
                account_id: paid.account,
                payment: paid.reference,
            });
        }
        if order.to_credit {
            if part.is_some() {
                let message = "a refund to credit is always the whole rest; leave out the amount";
                return Err(OperatorError::Refused(message.to_owned()));
            }
            let owner = paid.account.ok_or(PaymentError::WrongAccount)?;
            let amount = self.payment_service.recorder.convert_remainder(&handle, &owner, now).await?;
            let (state, amount_gbp) = ("credited".to_owned(), amount.pounds());
            return Ok(RefundAnswer::Credited { state, account_id: owner, amount_gbp });
        }
        let reason = order.reason.as_deref().unwrap_or("operator");
        let refund = self.payment_service.refunds.refund(handle.as_str(), part, reason, now).await?;
        let RefundRow { id: refund_id, state, amount, payment, .. } = refund;
        Ok(RefundAnswer::Refunded { refund_id, state, amount_gbp: amount.pounds(), payment })
    }

    /// Books the processor's fees and compares its balance with the ledger.
    pub(super) async fn payment_reconcile(&self, days: u32) -> Result<BalanceComparison, OperatorError> {
        let now = (self.now_ms)();
        let since = now.saturating_sub(u64::from(days).saturating_mul(DAY_MS));
        Ok(self.payment_service.audit.compare(since, now).await?)
    }

    /// Lists open withdrawals; the blocked ones wait for the operator.
    pub(super) fn withdrawal_list(&self) -> Result<OpenWithdrawals, OperatorError> {
        Ok(OpenWithdrawals { withdrawals: self.withdrawals.open()?.into_iter().map(view).collect() })
    }

    pub(super) async fn withdrawal_release(&self, id: &str) -> Result<WithdrawalView, OperatorError> {
        Ok(view(self.withdrawals.release(id, (self.now_ms)()).await?))
    }

    pub(super) async fn withdrawal_reject(&self, id: &str, reason: &str) -> Result<WithdrawalView, OperatorError> {
        Ok(view(self.withdrawals.reject(id, reason, (self.now_ms)()).await?))
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

impl From<PaymentError> for OperatorError {
    fn from(error: PaymentError) -> Self {
        match error {
            PaymentError::Write(error) => error.into(),
            PaymentError::Declined(problem) => Self::NotFound(problem.to_string()),
            PaymentError::Store(error) => error.into(),
            error => Self::Refused(error.to_string()),
        }
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
