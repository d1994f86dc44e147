//! Spending of an account, computed from its own records.

use std::collections::BTreeMap;

use tollbridge_core::money::Millipence;
use tollbridge_core::time::DAY_MS;

use super::history::{History, HistoryError, HistoryLine};

/// Number of records that the page of spending reads at a time.
const SPENDING_RECORDS_PER_PAGE: usize = 200;
/// Maximum number of pages of records that one view of spending reads; older ones are
/// omitted.
const SPENDING_PAGES_READ_MAX: usize = 10;

/// Amount that an account spent on one item on one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DailySpending {
    /// Days since 1970, UTC.
    pub day: u64,
    /// The item: the name of a bridge or an agent, or a kind of payment.
    pub name: String,
    /// Amount spent; negative if refunds exceed payments.
    pub amount: Millipence,
    /// Number of payments and calls.
    pub calls: u64,
}

/// Spending of an account since a day.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spending {
    /// Spending by day and item.
    pub days: Vec<DailySpending>,
    /// The records from which the spending was computed, newest first.
    pub lines: Vec<HistoryLine>,
    /// Whether there are older records that were not read.
    pub more: bool,
}

impl History {
    /// Computes an account's spending since `from_day`, from a limited number of its
    /// newest records.
    pub async fn spending(&self, account: &str, from_day: u64) -> Result<Spending, HistoryError> {
        let (mut lines, mut below) = (Vec::new(), None);
        for _ in 0..SPENDING_PAGES_READ_MAX {
            let page = self.page(account, below, SPENDING_RECORDS_PER_PAGE).await?;
            let before = page.lines.len();
            let recent = page.lines.into_iter().take_while(|line| line.time_ms / DAY_MS >= from_day);
            let read = lines.len();
            lines.extend(recent);
            below = page.next;
            if below.is_none() || lines.len().saturating_sub(read) < before {
                return Ok(Spending::of(lines, false));
            }
        }
        Ok(Spending::of(lines, true))
    }
}

impl Spending {
    fn of(mut lines: Vec<HistoryLine>, more: bool) -> Self {
        lines.retain(|line| spent(line).is_some());
        let mut sums = BTreeMap::<(u64, String), (Millipence, u64)>::new();
        for (line, (name, amount)) in lines.iter().filter_map(|line| Some((line, spent(line)?))) {
            let (sum, calls) = sums.entry((line.time_ms / DAY_MS, name)).or_default();
            *sum = sum.checked_add(amount).unwrap_or(*sum);
            // A refunded payment still counts as a payment.
            let paid = amount > Millipence::ZERO || line.kind == "payment";
            *calls = calls.saturating_add(u64::from(paid));
        }
        let day = |((day, name), (amount, calls))| DailySpending { day, name, amount, calls };
        Self { days: sums.into_iter().map(day).collect(), lines, more }
    }
}

/// Returns the item on which a record spends the account's money, and the amount. Buying
/// credit is not spending; the calls paid with the credit are.
pub fn spent(line: &HistoryLine) -> Option<(String, Millipence)> {
    let named = |other: &str| line.name.clone().unwrap_or_else(|| other.to_owned());
    let credit = Millipence::ZERO.checked_sub(line.credit)?;
    match line.kind.as_str() {
        // The unused part of a queued task's reservation is returned by a second record
        // of the same kind.
        "route" | "nested" | "task" | "transfer" if !credit.is_zero() => Some((named("other"), credit)),
        "inference" if !credit.is_zero() => Some(("models".to_owned(), credit)),
        // A payment through the account's own intent, less its refunds. If a part of the
        // intent becomes credit, the `topup` case below subtracts that part; later calls
        // then spend the credit.
        "payment" => Some((named("payments"), line.amount?.checked_sub(line.refunded.unwrap_or_default())?)),
        "topup" => Some(("turned into credit".to_owned(), Millipence::ZERO.checked_sub(line.amount?)?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(kind: &str, day: u64, name: Option<&str>, amount: i64, credit: i64) -> HistoryLine {
        HistoryLine {
            seq: 0,
            seal: [0; 32],
            tx: [0; 32],
            kind: kind.to_owned(),
            time_ms: day * DAY_MS + 7,
            plugin: None,
            name: name.map(str::to_owned),
            intent: None,
            amount: Some(Millipence::new(amount)),
            refunded: None,
            credit: Millipence::new(credit),
            earnings: Millipence::ZERO,
        }
    }

    #[test]
    fn calls_and_payments_are_summed_by_day_and_name() {
        let lines = vec![
            line("route", 2, Some("echo"), 100, -100),
            line("route", 2, Some("echo"), 100, -100),
            // Another account calls a bridge that this account owns.
            line("route", 2, Some("own"), 900, 0),
            line("payment", 1, Some("echo"), 500, 0),
            line("inference", 1, Some("gpt"), 7, -7),
            line("purchase", 1, None, 1_000, 1_000),
            line("grant", 1, None, 1_000, 1_000),
        ];
        let spending = Spending::of(lines, false);
        let day = |day, name: &str, amount, calls| DailySpending {
            day,
            name: name.to_owned(),
            amount: Millipence::new(amount),
            calls,
        };
        let expect = [day(1, "echo", 500, 1), day(1, "models", 7, 1), day(2, "echo", 200, 2)];
        assert_eq!((spending.days.as_slice(), spending.lines.len()), (expect.as_slice(), 4));
    }

    #[test]
    fn refunds_reduce_the_spending() {
        let part = HistoryLine { refunded: Some(Millipence::new(120)), ..line("payment", 1, Some("echo"), 500, 0) };
        assert_eq!(spent(&part), Some(("echo".to_owned(), Millipence::new(380))));
        let lines = vec![
            line("task", 1, Some("coding"), 300, -300),
            line("task", 1, Some("coding"), 300, 300),
            line("payment", 1, Some("echo"), 500, 0),
            line("topup", 1, None, 500, 500),
        ];
        let sum: i64 = Spending::of(lines, false).days.iter().map(|day| day.amount.get()).sum();
        assert_eq!(sum, 0);
    }
}
