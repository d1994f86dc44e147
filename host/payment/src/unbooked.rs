//! Disputes that could not be booked: said loudly, counted, kept as rows, and
//! tried again until they are in the books.
//!
//! Rows of `Collection::Refunds`: `unbooked/{dispute}` is since when, in Unix
//! milliseconds.

use super::cashier::{PaymentError, PaymentService, ReconcileReport};
use super::processor::PaymentProcessor;
use tollbridge_core::limits::RECONCILED_PER_ROUND_MAX;
use tollbridge_store::{Change, Collection, Expect, Put};

const UNBOOKED: &str = "unbooked/";

impl PaymentService {
    /// Notes that a dispute could not be booked, or that it is at last.
    pub(super) async fn note_outcome(
        &self,
        dispute: &str,
        outcome: &Result<(), PaymentError>,
        now_ms: u64,
    ) -> Result<(), PaymentError> {
        let key = format!("{UNBOOKED}{dispute}");
        let noted = self.store.get(Collection::Refunds, &key)?.is_some();
        if let Err(error) = outcome {
            metrics::counter!("tollbridge_disputes_unbooked_total").increment(1);
            tracing::error!(dispute, %error, "a dispute is NOT in the books; it is tried again, see `tollbridge payment reconcile`");
        }
        let value = match (outcome, noted) {
            (Ok(()), true) => None,
            (Err(_), false) => Some(now_ms.to_string().into_bytes()),
            _ => return Ok(()),
        };
        let put = Put { collection: Collection::Refunds, key, value, expect: Expect::Any };
        let written = self.writer.submit(Change { puts: vec![put], ..Change::default() }).await;
        written.map(drop).map_err(PaymentError::Write)
    }

    /// The processor's names of disputes that are not in the books.
    pub fn unbooked_disputes(&self) -> Result<Vec<String>, PaymentError> {
        let rows = self.store.list(Collection::Refunds, UNBOOKED, RECONCILED_PER_ROUND_MAX)?;
        Ok(rows.iter().map_while(|(key, _)| key.strip_prefix(UNBOOKED).map(str::to_owned)).collect())
    }

    /// Looks each of them up and tries once more.
    pub(super) async fn follow_disputes(&self, now_ms: u64, done: &mut ReconcileReport) -> Result<(), PaymentError> {
        let PaymentProcessor::Stripe(stripe) = self.processor.as_ref() else { return Ok(()) };
        for id in self.unbooked_disputes()? {
            let booked = match stripe.dispute(&id).await {
                Ok(disputed) => match self.book_dispute(&disputed, now_ms).await {
                    // Said already; the others have their turn.
                    Err(PaymentError::FundsInUse | PaymentError::Parties(_)) => Ok(false),
                    outcome => outcome.map(|()| true),
                },
                Err(error) => Err(error.into()),
            };
            done.count(booked)?;
        }
        Ok(())
    }
}
