//! Revenue of calls and models: by plugin, by day, by payer and by owner.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::Arc;

use serde_json::Value;
use tollbridge_core::money::Millipence;
use tollbridge_core::time::{date, now_ms, rfc3339};
use tollbridge_ledger::{LedgerError, Notary, Record, RecordSummary};
use tollbridge_market::accounts::amount_of;

use super::answers::answers;
use super::error::OperatorError;
use super::payments::moment;
use super::records::{RecordRow, exact};

answers! {
    /// Sales between two times.
    Revenue { rows: Vec<RevenueRow>, total: RevenueSums }
    /// One row: the sums, and the values that it is grouped by.
    RevenueRow { #[serde(flatten)] sums: RevenueSums, #[serde(flatten)] by: BTreeMap<String, String> }
    /// The sums of some sales, and the shares of developers, platform and treasury in
    /// them.
    RevenueSums {
        sales: u64, gross_millipence: i64, gross_gbp: String, developer_gbp: String, platform_gbp: String,
        treasury_gbp: String,
    }
}

/// Number of records read before checking whether older ones are needed.
const RECORDS_AT_ONCE: u64 = 4_096;

/// The grouping of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grouping {
    Plugin,
    Minute,
    Day,
    Account,
    Owner,
}

impl FromStr for Grouping {
    type Err = OperatorError;

    fn from_str(text: &str) -> Result<Self, OperatorError> {
        match text {
            "plugin" => Ok(Self::Plugin),
            "minute" => Ok(Self::Minute),
            "day" => Ok(Self::Day),
            "account" => Ok(Self::Account),
            "owner" => Ok(Self::Owner),
            other => {
                Err(OperatorError::Refused(format!("`by`: {other} is not one of plugin, minute, day, account, owner")))
            }
        }
    }
}

impl Grouping {
    const fn name(self) -> &'static str {
        match self {
            Self::Plugin => "plugin",
            Self::Minute => "minute",
            Self::Day => "day",
            Self::Account => "account",
            Self::Owner => "owner",
        }
    }

    fn of(self, row: &RecordRow) -> String {
        let owner = || row.record.body.get("owner").and_then(Value::as_str);
        match self {
            Self::Minute => return minute(row.record.time_ms),
            Self::Day => return date(row.record.time_ms),
            Self::Plugin => row.sold(),
            Self::Account => row.account(),
            Self::Owner => owner(),
        }
        .unwrap_or_default()
        .to_owned()
    }
}

/// Returns the start of the minute of a time.
fn minute(ms: u64) -> String {
    rfc3339(ms.saturating_sub(ms.rem_euclid(60_000)))
}

/// The sums of one row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    pub(super) sales: u64,
    pub(super) gross: i64,
    developer: i64,
    platform: i64,
    treasury: i64,
}

impl Sums {
    /// Converts one sale to sums. A sale is a paid call or a request to a model; the
    /// price of the latter is not split into shares.
    fn of(record: &Record) -> Self {
        let share = |name: &str| {
            let shares = record.body.get("shares").and_then(|shares| shares.get(name));
            shares.and_then(Value::as_i64).unwrap_or_default()
        };
        Self {
            sales: 1,
            gross: amount_of(&record.body).map_or(0, Millipence::get),
            developer: share("developer_millipence"),
            platform: share("platform_millipence"),
            treasury: share("treasury_millipence"),
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.sales = self.sales.saturating_add(other.sales);
        for (sum, part) in [
            (&mut self.gross, other.gross),
            (&mut self.developer, other.developer),
            (&mut self.platform, other.platform),
            (&mut self.treasury, other.treasury),
        ] {
            *sum = sum.saturating_add(part);
        }
    }

    fn view(self) -> RevenueSums {
        let pounds = |amount: i64| exact(Millipence::new(amount));
        RevenueSums {
            sales: self.sales,
            gross_millipence: self.gross,
            gross_gbp: pounds(self.gross),
            developer_gbp: pounds(self.developer),
            platform_gbp: pounds(self.platform),
            treasury_gbp: pounds(self.treasury),
        }
    }
}

/// The command for reports on sales.
pub(super) struct RevenueCommands {
    pub(super) notary: Arc<Notary>,
}

impl RevenueCommands {
    /// Reports the sums of the sales between two times. Reads the ledger from its end
    /// back to `since`.
    pub(super) async fn report(
        &self,
        by: &[String],
        since: Option<String>,
        until: Option<String>,
    ) -> Result<Revenue, OperatorError> {
        let now_ms = now_ms();
        let by: Vec<Grouping> = by.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
        let since_ms = since.map_or(Ok(0), |text| moment("since", &text, now_ms))?;
        let until_ms = until.map_or(Ok(u64::MAX), |text| moment("until", &text, now_ms))?;
        let (notary, columns) = (self.notary.clone(), by.clone());
        let reading = tokio::task::spawn_blocking(move || sums(&notary, &columns, since_ms..until_ms, u64::MAX));
        let rows = reading.await.map_err(|error| OperatorError::Failed(error.to_string()))??.rows;
        let mut total = Sums::default();
        let mut shown = Vec::new();
        for (keys, sums) in rows {
            total.add(sums);
            let named = by.iter().zip(keys).map(|(by, key)| (by.name().to_owned(), key));
            shown.push(RevenueRow { sums: sums.view(), by: named.collect() });
        }
        Ok(Revenue { rows: shown, total: total.view() })
    }
}

/// The sums of sales, by group.
pub(super) struct Sales {
    /// Sums by the requested grouping.
    pub(super) rows: BTreeMap<Vec<String>, Sums>,
    /// Start of the period whose records were all read, Unix milliseconds.
    pub(super) since_ms: u64,
}

/// Returns sales by plugin since a time, from at most the newest `records` records.
pub(super) fn sales_by_plugin(notary: &Notary, since_ms: u64, records: u64) -> Result<Sales, OperatorError> {
    sums(notary, &[Grouping::Plugin], since_ms..u64::MAX, records)
}

fn sums(notary: &Notary, by: &[Grouping], times: std::ops::Range<u64>, most: u64) -> Result<Sales, OperatorError> {
    let mut sales = Sales { rows: BTreeMap::new(), since_ms: times.start };
    let ledger = notary.ledger();
    let mut end = ledger.head()?.size;
    let last = end.saturating_sub(most);
    // Read backwards and stop at `times.start`: times never decrease, and recent days are
    // requested most.
    while end > last {
        let start = end.saturating_sub(RECORDS_AT_ONCE).max(last);
        let mut first_ms = None;
        for record in ledger.records(start..end) {
            let (seq, bytes) = record?;
            let malformed = |source| LedgerError::Record { seq, source };
            let summary = RecordSummary::of(&bytes).map_err(malformed)?;
            first_ms.get_or_insert(summary.time_ms);
            if !times.contains(&summary.time_ms) || !matches!(summary.kind, "route" | "inference") {
                continue;
            }
            let row = RecordRow::of(&bytes, Record::parse(&bytes).map_err(malformed)?);
            let key = by.iter().map(|by| by.of(&row)).collect();
            sales.rows.entry(key).or_default().add(Sums::of(&row.record));
        }
        if first_ms.is_some_and(|ms| ms < times.start) {
            return Ok(sales);
        }
        end = start;
        // The limit was reached before the period was read completely: report where it
        // stopped.
        if end > 0 && end == last {
            sales.since_ms = first_ms.unwrap_or(times.start);
        }
    }
    Ok(sales)
}
