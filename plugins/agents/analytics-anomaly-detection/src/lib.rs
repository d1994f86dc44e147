//! An agent that finds outliers and changes of level in a series.
//!
//! The bridge `anomaly_detection` judges single points; where the level itself
//! moves, this agent looks by splitting the series where two medians differ
//! most, measured in the series' own spread.

mod level;

use agent_common::{Answer, figures, limits, numbers, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tollbridge_sdk::{Call, Error, agent, bridges};

use crate::level::Change;

/// A series, and how strict to be.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The values in order of time, 3 to 20,000. The task's own numbers or table unless given.
    #[schemars(length(min = 3, max = 20_000))]
    values: Option<Vec<f64>>,
    /// How much to report: `low`, `normal` or `high`. Default: normal.
    sensitivity: Option<Sensitivity>,
    /// Points in one cycle; found by itself unless given.
    #[schemars(range(min = 2, max = 6666))]
    period: Option<u32>,
}

/// How much to report.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sensitivity {
    Low,
    Normal,
    High,
}

/// What stands out.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    summary: String,
    /// Points that stand out, by place; at most 500.
    anomalies: Vec<Anomaly>,
    /// Places from which the series runs on another level, at most 5.
    level_changes: Vec<Change>,
    /// How the points were judged.
    method: String,
    /// What the answer does not tell.
    limitations: Vec<String>,
}

/// A point that stands out.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Anomaly {
    /// Its place, from 0.
    index: usize,
    /// Its value.
    value: f64,
    /// What would have been usual there.
    expected: f64,
    /// How far off it is, in the unit of the method (mostly robust standard deviations).
    score: f64,
    /// The same in words.
    explanation: String,
}

#[derive(Deserialize)]
struct Findings {
    anomalies: Vec<Point>,
    checked: usize,
}

#[derive(Deserialize)]
struct Point {
    index: usize,
    value: f64,
    expected: f64,
    score: f64,
    lower: f64,
    upper: f64,
}

#[derive(Deserialize)]
struct Method {
    method: Named,
    #[serde(flatten)]
    rest: Answer<Findings>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
    why: String,
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let text = words::of(task, input.as_ref());
    let input = input.unwrap_or(Input { values: None, sensitivity: None, period: None });
    let values = input.values.unwrap_or_else(|| numbers::series(text));
    if values.len() < 3 {
        let count = figures::count(values.len(), "number", "numbers");
        let fix = "give at least 3 in order of time, as `values` or in the task";
        return Err(Error::invalid("/values", format!("{count} found; {fix}")));
    }
    let mut asked = json!({ "values": values });
    let extra: [(&str, Value); 2] = [("sensitivity", json!(input.sensitivity)), ("period", json!(input.period))];
    if let Some(asked) = asked.as_object_mut() {
        asked.extend(
            extra.into_iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| (name.to_owned(), value)),
        );
    }
    let answer: Method = bridges::call("anomaly_detection", &asked)?;
    let findings = answer.rest.result;
    let mut anomalies: Vec<Anomaly> = findings.anomalies.into_iter().map(explained).collect();
    anomalies.sort_by_key(|anomaly| anomaly.index);
    let changes = level::changes(&values);
    Ok(Output {
        summary: summary(findings.checked, &anomalies, &changes),
        anomalies,
        level_changes: changes,
        method: format!("{}: {}", answer.method.name, answer.method.why),
        limitations: limits(
            &[
                "a change of level is found where at least 5 points on each side differ clearly; a slow drift can look like one",
            ],
            &[&answer.rest.limitations],
        ),
    })
}

fn explained(point: Point) -> Anomaly {
    let way = if point.value > point.upper { "above" } else { "below" };
    let explanation = format!(
        "{} is {way} the usual range of {} to {}; about {} would be usual",
        figures::figure(point.value),
        figures::figure(point.lower),
        figures::figure(point.upper),
        figures::figure(point.expected)
    );
    Anomaly { index: point.index, value: point.value, expected: point.expected, score: point.score, explanation }
}

fn summary(checked: usize, anomalies: &[Anomaly], changes: &[Change]) -> String {
    let points = figures::count(checked, "point was", "points were");
    let mut text = format!("{points} checked; ");
    let strongest = anomalies.iter().max_by(|a, b| a.score.abs().total_cmp(&b.score.abs()));
    text.push_str(&match strongest {
        None => "none stands out".to_owned(),
        Some(most) => format!(
            "{} out, most of all number {} ({})",
            figures::count(anomalies.len(), "stands", "stand"),
            most.index + 1,
            most.explanation
        ),
    });
    for change in changes {
        text.push_str(&format!(
            "; from number {} on the level is {} instead of {}",
            change.index + 1,
            figures::figure(change.after),
            figures::figure(change.before)
        ));
    }
    text.push('.');
    text
}

agent! { run: run, examples: ["../cases/spike.json"] }
tollbridge_sdk::test_cases!(agent run);
