//! Our books beside the processor's: fees that nobody has asked about become
//! records, and what it has of ours is compared.

use std::collections::BTreeMap;

use serde::Serialize;

use super::cashier::{PaymentError, PaymentService};
use super::processor::{BalanceTransaction, PaymentProcessor, ProcessorError};
use tollbridge_core::limits::MOVEMENT_PAGES_MAX;
use tollbridge_ledger::LedgerAccount;

/// What a comparison has found. Amounts are pence.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BalanceComparison {
    /// Lines of the processor's books that were looked at.
    pub lines: usize,
    /// Fees that were not in our books before.
    pub fees_booked: usize,
    /// By the processor's own names: `charge`, `refund`, `transfer`, `payout`, …
    pub kinds: BTreeMap<String, TransactionTotals>,
    pub processor_pence: i64,
    pub books_pence: i64,
    /// The processor's less ours; what the operator paid in or out by hand is
    /// not in our books.
    pub difference_pence: i64,
    /// Disputes, by the processor's own names, that are not in our books yet.
    pub disputes_unbooked: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TransactionTotals {
    pub lines: usize,
    pub amount_pence: i64,
    pub fee_pence: i64,
}

impl PaymentService {
    /// Goes through the processor's books from a time on, newest first.
    pub async fn compare(&self, since_ms: u64, now_ms: u64) -> Result<BalanceComparison, PaymentError> {
        let PaymentProcessor::Stripe(stripe) = self.processor.as_ref() else {
            self.processor.ready()?;
            let why = "the sandbox keeps no books of its own".to_owned();
            return Err(ProcessorError::Rejected { code: "sandbox".to_owned(), message: why }.into());
        };
        let mut found = BalanceComparison::default();
        let mut after: Option<String> = None;
        for _ in 0..MOVEMENT_PAGES_MAX {
            let (lines, more) = stripe.movements(since_ms / 1000, after.as_deref()).await?;
            for line in &lines {
                found.count(line);
                found.fees_booked += usize::from(self.book_fee(&line.charged(), None, now_ms).await?);
            }
            after = lines.last().map(|line| line.id.clone());
            if !more || after.is_none() {
                break;
            }
        }
        found.processor_pence = stripe.balance().await?.pence_floor();
        let clearing = self.store.balance(&LedgerAccount::ProcessorClearing.to_string())?;
        // What the processor owes us stands with a minus in the books.
        found.books_pence = clearing.pence_floor().saturating_neg();
        found.difference_pence = found.processor_pence.saturating_sub(found.books_pence);
        found.disputes_unbooked = self.unbooked_disputes()?;
        Ok(found)
    }
}

impl BalanceComparison {
    fn count(&mut self, line: &BalanceTransaction) {
        self.lines += 1;
        let sum = self.kinds.entry(line.kind.clone()).or_default();
        sum.lines += 1;
        sum.amount_pence = sum.amount_pence.saturating_add(line.amount.pence_floor());
        sum.fee_pence = sum.fee_pence.saturating_add(line.fee.pence_floor());
    }
}
