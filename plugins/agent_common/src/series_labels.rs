//! What the values are called where the task only says where they begin or end, and what comes next.

use crate::dates;
use crate::periods::{self, Period, Step};

use crate::time_unit::{self, Unit};

/// A year that stands in for one that days such as `5 May` do not have.
const ANY_YEAR: &str = " 2023";

/// The next `n` labels of a series, in its own style.
#[must_use]
pub fn next(labels: &[String], n: usize) -> Option<Vec<String>> {
    let plain: Vec<&str> = labels.iter().map(String::as_str).collect();
    if let Some(found) = periods::next(&plain, n) {
        return Some(found);
    }
    let dated = dated(labels)?;
    let dated: Vec<&str> = dated.iter().map(String::as_str).collect();
    let next = periods::next(&dated, n)?;
    Some(next.iter().map(|label| label.trim_end_matches(ANY_YEAR).to_owned()).collect())
}

/// The step of a series by its labels.
#[must_use]
pub fn step(labels: &[String]) -> Option<Step> {
    let plain: Vec<&str> = labels.iter().map(String::as_str).collect();
    periods::step(&plain).or_else(|| {
        let dated = dated(labels)?;
        periods::step(&dated.iter().map(String::as_str).collect::<Vec<_>>())
    })
}

/// The last label, read.
#[must_use]
pub fn last(labels: &[String]) -> Option<Period> {
    let plain: Vec<&str> = labels.iter().map(String::as_str).collect();
    let order = dates::order(&plain);
    let read = |label: &str| periods::read(label, order);
    dated(labels).and_then(|dated| dated.last().and_then(|label| read(label))).or_else(|| read(plain.last()?))
}

/// `5 May` as `5 May 2023`, if all labels are such days.
fn dated(labels: &[String]) -> Option<Vec<String>> {
    let day = |label: &String| {
        let parts: Vec<&str> = label.split_whitespace().collect();
        let number = |part: &str| part.trim_end_matches('.').parse::<u32>().is_ok_and(|day| (1..=31).contains(&day));
        match parts.as_slice() {
            [a, b] => (number(a) && dates::month(b).is_some()) || (dates::month(a).is_some() && number(b)),
            _ => false,
        }
    };
    (!labels.is_empty() && labels.iter().all(day))
        .then(|| labels.iter().map(|label| format!("{label}{ANY_YEAR}")).collect())
}

/// Labels for values without any: `Jan to Dec 2023`, `from 00:00 to 23:00`, `starting March 2022, monthly`.
#[must_use]
pub fn told(text: &str, count: usize, unit: Option<Unit>) -> Option<Vec<String>> {
    range(text, count)
        .or_else(|| from_start(text, count, unit?))
        .or_else(|| to_end(text, count, unit?))
        .or_else(|| in_year(text, count))
}

fn tokens(text: &str) -> Vec<&str> {
    text.split(|c: char| c.is_whitespace() || "()".contains(c))
        .map(|word| word.trim_matches(|c: char| ",;:.?!\"".contains(c)))
        .filter(|word| !word.is_empty())
        .collect()
}

/// The label that begins or ends at a place; the longer first.
fn label_at(tokens: &[&str], at: usize) -> Vec<(String, usize)> {
    let join = |n: usize| tokens.get(at..at + n).map(|part| (part.join(" "), n));
    let hour = |text: &str| text.strip_suffix('h').is_some_and(|digits| digits.parse::<u32>().is_ok());
    let known = |(text, n): (String, usize)| (hour(&text) || periods::read(&text, None).is_some()).then_some((text, n));
    let weekless = |(text, _): &(String, usize)| !text.chars().all(|c| c.is_ascii_digit()) || text.len() == 4;
    [3, 2, 1].into_iter().filter_map(join).filter(weekless).filter_map(known).collect()
}

fn range(text: &str, count: usize) -> Option<Vec<String>> {
    let spaced = text.replace(['–', '—'], " - ");
    let tokens = tokens(&spaced);
    let joins = ["to", "-", "until", "till", "through", "thru", "bis", "à", "a", "al", "tot", "au"];
    for at in 1..tokens.len() {
        if !tokens.get(at).is_some_and(|word| joins.contains(&word.to_lowercase().as_str())) {
            continue;
        }
        for (end, _) in label_at(&tokens, at + 1) {
            for size in (1..=3).rev().filter(|size| *size <= at) {
                let begin = tokens.get(at - size..at).unwrap_or_default().join(" ");
                if begin.chars().all(|c| c.is_ascii_digit()) && begin.len() != 4 {
                    continue;
                }
                if let Some(labels) = between(&begin, &end, count) {
                    return Some(labels);
                }
            }
        }
    }
    // `Mon-Sun`, `Jan-Dec 2023`
    tokens.iter().enumerate().find_map(|(at, word)| {
        let (begin, end) = word.split_once('-')?;
        let next = tokens.get(at + 1).filter(|next| next.len() == 4 && next.parse::<u32>().is_ok());
        let end = next.map_or(end.to_owned(), |year| format!("{end} {year}"));
        between(begin, &end, count)
    })
}

