//! The labels of a series as periods of the calendar.

use std::mem::discriminant;

use agent_common::dates::{self, Date, Order};
use agent_common::periods::{self, Period, Step};
use agent_common::time_unit::Unit;
use tollbridge_sdk::Error;

/// Most steps ahead.
pub const STEPS_MAX: usize = 400;

/// Labels at even steps, and those that follow.
#[derive(Debug, Default)]
pub struct Calendar {
    /// The distance between two labels, if it has a name.
    pub unit: Option<Unit>,
    /// The periods of the labels.
    pub past: Vec<Period>,
    /// The periods of the steps ahead, with their labels.
    pub future: Vec<(String, Period)>,
}

impl Calendar {
    /// Reads labels, which must be periods at even steps.
    pub fn new(labels: &[String]) -> Result<Self, Error> {
        let invalid = |text: String| Error::invalid("/labels", text);
        let texts: Vec<&str> = labels.iter().map(String::as_str).collect();
        let Some(first) = texts.first() else { return Ok(Self::default()) };
        let order = dates::order(&texts);
        if let Some(label) = texts.iter().find(|label| order.is_none() && is_ambiguous(label)) {
            return Err(invalid(format!("`{label}` can be read as two dates; write dates as `2024-05-01`")));
        }
        // `pens 1, inks 2` are names and no periods.
        let name = |label: &str| label.trim_end_matches(|c: char| c.is_ascii_digit()).trim().to_lowercase();
        let is_other = |label: &str, period: &Period| matches!(period, Period::Number(_)) && name(label) != name(first);
        let mut past = Vec::new();
        for label in &texts {
            let period = periods::read(label, order).filter(|period| !is_other(label, period));
            let text = || format!("the label `{label}` is no period; use `2024-05`, `May 2024`, `Q1 2024` or dates");
            past.push(period.ok_or_else(|| invalid(text()))?);
        }
        let step = periods::step(&texts).filter(|step| !matches!(step, Step::Numbers(..0))).ok_or_else(|| {
            let text = "the labels are not at even steps in order of time; give every period once, the oldest first";
            invalid(format!("{text}, with null for a missing value"))
        })?;
        let next = periods::next(&texts, STEPS_MAX).unwrap_or_default().into_iter();
        let future = next.map_while(|label| periods::read(&label, order).map(|period| (label, period))).collect();
        Ok(Self { unit: Unit::of_step(step), past, future })
    }

    /// Returns the first and the last step ahead in a period, from 1.
    pub fn steps_in(&self, label: &str, field: &str) -> Result<(u32, u32), Error> {
        let period = read(label, field)?;
        let is_inside = |(_, step): &(String, Period)| contains(period, *step);
        let before = self.future.iter().take_while(|step| !is_inside(step)).count();
        let length = self.future.iter().skip(before).take_while(|step| is_inside(step)).count();
        if length == 0 {
            let text = if self.past.is_empty() {
                "the values have no labels; give `labels`, or `start` and `frequency`, or a `horizon`".to_owned()
            } else {
                format!("no step ahead is in `{label}`; give a later period of the same kind as the labels")
            };
            return Err(Error::invalid(field, text));
        }
        let step = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Ok((step(before + 1), step(before + length)))
    }

    /// Returns how many of the last values and which steps ahead a period has, if these are all of it.
    pub fn total(&self, label: &str) -> Result<(usize, (u32, u32)), Error> {
        let period = read(label, "/totals")?;
        let (first, last) = self.steps_in(label, "/totals")?;
        let past: Vec<Period> = self.past.iter().rev().copied().take_while(|step| contains(period, *step)).collect();
        let past = if first == 1 { past } else { Vec::new() };
        let end = |step: u32| self.future.get(step as usize - 1).map(|(_, step)| *step);
        let (start, end) = (past.last().copied().or(end(first)), end(last));
        let is_whole = match (days(period), start.and_then(days), end.and_then(days)) {
            (Some(period), Some(start), Some(end)) => period == (start.0, end.1),
            _ => match (period, end) {
                (Period::Quarter(None, _), Some(Period::Month(..))) => past.len() + (last + 1 - first) as usize == 3,
                (period, end) => end.is_some_and(|end| discriminant(&end) == discriminant(&period)),
            },
        };
        let text = || format!("the series does not cover `{label}` from its beginning to its end");
        if is_whole { Ok((past.len(), (first, last))) } else { Err(Error::invalid("/totals", text())) }
    }
}

