//! Compares the ledger with the processor's books: fees that nobody has looked up
//! become records, and the balances are set side by side.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use tollbridge_core::limits::MOVEMENT_PAGES_MAX;
use tollbridge_ledger::LedgerAccount;

use super::context::PaymentContext;
use super::disputes::Disputes;
use super::error::PaymentError;
use super::fees::ProcessorFees;
use super::processor::{BalanceTransaction, PaymentProcessor, ProcessorError};

/// What a comparison shows. Amounts are pence.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BalanceComparison {
    /// Lines of the processor's books that were read.
    pub lines: usize,
    /// Fees that were not in the ledger before.
    pub fees_booked: usize,
    /// By the processor's own words: `charge`, `refund`, `transfer`, `payout`, …
    pub kinds: BTreeMap<String, TransactionTotals>,
    /// What the processor holds for us.
    pub processor_pence: i64,
    /// What it should hold, by the ledger.
    pub books_pence: i64,
    /// The processor's balance less the ledger's. What the operator paid in or
    /// out by hand is not in the ledger.
    pub difference_pence: i64,
    /// The processor's ids of disputes that are not in the ledger yet.
    pub disputes_unbooked: Vec<String>,
}

/// The sums of one kind of lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TransactionTotals {
    /// Number of lines.
    pub lines: usize,
    /// Before fees.
    pub amount_pence: i64,
    /// What the processor kept.
    pub fee_pence: i64,
}

/// Compares the ledger with the processor's books.
pub struct BalanceAudit {
    pub(crate) context: Arc<PaymentContext>,
    pub(crate) fees: Arc<ProcessorFees>,
    pub(crate) disputes: Arc<Disputes>,
}

impl BalanceAudit {
    /// Reads the processor's books from a time on, newest first, and records the
    /// fees that it finds.
    ///
    /// # Errors
    /// What the processor says, or what was not written. The sandbox has no books.
    pub async fn compare(&self, since_ms: u64, now_ms: u64) -> Result<BalanceComparison, PaymentError> {
        let PaymentProcessor::Stripe(stripe) = self.context.processor.as_ref() else {
            self.context.processor.ensure_configured()?;
            let message = "the sandbox keeps no books of its own".to_owned();
            return Err(ProcessorError::Rejected { code: "sandbox".to_owned(), message }.into());
        };
        let mut comparison = BalanceComparison::default();
        let mut after: Option<String> = None;
        for _ in 0..MOVEMENT_PAGES_MAX {
            let (lines, more) = stripe.balance_transactions(since_ms / 1000, after.as_deref()).await?;
            for line in &lines {
                comparison.add(line);
                comparison.fees_booked += usize::from(self.fees.book(&line.processor_fee(), None, now_ms).await?);
            }
            after = lines.last().map(|line| line.id.clone());
            if !more || after.is_none() {
                break;
            }
        }
        comparison.processor_pence = stripe.balance().await?.pence_floor();
        let clearing = self.context.db.balance(&LedgerAccount::ProcessorClearing.to_string())?;
        // The ledger shows what the processor owes us as a negative balance.
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
