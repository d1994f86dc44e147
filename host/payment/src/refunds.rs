//! Refunds: money going back to whoever paid. First it is owed, in the books;
//! then the processor is asked, under an id that was durable before; then it is
//! paid, or goes back to where it came from.
//!
//! Rows of `Collection::Refunds`: `open/<id>` and `past/<id>` are refunds,
//! `gone/<name>` what cannot be bought any more; `spent/`, `taken/` and
//! `unbooked/` belong to disputes.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::cashier::{PaymentError, PaymentService, ReconcileReport};
use super::intent::IntentRow;
use super::processor::{ProcessorError, ProcessorPayment, ProcessorRefund};
use super::quote::{IntentHandle, Quote, QuoteTerms};
use tollbridge_core::limits::RECONCILED_PER_ROUND_MAX;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{Entry, Payer, Refund, RefundStage};
use tollbridge_store::{Change, Collection, Expect, Hash, Put, Refusal, SubmitError};

/// Before the key of a refund that is not finished; `p` sorts behind it.
const OPEN: &str = "open/";
const DONE: &str = "past/";

/// Row of `Collection::Refunds`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefundRow {
    pub id: String,
    pub payer: Payer,
    /// The processor's own name for the payment; none in the sandbox.
    pub payment: Option<String>,
    pub amount: Millipence,
    pub reason: String,
    pub created_ms: u64,
    pub state: RefundStatus,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefundStatus {
    Owed,
    Paid,
    Failed { reason: String },
}

impl PaymentService {
    /// Gives back all that is left of a payment. `reason` is a short code.
    pub async fn refund(&self, intent: &str, reason: &str, now_ms: u64) -> Result<RefundRow, PaymentError> {
        let standing = self.payments.intent_status(intent, now_ms)?;
        let paid = standing.paid.ok_or(PaymentError::NothingRemaining)?;
        let handle = standing.quote.handle;
        let id = refund_id(handle.as_str(), now_ms);
        self.give_back(&handle, paid, id, reason, now_ms).await
    }

