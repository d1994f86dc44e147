//! An agent that finds outliers and changes of level in series.
//!
//! The bridge `anomaly_detection` judges points; the agent splits series whose level changes, and applies limits.

mod commands;
mod input;
mod judge;
mod level;
mod limits;
mod output;
mod stats;
mod summary;

use agent_common::{figures, form, limits as all_limits, overlay::overlay};
use tollbridge_sdk::{Call, Error, agent};

pub use crate::input::{Direction, Find, Input, Sensitivity, Series};
use crate::judge::Point;
use crate::level::Change;
pub use crate::output::{Anomaly, Basis, Output};

/// Most points of a series that are listed.
const LISTED_MAX: usize = 500;

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let mut in_words = false;
    let filled = match input {
        Some(input) if task.trim().is_empty() || input.values.is_some() || input.series.is_some() => {
            form::Filled { form: input, note: None }
        }
        input => {
            in_words = true;
            let mut draft = commands::draft(task)?;
            if let Some(typed) = &input {
                draft.form = overlay(draft.form, typed);
            }
            form::fill(task, draft, |form| series_of(form).map(drop))?
        }
    };
    let mut output = answer(&filled.form)?;
    if in_words && filled.form.find == Some(Find::Levels) && output.level_changes.is_empty() {
        let text = "no change of level is clear, which does not show that there is none; send `input` to get the answer \
                    anyway";
        return Err(Error::invalid("/task", text).with_input(&filled.form));
    }
    output.limitations.extend(filled.note);
    Ok(output)
}

/// Returns the series of an input.
fn series_of(input: &Input) -> Result<Vec<Series>, Error> {
    let labels = input.labels.clone().unwrap_or_default();
    let one = input.values.clone().map(|values| Series { name: None, values, labels });
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
    let mut method = "levels by the medians before and after".to_owned();
    let (mut anomalies, mut level_changes, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for series in &all {
        let side = match find {
            Find::Points => None,
            Find::Levels => Some(level::SIDE_ONLY),
            Find::All => Some(level::SIDE),
        };
        let side = side.filter(|_| input.limits.is_none());
        let changes = side.map_or_else(Vec::new, |side| level::changes(&series.values, side));
        let mut points = Vec::new();
        if let Some(limits) = input.limits {
            method = "the limits of the task".to_owned();
            points = limits::outside(&series.values, limits);
        } else if find != Find::Levels {
            let judged = judge::series(&series.values, &changes, input)?;
            method = format!("{}: {}", judged.method.name, judged.method.why);
            notes.extend(judged.limitations);
            points = judged.result.anomalies;
        }
        let name = series.name.clone().filter(|_| all.len() > 1);
        let label = |at: usize| series.labels.get(at).cloned();
        anomalies.extend(points.iter().take(LISTED_MAX).map(|point| Anomaly {
            series: name.clone(),
            index: point.index,
            label: label(point.index),
            value: point.value,
            expected: point.expected,
            score: point.score,
            explanation: explanation(point),
        }));
        let named = |change: Change| Change { label: label(change.index), series: name.clone(), ..change };
        level_changes.extend(changes.into_iter().map(named));
    }
    let based_on: Vec<Basis> = all.iter().map(basis).collect();
    let own = "a change of level is found where at least 5 points on each side differ clearly (3 if only levels are \
        looked for); a slow drift can look like one";
    Ok(Output {
        summary: summary::text(&based_on, &anomalies, &level_changes),
        anomalies,
        level_changes,
        method,
        based_on,
        limitations: all_limits(&[own], &[&notes]),
    })
}

fn basis(series: &Series) -> Basis {
    let least = series.values.iter().copied().fold(f64::MAX, f64::min);
    let highest = series.values.iter().copied().fold(f64::MIN, f64::max);
    let median = figures::round(stats::median(&series.values));
    Basis { series: series.name.clone(), count: series.values.len(), least, median, highest }
}

fn explanation(point: &Point) -> String {
    let [value, lower, upper, expected] = [point.value, point.lower, point.upper, point.expected].map(figures::figure);
    let (bound, side) = if point.value > point.upper { (&upper, "above") } else { (&lower, "below") };
    if point.score == 0.0 {
        return format!("{value} is {side} the limit of {bound}");
    }
    format!("{value} is {side} the usual range of {lower} to {upper}; about {expected} would be usual")
}

agent! { run: run, examples: ["../cases/spike.json"] }
tollbridge_sdk::test_cases!(agent run);

#[cfg(test)]
mod tests {
    use agent_common::testing;
    use serde_json::{Value, json};
    use tollbridge_sdk::testing::Doubles;

    use super::*;

    /// Marks the highest values.
    fn bridge(input: &Value) -> Value {
        let values: Vec<f64> = serde_json::from_value(input["values"].clone()).unwrap();
        let (most, usual) = (values.iter().copied().fold(f64::MIN, f64::max), stats::median(&values));
        let point =
            |at| json!({ "index": at, "value": most, "expected": usual, "score": 9, "lower": 0, "upper": usual });
        let points: Vec<Value> = (0..values.len()).filter(|at| values[*at] == most).map(point).collect();
        json!({ "result": { "anomalies": points }, "method": { "name": "highest", "why": "a test" } })
    }

    /// Tasks and typed inputs, each with a part of its answer or refusal.
    #[test]
    fn tasks_are_answered_or_refused() {
        testing::typed_outcomes_are_expected(include_str!("../tasks.json"), |task, input| {
            let input = input.map(|input| serde_json::from_value(input).unwrap());
            let doubles = Doubles::new().bridge("anomaly_detection", |input| Ok(bridge(input)));
            let (answer, _) = doubles.run(|| run(&Call::default(), task, input));
            answer.map_or_else(|error| error.message().to_owned(), |output| output.summary)
        });
    }

    #[test]
    fn published_examples_are_understood() {
        testing::examples_are_understood(commands::COMMANDS, |task| commands::draft(task).unwrap().question);
    }
}
