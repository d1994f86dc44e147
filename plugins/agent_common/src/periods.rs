//! Labels of a series: which periods they name, and which come next in the same style.

use crate::dates::{self, Date, Order};
pub use crate::period_style::written;
use crate::period_style::{language, written_in};

/// The period of one label of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Period {
    /// `2024-03-01`
    Day(Date),
    /// `Jan 2024`, `2024-01`; without a year `Jan`.
    Month(Option<i32>, u32),
    /// `Q1 2024`, `2024 Q1`, `Q1`.
    Quarter(Option<i32>, u32),
    /// `2024-W05`
    Week(i32, u32),
    /// `Mon`, 0 for Monday.
    Weekday(u32),
    /// `8:00`, in minutes.
    Time(u32),
    /// `2024`
    Year(i32),
    /// `week 12`, `12`.
    Number(i64),
}

/// The distance between the labels of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Minutes.
    Minutes(u32),
    /// Days; 7 for weeks.
    Days(u32),
    /// Working days from Monday to Friday.
    WorkingDays,
    /// Months.
    Months(u32),
    /// Quarters.
    Quarters(u32),
    /// Years.
    Years(u32),
    /// The difference of numbers.
    Numbers(i64),
}

/// Reads one label.
pub fn read(label: &str, order: Option<Order>) -> Option<Period> {
    let label = label.trim().trim_end_matches([':', ',']);
    if let Some(date) = dates::read(label, Some(order.unwrap_or(Order::DayFirst))) {
        return Some(Period::Day(date));
    }
    let parts: Vec<&str> = label.split([' ', '-', '/', '\'', '’', '_', '.']).filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        [one] => {
            if let Some((hour, minute)) = one.split_once(':') {
                let minute = minute.get(..2)?.parse::<u32>().ok()?;
                return Some(Period::Time(hour.parse::<u32>().ok()? * 60 + minute));
            }
            let named = dates::month(one).map(|month| Period::Month(None, month));
            let named = named.or_else(|| dates::weekday(one).map(Period::Weekday));
            let named = named.or_else(|| quarter(one).map(|quarter| Period::Quarter(None, quarter)));
            let dated = year(one).filter(|year| one.len() == 4 && (1900..=2100).contains(year)).map(Period::Year);
            named.or(dated).or_else(|| joined(one)).or_else(|| numbered(label))
        }
        [first, second] => {
            let found = of_year(second, first, false).or_else(|| of_year(first, second, true));
            found.or_else(|| numbered(label))
        }
        _ => numbered(label),
    }
}

/// Reads a year of four or two digits.
fn year(part: &str) -> Option<i32> {
    let digits = part.bytes().all(|byte| byte.is_ascii_digit());
    let year: i32 = part.parse().ok().filter(|_| digits)?;
    match part.len() {
        4 if (1000..=2999).contains(&year) => Some(year),
        2 => Some(if year < 70 { 2000 + year } else { 1900 + year }),
        _ => None,
    }
}

fn coded(part: &str, letters: &[char]) -> Option<u32> {
    let mut chars = part.chars();
    let letter = chars.next()?.to_ascii_uppercase();
    chars.as_str().parse().ok().filter(|_| letters.contains(&letter))
}

fn quarter(part: &str) -> Option<u32> {
    coded(part, &['Q', 'T']).filter(|number| (1..=4).contains(number))
}

/// Reads a month, quarter or week of a year. `first` is whether the year comes first.
fn of_year(of: &str, part: &str, first: bool) -> Option<Period> {
    let (year, long) = (year(of)?, of.len() == 4);
    let month = dates::month(part).filter(|_| long || !first);
    let number = || part.parse::<u32>().ok().filter(|number| long && (1..=12).contains(number));
    let week = || coded(part, &['W']).or_else(|| part.strip_prefix("KW")?.parse().ok()).filter(|n| *n <= 53 && first);
    if let Some(quarter) = quarter(part).filter(|_| month.is_none()) {
        return Some(Period::Quarter(Some(year), quarter));
    }
    let week = if month.is_none() { week() } else { None };
    let month = || month.or_else(number).map(|month| Period::Month(Some(year), month));
    week.map(|week| Period::Week(year, week)).or_else(month)
}

