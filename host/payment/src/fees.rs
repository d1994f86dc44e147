//! Fees that the processor keeps from a payment, or returns. The processor reports the
//! amount in its books, often some time after the payment.
//!
//! Invariants: a fee that is not recorded yet has a row, written with the payment and
//! removed with the fee's record; each line of the processor's books is recorded once,
//! whichever search finds it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tollbridge_ledger::{Entry, Fee};
use tollbridge_store::{Change, Collection, Expect, Hash, Put, Refusal, SubmitError};

use super::context::PaymentContext;
use super::error::PaymentError;
use super::processor::ProcessorFee;
use super::report::ReconcileReport;
use super::review_schedule::ReviewSchedule;
use crate::limits::LOOKUPS_PER_ROUND_MAX;

/// Row of `Collection::Fees`, under the processor's id of the payment.
#[derive(Serialize, Deserialize)]
struct PendingFeeRow {
    /// Time of the payment, Unix milliseconds.
    paid_ms: u64,
}

/// Returns the write of the row that marks a payment's fee as not yet recorded.
pub(crate) fn pending_fee(payment: &str, paid_ms: u64) -> Put {
    let value = serde_json::to_vec(&PendingFeeRow { paid_ms }).ok();
    Put { collection: Collection::Fees, key: payment.to_owned(), value, expect: Expect::Any }
}

/// Looks up and records the fees of the processor.
pub(crate) struct ProcessorFees {
    pub(crate) context: Arc<PaymentContext>,
    pub(crate) schedule: ReviewSchedule,
}

impl ProcessorFees {
    /// Looks up the fees that are not recorded yet.
    pub(crate) async fn reconcile(&self, now_ms: u64, report: &mut ReconcileReport) -> Result<(), PaymentError> {
        let since_ms = |row: &PendingFeeRow| Some(row.paid_ms);
        for due in self.schedule.due(&self.context.db, now_ms, LOOKUPS_PER_ROUND_MAX, since_ms)? {
            report.count(self.reconcile_payment(&due.key, now_ms).await)?;
        }
        Ok(())
    }

    /// Looks up the fee of a payment; returns true if it is now recorded.
    async fn reconcile_payment(&self, payment: &str, now_ms: u64) -> Result<bool, PaymentError> {
        match self.context.processor.fee_of(payment).await? {
            Some(fee) => self.book(&fee, Some(payment), now_ms).await.map(|_| true),
            None => Ok(false),
        }
    }

    /// Records a fee; returns true if it is new. `pending_payment` is the payment whose
    /// pending row is removed in the same write.
    pub(crate) async fn book(
        &self,
        fee: &ProcessorFee,
        pending_payment: Option<&str>,
        now_ms: u64,
    ) -> Result<bool, PaymentError> {
        let removal = |payment: &str| Put {
            collection: Collection::Fees,
            key: payment.to_owned(),
            value: None,
            expect: Expect::Any,
        };
        let puts: Vec<Put> = pending_payment.map(removal).into_iter().collect();
        if !fee.amount.is_zero() {
            let processor = self.context.processor.name().to_owned();
            let entry = Fee { amount: fee.amount, processor, reference: fee.transaction.clone() };
            let record = Some(Entry::Fee(entry).draft(fee_tx(&fee.transaction), now_ms)?);
            match self.context.db.submit(Change { puts: puts.clone(), record, ..Change::default() }).await {
                Ok(_) => return Ok(true),
                // The fee is already recorded; only the pending row remains to be
                // removed.
                Err(SubmitError::Refused(Refusal::Duplicate { .. })) => {}
                Err(error) => return Err(PaymentError::Write(error)),
            }
        }
        if !puts.is_empty() {
            self.context.db.submit(Change { puts, ..Change::default() }).await.map_err(PaymentError::Write)?;
        }
        Ok(false)
    }
}

/// Returns the transaction id of a fee. Each line of the processor's books has its own
/// id.
fn fee_tx(transaction: &str) -> Hash {
    Sha256::new().chain_update(b"tollbridge fee v1").chain_update(transaction).finalize().into()
}