/// All labels from one to another, if they are as many as wanted.
fn between(begin: &str, end: &str, count: usize) -> Option<Vec<String>> {
    // `0h to 13h`
    let hour = |text: &str| text.strip_suffix('h').and_then(|digits| digits.parse::<usize>().ok());
    if let (Some(first), Some(last)) = (hour(begin), hour(end)) {
        let all: Vec<String> = (first..=last).map(|at| format!("{at}h")).collect();
        return (all.len() == count).then_some(all);
    }
    let (mut from, to) = (periods::read(begin, None)?, periods::read(end, None)?);
    let mut style = begin.to_owned();
    // `Jan to Dec 2023`: the year is that of both.
    match (from, to) {
        (Period::Month(None, month), Period::Month(Some(year), last)) => {
            from = Period::Month(Some(if month > last { year - 1 } else { year }), month);
            style = end.to_owned();
        }
        (Period::Quarter(None, quarter), Period::Quarter(Some(year), last)) => {
            from = Period::Quarter(Some(if quarter > last { year - 1 } else { year }), quarter);
            style = end.to_owned();
        }
        _ => {}
    }
    let steps: &[Step] = match from {
        Period::Day(_) => &[Step::Days(1), Step::WorkingDays, Step::Days(7), Step::Months(1)],
        Period::Month(..) => &[Step::Months(1), Step::Months(3)],
        Period::Quarter(..) => &[Step::Quarters(1)],
        Period::Week(..) => &[Step::Days(7)],
        Period::Weekday(_) => &[Step::Days(1), Step::WorkingDays],
        Period::Time(_) => &[Step::Minutes(60), Step::Minutes(30), Step::Minutes(15)],
        Period::Year(_) => &[Step::Years(1)],
        Period::Number(_) => &[Step::Numbers(1)],
    };
    steps.iter().find_map(|step| {
        let all = run(from, *step, count)?;
        (all.last() == Some(&to)).then(|| all.iter().map(|one| periods::written(*one, &style, None)).collect())?
    })
}

fn run(from: Period, step: Step, count: usize) -> Option<Vec<Period>> {
    let mut all = vec![from];
    while all.len() < count {
        all.push(periods::following(*all.last()?, step)?);
    }
    Some(all)
}

fn step_of(unit: Unit, at: Period) -> Option<Step> {
    Some(match (unit, at) {
        (Unit::Hour, Period::Time(_)) => Step::Minutes(60),
        (Unit::Day, Period::Day(_) | Period::Weekday(_)) => Step::Days(1),
        (Unit::Week, Period::Day(_) | Period::Week(..)) => Step::Days(7),
        (Unit::Month, Period::Month(..) | Period::Day(_)) => Step::Months(1),
        (Unit::Quarter, Period::Quarter(..)) => Step::Quarters(1),
        (Unit::Quarter, Period::Month(..) | Period::Day(_)) => Step::Months(3),
        (Unit::Year, Period::Year(_)) => Step::Years(1),
        _ => return None,
    })
}

/// `starting January 2022`, `since 2015`, `from Q1 2020 on`.
fn from_start(text: &str, count: usize, unit: Unit) -> Option<Vec<String>> {
    let tokens = tokens(text);
    let keys = ["starting", "start", "since", "from", "beginning", "begins", "starts", "ab", "seit", "first"];
    let skip = ["in", "with", "at", "on", "is", "value", "month", "week", "of"];
    for at in (0..tokens.len()).filter(|at| tokens.get(*at).is_some_and(|w| keys.contains(&w.to_lowercase().as_str())))
    {
        for by in 1..=3 {
            for (label, _) in label_at(&tokens, at + by) {
                let period = periods::read(&label, None)?;
                if let Some(all) = step_of(unit, period).and_then(|step| run(period, step, count)) {
                    return all.iter().map(|one| periods::written(*one, &label, None)).collect();
                }
            }
            if !tokens.get(at + by).is_some_and(|word| skip.contains(&word.to_lowercase().as_str())) {
                break;
            }
        }
    }
    None
}

