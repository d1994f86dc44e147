//! Amounts by name and day over a month, with their totals, chart and tables.

use std::collections::BTreeMap;

use crate::chart::{Bar, Chart};
use crate::text;
use tollbridge_core::money::Millipence;
use tollbridge_core::time::{DAY_MS, date};

/// Number of days in the chart of earnings.
const EARNINGS_DAYS_SHOWN: u64 = 30;
/// Maximum number of plugins that the chart of earnings shows separately; all others are
/// combined.
const EARNINGS_PLUGINS_SHOWN: usize = 5;

/// The amount for one name on one day.
pub struct Daily {
    /// Days since 1970.
    pub day: u64,
    /// Name of the bridge or agent, or a category such as `payments`.
    pub name: String,
    /// Total amount of the day.
    pub amount: Millipence,
    /// Number of sales or calls.
    pub count: u64,
}

/// The amounts of the displayed days.
pub struct Month {
    /// The first day, in days since 1970.
    pub first: u64,
    /// The amounts, ordered by day.
    pub days: Vec<Daily>,
}

/// A row of the table with one row per name.
pub struct NameRow {
    /// Name, as in [`Daily`].
    pub name: String,
    /// CSS class of the name's colour in the chart.
    pub class: String,
    /// Number of sales or calls.
    pub count: u64,
    /// Amount as text.
    pub amount: String,
}

/// A row of the table with one row per day and name.
pub struct DayRow {
    /// The day as text.
    pub day: String,
    /// Name, as in [`Daily`].
    pub name: String,
    /// Number of sales or calls.
    pub count: u64,
    /// Amount as text.
    pub amount: String,
}

/// Returns the first day of the period that is shown, which ends today.
pub fn first_day(now_ms: u64) -> u64 {
    (now_ms / DAY_MS).saturating_sub(EARNINGS_DAYS_SHOWN - 1)
}

impl Month {
    /// Returns the total amount of the period.
    pub fn total(&self) -> Millipence {
        sum(self.days.iter().map(|daily| daily.amount))
    }

    /// Returns the number of sales or calls in the period.
    pub fn count(&self) -> u64 {
        self.days.iter().map(|daily| daily.count).sum()
    }

    /// Returns the names with their totals, largest amount first.
    fn ranking(&self) -> Vec<(&str, Millipence, u64)> {
        let mut sums = BTreeMap::<&str, (Millipence, u64)>::new();
        for daily in &self.days {
            let (amount, count) = sums.entry(&daily.name).or_default();
            *amount = amount.checked_add(daily.amount).unwrap_or(*amount);
            *count = count.saturating_add(daily.count);
        }
        let mut ranked: Vec<_> = sums.into_iter().map(|(name, (amount, count))| (name, amount, count)).collect();
        ranked.sort_by_key(|(name, amount, _)| (std::cmp::Reverse(*amount), *name));
        ranked
    }

    /// Draws a chart with one bar per day; names are stacked in order of their totals.
    pub fn chart(&self, title: &'static str) -> Chart {
        let names: Vec<&str> = self.ranking().iter().map(|(name, ..)| *name).collect();
        let place = |of: &str| names.iter().position(|name| *name == of).unwrap_or(EARNINGS_PLUGINS_SHOWN);
        let bars = (self.first..self.first + EARNINGS_DAYS_SHOWN).map(|day| {
            let mut parts = vec![Millipence::ZERO; EARNINGS_PLUGINS_SHOWN + 1];
            for daily in self.days.iter().filter(|daily| daily.day == day) {
                let place = place(&daily.name).min(EARNINGS_PLUGINS_SHOWN);
                if let Some(part) = parts.get_mut(place) {
                    *part = part.checked_add(daily.amount).unwrap_or(*part);
                }
            }
            Bar { label: date(day.saturating_mul(DAY_MS)), parts }
        });
        let mut legend: Vec<String> =
            names.iter().take(EARNINGS_PLUGINS_SHOWN).map(|name| (*name).to_owned()).collect();
        if names.len() > EARNINGS_PLUGINS_SHOWN {
            legend.push("others".to_owned());
        }
        Chart::new(title, &bars.collect::<Vec<_>>(), &legend)
    }

    /// Returns the rows by name, largest amount first.
    pub fn name_rows(&self) -> Vec<NameRow> {
        let row = |(place, (name, amount, count)): (usize, (&str, Millipence, u64))| NameRow {
            name: name.to_owned(),
            class: format!("s{}", place.min(EARNINGS_PLUGINS_SHOWN)),
            count,
            amount: amount.to_string(),
        };
        self.ranking().into_iter().enumerate().map(row).collect()
    }

    /// Returns the rows by day and name, newest day first.
    pub fn day_rows(&self) -> Vec<DayRow> {
        let row = |daily: &Daily| DayRow {
            day: text::day(&date(daily.day.saturating_mul(DAY_MS))).unwrap_or_default(),
            name: daily.name.clone(),
            count: daily.count,
            amount: daily.amount.to_string(),
        };
        self.days.iter().rev().map(row).collect()
    }
}

fn sum(amounts: impl Iterator<Item = Millipence>) -> Millipence {
    amounts.fold(Millipence::ZERO, |sum, amount| sum.checked_add(amount).unwrap_or(sum))
}
