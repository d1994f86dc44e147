//! What a task gives to forecast: one series, its labels, and how far to look.

use agent_common::periods::{Period, Step};
use agent_common::request::{PieceKind, Request};
use agent_common::series::{self, Series, Source};
use agent_common::time_unit::{self, Unit};
use agent_common::{asking, dates, quantity, sentences, series_labels};
use tollbridge_sdk::Error;

use crate::horizon::{self, Horizon};
use crate::{beside, corrected, gaps, horizon_parts, pasted, refused};

/// Fewest values that say anything about a direction.
pub const FEWEST: usize = 4;

/// What is forecast.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    pub series: Series,
    pub unit: Option<Unit>,
    pub steps: u32,
    /// The task says how far.
    pub said: bool,
    /// Values that the task corrects.
    pub corrected: Vec<String>,
}

/// Reads a task in words.
pub fn read(task: &str) -> Result<Reading, Error> {
    let pasted = pasted::of(task);
    let task = pasted.as_str();
    refused::check(task)?;
    let request = Request::read(task);
    let asked = asked(task, &request);
    let mut series = choose(series::read(task, &request), &asked)?;
    let mut corrected = corrected::apply(&mut series, task);
    corrected.extend(gaps::fill(&mut series));
    if wild(&series) {
        let text = "the values differ more than fiftyfold, so one of them may be short for thousands; write all of them in full";
        return Err(Error::invalid("/values", text));
    }
    ordered(&mut series);
    if let Some(gap) = series.gaps.first() {
        let text = format!("{gap} has no value; give it, so that the values are evenly spaced in time");
        return Err(Error::invalid("/values", text));
    }
    let told = time_unit::told(task);
    if series.labels.is_empty() {
        series.labels = series_labels::told(task, series.values.len(), told).unwrap_or_default();
    }
    let step = step(&series)?;
    let last = series_labels::last(&series.labels);
    let numbered = series.labels.first().and_then(|label| label.split_whitespace().next()).and_then(Unit::of);
    let of_step = step.and_then(Unit::of_step).filter(|_| !matches!(step, Some(Step::Numbers(_))));
    let unit = of_step.or(numbered).or_else(|| week_code(&series)).or(told.filter(|_| step.is_none_or(is_number)));
    let count = series.values.len();
    let beside = beside::of(task);
    let mut look = horizon::read(&asked, last, step, unit, count);
    if look == Horizon::Unsaid {
        look = horizon::read(&beside, last, step, unit, count);
    }
    if look == Horizon::Unsaid {
        look = horizon_parts::numbered(task, count).map_or(look, Horizon::Steps);
    }
    // What is said of how far to look and not understood is no single step.
    if look == Horizon::Unsaid
        && series.ahead.is_empty()
        && (horizon_parts::hints(&beside) || (last.is_none() && horizon_parts::names_year(&asked)))
    {
        look = Horizon::Unknown;
    }
    let (steps, said) = match look {
        Horizon::Steps(steps) => (steps, true),
        Horizon::Unsaid if !series.ahead.is_empty() => (u32::try_from(series.ahead.len()).unwrap_or(1), true),
        Horizon::Unsaid => (1, false),
        Horizon::Unknown => {
            let what = unit.map_or("values", |unit| unit.plural());
            let text = format!("how far ahead is not clear; write for example `the next 3 {what}`");
            return Err(Error::invalid("/horizon", text));
        }
    };
    Ok(Reading { series, unit, steps, said, corrected })
}

/// `21 thousand, then 18, 15, and 12 thousand` in a sentence.
fn wild(series: &Series) -> bool {
    let sizes = || series.values.iter().map(|value| value.abs()).filter(|size| *size > 0.0);
    let (least, most) = (sizes().fold(f64::INFINITY, f64::min), sizes().fold(0.0, f64::max));
    let jumps =
        series.values.windows(2).any(|pair| matches!(pair, [a, b] if (a / b).abs() > 30.0 || (b / a).abs() > 30.0));
    series.source == Source::Prose && series.values.len() < 8 && most > 50.0 * least && jumps
}

fn is_number(step: Step) -> bool {
    matches!(step, Step::Numbers(_))
}

fn week_code(series: &Series) -> Option<Unit> {
    let week = |label: &String| {
        let digits =
            label.strip_prefix(['W', 'w']).or_else(|| label.strip_prefix("KW")).or_else(|| label.strip_prefix("CW"));
        digits.is_some_and(|rest| rest.trim().chars().all(|c| c.is_ascii_digit()))
    };
    (!series.labels.is_empty() && series.labels.iter().all(week)).then_some(Unit::Week)
}