/// Reads `2024Q1` and `2024W05`.
fn joined(label: &str) -> Option<Period> {
    let (year, part) = label.split_at_checked(4)?;
    let (year, number) = (year.parse().ok()?, part.get(1..)?.parse().ok()?);
    match part.get(..1)? {
        "W" | "w" => Some(Period::Week(year, number)),
        "Q" | "q" => Some(Period::Quarter(Some(year), number)),
        _ => None,
    }
}

/// Reads `week 12`, `Day 3`, `12`, `W7`.
fn numbered(label: &str) -> Option<Period> {
    let name = label.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = label.get(name.len()..).filter(|number| number.len() < 10)?;
    let plain = name.chars().all(|c| c.is_alphabetic() || " -_#.".contains(c)) && name.split_whitespace().count() <= 2;
    number.parse().ok().filter(|_| plain).map(Period::Number)
}

/// Returns the step from label to label; none if a label is not read or the steps differ.
pub fn step(labels: &[&str]) -> Option<Step> {
    step_of(&all(labels, dates::order(labels))?)
}

fn all(labels: &[&str], order: Option<Order>) -> Option<Vec<Period>> {
    labels.iter().map(|label| read(label, order)).collect()
}

fn step_of(periods: &[Period]) -> Option<Step> {
    let pairs = periods.iter().zip(periods.iter().skip(1));
    let steps: Vec<i64> = pairs.map(|(a, b)| apart(*a, *b)).collect::<Option<_>>()?;
    let first = *steps.first()?;
    let same = steps.iter().all(|step| *step == first);
    let small = u32::try_from(first).ok().filter(|step| *step > 0);
    match periods.first()? {
        Period::Day(_) if same => small.map(Step::Days),
        Period::Day(_) => step_of_days(periods, &steps),
        Period::Weekday(_) if same => (first == 1).then_some(Step::Days(1)),
        Period::Weekday(_) => {
            let due = |period: &Period| if *period == Period::Weekday(4) { 3 } else { 1 };
            let weekend = |period: &Period| matches!(period, Period::Weekday(5..));
            let week = periods.iter().zip(&steps).all(|(period, step)| *step == due(period) && !weekend(period));
            week.then_some(Step::WorkingDays)
        }
        _ if !same => None,
        Period::Month(..) => small.map(Step::Months),
        Period::Quarter(..) => small.map(Step::Quarters),
        Period::Week(..) => small.map(|weeks| Step::Days(weeks * 7)),
        Period::Time(_) => small.map(Step::Minutes),
        Period::Year(_) => small.map(Step::Years),
        Period::Number(_) => (first != 0).then_some(Step::Numbers(first)),
    }
}

/// Returns the step of days at uneven distances: months or working days.
fn step_of_days(periods: &[Period], steps: &[i64]) -> Option<Step> {
    let date = |period: &Period| if let Period::Day(date) = period { Some(*date) } else { None };
    let dates: Vec<Date> = periods.iter().filter_map(date).collect();
    let [first, second, ..] = dates.as_slice() else { return None };
    let month = |date: &Date| date.year * 12 + i32::try_from(date.month).unwrap_or(0);
    let step = month(second) - month(first);
    let ends = dates.iter().all(|date| date.day == dates::month_days(date.year, date.month));
    let monthly = dates.iter().enumerate().all(|(at, date)| {
        let due = first.plus_months(step.saturating_mul(i32::try_from(at).unwrap_or(0)));
        due == *date || (ends && (due.year, due.month) == (date.year, date.month))
    });
    if monthly && step > 0 {
        return u32::try_from(step).ok().map(Step::Months);
    }
    let working = steps.iter().zip(&dates).all(|(step, date)| *step == if date.weekday() == 4 { 3 } else { 1 });
    working.then_some(Step::WorkingDays)
}

