//! Refunds: money going back to whoever paid. First the refund is owed, in the
//! ledger; then the processor is asked, under an id that was durable before;
//! then it is paid, or the money goes back to where it came from.
//!
//! Rows of `Collection::Refunds`: `open/<id>` and `past/<id>` are refunds,
//! `gone/<name>` is a delisting; `spent/`, `taken/` and `unbooked/` belong to
//! disputes.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tollbridge_core::limits::RECONCILED_PER_ROUND_MAX;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{Entry, Payer, Refund, RefundStage};
use tollbridge_store::{Collection, Hash, Refusal, SubmitError};

use super::context::PaymentContext;
use super::error::PaymentError;
use super::intent::IntentRow;
use super::processor::ProcessorPayment;
use super::quote::{IntentHandle, PRODUCT_PREFIX, Quote, QuoteTerms};
use super::recorder::PaymentRecorder;
use super::refund_step::{RefundStep, after_look_up, after_request};
use super::report::ReconcileReport;

/// Key prefix of a refund that is not finished; `past/` sorts behind it.
pub(crate) const OPEN: &str = "open/";
/// Key prefix of a refund that is finished.
pub(crate) const FINISHED: &str = "past/";

/// Row of `Collection::Refunds`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefundRow {
    /// `rf_` and 24 hexadecimal digits.
    pub id: String,
    /// Whose balance the money leaves.
    pub payer: Payer,
    /// The processor's id of the payment; `None` in the sandbox.
    pub payment: Option<String>,
    /// Whole pence.
    pub amount: Millipence,
    /// A short code.
    pub reason: String,
    /// Unix milliseconds.
    pub created_ms: u64,
    /// How far it has come.
    pub state: RefundStatus,
}

/// How far a refund has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefundStatus {
    /// The money has left the payer's balance; the processor is to pay it.
    Owed,
    /// The processor has paid it.
    Paid,
    /// The processor does not pay it; the money is back on the balance.
    Failed {
        /// The processor's code.
        reason: String,
    },
}

/// Makes refunds and follows them to their end.
pub struct Refunds {
    pub(crate) recorder: Arc<PaymentRecorder>,
    pub(crate) context: Arc<PaymentContext>,
}

impl Refunds {
    /// Refunds all that remains of a payment. `reason` is a short code.
    ///
    /// # Errors
    /// [`PaymentError::NothingRemaining`], [`PaymentError::FundsInUse`], or what
    /// was not written. What the processor does not say is no error: the refund
    /// is owed then.
    pub async fn refund(&self, intent: &str, reason: &str, now_ms: u64) -> Result<RefundRow, PaymentError> {
        let intent = self.context.authorizer.intent_status(intent, now_ms)?;
        let paid = intent.paid.ok_or(PaymentError::NothingRemaining)?;
        let handle = intent.quote.handle;
        let id = refund_id(handle.as_str(), now_ms);
        self.refund_remainder(&handle, paid, id, reason, now_ms).await
    }

