//! What the processor keeps of a payment, or gives back of what it kept. Its own
//! books say how much, often some time after the payment.
//!
//! Invariant: that a fee is still to be booked is a row that was written with the
//! payment and goes with the record of the fee; the same line of the processor's
//! books is booked once, whoever finds it.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::cashier::{PaymentError, PaymentService, ReconcileReport};
use super::processor::ProcessorFee;
use tollbridge_core::limits::{FEES_PER_ROUND_MAX, ORDER_LOOKUP_MS_MIN, RECONCILED_PER_ROUND_MAX};
use tollbridge_ledger::{Entry, Fee};
use tollbridge_store::{Change, Collection, Expect, Hash, Put, Refusal, SubmitError};

/// Row of `Collection::Fees`, under the processor's own name for the payment.
#[derive(Serialize, Deserialize)]
struct Due {
    paid_ms: u64,
}

/// The row that says that the fee of a payment is still to be booked.
pub(super) fn fee_due(payment: &str, paid_ms: u64) -> Put {
    let value = serde_json::to_vec(&Due { paid_ms }).ok();
    Put { collection: Collection::Fees, key: payment.to_owned(), value, expect: Expect::Any }
}

impl PaymentService {
    /// Asks for the fees that are not in the books yet.
    pub(super) async fn follow_fees(&self, now_ms: u64, done: &mut ReconcileReport) -> Result<(), PaymentError> {
        let mut asked = 0;
        for (payment, row) in self.store.list(Collection::Fees, "", RECONCILED_PER_ROUND_MAX)? {
            let due: Due = serde_json::from_slice(&row)?;
            // Mostly it is there at once; the longer it is not, the less often.
            let wait = (now_ms.saturating_sub(due.paid_ms) / 10).max(3 * ORDER_LOOKUP_MS_MIN);
            if asked == FEES_PER_ROUND_MAX {
                break;
            }
            if self.may_look(&format!("fee {payment}"), now_ms, wait) {
                asked += 1;
                done.count(self.follow_fee(&payment, now_ms).await)?;
            }
        }
        Ok(())
    }

    /// True when the fee of a payment is in the books.
    async fn follow_fee(&self, payment: &str, now_ms: u64) -> Result<bool, PaymentError> {
        match self.processor.fee_of(payment).await? {
            Some(charged) => self.book_fee(&charged, Some(payment), now_ms).await.map(|_| true),
            None => Ok(false),
        }
    }

    /// True when it was not in the books before. `due` is the payment whose row
    /// goes with it.
    pub(super) async fn book_fee(
        &self,
        charged: &ProcessorFee,
        due: Option<&str>,
        now_ms: u64,
    ) -> Result<bool, PaymentError> {
        let settled = |payment: &str| Put {
            collection: Collection::Fees,
            key: payment.to_owned(),
            value: None,
            expect: Expect::Any,
        };
        let puts: Vec<Put> = due.map(settled).into_iter().collect();
        if !charged.fee.is_zero() {
            let processor = self.processor.name().to_owned();
            let fee = Fee { amount: charged.fee, processor, reference: charged.line.clone() };
            let digest = Sha256::new().chain_update(b"tollbridge fee v1").chain_update(&charged.line);
            let tx: Hash = digest.finalize().into();
            let record = Some(Entry::Fee(fee).draft(tx, now_ms)?);
            match self.writer.submit(Change { puts: puts.clone(), record, ..Change::default() }).await {
                Ok(_) => return Ok(true),
                // It is booked; only its row is left.
                Err(SubmitError::Refused(Refusal::Duplicate { .. })) => {}
                Err(error) => return Err(PaymentError::Write(error)),
            }
        }
        if !puts.is_empty() {
            self.writer.submit(Change { puts, ..Change::default() }).await.map_err(PaymentError::Write)?;
        }
        Ok(false)
    }
}
