//! What happened to an account's money, newest first.
//!
//! There is no index: a page looks at a bounded number of records and says
//! where the next one goes on, so a page may be short, or empty, and not be the
//! last.

use crate::ledger::{LedgerAccount, LedgerError, Notary, Record, seal_of};
use crate::limits::HISTORY_RECORDS_PER_PAGE_MAX;
use crate::money::Millipence;
use crate::store::Hash;

/// One record, as far as it concerns an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub seq: u64,
    pub seal: Hash,
    pub tx: Hash,
    pub kind: String,
    pub time_ms: u64,
    /// The bridge or agent, where one was called.
    pub plugin: Option<String>,
    /// Change of the account's credit.
    pub credit: Millipence,
    /// Change of its earnings, pending and available.
    pub earnings: Millipence,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryPage {
    pub lines: Vec<Line>,
    /// Where the next page begins; none when this one reaches the beginning.
    pub next: Option<u64>,
}

/// Records that concern an account, below a number, newest first.
pub fn history(notary: &Notary, account: &str, below: Option<u64>, limit: usize) -> Result<HistoryPage, LedgerError> {
    let ledger = notary.ledger();
    let size = ledger.head()?.size;
    let mut at = below.unwrap_or(size).min(size);
    let stop = at.saturating_sub(HISTORY_RECORDS_PER_PAGE_MAX);
    let mut lines = Vec::new();
    while at > stop && lines.len() < limit {
        at -= 1;
        let (bytes, record) = ledger.record(at)?.ok_or(LedgerError::MissingRecord { seq: at })?;
        lines.extend(line(&bytes, &record, account));
    }
    Ok(HistoryPage { lines, next: (at > 0).then_some(at) })
}

fn line(bytes: &[u8], record: &Record, account: &str) -> Option<Line> {
    if !record.parties().contains(account) {
        return None;
    }
    let (mut credit, mut earnings) = (0_i64, 0_i64);
    for leg in &record.postings {
        let sum = match LedgerAccount::parse(&leg.account) {
            Some(LedgerAccount::Credit(of)) if of == account => &mut credit,
            Some(LedgerAccount::DevPending(of) | LedgerAccount::DevAvailable(of)) if of == account => &mut earnings,
            _ => continue,
        };
        *sum = sum.saturating_add(leg.amount.get());
    }
    Some(Line {
        seq: record.seq,
        seal: seal_of(bytes),
        tx: record.tx,
        kind: record.kind.clone(),
        time_ms: record.time_ms,
        plugin: record.body.get("plugin").and_then(|name| name.as_str()).map(str::to_owned),
        credit: Millipence::new(credit),
        earnings: Millipence::new(earnings),
    })
}
