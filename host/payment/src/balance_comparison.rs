//! Compares the ledger with the processor's books: records processor fees that the ledger
//! lacks, and reports both balances.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tollbridge_ledger::LedgerAccount;

use super::context::PaymentContext;
use super::disputes::Disputes;
use super::error::PaymentError;
use super::fees::ProcessorFees;
use super::processor::{BalanceTransaction, ProcessorError};

/// Maximum number of pages (100 lines each) of the processor's books that one comparison
/// reads.
const MOVEMENT_PAGES_MAX: usize = 1_000;

/// The result of a comparison. Amounts are pence.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BalanceComparison {
    /// Number of lines read from the processor's books.
    pub lines: usize,
    /// Number of fees that were not in the ledger before.
    pub fees_booked: usize,
    /// Totals by line type; types are the processor's: `charge`, `refund`, `transfer`,
    /// `payout`, …
    pub kinds: BTreeMap<String, TransactionTotals>,
    /// The balance that the processor reports.
    pub processor_pence: i64,
    /// The balance that the ledger expects the processor to hold.
    pub books_pence: i64,
    /// The processor's balance minus the ledger's. May differ legitimately: manual
    /// deposits and payouts by the operator are not in the ledger.
    pub difference_pence: i64,
    /// The processor's ids of disputes that are not in the ledger yet.
    pub disputes_unbooked: Vec<String>,
}

/// The totals of all lines of one type in the processor's books.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransactionTotals {
    /// Number of lines.
    pub lines: usize,
    /// Sum of the amounts before fees.
    pub amount_pence: i64,
    /// Sum of the processor's fees.
    pub fee_pence: i64,
}

/// Compares the ledger with the processor's books.
pub struct BalanceAudit {
    pub(crate) context: Arc<PaymentContext>,
    pub(crate) fees: Arc<ProcessorFees>,
    pub(crate) disputes: Arc<Disputes>,
}

impl BalanceAudit {
    /// Reads the processor's books back to `since_ms`, newest first, and records the
    /// fees it finds.
    ///
    /// # Errors
    ///
    /// Fails if the processor has no books (the sandbox has none) or returns an error, or if a
    /// write fails.
    pub async fn compare(&self, since_ms: u64, now_ms: u64) -> Result<BalanceComparison, PaymentError> {
        let processor = &self.context.processor;
        let Some(books) = processor.books() else {
            processor.ensure_configured()?;
            let name = processor.name();
            let message = format!("the processor `{name}` has no books to compare");
            return Err(ProcessorError::Rejected { code: name.to_owned(), message }.into());
        };
        let mut comparison = BalanceComparison::default();
        let mut after: Option<String> = None;
        for _ in 0..MOVEMENT_PAGES_MAX {
            let (lines, more) = books.balance_transactions(since_ms / 1000, after.as_deref()).await?;
            for line in &lines {
                comparison.add(line);
                comparison.fees_booked += usize::from(self.fees.book(&line.processor_fee(), None, now_ms).await?);
            }
            after = lines.last().map(|line| line.id.clone());
            if !more || after.is_none() {
                break;
            }
        }
        comparison.processor_pence = books.balance().await?.pence_floor();
        let clearing = self.context.db.balance(&LedgerAccount::ProcessorClearing.to_string())?;
        // The clearing account's balance is negative: minus the amount that the processor
        // owes this server.
        comparison.books_pence = clearing.pence_floor().saturating_neg();
        comparison.difference_pence = comparison.processor_pence.saturating_sub(comparison.books_pence);
        comparison.disputes_unbooked = self.disputes.unbooked()?;
        Ok(comparison)
    }
}

impl BalanceComparison {
    fn add(&mut self, line: &BalanceTransaction) {
        self.lines += 1;
        let totals = self.kinds.entry(line.kind.clone()).or_default();
        totals.lines += 1;
        totals.amount_pence = totals.amount_pence.saturating_add(line.amount.pence_floor());
        totals.fee_pence = totals.fee_pence.saturating_add(line.fee.pence_floor());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faulty_processor::FaultyProcessor;
    use crate::tests::{NOW_MS, Shop, shop, shop_at};

    #[test]
    fn a_processor_without_books_is_named() {
        let refusal = |shop: &Shop| {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            match runtime.block_on(shop.payment_service.audit.compare(0, NOW_MS)) {
                Err(PaymentError::Processor(ProcessorError::Rejected { code, message })) => (code, message),
                other => panic!("{other:?}"),
            }
        };
        let (code, message) = refusal(&shop(0));
        assert_eq!((code.as_str(), message.as_str()), ("sandbox", "the processor `sandbox` has no books to compare"));
        let (code, message) = refusal(&shop_at(0, Some(Arc::new(FaultyProcessor::new(7)))));
        assert_eq!((code.as_str(), message.as_str()), ("stripe", "the processor `stripe` has no books to compare"));
    }
}