    /// An intent was paid a second time, at another page of the processor: that
    /// payment gets into the books under a name of its own and is given back.
    /// Doing it again changes nothing.
    pub(super) async fn second_payment(
        &self,
        first: &IntentRow,
        paid: ProcessorPayment,
        now_ms: u64,
    ) -> Result<(), PaymentError> {
        let digest = Sha256::new().chain_update(b"tollbridge second payment v1").chain_update(&paid.reference);
        let handle = IntentHandle::from_row_key(hex::encode(digest.finalize().split_at(16).0));
        let terms = QuoteTerms {
            // Never a product: what is bought twice is not wanted twice.
            bridge: first.bridge.trim_start_matches("product:").to_owned(),
            price: paid.amount,
            charge: paid.amount,
            expires_s: now_ms / 1000,
            account: None,
        };
        let quote = Quote { handle: handle.clone(), terms };
        self.book_payment(&quote, Some(paid.reference), now_ms).await?;
        let Some(row) = self.payments.row(&handle)? else { return Ok(()) };
        let id = refund_id(handle.as_str(), 0);
        match self.give_back(&handle, row, id, "paid_twice", now_ms).await {
            Ok(_) | Err(PaymentError::NothingRemaining) => Ok(()),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn give_back(
        &self,
        handle: &IntentHandle,
        paid: IntentRow,
        id: String,
        reason: &str,
        now_ms: u64,
    ) -> Result<RefundRow, PaymentError> {
        let payer = match paid.account {
            Some(account) if paid.bridge.starts_with("product:") => Payer::Account(account),
            _ => Payer::Intent(handle.as_str().to_owned()),
        };
        let left = self.store.balance(&payer.ledger_account().to_string())?;
        // Cards are paid back in whole pence; a part of a penny stays.
        let amount = Millipence::from_pence(left.min(paid.charge).pence_floor()).unwrap_or_default();
        let (payment, reason, state) = (paid.reference, reason.to_owned(), RefundStatus::Owed);
        let row = RefundRow { id, payer, payment, amount, reason, created_ms: now_ms, state };
        self.owe(&row, now_ms).await?;
        match self.follow_refund(&row, now_ms).await {
            Ok(_) | Err(PaymentError::Processor(_)) => Ok(self.refund_row(&row.id)?.unwrap_or(row)),
            Err(error) => Err(error),
        }
    }

    /// The refunds that are not finished.
    pub fn open_refunds(&self) -> Result<Vec<RefundRow>, PaymentError> {
        let rows = self.store.list(Collection::Refunds, OPEN, RECONCILED_PER_ROUND_MAX)?;
        let open = rows.into_iter().take_while(|(key, _)| key.starts_with(OPEN));
        open.map(|(_, value)| Ok(serde_json::from_slice(&value)?)).collect()
    }

    pub(super) async fn follow_refunds(&self, now_ms: u64, done: &mut ReconcileReport) -> Result<(), PaymentError> {
        for row in self.open_refunds()? {
            done.count(self.follow_refund(&row, now_ms).await)?;
        }
        Ok(())
    }

    /// Follows up the refunds to one payer.
    pub(super) async fn settle_refunds(&self, payer: &Payer, now_ms: u64) -> Result<(), PaymentError> {
        for row in self.open_refunds()?.iter().filter(|row| row.payer == *payer) {
            self.follow_refund(row, now_ms).await?;
        }
        Ok(())
    }

    /// The money leaves the payer; nobody can spend it any more.
    async fn owe(&self, row: &RefundRow, now_ms: u64) -> Result<(), PaymentError> {
        let hold = self.hold_rest(&row.payer.ledger_account(), row.amount)?;
        let put = Put {
            collection: Collection::Refunds,
            key: format!("{OPEN}{}", row.id),
            value: Some(serde_json::to_vec(row)?),
            expect: Expect::Absent,
        };
        let record = Some(row.entry(RefundStage::Owed, None).draft(row.tx(RefundStage::Owed), now_ms)?);
        let written = self.writer.submit(Change { puts: vec![put], record, ..Change::default() }).await;
        drop(hold);
        match written {
            Ok(_) => Ok(()),
            Err(SubmitError::Refused(Refusal::Insufficient { .. })) => Err(PaymentError::NothingRemaining),
            Err(error) => Err(PaymentError::Write(error)),
        }
    }

    /// Asks the processor for a refund that is owed; true when it is finished.
    async fn follow_refund(&self, row: &RefundRow, now_ms: u64) -> Result<bool, PaymentError> {
        let payment = row.payment.as_deref().unwrap_or_default();
        let state = match self.processor.find_refund(&row.id, payment).await? {
            Some(state) => state,
            None => match self.processor.refund(&row.id, payment, row.amount).await {
                Ok(state) => state,
                Err(ProcessorError::Rejected { code, .. }) => ProcessorRefund::Failed { reason: code },
                Err(error) => return Err(error.into()),
            },
        };
        match state {
            ProcessorRefund::Pending => Ok(false),
            ProcessorRefund::Paid { reference } => {
                self.finish(row, RefundStatus::Paid, RefundStage::Paid, Some(reference), now_ms).await
            }
            ProcessorRefund::Failed { reason } => {
                tracing::warn!(refund = row.id, reason, "the payment processor does not pay a refund back");
                self.finish(row, RefundStatus::Failed { reason }, RefundStage::Failed, None, now_ms).await
            }
        }
    }

    async fn finish(
        &self,
        row: &RefundRow,
        state: RefundStatus,
        stage: RefundStage,
        reference: Option<String>,
        now_ms: u64,
    ) -> Result<bool, PaymentError> {
        let after = RefundRow { state, ..row.clone() };
        let put = |key: String, value, expect| Put { collection: Collection::Refunds, key, value, expect };
        let puts = vec![
            put(format!("{OPEN}{}", row.id), None, Expect::Exactly(serde_json::to_vec(row)?)),
            put(format!("{DONE}{}", row.id), Some(serde_json::to_vec(&after)?), Expect::Absent),
        ];
        let record = Some(row.entry(stage, reference).draft(row.tx(stage), now_ms)?);
        match self.writer.submit(Change { puts, record, ..Change::default() }).await {
            // Refused: somebody else has finished it.
            Ok(_) | Err(SubmitError::Refused(_)) => Ok(true),
            Err(error) => Err(PaymentError::Write(error)),
        }
    }

    fn refund_row(&self, id: &str) -> Result<Option<RefundRow>, PaymentError> {
        for prefix in [DONE, OPEN] {
            if let Some(bytes) = self.store.get(Collection::Refunds, &format!("{prefix}{id}"))? {
                return Ok(Some(serde_json::from_slice(&bytes)?));
            }
        }
        Ok(None)
    }
}

impl RefundRow {
    fn entry(&self, stage: RefundStage, reference: Option<String>) -> Entry {
        Entry::Refund(Refund {
            payer: self.payer.clone(),
            stage,
            reason: self.reason.clone(),
            reference: reference.or_else(|| Some(self.id.clone())),
            amount: self.amount,
        })
    }

    /// A refund is owed once, and then either paid or not.
    fn tx(&self, stage: RefundStage) -> Hash {
        let stage: &[u8] = match stage {
            RefundStage::Owed => b"owed",
            RefundStage::Paid | RefundStage::Failed => b"over",
        };
        let digest = Sha256::new().chain_update(b"tollbridge refund v1").chain_update(stage);
        digest.chain_update(&self.id).finalize().into()
    }
}

/// Twice in one millisecond is the same refund.
pub(super) fn refund_id(handle: &str, now_ms: u64) -> String {
    let digest = Sha256::new().chain_update(b"tollbridge refund id v1").chain_update(handle);
    let digest = digest.chain_update(now_ms.to_be_bytes()).finalize();
    format!("rf_{}", hex::encode(digest.split_at(12).0))
}
