//! The money history of an account, newest first.

use std::sync::Arc;

use serde_json::{Map, Value};
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{LedgerAccount, LedgerError, Notary, Parties, PartiesError, Record, seal_of};
use tollbridge_store::Hash;

/// Maximum number of an intent's newest records that are searched for its refunds.
const REFUND_RECORDS_READ_MAX: usize = 256;

/// Reads the records that concern an account, using the index of parties.
pub struct History {
    /// Notary that seals records; used here to read them.
    pub notary: Arc<Notary>,
    /// Index of records by the accounts that they concern.
    pub parties: Parties,
}

/// One record from the point of view of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryLine {
    /// Number of the record.
    pub seq: u64,
    /// Seal of the record.
    pub seal: Hash,
    /// Transaction id of the record.
    pub tx: Hash,
    /// Kind of the record.
    pub kind: String,
    /// Unix time, milliseconds.
    pub time_ms: u64,
    /// The bridge or agent that was called, if the record is about a call.
    pub plugin: Option<String>,
    /// The plugin's name without its kind; for other records the name of the agent,
    /// bridge or model that the task, payment or request is for.
    pub name: Option<String>,
    /// Handle of the payment intent of the record, if any.
    pub intent: Option<String>,
    /// Amount that the record pays, charges or moves, to or from any account.
    pub amount: Option<Millipence>,
    /// Refunded part of a payment made through an intent, including pending refunds;
    /// `None` for other records.
    pub refunded: Option<Millipence>,
    /// Amount by which the record changes the account's credit.
    pub credit: Millipence,
    /// Amount by which the record changes the account's earnings, pending and available.
    pub earnings: Millipence,
}

/// One page of an account's records, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryPage {
    /// The records on this page.
    pub lines: Vec<HistoryLine>,
    /// Start of the next page; `None` on the last page.
    pub next: Option<u64>,
}

/// The reason the history cannot be shown.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum HistoryError {
    #[error(transparent)]
    Parties(#[from] PartiesError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

impl History {
    /// Returns the newest `limit` records that concern an account and have sequence
    /// numbers below `below`, newest first.
    pub async fn page(&self, account: &str, below: Option<u64>, limit: usize) -> Result<HistoryPage, HistoryError> {
        self.parties.up_to_date().await?;
        let mut numbers = self.parties.newest(account, below, limit.saturating_add(1))?;
        let more = numbers.len() > limit;
        numbers.truncate(limit);
        let next = numbers.last().copied().filter(|_| more);
        let lines = numbers.into_iter().map(|seq| {
            let (bytes, record) = self.record(seq)?;
            let mut line = line(&bytes, &record, account);
            if let ("payment" | "purchase", Some(intent)) = (line.kind.as_str(), &line.intent) {
                line.refunded = Some(self.refunded(intent)?);
            }
            Ok(line)
        });
        Ok(HistoryPage { lines: lines.collect::<Result<_, HistoryError>>()?, next })
    }

    /// Returns the refunded part of a payment made through an intent, including pending
    /// refunds. Reads the newest records of the intent: records of refunds name only the
    /// intent, so the index does not list them under an account.
    pub fn refunded(&self, intent: &str) -> Result<Millipence, HistoryError> {
        let mut sum = Millipence::ZERO;
        for seq in self.parties.newest(intent, None, REFUND_RECORDS_READ_MAX)? {
            let (_, record) = self.record(seq)?;
            let Some(amount) = amount_of(&record.body).filter(|_| record.kind == "refund") else { continue };
            sum = match record.body.get("stage").and_then(Value::as_str) {
                Some("owed") => sum.checked_add(amount),
                Some("failed") => sum.checked_sub(amount),
                // Records of other stages concern refunds that their `owed` record has
                // already counted.
                _ => None,
            }
            .unwrap_or(sum);
        }
        Ok(sum)
    }

    fn record(&self, seq: u64) -> Result<(Vec<u8>, Record), LedgerError> {
        self.notary.ledger().record(seq)?.ok_or(LedgerError::MissingRecord { seq })
    }
}

/// Returns the payment intent that a record is about, or that paid for the recorded call.
pub fn intent_of(body: &Map<String, Value>) -> Option<&str> {
    body.get("intent").or_else(|| body.get("payer")?.get("intent"))?.as_str()
}

/// Returns the name of the plugin or model that a record is for.
fn name_of(body: &Map<String, Value>) -> Option<&str> {
    ["plugin", "agent", "bridge", "model"]
        .into_iter()
        .find_map(|member| body.get(member)?.as_str())
        .map(|name| name.strip_prefix("agents/").unwrap_or(name))
}

/// Returns the amount that a record pays, charges or moves.
pub fn amount_of(body: &Map<String, Value>) -> Option<Millipence> {
    let amount = body.get("gross_millipence").or_else(|| body.get("amount_millipence"))?;
    amount.as_i64().map(Millipence::new)
}

fn line(bytes: &[u8], record: &Record, account: &str) -> HistoryLine {
    let (mut credit, mut earnings) = (0_i64, 0_i64);
    for leg in &record.postings {
        let sum = match LedgerAccount::parse(&leg.account) {
            Some(LedgerAccount::Credit(of)) if of == account => &mut credit,
            Some(LedgerAccount::DevPending(of) | LedgerAccount::DevAvailable(of)) if of == account => &mut earnings,
            _ => continue,
        };
        *sum = sum.saturating_add(leg.amount.get());
    }
    HistoryLine {
        seq: record.seq,
        seal: seal_of(bytes),
        tx: record.tx,
        kind: record.kind.clone(),
        time_ms: record.time_ms,
        plugin: record.body.get("plugin").and_then(|name| name.as_str()).map(str::to_owned),
        name: name_of(&record.body).map(str::to_owned),
        intent: intent_of(&record.body).map(str::to_owned),
        amount: amount_of(&record.body),
        refunded: None,
        credit: Millipence::new(credit),
        earnings: Millipence::new(earnings),
    }
}