/// `the last 12 months, ending August 2024`, `up to and including May`.
fn to_end(text: &str, count: usize, unit: Unit) -> Option<Vec<String>> {
    let tokens = tokens(text);
    let keys = ["to", "until", "through", "ending", "ends", "ended", "including", "latest", "newest", "last"];
    let skip = ["in", "with", "at", "on", "is", "value", "one", "was", "being", "month", "year"];
    for at in (0..tokens.len()).filter(|at| tokens.get(*at).is_some_and(|w| keys.contains(&w.to_lowercase().as_str())))
    {
        for by in 1..=3 {
            for (label, _) in label_at(&tokens, at + by) {
                let period = periods::read(&label, None)?;
                if let Some(all) = back(period, unit, count) {
                    return all.iter().map(|one| periods::written(*one, &label, None)).collect();
                }
            }
            if !tokens.get(at + by).is_some_and(|word| skip.contains(&word.to_lowercase().as_str())) {
                break;
            }
        }
    }
    None
}

fn back(last: Period, unit: Unit, count: usize) -> Option<Vec<Period>> {
    let by = i64::try_from(count).ok()? - 1;
    let from = match (last, unit) {
        (Period::Month(Some(year), month), Unit::Month) => {
            let total = i64::from(year) * 12 + i64::from(month) - 1 - by;
            Period::Month(
                Some(i32::try_from(total.div_euclid(12)).ok()?),
                u32::try_from(total.rem_euclid(12)).ok()? + 1,
            )
        }
        (Period::Month(None, month), Unit::Month) => {
            Period::Month(None, u32::try_from((i64::from(month) - 1 - by).rem_euclid(12)).ok()? + 1)
        }
        (Period::Year(year), Unit::Year) => Period::Year(year - i32::try_from(by).ok()?),
        (Period::Quarter(Some(year), quarter), Unit::Quarter) => {
            let total = i64::from(year) * 4 + i64::from(quarter) - 1 - by;
            Period::Quarter(
                Some(i32::try_from(total.div_euclid(4)).ok()?),
                u32::try_from(total.rem_euclid(4)).ok()? + 1,
            )
        }
        (Period::Day(date), Unit::Day) => Period::Day(date.plus_days(-by)),
        (Period::Day(date), Unit::Week) => Period::Day(date.plus_days(-7 * by)),
        _ => return None,
    };
    run(from, step_of(unit, from)?, count)
}

/// Twelve values of one year are its months, four its quarters.
fn in_year(text: &str, count: usize) -> Option<Vec<String>> {
    let years: Vec<i32> = tokens(text)
        .iter()
        .filter(|word| word.len() == 4)
        .filter_map(|word| word.parse().ok().filter(|year| (1990..=2060).contains(year)))
        .collect();
    let year = years.first().filter(|first| years.iter().all(|year| year == *first))?;
    match (time_unit::told(text), count) {
        (Some(Unit::Month), 12) => between("January", &format!("December {year}"), 12),
        (Some(Unit::Quarter), 4) => between("Q1", &format!("Q4 {year}"), 4),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_that_are_told() {
        let cases: &[(&str, usize, &str)] = &[
            ("measured every hour today from 00:00 to 23:00:", 24, "00:00 .. 23:00"),
            ("logins per hour, 0h to 13h:", 14, "0h .. 13h"),
            ("monthly sales, Jan to Dec 2023:", 12, "Jan 2023 .. Dec 2023"),
            ("Mon-Fri takings", 5, "Mon .. Fri"),
            ("monthly, starting January 2022:", 5, "January 2022 .. May 2022"),
            ("yearly since 2015:", 6, "2015 .. 2020"),
            ("monthly figures ending August 2024", 4, "May 2024 .. August 2024"),
            ("from Q1 2022 to Q4 2023", 8, "Q1 2022 .. Q4 2023"),
            ("monthly values for 2023", 12, "January 2023 .. December 2023"),
            ("just numbers", 12, ""),
            ("2015 to 2020", 4, ""),
        ];
        for (text, count, expect) in cases {
            let labels = told(text, *count, time_unit::told(text)).unwrap_or_default();
            let ends = labels.first().zip(labels.last()).map(|(a, b)| format!("{a} .. {b}")).unwrap_or_default();
            assert_eq!(ends, *expect, "{text}");
        }
    }

    #[test]
    fn days_without_a_year_go_on() {
        let labels = ["30 May", "31 May"].map(str::to_owned);
        assert_eq!(next(&labels, 2), Some(vec!["1 Jun".to_owned(), "2 Jun".to_owned()]));
        let labels = ["May 5", "May 12", "May 19"].map(str::to_owned);
        assert_eq!(step(&labels), Some(Step::Days(7)));
    }
}
