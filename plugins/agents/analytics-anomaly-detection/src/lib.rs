//! An agent that finds outliers and changes of level in series.
//!
//! The bridge `anomaly_detection` judges single points; where the level itself
//! moves, this agent looks by splitting the series where two medians differ
//! most, measured in the series' own spread. Limits that the task sets are
//! kept to as they are.

mod forms;
mod judge;
mod level;
mod reading;
mod rule;
mod stats;
mod summary;

use agent_common::model::{self, Answered};
use agent_common::series::{Series, Source};
use agent_common::{figures, limits, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::{Call, Error, agent};

use crate::judge::{Judged, Options, Point};
use crate::level::Change;
use crate::reading::Reading;
use crate::rule::Rule;

/// Confidence where the task sets the limits, or a point lies far out.
const CLEAR: f64 = 0.9;
/// Confidence where points lie out, but not far, or nothing does.
const PLAIN: f64 = 0.8;
/// Confidence where a point is a little out, or the values stand in sentences.
const UNSURE: f64 = 0.65;
/// Below this nothing is answered.
const FLOOR: f64 = 0.5;
/// A score from which a point lies far out.
const FAR: f64 = 5.0;

/// A series, and how strict to be.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The values in order of time, 3 to 20,000. The task's own series unless given.
    #[schemars(length(min = 3, max = 20_000))]
    values: Option<Vec<f64>>,
    /// What the values are called, as many: dates, names.
    #[schemars(length(max = 20_000))]
    labels: Option<Vec<String>>,
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

impl Sensitivity {
    fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
        }
    }
}

/// What stands out.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The direct answer in words, in the form that was asked for.
    summary: String,
    /// How likely the answer is right, 0 to 1; of answers that say 0.8 or more at least four in five were right on the frozen tasks.
    confidence: f64,
    /// Points that stand out, by series and place; at most 500 of each series.
    anomalies: Vec<Anomaly>,
    /// Places from which a series runs on another level, at most 5 of each series.
    level_changes: Vec<Change>,
    /// How the points were judged.
    method: String,
    /// What was looked at.
    based_on: Vec<Basis>,
    /// What the answer does not tell.
    limitations: Vec<String>,
}

impl Answered for Output {
    fn confidence(&mut self) -> &mut f64 {
        &mut self.confidence
    }

    fn limitations(&mut self) -> &mut Vec<String> {
        &mut self.limitations
    }
}

/// A series that was looked at.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Basis {
    /// The column, group or list, if it has a name.
    series: Option<String>,
    /// How many values it has.
    count: usize,
    /// The least value.
    least: f64,
    /// The value in the middle.
    median: f64,
    /// The highest value.
    highest: f64,
}

/// A point that stands out.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Anomaly {
    /// The series, where there are several.
    series: Option<String>,
    /// Its place in the series, from 0.
    index: usize,
    /// Its label as written, if it has one.
    label: Option<String>,
    /// Its value.
    value: f64,
    /// What would have been usual there.
    expected: f64,
    /// How far off it is, in the unit of the method (mostly robust standard deviations); 0 where the task sets the limits.
    score: f64,
    /// The same in words.
    explanation: String,
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let text = words::of(task, input.as_ref());
    let input = input.unwrap_or_default();
    if let Some(values) = &input.values {
        return of_values(text, values, &input);
    }
    let options =
        Options { sensitivity: input.sensitivity.map(Sensitivity::name), period: input.period, ..Options::default() };
    // What no values tell is not asked in other words.
    reading::check(text)?;
    model::reread(text, forms::FORMS, |text| of_reading(text, reading::read(text)?, options.clone()))
}

/// Values that a program gives are judged as the bridge judges them.
fn of_values(text: &str, values: &[f64], input: &Input) -> Result<Output, Error> {
    if values.len() < 3 {
        let count = figures::count(values.len(), "number", "numbers");
        let fix = "give at least 3 in order of time, as `values` or in the task";
        return Err(Error::invalid("/values", format!("{count} found; {fix}")));
    }
    let options =
        Options { sensitivity: input.sensitivity.map(Sensitivity::name), period: input.period, ..Options::default() };
    let judged = judge::asked(values, &options)?;
    let labels = input.labels.clone().filter(|labels| labels.len() == values.len()).unwrap_or_default();
    let series = Series {
        name: None,
        labels,
        values: values.to_vec(),
        ahead: Vec::new(),
        gaps: Vec::new(),
        source: Source::Table,
    };
    let mut found = Found::default();
    found.add(&series, &judged.points, &level::changes(values, level::SIDE), false);
    Ok(found.output(text, &[series], judged.method, judged.limitations, CLEAR))
}

