//! Labels of a series as periods of the calendar.

use agent_common::dates::{self, Date, Order};
pub use agent_common::periods::{Period, Step, read};
use agent_common::periods::{following, next, step, written};
use agent_common::time_unit::Unit;
use tollbridge_sdk::Error;

/// Returns the unit that a word names; closed, in English.
pub fn unit(word: &str) -> Option<Unit> {
    Some(match word.trim().to_lowercase().trim_end_matches('s') {
        "minute" => Unit::Minute,
        "hour" | "hourly" => Unit::Hour,
        "day" | "daily" => Unit::Day,
        "working day" | "business day" | "weekday" => Unit::WorkingDay,
        "week" | "weekly" => Unit::Week,
        "month" | "monthly" => Unit::Month,
        "quarter" | "quarterly" => Unit::Quarter,
        "year" | "yearly" | "annual" => Unit::Year,
        _ => return None,
    })
}

/// Returns the labels that begin with one and are one unit apart.
pub fn from_start(start: &str, unit: Option<Unit>, count: usize) -> Result<Vec<String>, Error> {
    let unclear = |text: &str| Error::invalid("/start", format!("`{start}` {text}"));
    check_order(&[start])?;
    let first =
        read(start, None).ok_or_else(|| unclear("is no period; write it as `2024-05`, `Q1 2024` or `2024-05-01`"))?;
    let step = match (first, unit) {
        (Period::Number(_), _) => Step::Numbers(1),
        (Period::Month(..), None | Some(Unit::Month)) => Step::Months(1),
        (Period::Month(..), Some(Unit::Quarter)) | (Period::Day(_), Some(Unit::Quarter)) => Step::Months(3),
        (Period::Quarter(..), None | Some(Unit::Quarter)) => Step::Quarters(1),
        (Period::Year(_), None | Some(Unit::Year)) => Step::Years(1),
        (Period::Week(..), None | Some(Unit::Week)) | (Period::Day(_), Some(Unit::Week)) => Step::Days(7),
        (Period::Day(_) | Period::Weekday(_), Some(Unit::Day)) => Step::Days(1),
        (Period::Day(_) | Period::Weekday(_), Some(Unit::WorkingDay)) => Step::WorkingDays,
        (Period::Day(_), Some(Unit::Month)) => Step::Months(1),
        (Period::Month(..), Some(Unit::Year)) | (Period::Day(_), Some(Unit::Year)) => Step::Months(12),
        (Period::Time(_), None | Some(Unit::Hour)) => Step::Minutes(60),
        _ => return Err(unclear("does not tell how far apart the values are; give a `frequency` that fits it")),
    };
    let mut labels = vec![start.trim().to_owned()];
    let mut period = first;
    while labels.len() < count {
        let label = following(period, step).and_then(|next| {
            period = next;
            written(next, start, None)
        });
        labels.push(label.ok_or_else(|| unclear("has no following periods"))?);
    }
    Ok(labels)
}

/// Checks that labels are periods at even steps; returns the unit, if it has a name.
pub fn even(labels: &[&str]) -> Result<Option<Unit>, Error> {
    check_order(labels)?;
    let order = dates::order(labels);
    let name = |label: &str| label.trim_end_matches(|c: char| c.is_ascii_digit()).trim().to_lowercase();
    let first = labels.first().map(|label| name(label));
    let other = |label: &str| matches!(read(label, order), Some(Period::Number(_))) && Some(name(label)) != first;
    if let Some(label) = labels.iter().find(|label| read(label, order).is_none() || other(label)) {
        let text = format!("the label `{label}` is no period; use `2024-05`, `May 2024`, `Q1 2024`, dates or numbers");
        return Err(Error::invalid("/labels", text));
    }
    match step(labels) {
        Some(Step::Numbers(size)) if size < 0 => Err(Error::invalid(
            "/labels",
            "the labels run backwards; give the values in order of time, the oldest first",
        )),
        Some(step) => Ok(Unit::of_step(step)),
        None => {
            let text = "the labels are not at even steps in order of time; give every period once, the oldest first, with null for a missing value";
            Err(Error::invalid("/labels", text))
        }
    }
}

/// Returns an error for dates such as `03/04/2024`, if no label tells which part is the day.
fn check_order(labels: &[&str]) -> Result<(), Error> {
    let ambiguous = |label: &&&str| dates::scan(label, None).iter().any(|found| found.ambiguous);
    match labels.iter().find(ambiguous) {
        Some(label) if dates::order(labels).is_none() => {
            let text = format!("`{label}` can be read as two dates; write dates as `2024-05-01`");
            Err(Error::invalid("/labels", text))
        }
        _ => Ok(()),
    }
}

