//! Labels of a series: what they are, and which come next in the same style.

use crate::dates::{self, Date, Order};
pub use crate::period_style::written;
use crate::period_style::{language, written_in};

/// One label of a series, read.
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

/// How far apart the labels of a series are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// So many minutes.
    Minutes(u32),
    /// So many days; 7 for weeks.
    Days(u32),
    /// Working days from Monday to Friday.
    WorkingDays,
    /// So many months.
    Months(u32),
    /// So many quarters.
    Quarters(u32),
    /// So many years.
    Years(u32),
    /// Numbers that grow by so much.
    Numbers(i64),
}

impl Step {
    /// `month`, `week`: what one step is called; none for counts without a name.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Minutes(60) => Some("hour"),
            Self::Minutes(1) => Some("minute"),
            Self::Days(1) => Some("day"),
            Self::WorkingDays => Some("working day"),
            Self::Days(7) => Some("week"),
            Self::Months(1) => Some("month"),
            Self::Months(3) | Self::Quarters(1) => Some("quarter"),
            Self::Months(12) | Self::Years(1) => Some("year"),
            _ => None,
        }
    }
}

/// Reads one label.
#[must_use]
pub fn read(label: &str, order: Option<Order>) -> Option<Period> {
    let label = label.trim().trim_end_matches([':', ',']);
    if let Some(date) = dates::read(label, Some(order.unwrap_or(Order::DayFirst))) {
        return Some(Period::Day(date));
    }
    let parts: Vec<&str> = label.split([' ', '-', '/', '\'', '’', '_', '.']).filter(|part| !part.is_empty()).collect();
    let year = |part: &str| -> Option<i32> {
        let digits = part.bytes().all(|byte| byte.is_ascii_digit());
        let year: i32 = part.parse().ok().filter(|_| digits)?;
        match part.len() {
            4 if (1000..=2999).contains(&year) => Some(year),
            2 => Some(if year < 70 { 2000 + year } else { 1900 + year }),
            _ => None,
        }
    };
    let coded = |part: &str, letters: &[char]| -> Option<u32> {
        let mut chars = part.chars();
        letters.contains(&chars.next()?.to_ascii_uppercase()).then_some(())?;
        chars.as_str().parse().ok()
    };
    let quarter = |part: &str| coded(part, &['Q', 'T']).filter(|n| (1..=4).contains(n));
    let week = |part: &str| coded(part, &['W']).or_else(|| part.strip_prefix("KW")?.parse().ok()).filter(|n| *n <= 53);
    match parts.as_slice() {
        [one] => {
            if let Some((hour, minute)) = one.split_once(':') {
                let minute = minute.get(..2)?.parse::<u32>().ok()?;
                return Some(Period::Time(hour.parse::<u32>().ok()? * 60 + minute));
            }
            let named = dates::month(one).map(|month| Period::Month(None, month));
            let named = named.or_else(|| dates::weekday(one).map(Period::Weekday));
            let named = named.or_else(|| quarter(one).map(|q| Period::Quarter(None, q)));
            let dated = year(one).filter(|year| one.len() == 4 && (1900..=2100).contains(year)).map(Period::Year);
            named.or(dated).or_else(|| joined(one)).or_else(|| numbered(label))
        }
        [first, second] => {
            let month = |part: &str| dates::month(part);
            if let (Some(month), Some(year)) = (month(first), year(second)) {
                return Some(Period::Month(Some(year), month));
            }
            if let (Some(year), Some(month)) = (year(first).filter(|_| first.len() == 4), month(second)) {
                return Some(Period::Month(Some(year), month));
            }
            if let (Some(quarter), Some(year)) = (quarter(first), year(second)) {
                return Some(Period::Quarter(Some(year), quarter));
            }
            if let (Some(year), Some(quarter)) = (year(first), quarter(second)) {
                return Some(Period::Quarter(Some(year), quarter));
            }
            if let (Some(year), Some(week)) = (year(first), week(second)) {
                return Some(Period::Week(year, week));
            }
            let numbers = (year(first).filter(|_| first.len() == 4), second.parse::<u32>().ok());
            if let (Some(year), Some(month)) = numbers
                && (1..=12).contains(&month)
            {
                return Some(Period::Month(Some(year), month));
            }
            let swapped = (first.parse::<u32>().ok(), year(second).filter(|_| second.len() == 4));
            if let (Some(month), Some(year)) = swapped
                && (1..=12).contains(&month)
            {
                return Some(Period::Month(Some(year), month));
            }
            numbered(label)
        }
        _ => numbered(label),
    }
}

/// `2024Q1`, `Q12024`, `2024W05`.
fn joined(label: &str) -> Option<Period> {
    let at = label.find(['Q', 'q', 'W', 'w']).filter(|at| *at == 4)?;
    let year = label.get(..at)?.parse().ok()?;
    let number = label.get(at + 1..)?.parse().ok()?;
    if label.contains(['W', 'w']) {
        Some(Period::Week(year, number))
    } else {
        Some(Period::Quarter(Some(year), number))
    }
}

