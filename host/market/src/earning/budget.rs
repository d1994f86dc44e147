//! The operator's budget for earn tasks.
//!
//! Invariant: money enters the budget only through a sealed posting, and the configured
//! amount is added only once.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{BudgetFunding, Entry, FundingSource, LedgerAccount, Notary, random_tx};
use tollbridge_store::{Change, Collection, Expect, Hash, Put, Refusal, Store, SubmitError, Writer};

use super::error::EarningError;
use super::task::bad_row;

/// Key of the row with the total that was added so far because of the setting
/// `earn.budget_gbp`.
const CONFIGURED: &str = "configured";

/// The source of budget money.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetSource {
    /// The operator's own money: test money in the sandbox; in live mode, money deposited
    /// in the payment processor's account.
    Own,
    /// The operator's share of the revenue from calls.
    Platform,
}

/// The budget for earn tasks.
pub struct TaskBudget {
    pub(super) store: Arc<dyn Store>,
    pub(super) notary: Arc<Notary>,
    /// The amount of the setting `earn.budget_gbp`.
    pub(super) configured: Millipence,
    /// Whether all money is test money.
    pub(super) sandbox: bool,
}

impl TaskBudget {
    /// Adds money to the budget.
    pub async fn fund(
        &self,
        writer: &Writer,
        source: BudgetSource,
        amount: Millipence,
        now_ms: u64,
    ) -> Result<(), EarningError> {
        self.put_aside(writer, source, amount, random_tx()?, Vec::new(), now_ms).await
    }

    /// Adds the configured amount to the budget, less what was added for earlier
    /// configurations. If the configured amount was lowered, nothing is removed.
    pub async fn fund_configured(&self, writer: &Writer, now_ms: u64) -> Result<(), EarningError> {
        let row = self.store.get(Collection::Earning, CONFIGURED)?;
        let before = match &row {
            Some(row) => serde_json::from_slice(row).map_err(bad_row)?,
            None => Millipence::ZERO,
        };
        let target = self.configured;
        let Some(missing) = target.checked_sub(before).filter(|missing| *missing > Millipence::ZERO) else {
            return Ok(());
        };
        let value = Some(serde_json::to_vec(&target).map_err(bad_row)?);
        let expect = row.map_or(Expect::Absent, Expect::Exactly);
        let puts = vec![Put { collection: Collection::Earning, key: CONFIGURED.to_owned(), value, expect }];
        // The transaction id depends only on the target, so that the same target cannot
        // be funded twice.
        let tx: Hash = Sha256::new()
            .chain_update(b"tollbridge earn budget v1")
            .chain_update(target.get().to_be_bytes())
            .finalize()
            .into();
        self.put_aside(writer, BudgetSource::Own, missing, tx, puts, now_ms).await
    }

    async fn put_aside(
        &self,
        writer: &Writer,
        source: BudgetSource,
        amount: Millipence,
        tx: Hash,
        puts: Vec<Put>,
        now_ms: u64,
    ) -> Result<(), EarningError> {
        let source = match (source, self.sandbox) {
            (BudgetSource::Platform, _) => FundingSource::Platform,
            (BudgetSource::Own, true) => FundingSource::Grant,
            (BudgetSource::Own, false) => FundingSource::Deposit,
        };
        let record = Some(Entry::EarnBudget(BudgetFunding { source, amount }).draft(tx, now_ms)?);
        match writer.submit(Change { puts, record, ..Change::default() }).await {
            Ok(_) => Ok(()),
            Err(SubmitError::Refused(Refusal::Insufficient { .. })) => {
                Err(EarningError::Budget("the operator's share of calls is smaller than the amount".to_owned()))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the remaining budget.
    pub fn remaining(&self) -> Result<Millipence, EarningError> {
        Ok(self.notary.balance(&LedgerAccount::EarnBudget)?)
    }
}
