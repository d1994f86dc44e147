//! Statements: credits and debits of a ledger account, by day and kind.

use std::collections::BTreeMap;
use std::sync::Arc;

use tollbridge_core::money::Millipence;
use tollbridge_core::time::date;
use tollbridge_ledger::{LedgerAccount, LedgerError, Notary, RecordSummary};

use super::answers::answers;
use super::error::OperatorError;

answers! {
    /// The statement of a ledger account.
    Statement { account: String, rows: Vec<StatementRow>, balance_millipence: i64 }
    /// The sum of one kind of record on one day.
    StatementRow { day: String, kind: String, records: u64, millipence: i64, gbp: String }
}

/// The command for statements.
pub(super) struct StatementCommands {
    pub(super) notary: Arc<Notary>,
}

impl StatementCommands {
    /// Returns the statement of a ledger account such as `platform`, `treasury`, `processor:fees`
    /// or `dev:acct_x:available`. Reads the whole ledger.
    pub(super) async fn show(&self, account: &str) -> Result<Statement, OperatorError> {
        let Some(known) = LedgerAccount::parse(account) else {
            let message = format!(
                "`{account}` is not an account of the ledger; write platform, treasury, processor:fees, write_off, \
                 credit:<account>, dev:<account>:available or another of docs/ledger-format.md"
            );
            return Err(OperatorError::NotFound(message));
        };
        let (name, notary) = (known.to_string(), self.notary.clone());
        let reading = tokio::task::spawn_blocking(move || by_day(&notary, &name));
        let rows = reading.await.map_err(|error| OperatorError::Failed(error.to_string()))??;
        let balance = self.notary.balance(&known)?;
        let row = |((day, kind), (records, millipence))| StatementRow {
            day,
            kind,
            records,
            millipence,
            gbp: Millipence::new(millipence).pounds(),
        };
        let rows = rows.into_iter().map(row).collect();
        Ok(Statement { account: account.to_owned(), rows, balance_millipence: balance.get() })
    }
}

type Days = BTreeMap<(String, String), (u64, i64)>;

fn by_day(notary: &Notary, account: &str) -> Result<Days, OperatorError> {
    let ledger = notary.ledger();
    let mut days = Days::new();
    for record in ledger.records(0..ledger.head()?.size) {
        let (seq, bytes) = record?;
        let record = RecordSummary::of(&bytes).map_err(|source| LedgerError::Record { seq, source })?;
        let legs = record.postings.iter().filter(|leg| leg.account == account);
        let amounts: Vec<i64> = legs.map(|leg| leg.amount.get()).collect();
        if amounts.is_empty() {
            continue;
        }
        let slot = days.entry((date(record.time_ms), record.kind.to_owned())).or_default();
        slot.0 += 1;
        slot.1 = amounts.iter().fold(slot.1, |sum, amount| sum.saturating_add(*amount));
    }
    Ok(days)
}