/// The words that ask: the instruction, and no sentence that is full of numbers.
fn asked(task: &str, request: &Request) -> String {
    let prose: Vec<&str> =
        request.material.iter().filter(|one| one.kind == PieceKind::Prose).map(|one| one.text.as_str()).collect();
    let told = prose.join("\n");
    let text = match (request.instruction.trim().is_empty(), prose.is_empty()) {
        (false, _) => &request.instruction,
        (true, false) => &told,
        (true, true) => task,
    };
    let few = |text: &str| {
        let dates = dates::scan(text, None);
        let dated = |q: &quantity::Quantity| dates.iter().any(|date| q.start < date.end && q.end > date.start);
        quantity::scan(text).iter().filter(|q| !q.ordinal && !dated(q)).count() < 5
    };
    let mut parts: Vec<String> = Vec::new();
    let mut add = |text: &str| {
        for sentence in sentences::split(text).iter().map(|one| one.text) {
            // `Jan 210, Feb 214. And April?` stands in one line; only its end asks.
            let tail = sentence.rsplit([':', '\n']).next().unwrap_or_default();
            let asks = if few(sentence) {
                sentence
            } else if few(tail) {
                tail
            } else {
                continue;
            };
            parts.push(asks.to_owned());
        }
    };
    add(text);
    if !request.instruction.trim().is_empty() {
        let rest = request.text();
        let more =
            sentences::split(&rest).into_iter().map(|one| one.text).filter(|text| few(text) && asking::asks(text));
        parts.extend(more.map(str::to_owned));
    }
    parts.join("\n")
}

/// The series that the request means.
fn choose(found: Vec<Series>, asked: &str) -> Result<Series, Error> {
    let numbers = found.iter().map(|series| series.values.len()).max().unwrap_or(0);
    if numbers < 2 {
        let text = "there is no series of numbers in the task; give past values in order of time, such as `Jan 10, Feb 12, Mar 13, Apr 15`";
        return Err(Error::invalid("/values", text));
    }
    let lower = asked.to_lowercase();
    let named = |series: &&Series| {
        series.name.as_ref().is_some_and(|name| {
            let name = name.to_lowercase().replace(['_', '-'], " ");
            let spoken = lower.replace(['_', '-'], " ");
            contains_word(&spoken, name.trim()) || contains_word(&spoken, name.trim().trim_end_matches('s'))
        })
    };
    let mut chosen: Vec<&Series> = found.iter().filter(named).collect();
    // `store` is named by `store B` as well: the longer name is meant.
    let longest = chosen.iter().filter_map(|series| series.name.as_ref().map(String::len)).max().unwrap_or(0);
    chosen.retain(|series| {
        let name = series.name.clone().unwrap_or_default();
        let within = found.iter().any(|other| {
            other.name.as_ref().is_some_and(|long| {
                long.len() > name.len() && long.contains(&name) && contains_word(&lower, &long.to_lowercase())
            })
        });
        !within || name.len() == longest
    });
    if found.len() > 1 {
        let totals: Vec<&Series> = found
            .iter()
            .filter(|one| one.name.as_ref().is_some_and(|name| name.to_lowercase().starts_with("total")))
            .collect();
        if chosen.is_empty() && totals.len() == 1 && lower.contains("total") {
            chosen = totals;
        }
    }
    let one = if found.len() == 1 {
        found.first()
    } else {
        Some(&chosen).filter(|list| list.len() == 1).and_then(|list| list.first().copied())
    };
    let Some(series) = one else {
        let names: Vec<&str> = found.iter().filter_map(|series| series.name.as_deref()).take(4).collect();
        let text = format!("there are {} series ({}); name the one to forecast", found.len(), names.join(", "));
        return Err(Error::invalid("/values", text));
    };
    if series.values.len() < FEWEST {
        let text =
            format!("{} values are too few to forecast; give at least {FEWEST} in order of time", series.values.len());
        return Err(Error::invalid("/values", text));
    }
    Ok(series.clone())
}

/// Whether a text has another as whole words.
pub fn contains_word(text: &str, word: &str) -> bool {
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    !word.is_empty()
        && text.match_indices(word).any(|(at, _)| {
            edge(text.get(..at).and_then(|before| before.chars().next_back()))
                && edge(text.get(at + word.len()..).and_then(|after| after.chars().next()))
        })
}

/// `Dec, Nov, Oct`: names without a year that go back one by one.
fn backward(labels: &[String]) -> bool {
    let place = |label: &String| match agent_common::periods::read(label, None) {
        Some(Period::Month(None, month)) => Some((i64::from(month), 12)),
        Some(Period::Quarter(None, quarter)) => Some((i64::from(quarter), 4)),
        _ => None,
    };
    let places: Option<Vec<(i64, i64)>> = labels.iter().map(place).collect();
    places.is_some_and(|places| {
        places.len() > 2 && places.windows(2).all(|pair| matches!(pair, [a, b] if (a.0 - b.0).rem_euclid(a.1) == 1))
    })
}