fn is_ambiguous(label: &str) -> bool {
    dates::scan(label, None).iter().any(|date| date.ambiguous)
}

/// Reads the label of one period.
pub fn read(label: &str, field: &str) -> Result<Period, Error> {
    let period = periods::read(label, Some(Order::DayFirst)).filter(|_| !is_ambiguous(label));
    let text = || format!("`{label}` is no clear period; write it as `2024-05`, `Q1 2024`, `2024-05-01` or `December`");
    period.ok_or_else(|| Error::invalid(field, text()))
}

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
    let first = read(start, "/start")?;
    let step = match (first, unit) {
        (Period::Number(_), _) => Step::Numbers(1),
        (Period::Month(..), None | Some(Unit::Month)) | (Period::Day(_), Some(Unit::Month)) => Step::Months(1),
        (Period::Month(..) | Period::Day(_), Some(Unit::Quarter)) => Step::Months(3),
        (Period::Month(..) | Period::Day(_), Some(Unit::Year)) => Step::Months(12),
        (Period::Quarter(..), None | Some(Unit::Quarter)) => Step::Quarters(1),
        (Period::Year(_), None | Some(Unit::Year)) => Step::Years(1),
        (Period::Week(..), None | Some(Unit::Week)) | (Period::Day(_), Some(Unit::Week)) => Step::Days(7),
        (Period::Day(_) | Period::Weekday(_), Some(Unit::Day)) => Step::Days(1),
        (Period::Day(_) | Period::Weekday(_), Some(Unit::WorkingDay)) => Step::WorkingDays,
        (Period::Time(_), None | Some(Unit::Hour)) => Step::Minutes(60),
        _ => return Err(unclear("does not tell how far apart the values are; give a `frequency` that fits it")),
    };
    let others = std::iter::successors(periods::following(first, step), |period| periods::following(*period, step));
    let others = others.map_while(|period| periods::written(period, start, None));
    let labels: Vec<String> = std::iter::once(start.trim().to_owned()).chain(others).take(count).collect();
    if labels.len() < count { Err(unclear("has no following periods")) } else { Ok(labels) }
}

/// Returns the first and the last day of a period with a year.
pub fn days(period: Period) -> Option<(i64, i64)> {
    let (start, months, days) = match period {
        Period::Day(date) => (date, 0, 1),
        Period::Week(year, week) => {
            let fourth = Date::new(year, 1, 4)?;
            (fourth.plus_days(7 * (i64::from(week) - 1) - i64::from(fourth.weekday())), 0, 7)
        }
        Period::Month(Some(year), month) => (Date::new(year, month, 1)?, 1, 0),
        Period::Quarter(Some(year), quarter) => (Date::new(year, quarter * 3 - 2, 1)?, 3, 0),
        Period::Year(year) => (Date::new(year, 1, 1)?, 12, 0),
        _ => return None,
    };
    Some((start.days(), start.plus_months(months).days() + days - 1))
}

/// Returns whether a step of a series lies in a period.
fn contains(period: Period, step: Period) -> bool {
    if let (Some(step), Some(period)) = (days(step), days(period)) {
        return period.0 <= step.0 && step.1 <= period.1;
    }
    match (step, period) {
        (Period::Month(_, month), Period::Month(_, wanted)) => month == wanted,
        (Period::Day(date), Period::Month(None, wanted)) => date.month == wanted,
        (Period::Quarter(_, quarter), Period::Quarter(_, wanted)) => quarter == wanted,
        (Period::Month(_, month), Period::Quarter(None, wanted)) => month.div_ceil(3) == wanted,
        (Period::Day(date), Period::Weekday(wanted)) => date.weekday() == wanted,
        (step, wanted) => step == wanted,
    }
}