fn of_reading(text: &str, reading: Reading, mut options: Options) -> Result<Output, Error> {
    options.direction = reading.direction;
    options.fences = reading.rule == Some(Rule::Fences);
    let several = reading.series.len() > 1;
    let mut found = Found::default();
    let mut method = String::new();
    let mut notes = Vec::new();
    let mut confidence = CLEAR;
    for series in &reading.series {
        let usual = reading.rule.and_then(|rule| rule::usual(rule, &series.values));
        // `between 2010 and 2020` sets no limit: one that most values break is read wrongly.
        let broken = usual.map(|usual| outside(&series.values, &usual));
        if let Some(points) = broken.filter(|points| points.len() * 2 <= series.values.len()) {
            found.add(series, &points, &[], several);
            method = "the limits that the task sets".to_owned();
            continue;
        }
        let side = if reading.level { level::SIDE_ASKED } else { level::SIDE };
        let changes = level::changes(&series.values, side);
        let mut judged = if options.fences {
            judge::asked(&series.values, &options)?
        } else {
            judge::series(&series.values, &changes, &options)?
        };
        if reading.one && judged.points.len() > 1 {
            keep_one(&mut judged.points);
        }
        confidence = sure(&judged, series, &reading).min(confidence);
        found.add(series, &judged.points, &changes, several);
        method = judged.method;
        notes = limits(&[], &[&notes, &judged.limitations]);
    }
    if confidence < FLOOR {
        let text = "no value stands out clearly, though the task says that one does; give more values, or the limits of what is usual (`outside 10 to 20`)";
        return Err(Error::invalid("/values", text));
    }
    Ok(found.output(text, &reading.series, method, notes, confidence))
}

/// How sure the finding is, by its kind.
fn sure(judged: &Judged, series: &Series, reading: &Reading) -> f64 {
    if judged.points.is_empty() && reading.one && !reading.level {
        return 0.0;
    }
    let weakest = judged.points.iter().map(|point| point.score.abs()).fold(f64::MAX, f64::min);
    let far = !judged.points.is_empty() && weakest >= FAR && judged.doubtful == 0;
    if judged.doubtful > 0 || series.source == Source::Prose {
        UNSURE
    } else if far {
        CLEAR
    } else {
        PLAIN
    }
}

/// The farthest of several, where the task says that there is one and it is farther by much.
fn keep_one(points: &mut Vec<Point>) {
    let mut sizes: Vec<f64> = points.iter().map(|point| point.score.abs()).collect();
    sizes.sort_by(|a, b| b.total_cmp(a));
    if let [first, second, ..] = sizes.as_slice()
        && *first >= 2.0 * second
    {
        points.retain(|point| point.score.abs() >= *first);
    }
}

fn outside(values: &[f64], usual: &[(f64, f64)]) -> Vec<Point> {
    let center = stats::median(values);
    let point = |(index, (value, (lower, upper))): (usize, (&f64, &(f64, f64)))| {
        (value < lower || value > upper).then(|| Point {
            index,
            value: *value,
            expected: center.clamp(lower.max(f64::MIN), upper.min(f64::MAX)),
            score: 0.0,
            lower: *lower,
            upper: *upper,
        })
    };
    values.iter().zip(usual).enumerate().filter_map(point).collect()
}

#[derive(Default)]
struct Found {
    anomalies: Vec<Anomaly>,
    changes: Vec<Change>,
}

impl Found {
    fn add(&mut self, series: &Series, points: &[Point], changes: &[Change], several: bool) {
        let name = series.name.clone().filter(|_| several);
        let label = |at: usize| series.label(at).map(str::to_owned);
        self.anomalies.extend(points.iter().map(|point| Anomaly {
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

    fn output(self, text: &str, series: &[Series], method: String, notes: Vec<String>, confidence: f64) -> Output {
        let based_on: Vec<Basis> = series.iter().map(basis).collect();
        let own = "a change of level is found where at least 5 points on each side differ clearly; a slow drift can look like one";
        Output {
            summary: summary::text(text, &based_on, &self.anomalies, &self.changes),
            confidence,
            anomalies: self.anomalies,
            level_changes: self.changes,
            method,
            based_on,
            limitations: limits(&[own], &[&notes]),
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
    if point.score == 0.0 {
        let (bound, way) = if point.value > point.upper { (point.upper, "above") } else { (point.lower, "below") };
        return format!("{value} is {way} the limit of {}", figures::figure(bound));
    }
    let way = if point.value > point.upper { "above" } else { "below" };
    format!(
        "{value} is {way} the usual range of {} to {}; about {} would be usual",
        figures::figure(point.lower),
        figures::figure(point.upper),
        figures::figure(point.expected)
    )
}

agent! { run: run, examples: ["../cases/spike.json"] }
tollbridge_sdk::test_cases!(agent run);