/// Returns the next labels with their periods.
pub fn future(labels: &[&str], count: usize) -> Vec<(String, Period)> {
    let order = dates::order(labels);
    let next = next(labels, count).unwrap_or_default();
    next.into_iter().map_while(|label| read(&label, order).map(|period| (label, period))).collect()
}

/// Reads the periods of labels that were checked.
pub fn all(labels: &[&str]) -> Vec<Period> {
    let order = dates::order(labels);
    labels.iter().map_while(|label| read(label, order)).collect()
}

/// Reads the label of a period that a caller names.
pub fn wanted(label: &str, field: &str) -> Result<Period, Error> {
    let ambiguous = dates::scan(label, None).iter().any(|found| found.ambiguous);
    let period = read(label, Some(Order::DayFirst)).filter(|_| !ambiguous);
    period.ok_or_else(|| {
        let text = format!("`{label}` is no period; write it as `2024-05`, `Q1 2024`, `2024-05-01` or `December`");
        Error::invalid(field, text)
    })
}

/// Returns the first and the last day of a period with a year.
pub fn span(period: Period) -> Option<(i64, i64)> {
    let months = |year: i32, first: u32, last: u32| {
        let end = Date::new(year, last, dates::month_days(year, last))?;
        Some((Date::new(year, first, 1)?.days(), end.days()))
    };
    match period {
        Period::Day(date) => Some((date.days(), date.days())),
        Period::Month(Some(year), month) => months(year, month, month),
        Period::Quarter(Some(year), quarter) => months(year, quarter * 3 - 2, quarter * 3),
        Period::Week(year, week) => {
            let fourth = Date::new(year, 1, 4)?;
            let monday = fourth.days() - i64::from(fourth.weekday()) + 7 * (i64::from(week) - 1);
            Some((monday, monday + 6))
        }
        Period::Year(year) => months(year, 1, 12),
        _ => None,
    }
}

/// Returns whether a step of a series lies inside a period.
pub fn inside(step: Period, wanted: Period) -> bool {
    if let (Some(step), Some(wanted)) = (span(step), span(wanted)) {
        return wanted.0 <= step.0 && step.1 <= wanted.1;
    }
    match (step, wanted) {
        (Period::Month(_, month), Period::Month(_, wanted)) => month == wanted,
        (Period::Day(date), Period::Month(None, wanted)) => date.month == wanted,
        (Period::Quarter(_, quarter), Period::Quarter(_, wanted)) => quarter == wanted,
        (Period::Month(_, month), Period::Quarter(None, wanted)) => (month - 1) / 3 + 1 == wanted,
        (Period::Day(date), Period::Weekday(wanted)) => date.weekday() == wanted,
        (step, wanted) => step == wanted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_from_a_start() {
        let made = |start: &str, name: &str| from_start(start, unit(name), 3).map(|labels| labels.join(", "));
        assert_eq!(made("2023-11", "monthly").as_deref(), Ok("2023-11, 2023-12, 2024-01"));
        assert_eq!(made("Q4 2023", "").as_deref(), Ok("Q4 2023, Q1 2024, Q2 2024"));
        assert_eq!(made("2024-03-01", "weeks").as_deref(), Ok("2024-03-01, 2024-03-08, 2024-03-15"));
        for (start, unit) in [("2024-03-01", ""), ("03/04/2024", "day"), ("spring", "month"), ("Q1 2024", "month")] {
            assert!(made(start, unit).is_err(), "{start} {unit}");
        }
    }

    #[test]
    fn labels_that_are_no_series() {
        for labels in [
            &["Jan", "Mar", "Apr"][..],
            &["north", "south", "east"],
            &["8", "7", "6"],
            &["pens 1", "inks 2", "pads 3"],
            &["01/02/2024", "01/03/2024", "01/04/2024"],
        ] {
            assert!(even(labels).is_err(), "{labels:?}");
        }
        assert_eq!(even(&["2024-01", "2024-02"]).ok(), Some(Some(Unit::Month)));
    }

    #[test]
    fn steps_inside_periods() {
        let is = |step: &str, period: &str| inside(wanted(step, "").unwrap(), wanted(period, "").unwrap());
        assert!(is("2024-08", "Q3 2024") && is("2024-12-31", "2024") && is("Dec", "December") && is("2024-05", "Q2"));
        assert!(!is("2024-06", "Q3 2024") && !is("2023-12", "2024") && !is("2024", "2024-05"));
        assert!(!is("2024-W27", "July 2024") || span(wanted("2024-W27", "").unwrap()).is_some());
    }
}
