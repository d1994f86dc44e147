//! An agent that finds outliers and changes of level in series.
//!
//! The bridge `anomaly_detection` judges single points. The agent splits series whose
//! level changes, and applies limits that the caller sets.

mod commands;
mod judge;
mod level;
mod limits;
mod stats;
mod summary;

use agent_common::{figures, form, limits as all_limits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::{Call, Error, agent};

use crate::judge::{Options, Point};
use crate::level::Change;

/// Most points of a series that are listed.
const LISTED_MAX: usize = 500;

/// One series or several, and what to look for.
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The values of one series in order of time, 3 to 20,000.
    #[schemars(length(min = 3, max = 20_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<f64>>,
    /// Names of the values, as many: dates, names.
    #[schemars(length(max = 20_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<Vec<String>>,
    /// Several series instead of `values`, at most 20.
    #[schemars(length(min = 1, max = 20))]
    #[serde(skip_serializing_if = "Option::is_none")]
    series: Option<Vec<Series>>,
    /// How much to report: `low`, `normal` or `high`. Default: normal.
    #[serde(skip_serializing_if = "Option::is_none")]
    sensitivity: Option<Sensitivity>,
    /// Points in one cycle. Default: detected.
    #[schemars(range(min = 2, max = 6666))]
    #[serde(skip_serializing_if = "Option::is_none")]
    period: Option<u32>,
    /// Only values above (`high`) or below (`low`) the usual. Default: both.
    #[serde(skip_serializing_if = "Option::is_none")]
    direction: Option<Direction>,
    /// What to report: `points`, `levels` or `all`. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    find: Option<Find>,
    /// The caller's own limits, in place of the statistical judgement.
    #[serde(skip_serializing_if = "Option::is_none")]
    limits: Option<limits::Limits>,
}

/// A series with a name.
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The values in order of time.
    #[schemars(length(min = 3, max = 20_000))]
    values: Vec<f64>,
    /// Names of the values, as many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    labels: Vec<String>,
}

/// How much to report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sensitivity {
    Low,
    Normal,
    High,
}

/// Which side of the usual values to report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    High,
    Low,
}

/// What to report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Find {
    Points,
    Levels,
    All,
}

/// The points and changes of level that were found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The answer in words.
    summary: String,
    /// Points that stand out, by series and position; at most 500 of each series.
    anomalies: Vec<Anomaly>,
    /// Positions from which a series runs on another level, at most 5 of each series.
    level_changes: Vec<Change>,
    /// How the points were judged.
    method: String,
    /// The series that were examined.
    based_on: Vec<Basis>,
    /// What the answer does not cover.
    limitations: Vec<String>,
}

/// A series that was examined.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Basis {
    /// Its name, if it has one.
    series: Option<String>,
    /// Number of its values.
    count: usize,
    /// The lowest value.
    least: f64,
    /// The median.
    median: f64,
    /// The highest value.
    highest: f64,
}

/// A point that stands out.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Anomaly {
    /// The series, if there are several.
    series: Option<String>,
    /// Its position in the series, from 0.
    index: usize,
    /// Its label as written, if it has one.
    label: Option<String>,
    /// Its value.
    value: f64,
    /// The value that would be usual there.
    expected: f64,
    /// Its distance, in the unit of the method (mostly robust standard deviations); 0 for limits of the caller.
    score: f64,
    /// The same in words.
    explanation: String,
}

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
