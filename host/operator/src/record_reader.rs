//! Reads records of the ledger as rows, newest first.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use tollbridge_core::time::now_ms;
use tollbridge_ledger::{LedgerError, Notary, PartiesError, Record};
use tollbridge_market::accounts::Accounts;
use tollbridge_payment::{CallPayments, PaymentDeclined};

use super::error::OperatorError;
use super::records::RecordRow;
use crate::limits::OPERATOR_RECORDS_PER_LIST_MAX;

/// Number of records of a party read at a time.
const PAGE: usize = 50;
/// Maximum number of records of one account, and of each of its intents, that one list
/// reads.
const RECORDS_OF_ACCOUNT_MAX: usize = 2_000;

/// Reads records, with the account of the intent that paid.
#[derive(Clone)]
pub(super) struct RecordReader {
    pub(super) notary: Arc<Notary>,
    pub(super) accounts: Arc<Accounts>,
    pub(super) payments: Arc<CallPayments>,
}

impl RecordReader {
    /// Visits all records that concern a party, newest first, until `take` stops the
    /// walk.
    pub(super) async fn walk_party(
        &self,
        party: &str,
        take: &mut impl FnMut(RecordRow) -> ControlFlow<()>,
    ) -> Result<(), OperatorError> {
        let parties = &self.accounts.history.parties;
        parties.up_to_date().await?;
        let mut below = None;
        loop {
            let numbers = parties.newest(party, below, PAGE)?;
            for seq in &numbers {
                if take(self.row(*seq)?).is_break() {
                    return Ok(());
                }
            }
            let (Some(last), true) = (numbers.last(), numbers.len() == PAGE) else { return Ok(()) };
            below = Some(*last);
        }
    }

    /// Visits records that concern an account, and records of the intents that it paid: a
    /// call paid by an intent names only the intent. If the account may have older
    /// records, returns the exclusive upper bound of the next page; `None` if not, or if
    /// `take` stopped the walk.
    pub(super) async fn walk_account(
        &self,
        account: &str,
        before: Option<u64>,
        take: &mut impl FnMut(RecordRow) -> ControlFlow<()>,
    ) -> Result<Option<u64>, OperatorError> {
        let parties = &self.accounts.history.parties;
        parties.up_to_date().await?;
        let mut numbers: BTreeSet<u64> = parties.newest(account, before, RECORDS_OF_ACCOUNT_MAX)?.into_iter().collect();
        // A full page means that the account may have older records.
        let oldest = numbers.first().copied().filter(|_| numbers.len() == RECORDS_OF_ACCOUNT_MAX);
        // Search the payments on all pages: an intent paid outside this page may have
        // been spent within it.
        for seq in parties.newest(account, None, RECORDS_OF_ACCOUNT_MAX)? {
            let row = self.row(seq)?;
            if let ("payment", Some(intent)) = (row.record.kind.as_str(), row.intent()) {
                numbers.extend(parties.newest(intent, before, RECORDS_OF_ACCOUNT_MAX)?);
            }
        }
        for seq in numbers.into_iter().rev() {
            if take(self.row(seq)?).is_break() {
                return Ok(None);
            }
        }
        Ok(oldest)
    }

    /// Visits records of the whole ledger from newest to oldest, up to the maximum that
    /// one list may read. If older records remain, returns the exclusive upper bound of
    /// the next page; `None` if no records remain or `take` stopped the walk.
    pub(super) fn walk_ledger(
        &self,
        before: Option<u64>,
        take: &mut impl FnMut(RecordRow) -> ControlFlow<()>,
    ) -> Result<Option<u64>, OperatorError> {
        let size = self.notary.ledger().head()?.size;
        let mut end = before.unwrap_or(size).min(size);
        let last = end.saturating_sub(OPERATOR_RECORDS_PER_LIST_MAX);
        while end > last {
            // Records are read forwards only, so read a page and visit it in reverse.
            let start = end.saturating_sub(256).max(last);
            let mut page = Vec::new();
            for record in self.notary.ledger().records(start..end) {
                let (seq, bytes) = record?;
                let record = Record::parse(&bytes).map_err(|source| LedgerError::Record { seq, source })?;
                page.push(RecordRow::of(&bytes, record));
            }
            for row in page.into_iter().rev() {
                if take(self.with_owner(row)?).is_break() {
                    return Ok(None);
                }
            }
            end = start;
        }
        Ok((last > 0).then_some(last))
    }

    pub(super) fn row(&self, seq: u64) -> Result<RecordRow, OperatorError> {
        let found = self.notary.ledger().record(seq)?.ok_or(LedgerError::MissingRecord { seq })?;
        self.with_owner(RecordRow::of(&found.0, found.1))
    }

    fn with_owner(&self, row: RecordRow) -> Result<RecordRow, OperatorError> {
        let (None, Some(intent)) = (row.account(), row.intent()) else { return Ok(row) };
        let owner = match self.payments.intents.find_paid(intent, now_ms()) {
            Ok((_, paid)) => paid.account,
            Err(PaymentDeclined::Store(error)) => return Err(error.into()),
            Err(_) => None,
        };
        Ok(row.owned_by(owner))
    }
}

impl From<PartiesError> for OperatorError {
    fn from(error: PartiesError) -> Self {
        match error {
            PartiesError::Behind => Self::Refused(error.to_string()),
            error => Self::Failed(error.to_string()),
        }
    }
}