/// Returns how many of its own steps lie between two periods of one kind.
fn apart(from: Period, to: Period) -> Option<i64> {
    // A year may be given only with January: `Dec 2023, Jan, Feb` or `Nov, Dec, Jan 2024`.
    let parts = |years: (Option<i32>, Option<i32>), a: u32, b: u32, size: i64| {
        let parts = i64::from(b) - i64::from(a);
        match years {
            (Some(a), Some(b)) => i64::from(b - a) * size + parts,
            _ => parts.rem_euclid(size),
        }
    };
    Some(match (from, to) {
        (Period::Day(a), Period::Day(b)) => b.days() - a.days(),
        (Period::Month(y, a), Period::Month(z, b)) => parts((y, z), a, b, 12),
        (Period::Quarter(y, a), Period::Quarter(z, b)) => parts((y, z), a, b, 4),
        (Period::Week(y, a), Period::Week(z, b)) => (Date::of_week(z, b)?.days() - Date::of_week(y, a)?.days()) / 7,
        (Period::Weekday(a), Period::Weekday(b)) => parts((None, None), a, b, 7),
        (Period::Time(a), Period::Time(b)) => parts((None, None), a, b, 1440),
        (Period::Year(a), Period::Year(b)) => i64::from(b - a),
        (Period::Number(a), Period::Number(b)) => b - a,
        _ => return None,
    })
}

/// Returns the next `n` labels of a series, written like its last one; none if the series has no even step.
pub fn next(labels: &[&str], n: usize) -> Option<Vec<String>> {
    let order = dates::order(labels);
    let periods = all(labels, order)?;
    let step = step_of(&periods)?;
    let (model, months) = (*labels.last()?, language(labels));
    let mut period = *periods.last()?;
    let mut made = Vec::new();
    for _ in 0..n {
        period = following(period, step)?;
        made.push(written_in(period, model, order, months)?);
    }
    Some(made)
}

/// Returns the period one step later.
pub fn following(period: Period, step: Step) -> Option<Period> {
    let parts = |year: Option<i32>, part: u32, size: i64, step: u32| {
        let total = i64::from(year.unwrap_or(0)) * size + i64::from(part) - 1 + i64::from(step);
        let next = i32::try_from(total.div_euclid(size)).ok()?;
        Some((year.and(Some(next)), u32::try_from(total.rem_euclid(size) + 1).ok()?))
    };
    Some(match (period, step) {
        (Period::Day(date), Step::Days(days)) => Period::Day(date.plus_days(days.into())),
        (Period::Day(date), Step::WorkingDays) => {
            Period::Day(date.plus_days(if date.weekday() >= 4 { 7 - i64::from(date.weekday()) } else { 1 }))
        }
        (Period::Day(date), Step::Months(months)) => {
            let due = date.plus_months(i32::try_from(months).ok()?);
            let end = date.day == dates::month_days(date.year, date.month) && date.day > 27;
            let day = if end { dates::month_days(due.year, due.month) } else { due.day };
            Period::Day(Date { day, ..due })
        }
        (Period::Day(date), Step::Years(years)) => Period::Day(date.plus_months(i32::try_from(years).ok()? * 12)),
        (Period::Month(year, month), Step::Months(step)) => {
            let (year, month) = parts(year, month, 12, step)?;
            Period::Month(year, month)
        }
        (Period::Quarter(year, quarter), Step::Quarters(step)) => {
            let (year, quarter) = parts(year, quarter, 4, step)?;
            Period::Quarter(year, quarter)
        }
        (Period::Week(year, week), Step::Days(days)) => {
            let (year, week) = Date::of_week(year, week)?.plus_days(days.into()).week();
            Period::Week(year, week)
        }
        (Period::Weekday(day), Step::WorkingDays) => Period::Weekday(if day >= 4 { 0 } else { day + 1 }),
        (Period::Weekday(day), Step::Days(days)) => Period::Weekday((day + days) % 7),
        (Period::Time(minutes), Step::Minutes(step)) => Period::Time((minutes + step) % 1440),
        (Period::Year(year), Step::Years(step)) => Period::Year(year + i32::try_from(step).ok()?),
        (Period::Number(n), Step::Numbers(step)) => Period::Number(n + step),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;

    #[test]
    fn series_continue_in_their_own_style() {
        for (labels, expect) in rows::<(Vec<String>, Option<String>)>(include_str!("../cases/periods.json")) {
            let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
            assert_eq!(next(&labels, 2).map(|next| next.join(", ")), expect, "{labels:?}");
        }
        assert_eq!(step(&["2024-05-05", "2024-05-12"]), Some(Step::Days(7)));
    }
}
