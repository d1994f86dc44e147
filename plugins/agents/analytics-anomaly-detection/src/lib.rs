//! An agent that finds outliers and changes of level in series.
//!
//! The bridge `anomaly_detection` judges single points. The agent splits series whose
//! level changes, and applies limits that the caller sets.

mod commands;
mod input;
mod judge;
mod level;
mod limits;
mod output;
mod stats;
mod summary;

use agent_common::{figures, form, limits as all_limits};
use tollbridge_sdk::{Call, Error, agent};

pub use crate::input::{Direction, Find, Input, Sensitivity, Series};
use crate::judge::{Options, Point};
use crate::level::Change;
pub use crate::output::{Anomaly, Basis, Output};

/// Most points of a series that are listed.
const LISTED_MAX: usize = 500;

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let filled = match input {
        Some(input) if task.trim().is_empty() || input.values.is_some() || input.series.is_some() => {
            form::Filled { form: input, note: None }
        }
        _ => form::fill(task, commands::draft(task)?, |form| series_of(form).map(drop))?,
    };
    let mut output = answer(&filled.form)?;
    output.limitations.extend(filled.note);
    Ok(output)
}

/// Returns the series of an input.
fn series_of(input: &Input) -> Result<Vec<Series>, Error> {
    let one = input.values.clone().map(|values| Series {
        name: None,
        values,
        labels: input.labels.clone().unwrap_or_default(),
    });
    let all: Vec<Series> = one.into_iter().chain(input.series.clone().unwrap_or_default()).collect();
    if all.is_empty() {
        return Err(Error::invalid("/values", "give at least 3 numbers in order of time"));
    }
    for series in &all {
        if series.values.len() < 3 {
            let count = figures::count(series.values.len(), "number", "numbers");
            return Err(Error::invalid("/values", format!("{count} found; give at least 3 in order of time")));
        }
        if !series.labels.is_empty() && series.labels.len() != series.values.len() {
            return Err(Error::invalid("/labels", "give as many labels as values, or none"));
        }
    }
    Ok(all)
}

fn answer(input: &Input) -> Result<Output, Error> {
    let all = series_of(input)?;
    let find = input.find.unwrap_or(Find::All);
    let mut found = Found { several: all.len() > 1, ..Found::default() };
    for series in &all {
        let changes = match (find, input.limits) {
            (Find::Points, _) | (_, Some(_)) => Vec::new(),
            (Find::Levels, None) => level::changes(&series.values, level::SIDE_ASKED),
            (Find::All, None) => level::changes(&series.values, level::SIDE),
        };
        let points = match (find, input.limits) {
            (Find::Levels, None) => Vec::new(),
            (_, Some(limits)) => {
                found.method = "the limits of the task".to_owned();
                limits::outside(&series.values, limits)
            }
            (_, None) => {
                let options =
                    Options { sensitivity: input.sensitivity, period: input.period, direction: input.direction };
                let judged = judge::series(&series.values, &changes, &options)?;
                found.method = judged.method;
                found.notes.extend(judged.limitations);
                judged.points
            }
        };
        found.add(series, &points, &changes);
    }
    Ok(found.output(&all))
}

#[derive(Default)]
struct Found {
    several: bool,
    anomalies: Vec<Anomaly>,
    changes: Vec<Change>,
    method: String,
    notes: Vec<String>,
}

impl Found {
    fn add(&mut self, series: &Series, points: &[Point], changes: &[Change]) {
        let name = series.name.clone().filter(|_| self.several);
        let label = |at: usize| series.labels.get(at).cloned();
        self.anomalies.extend(points.iter().take(LISTED_MAX).map(|point| Anomaly {
            series: name.clone(),
            index: point.index,
            label: label(point.index),
            value: point.value,
            expected: point.expected,
            score: point.score,
            explanation: explanation(point),
        }));
        self.changes.extend(changes.iter().map(|change| Change {
            label: label(change.index),
            series: name.clone(),
            ..change.clone()
        }));
    }

    fn output(self, all: &[Series]) -> Output {
        let based_on: Vec<Basis> = all.iter().map(basis).collect();
        let own = "a change of level is found where at least 5 points on each side differ clearly (3 if only levels are looked for); a slow drift can look like one";
        let method =
            if self.method.is_empty() { "levels by the medians before and after".to_owned() } else { self.method };
        Output {
            summary: summary::text(&based_on, &self.anomalies, &self.changes),
            anomalies: self.anomalies,
            level_changes: self.changes,
            method,
            based_on,
            limitations: all_limits(&[own], &[&self.notes]),
        }
    }
}

fn basis(series: &Series) -> Basis {
    let least = series.values.iter().copied().fold(f64::MAX, f64::min);
    let highest = series.values.iter().copied().fold(f64::MIN, f64::max);
    let median = figures::round(stats::median(&series.values));
    Basis { series: series.name.clone(), count: series.values.len(), least, median, highest }
}

fn explanation(point: &Point) -> String {
    let value = figures::figure(point.value);
    let (bound, side) = if point.value > point.upper { (point.upper, "above") } else { (point.lower, "below") };
    if point.score == 0.0 {
        return format!("{value} is {side} the limit of {}", figures::figure(bound));
    }
    format!(
        "{value} is {side} the usual range of {} to {}; about {} would be usual",
        figures::figure(point.lower),
        figures::figure(point.upper),
        figures::figure(point.expected)
    )
}

agent! { run: run, examples: ["../cases/spike.json"] }
tollbridge_sdk::test_cases!(agent run);