/// The newest last: lists often begin with the newest.
fn ordered(series: &mut Series) {
    if backward(&series.labels) {
        series.labels.reverse();
        series.values.reverse();
        return;
    }
    if series.labels.len() < 2 || series_labels::step(&series.labels).is_some() {
        return;
    }
    let turned: Vec<String> = series.labels.iter().rev().cloned().collect();
    if series_labels::step(&turned).is_some() && !matches!(series_labels::last(&turned), Some(Period::Number(_))) {
        series.labels = turned;
        series.values.reverse();
        return;
    }
    // Dates in no order.
    let mut pairs: Vec<(i64, String, f64)> = Vec::new();
    for (label, value) in series.labels.iter().zip(&series.values) {
        let key = match agent_common::periods::read(label, None) {
            Some(Period::Day(date)) => date.days(),
            Some(Period::Month(Some(year), month)) => i64::from(year) * 12 + i64::from(month),
            Some(Period::Quarter(Some(year), quarter)) => i64::from(year) * 4 + i64::from(quarter),
            Some(Period::Year(year)) => i64::from(year),
            _ => return,
        };
        pairs.push((key, label.clone(), *value));
    }
    pairs.sort_by_key(|(key, _, _)| *key);
    let sorted: Vec<String> = pairs.iter().map(|(_, label, _)| label.clone()).collect();
    if series_labels::step(&sorted).is_some() {
        series.labels = sorted;
        series.values = pairs.iter().map(|(_, _, value)| *value).collect();
    }
}

/// The step between labels; an error where they skip something or are no times.
fn step(series: &Series) -> Result<Option<Step>, Error> {
    if series.labels.is_empty() {
        return Ok(None);
    }
    let step = series_labels::step(&series.labels);
    if step.is_some() {
        return Ok(step);
    }
    let read = series.labels.iter().filter(|label| agent_common::periods::read(label, None).is_some()).count();
    if read * 2 > series.labels.len() {
        let text =
            "the times of the values are not evenly spaced or one is missing or double; give one value for each period";
        return Err(Error::invalid("/values", text));
    }
    if series.source == Source::Prose || series.source == Source::Pairs || series.labels.len() == series.values.len() {
        let names = series.labels.iter().take(2).cloned().collect::<Vec<_>>().join(", ");
        let text =
            format!("the values are named {names} and so on, which are no times; give one series in order of time");
        return Err(Error::invalid("/values", text));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_that_give_a_series() {
        let cases: &[(&str, &str)] = &[
            ("Predict the next value: 88 91 87 90 92 89 88 91 90 89", "10 1 -"),
            (
                "five years of enrolment: 2019 5000, 2020 5150, 2021 5290, 2022 5460, 2023 5600. next two years??",
                "5 2 year",
            ),
            ("Data: Mon 31, Tue 29, Wed 30, Thu 32, Fri 30, Mon 31, Tue 30. Next working day?", "7 1 day"),
            ("month,sold\n2024-04,8\n2024-03,7\n2024-02,6\n2024-01,5\n\nnext quarter?", "4 3 month"),
            ("Forecast two weeks: W1 5, W2 6, W3 7, W4 7, W5 8", "5 2 week"),
            (
                "Turnover was Q1 2023 1.2m, Q2 2023 1.3m, Q3 2023 1.35m, Q4 2023 1.4m. What about Q1 and Q2 2024?",
                "4 2 quarter",
            ),
            ("kg per day: 1 May 30, 2 May 31, 3 May 29, 4 May 30. The next three days please", "4 3 day"),
            (
                "date,visits\n2024-05-01,5\n2024-05-02,6\n2024-05-03,7\n2024-05-04,7\n2024-05-05,\n2024-05-06,\nfill the empty ones",
                "4 2 day",
            ),
            ("Temps today 08:00 11.5, 09:00 12.1, 10:00 12.9, 11:00 13.2, 12:00 14. 13:00?", "5 1 hour"),
        ];
        for (task, expect) in cases {
            let told = match read(task) {
                Ok(reading) => {
                    let unit = reading.unit.map_or("-", Unit::name);
                    format!("{} {} {unit}", reading.series.values.len(), reading.steps)
                }
                Err(error) => format!("{error:?}"),
            };
            assert_eq!(told, *expect, "{task}");
        }
    }

    #[test]
    fn tasks_that_lack_something() {
        let cases = [
            ("Forecast: Jan ?, Feb ?, Mar ?, Apr ?", "no series"),
            ("Which numbers will be drawn in the lottery? Last draw: 3, 17, 22, 28, 41, 44.", "chance"),
            ("Forecast monthly sales up to the day our lease ends: Jan 210, Feb 214, Mar 219, Apr 222.", "how far"),
            ("shop,2024-01,2024-02,2024-03,2024-04\nA,1,2,3,4\nB,4,5,6,7\n\nforecast please", "name the one"),
            ("Jan 5, Feb 6, Apr 8, May 9, Jun 9. July?", "evenly"),
            ("Sales: 5, 6. Next?", "too few"),
            ("Apples 5, pears 6, plums 7, figs 8, dates 9: forecast", "no times"),
            ("when will our sales beat 1000? Jan 700, Feb 720, Mar 750, Apr 775, May 800", "not when"),
            ("Sum these: Jan 5, Feb 6, Mar 7, Apr 8", "other work"),
            ("Jan 5, Feb 6, Mar 7, Apr 8. In May we open a second shop. What will May be?", "values alone"),
        ];
        for (task, part) in cases {
            let message = read(task).map(|reading| format!("{reading:?}")).unwrap_or_else(|error| format!("{error:?}"));
            assert!(message.contains(part), "{task}\n{message}");
        }
    }
}
