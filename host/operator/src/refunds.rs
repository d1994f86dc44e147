//! Operator commands for refunds.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;
use tollbridge_core::time::now_ms;
use tollbridge_payment::{CallPayments, PaymentError, PaymentService, RefundRow, RefundStatus};

use super::error::OperatorError;

/// The outcome of a refund.
#[expect(missing_docs, reason = "each field has the name of its JSON member")]
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
    /// Amount to refund; the whole unspent remainder if absent.
    pub(super) amount_gbp: Option<String>,
    pub(super) to_credit: bool,
    /// A short code, for the record.
    pub(super) reason: Option<String>,
    /// Reports the effect without refunding.
    pub(super) dry_run: bool,
}

/// The command for refunds.
pub(super) struct RefundCommands {
    pub(super) payments: Arc<CallPayments>,
    pub(super) payment_service: Arc<PaymentService>,
}

impl RefundCommands {
    /// Refunds the unspent remainder of a payment, or part of it: to the card, or to the
    /// credit of the account that owns the intent.
    pub(super) async fn refund(&self, intent: &str, order: RefundOrder) -> Result<RefundAnswer, OperatorError> {
        let now = now_ms();
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
                let message = "a refund to credit is always the whole remainder; leave out the amount";
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
}