/// `week 12`, `Day 3`, `12`, `W7`.
fn numbered(label: &str) -> Option<Period> {
    let digits = label.len() - label.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (name, number) = label.split_at_checked(label.len() - digits)?;
    let plain = name.chars().all(|c| c.is_alphabetic() || " -_#.".contains(c)) && name.split_whitespace().count() <= 2;
    (plain && digits > 0 && digits < 10).then(|| number.parse().ok().map(Period::Number))?
}

/// The step from label to label; none if a label is not read or the steps differ.
#[must_use]
pub fn step(labels: &[&str]) -> Option<Step> {
    let order = dates::order(labels);
    let periods: Option<Vec<Period>> = labels.iter().map(|label| read(label, order)).collect();
    step_of(&periods?)
}

fn step_of(periods: &[Period]) -> Option<Step> {
    let steps: Vec<i64> =
        periods.iter().zip(periods.iter().skip(1)).map(|(a, b)| apart(*a, *b)).collect::<Option<_>>()?;
    let first = *steps.first()?;
    let same = steps.iter().all(|step| *step == first);
    let small = u32::try_from(first).ok().filter(|step| *step > 0);
    match periods.first()? {
        Period::Day(_) if same => small.map(Step::Days),
        Period::Day(first) => {
            let dates: Vec<Date> =
                periods.iter().filter_map(|p| if let Period::Day(date) = p { Some(*date) } else { None }).collect();
            let months: Vec<i32> = dates.iter().zip(dates.iter().skip(1)).map(|(a, b)| months_apart(*a, *b)).collect();
            let step = *months.first()?;
            let exact = dates.iter().enumerate().all(|(at, date)| {
                let due = first.plus_months(step.saturating_mul(i32::try_from(at).unwrap_or(0)));
                let ends = |date: &Date| date.day == dates::month_days(date.year, date.month);
                due == *date || (dates.iter().all(ends) && (due.year, due.month) == (date.year, date.month))
            });
            if exact && step > 0 {
                return u32::try_from(step).ok().map(Step::Months);
            }
            let working = steps.iter().zip(&dates).all(|(step, date)| *step == if date.weekday() == 4 { 3 } else { 1 });
            working.then_some(Step::WorkingDays)
        }
        Period::Weekday(_) if same => (first == 1).then_some(Step::Days(1)),
        Period::Weekday(_) => {
            let week = periods
                .iter()
                .zip(&steps)
                .all(|(p, step)| matches!((p, step), (Period::Weekday(4), 3) | (Period::Weekday(0..=3), 1)));
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

fn months_apart(from: Date, to: Date) -> i32 {
    let month = |date: Date| date.year * 12 + i32::try_from(date.month).unwrap_or(0);
    month(to) - month(from)
}

/// How many of its own steps lie between two periods of one kind.
fn apart(from: Period, to: Period) -> Option<i64> {
    Some(match (from, to) {
        (Period::Day(a), Period::Day(b)) => b.days() - a.days(),
        (Period::Month(Some(y), a), Period::Month(Some(z), b)) => i64::from(z - y) * 12 + i64::from(b) - i64::from(a),
        // A year that stands only beside January: `Dec 2023, Jan, Feb` or `Nov, Dec, Jan 2024`.
        (Period::Month(_, a), Period::Month(_, b)) => (i64::from(b) - i64::from(a)).rem_euclid(12),
        (Period::Quarter(Some(y), a), Period::Quarter(Some(z), b)) => {
            i64::from(z - y) * 4 + i64::from(b) - i64::from(a)
        }
        (Period::Quarter(_, a), Period::Quarter(_, b)) => (i64::from(b) - i64::from(a)).rem_euclid(4),
        (Period::Week(y, a), Period::Week(z, b)) => (monday(z, b)?.days() - monday(y, a)?.days()) / 7,
        (Period::Weekday(a), Period::Weekday(b)) => (i64::from(b) - i64::from(a)).rem_euclid(7),
        (Period::Time(a), Period::Time(b)) => (i64::from(b) - i64::from(a)).rem_euclid(1440),
        (Period::Year(a), Period::Year(b)) => i64::from(b - a),
        (Period::Number(a), Period::Number(b)) => b - a,
        _ => return None,
    })
}

/// Monday of an ISO week.
fn monday(year: i32, week: u32) -> Option<Date> {
    let fourth = Date::new(year, 1, 4)?;
    Some(fourth.plus_days(i64::from(week) * 7 - 7 - i64::from(fourth.weekday())))
}

fn iso_week(day: Date) -> Option<(i32, u32)> {
    let thursday = day.plus_days(3 - i64::from(day.weekday()));
    let first = monday(thursday.year, 1)?;
    Some((thursday.year, u32::try_from((day.days() - first.days()) / 7 + 1).ok()?))
}

/// The next `n` labels of a series, written as its last one; none if the series has no even step.
#[must_use]
pub fn next(labels: &[&str], n: usize) -> Option<Vec<String>> {
    let order = dates::order(labels);
    let periods: Vec<Period> = labels.iter().map(|label| read(label, order)).collect::<Option<_>>()?;
    let step = step_of(&periods)?;
    let style = *labels.last()?;
    let mut period = *periods.last()?;
    let language = language(labels);
    let mut made = Vec::new();
    for _ in 0..n {
        period = following(period, step)?;
        made.push(written_in(period, style, order, language)?);
    }
    Some(made)
}

/// The period one step later.
#[must_use]
pub fn following(period: Period, step: Step) -> Option<Period> {
    let year_of = |total: i64, size: i64| i32::try_from(total.div_euclid(size)).ok();
    let part_of = |total: i64, size: i64| u32::try_from(total.rem_euclid(size) + 1).ok();
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
            let total = i64::from(year.unwrap_or(0)) * 12 + i64::from(month) - 1 + i64::from(step);
            Period::Month(year.and(year_of(total, 12)), part_of(total, 12)?)
        }
        (Period::Quarter(year, quarter), Step::Quarters(step)) => {
            let total = i64::from(year.unwrap_or(0)) * 4 + i64::from(quarter) - 1 + i64::from(step);
            Period::Quarter(year.and(year_of(total, 4)), part_of(total, 4)?)
        }
        (Period::Week(year, week), Step::Days(days)) => {
            let (year, week) = iso_week(monday(year, week)?.plus_days(days.into()))?;
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

    #[test]
    fn series_go_on_in_their_own_style() {
        let cases: &[(&[&str], &str)] = &[
            (&["Jan", "Feb", "Mar"], "Apr, May"),
            (&["november", "december"], "january, february"),
            (&["Nov 2023", "Dec 2023"], "Jan 2024, Feb 2024"),
            (&["November 2023", "December 2023"], "January 2024, February 2024"),
            (&["2024-11", "2024-12"], "2025-01, 2025-02"),
            (&["11/2024", "12/2024"], "01/2025, 02/2025"),
            (&["Q3 2023", "Q4 2023"], "Q1 2024, Q2 2024"),
            (&["2023-Q3", "2023-Q4"], "2024-Q1, 2024-Q2"),
            (&["2023Q3", "2023Q4"], "2024Q1, 2024Q2"),
            (&["Q1", "Q2"], "Q3, Q4"),
            (&["2022", "2023"], "2024, 2025"),
            (&["2016", "2018"], "2020, 2022"),
            (&["week 11", "week 12"], "week 13, week 14"),
            (&["W08", "W09"], "W10, W11"),
            (&["2024-W51", "2024-W52"], "2025-W01, 2025-W02"),
            (&["Mon", "Tue", "Wed"], "Thu, Fri"),
            (&["Wed", "Thu", "Fri", "Mon", "Tue"], "Wed, Thu"),
            (&["Thu", "Fri", "Mon"], "Tue, Wed"),
            (&["Saturday", "Sunday"], "Monday, Tuesday"),
            (&["2024-02-28", "2024-02-29"], "2024-03-01, 2024-03-02"),
            (&["2024-05-05", "2024-05-12"], "2024-05-19, 2024-05-26"),
            (&["2024-01-31", "2024-02-29", "2024-03-31"], "2024-04-30, 2024-05-31"),
            (&["2024-01-01", "2024-02-01", "2024-03-01"], "2024-04-01, 2024-05-01"),
            (&["2024-06-06", "2024-06-07", "2024-06-10"], "2024-06-11, 2024-06-12"),
            (&["30/01/2024", "31/01/2024"], "01/02/2024, 02/02/2024"),
            (&["01/30/2024", "01/31/2024"], "02/01/2024, 02/02/2024"),
            (&["30.12.2024", "31.12.2024"], "01.01.2025, 02.01.2025"),
            (&["30 May 2024", "31 May 2024"], "1 Jun 2024, 2 Jun 2024"),
            (&["mei", "juni"], "juli, augustus"),
            (&["Januar", "Februar"], "März, April"),
            (&["8:00", "9:00"], "10:00, 11:00"),
            (&["22:00", "23:00"], "00:00, 01:00"),
            (&["Jan 24", "Feb 24"], "Mar 24, Apr 24"),
            (&["1", "2", "3"], "4, 5"),
        ];
        for (labels, expect) in cases {
            assert_eq!(next(labels, 2).map(|next| next.join(", ")).as_deref(), Some(*expect), "{labels:?}");
        }
        for labels in [&["Jan", "Mar", "Apr"][..], &["a", "b"], &["Jan"], &["2024-01", "Q2"]] {
            assert_eq!(next(labels, 1), None, "{labels:?}");
        }
        assert_eq!(step(&["Jan", "Feb"]).and_then(Step::name), Some("month"));
        assert_eq!(step(&["2024-05-05", "2024-05-12"]).and_then(Step::name), Some("week"));
    }
}