    /// Refunds a second payment of one intent, made at another page of the
    /// processor: it is recorded under a handle of its own and refunded. Doing it
    /// again changes nothing.
    pub(crate) async fn refund_duplicate(
        &self,
        first: &IntentRow,
        payment: ProcessorPayment,
        now_ms: u64,
    ) -> Result<(), PaymentError> {
        let digest = Sha256::new().chain_update(b"tollbridge second payment v1").chain_update(&payment.reference);
        let handle = IntentHandle::from_row_key(hex::encode(digest.finalize().split_at(16).0));
        let terms = QuoteTerms {
            // Never a product, so that nothing is bought twice.
            bridge: first.bridge.trim_start_matches(PRODUCT_PREFIX).to_owned(),
            price: payment.amount,
            charge: payment.amount,
            expires_s: now_ms / 1000,
            account: None,
        };
        let quote = Quote { handle: handle.clone(), terms };
        self.recorder.book(&quote, Some(payment.reference), now_ms).await?;
        let Some(row) = self.context.authorizer.intent_row(&handle)? else { return Ok(()) };
        let id = refund_id(handle.as_str(), 0);
        match self.refund_remainder(&handle, row, id, "paid_twice", now_ms).await {
            Ok(_) | Err(PaymentError::NothingRemaining) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Refunds what remains of a payment, at most what was paid, under an id.
    pub(crate) async fn refund_remainder(
        &self,
        handle: &IntentHandle,
        paid: IntentRow,
        id: String,
        reason: &str,
        now_ms: u64,
    ) -> Result<RefundRow, PaymentError> {
        let payer = paid.payer(handle);
        let remaining = self.context.db.balance(&payer.ledger_account().to_string())?;
        // Cards are refunded in whole pence; a part of a penny stays.
        let amount = Millipence::from_pence(remaining.min(paid.charge).pence_floor()).unwrap_or_default();
        let (payment, reason, state) = (paid.reference, reason.to_owned(), RefundStatus::Owed);
        let row = RefundRow { id, payer, payment, amount, reason, created_ms: now_ms, state };
        self.owe(&row, now_ms).await?;
        match self.reconcile_refund(&row, now_ms).await {
            Ok(_) | Err(PaymentError::Processor(_)) => Ok(self.row(&row.id)?.unwrap_or(row)),
            Err(error) => Err(error),
        }
    }

    /// The refunds that are not finished.
    ///
    /// # Errors
    /// What the store says.
    pub fn open(&self) -> Result<Vec<RefundRow>, PaymentError> {
        let rows = self.context.db.list(Collection::Refunds, OPEN, RECONCILED_PER_ROUND_MAX)?;
        let open = rows.into_iter().take_while(|(key, _)| key.starts_with(OPEN));
        open.map(|(_, value)| Ok(serde_json::from_slice(&value)?)).collect()
    }

    /// Follows up the refunds that are not finished.
    pub(crate) async fn reconcile(&self, now_ms: u64, report: &mut ReconcileReport) -> Result<(), PaymentError> {
        for row in self.open()? {
            report.count(self.reconcile_refund(&row, now_ms).await)?;
        }
        Ok(())
    }

    /// Follows up the refunds to one payer.
    pub(crate) async fn reconcile_payer(&self, payer: &Payer, now_ms: u64) -> Result<(), PaymentError> {
        for row in self.open()?.iter().filter(|row| row.payer == *payer) {
            self.reconcile_refund(row, now_ms).await?;
        }
        Ok(())
    }

    /// Moves the money off the payer's balance; nobody can spend it any more.
    async fn owe(&self, row: &RefundRow, now_ms: u64) -> Result<(), PaymentError> {
        let hold = self.recorder.hold_remainder(&row.payer.ledger_account(), row.amount)?;
        let written = self.context.db.submit(row.owed(now_ms)?).await;
        drop(hold);
        match written {
            Ok(_) => Ok(()),
            Err(SubmitError::Refused(Refusal::Insufficient { .. })) => Err(PaymentError::NothingRemaining),
            Err(error) => Err(PaymentError::Write(error)),
        }
    }

    /// Asks the processor for a refund that is owed; true when it is finished.
    pub(crate) async fn reconcile_refund(&self, row: &RefundRow, now_ms: u64) -> Result<bool, PaymentError> {
        let payment = row.payment.as_deref().unwrap_or_default();
        let mut step = after_look_up(self.context.processor.find_refund(&row.id, payment).await)?;
        if step == RefundStep::Request {
            step = after_request(self.context.processor.refund(&row.id, payment, row.amount).await)?;
        }
        let RefundStep::Finish { state, stage, reference } = step else { return Ok(false) };
        if let RefundStatus::Failed { reason } = &state {
            tracing::warn!(refund = row.id, reason, "the payment processor does not pay a refund");
        }
        match self.context.db.submit(row.finished(state, stage, reference, now_ms)?).await {
            // Refused: somebody else has finished it.
            Ok(_) | Err(SubmitError::Refused(_)) => Ok(true),
            Err(error) => Err(PaymentError::Write(error)),
        }
    }

    pub(crate) fn row(&self, id: &str) -> Result<Option<RefundRow>, PaymentError> {
        for prefix in [FINISHED, OPEN] {
            if let Some(bytes) = self.context.db.get(Collection::Refunds, &format!("{prefix}{id}"))? {
                return Ok(Some(serde_json::from_slice(&bytes)?));
            }
        }
        Ok(None)
    }
}

impl RefundRow {
    pub(crate) fn entry(&self, stage: RefundStage, reference: Option<String>) -> Entry {
        Entry::Refund(Refund {
            payer: self.payer.clone(),
            stage,
            reason: self.reason.clone(),
            reference: reference.or_else(|| Some(self.id.clone())),
            amount: self.amount,
        })
    }

    /// A refund is owed once, and then either paid or failed, once.
    pub(crate) fn tx(&self, stage: RefundStage) -> Hash {
        let stage: &[u8] = match stage {
            RefundStage::Owed => b"owed",
            RefundStage::Paid | RefundStage::Failed => b"over",
        };
        let digest = Sha256::new().chain_update(b"tollbridge refund v1").chain_update(stage);
        digest.chain_update(&self.id).finalize().into()
    }
}

/// The id of a refund; twice in one millisecond is the same refund.
pub(crate) fn refund_id(handle: &str, now_ms: u64) -> String {
    let digest = Sha256::new().chain_update(b"tollbridge refund id v1").chain_update(handle);
    let digest = digest.chain_update(now_ms.to_be_bytes()).finalize();
    format!("rf_{}", hex::encode(digest.split_at(12).0))
}
