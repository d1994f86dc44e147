//! An agent that forecasts a series and says in words how far to trust it.
//!
//! The bridge `forecast` computes, `anomaly_detection` looks at the past for
//! points that may have misled it; this agent reads the series, its labels and
//! the horizon out of words and explains.

mod beside;
mod corrected;
mod forms;
mod gaps;
mod growth;
mod horizon;
mod horizon_parts;
mod pasted;
mod reading;
mod refused;
mod short;
mod summary;

use agent_common::model::{self, Answered};
use agent_common::series::Source;
use agent_common::{Answer, figures, limits, numbers, series_labels, time_unit::Unit, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tollbridge_sdk::{Call, Error, agent, bridges};

use crate::reading::Reading;

/// Fewest values that the bridge works on.
const BRIDGE_FEWEST: usize = 6;
/// Points of the past so far out (in robust standard deviations) do not shape what comes.
const FAR_OUT: f64 = 8.0;
/// A change of less than this share of the last value is none.
const FLAT: f64 = 0.02;
/// Confidence where the values have times and the task says how far to look.
const CLEAR: f64 = 0.9;
/// Confidence where the values are a list without times, or nothing is said about how far to look.
const PLAIN: f64 = 0.85;
/// Confidence where the series stands in sentences, is short, or had a value replaced.
const UNSURE: f64 = 0.7;

/// A series, and how far to look ahead.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The values in order of time, evenly spaced, 6 to 10,000. The task's own series unless given.
    #[schemars(length(min = 6, max = 10_000))]
    values: Option<Vec<f64>>,
    /// The same as `values`.
    #[schemars(length(min = 6, max = 10_000))]
    series: Option<Vec<f64>>,
    /// What the values are called, as many: `2024-01`, `Q1 2024`, `Mon`. Without them the steps have no `label`.
    #[schemars(length(max = 10_000))]
    labels: Option<Vec<String>>,
    /// What the first value is called, with `frequency` in the place of `labels`: `2023-05`.
    start: Option<String>,
    /// How far apart the values are: `hour`, `day`, `week`, `month`, `quarter` or `year`.
    frequency: Option<String>,
    /// Points to forecast, 1 to 400. Default: what the task says (`next 3 months`), else 1; for values given here one cycle or 8.
    #[schemars(range(min = 1, max = 400))]
    horizon: Option<u32>,
    /// Points in one cycle (12 for months of a year); found by itself unless given.
    #[schemars(range(min = 1, max = 400))]
    period: Option<u32>,
    /// Values below this cannot occur; 0 for counts.
    minimum: Option<f64>,
}

/// What to expect, and why to believe it or not.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The direct answer in words, in the form that was asked for.
    summary: String,
    /// How likely the answer is right, 0 to 1; of answers that say 0.8 or more at least four in five were right on the frozen tasks.
    confidence: f64,
    /// The points ahead, in order.
    forecast: Vec<ForecastPoint>,
    /// The last value that was given.
    last_value: f64,
    /// Where it goes from the last value to the last point ahead: `up`, `down`, or `flat` for less than 2 %.
    direction: String,
    /// How far apart the values are: hour, day, week, month, quarter or year; null where nothing tells.
    frequency: Option<String>,
    /// Which method was taken.
    method: String,
    /// Points in one cycle; 1 for no season.
    period: u32,
    /// Mean absolute scaled error in the back-test: below 1 is better than the simplest forecast; null where the series is too short to test.
    backtest_mase: Option<f64>,
    /// Points of the past that are unusual, and may bend the forecast.
    unusual: Vec<Unusual>,
    /// What it was read from.
    based_on: Basis,
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

/// The values that the forecast rests on.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Basis {
    /// The column, group or list, if it has a name.
    series: Option<String>,
    /// The values in order of time, as they were read.
    values: Vec<f64>,
    /// Their labels; empty without any.
    labels: Vec<String>,
    /// Values that were not taken as they stand, in words.
    changed: Vec<String>,
}

/// A point ahead.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ForecastPoint {
    /// Steps after the last value given, from 1.
    step: u32,
    /// What it is called, in the style of the series; null where the series has no labels.
    label: Option<String>,
    /// The expected value.
    value: f64,
    /// The range that should hold it 19 times in 20: low end.
    low: f64,
    /// High end.
    high: f64,
}

impl ForecastPoint {
    fn above_nothing(&mut self) {
        self.value = self.value.max(0.0);
        self.low = self.low.max(0.0);
        self.high = self.high.max(0.0);
    }
}

/// An unusual point of the past.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Unusual {
    /// Its place, from 0.
    index: usize,
    /// Its label, if it has one.
    label: Option<String>,
    /// Its value.
    value: f64,
    /// What would have been usual.
    expected: f64,
}

#[derive(Deserialize)]
struct Anomalies {
    anomalies: Vec<Odd>,
}

#[derive(Deserialize)]
struct Odd {
    index: usize,
    value: f64,
    expected: f64,
    score: f64,
}

#[derive(Deserialize)]
struct Forecast {
    result: Points,
    backtest: Option<Backtest>,
    method: Method,
    limitations: Vec<String>,
}

#[derive(Deserialize)]
struct Points {
    points: Vec<Point>,
}

#[derive(Deserialize)]
struct Point {
    step: u32,
    value: f64,
    intervals: Vec<Interval>,
}

#[derive(Deserialize)]
struct Interval {
    lower: f64,
    upper: f64,
}

#[derive(Deserialize)]
struct Backtest {
    mase: Option<f64>,
}

#[derive(Deserialize)]
struct Method {
    name: String,
    period: u32,
}

/// What was asked of the bridges, whoever gave it.
struct Asked {
    values: Vec<f64>,
    labels: Vec<String>,
    name: Option<String>,
    unit: Option<Unit>,
    horizon: Option<u32>,
    period: Option<u32>,
    minimum: Option<f64>,
    changed: Vec<String>,
    confidence: f64,
    /// The values are counts, so that none comes below 0.
    counts: bool,
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let text = words::of(task, input.as_ref());
    let input = input.unwrap_or_default();
    if input.values.is_some() || input.series.is_some() {
        return answer(text, of_input(text, input)?, true);
    }
    // What no series tells is not asked in other words.
    refused::check(&pasted::of(text))?;
    model::reread(text, forms::FORMS, |text| answer(text, of_reading(reading::read(text)?, &input)?, false))
}

fn answer(text: &str, asked: Asked, typed: bool) -> Result<Output, Error> {
    let horizon = asked.horizon.unwrap_or(0) as usize;
    if horizon > asked.values.len() {
        let text = format!(
            "{horizon} steps ahead are too many for {} values; give as many values as steps, or ask for fewer",
            asked.values.len()
        );
        return Err(Error::invalid("/horizon", text));
    }
    let growing = growth::ahead(&asked.values, asked.horizon.unwrap_or(1)).filter(|_| !typed && asked.period.is_none());
    let ahead = match growing {
        Some(points) => of_line(&asked, &points, growth::METHOD),
        None if asked.values.len() < BRIDGE_FEWEST => {
            of_line(&asked, &short::ahead(&asked.values, asked.horizon.unwrap_or(1)), short::METHOD)
        }
        None => of_bridge(&asked)?,
    };
    Ok(output(text, asked, ahead))
}

fn of_input(text: &str, input: Input) -> Result<Asked, Error> {
    let values = input.values.or(input.series).unwrap_or_default();
    if values.len() < BRIDGE_FEWEST {
        let count = figures::count(values.len(), "number", "numbers");
        let fix = "give at least 6 in order of time, as `values` or in the task (`next 3 months: 10, 12, …`)";
        return Err(Error::invalid("/values", format!("{count} found; {fix}")));
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be a small whole number")]
    let said = numbers::after(text, &["next", "horizon", "ahead"])
        .filter(|n| n.fract() == 0.0 && (1.0..=400.0).contains(n))
        .map(|n| n as u32);
    let unit = input.frequency.as_deref().and_then(agent_common::time_unit::told);
    let start = input.start.map(|start| format!("starting {start}"));
    let labels = input.labels.filter(|labels| labels.len() == values.len());
    let labels = labels.or_else(|| series_labels::told(&start?, values.len(), unit)).unwrap_or_default();
    let stepped = series_labels::step(&labels).and_then(Unit::of_step);
    Ok(Asked {
        values,
        labels,
        name: None,
        unit: unit.or(stepped),
        horizon: input.horizon.or(said),
        period: input.period,
        minimum: input.minimum,
        changed: Vec::new(),
        confidence: CLEAR,
        counts: false,
    })
}

fn of_reading(reading: Reading, input: &Input) -> Result<Asked, Error> {
    let Reading { series, unit, steps, said, corrected } = reading;
    if series.values.iter().any(|value| !value.is_finite()) {
        return Err(Error::invalid("/values", "a value is too large to be read; give values below 1e300"));
    }
    let confidence = if series.source == Source::Prose || series.values.len() < BRIDGE_FEWEST || !corrected.is_empty() {
        UNSURE
    } else if series.labels.is_empty() || !said {
        PLAIN
    } else {
        CLEAR
    };
    Ok(Asked {
        counts: series.values.iter().all(|value| *value >= 0.0 && value.fract() == 0.0),
        values: series.values,
        labels: series.labels,
        name: series.name,
        unit,
        horizon: Some(input.horizon.unwrap_or(steps)),
        period: input.period,
        minimum: input.minimum,
        changed: corrected,
        confidence,
    })
}

/// What comes, and how it was found.
struct Ahead {
    points: Vec<ForecastPoint>,
    method: String,
    period: u32,
    mase: Option<f64>,
    unusual: Vec<Unusual>,
    changed: Vec<String>,
    limitations: Vec<String>,
}

/// Points that no bridge computes.
fn of_line(asked: &Asked, points: &[short::Point], method: &str) -> Ahead {
    let point = |(step, point): (u32, &short::Point)| {
        let [value, low, high] = [point.value, point.low, point.high].map(figures::round);
        ForecastPoint { step, label: None, value, low, high }
    };
    let few = format!("{} values say little about what comes, and no method can be tested on them", asked.values.len());
    let share = "each step is taken to change by the same share as before, which no series does for ever".to_owned();
    Ahead {
        points: (1..).zip(points).map(point).collect(),
        method: method.to_owned(),
        period: 1,
        mase: None,
        unusual: Vec::new(),
        changed: Vec::new(),
        limitations: vec![if method == growth::METHOD { share } else { few }],
    }
}

fn of_bridge(asked: &Asked) -> Result<Ahead, Error> {
    let odd: Answer<Anomalies> =
        bridges::call("anomaly_detection", &json!({ "values": asked.values, "max_anomalies": 5 }))?;
    let label = |at: usize| asked.labels.get(at).cloned();
    let mut values = asked.values.clone();
    let mut changed = Vec::new();
    let last = values.len() - 1;
    let far = |odd: &&Odd| odd.score.abs() >= FAR_OUT && odd.index < last;
    let far: Vec<&Odd> = odd.result.anomalies.iter().filter(far).collect();
    // One wild value is an accident; several may be a pattern.
    if let [odd] = far.as_slice()
        && let Some(value) = values.get_mut(odd.index)
    {
        *value = odd.expected;
        let name = label(odd.index).unwrap_or_else(|| format!("value {}", odd.index + 1));
        changed.push(format!(
            "{name} ({}) is far out of line and was taken as {}",
            figures::figure(odd.value),
            figures::figure(odd.expected)
        ));
    }
    let mut call = json!({ "values": values, "levels": [0.95] });
    let extra = [("horizon", json!(asked.horizon)), ("period", json!(asked.period)), ("minimum", json!(asked.minimum))];
    if let Some(call) = call.as_object_mut() {
        let given = extra.into_iter().filter(|(_, value)| *value != Value::Null);
        call.extend(given.map(|(name, value)| (name.to_owned(), value)));
    }
    let forecast: Forecast = bridges::call("forecast", &call)?;
    let unusual =
        |odd: Odd| Unusual { index: odd.index, label: label(odd.index), value: odd.value, expected: odd.expected };
    Ok(Ahead {
        points: forecast.result.points.into_iter().filter_map(ahead).collect(),
        method: forecast.method.name,
        period: forecast.method.period,
        mase: forecast.backtest.and_then(|test| test.mase),
        unusual: odd.result.anomalies.into_iter().map(unusual).collect(),
        changed,
        limitations: limits(&[], &[&forecast.limitations]),
    })
}

fn ahead(point: Point) -> Option<ForecastPoint> {
    let interval = point.intervals.first()?;
    Some(ForecastPoint { step: point.step, label: None, value: point.value, low: interval.lower, high: interval.upper })
}

fn output(text: &str, asked: Asked, mut ahead: Ahead) -> Output {
    let labels = series_labels::next(&asked.labels, ahead.points.len()).unwrap_or_default();
    for (point, label) in ahead.points.iter_mut().zip(labels) {
        point.label = Some(label);
    }
    if asked.counts {
        ahead.points.iter_mut().for_each(ForecastPoint::above_nothing);
    }
    let last_value = asked.values.last().copied().unwrap_or_default();
    let direction = direction(last_value, ahead.points.last().map_or(last_value, |point| point.value));
    let changed: Vec<String> = asked.changed.iter().chain(&ahead.changed).cloned().collect();
    let confidence = if ahead.changed.is_empty() { asked.confidence } else { asked.confidence.min(UNSURE) };
    let summary = summary::text(&summary::Told {
        asked: text,
        points: &ahead.points,
        last: last_value,
        last_label: asked.labels.last().map(String::as_str),
        direction,
        name: asked.name.as_deref(),
        count: asked.values.len(),
        period: ahead.period,
        method: &ahead.method,
        mase: ahead.mase,
        changed: &changed,
        unusual: ahead.unusual.len() - ahead.changed.len().min(ahead.unusual.len()),
    });
    Output {
        summary,
        confidence,
        forecast: ahead.points,
        last_value,
        direction: direction.to_owned(),
        frequency: asked.unit.map(|unit| unit.name().to_owned()),
        method: ahead.method,
        period: ahead.period,
        backtest_mase: ahead.mase,
        unusual: ahead.unusual,
        based_on: Basis { series: asked.name, values: asked.values, labels: asked.labels, changed },
        limitations: ahead.limitations,
    }
}

fn direction(from: f64, to: f64) -> &'static str {
    let size = from.abs().max(to.abs()).max(f64::MIN_POSITIVE);
    match to - from {
        change if change.abs() < FLAT * size => "flat",
        change if change > 0.0 => "up",
        _ => "down",
    }
}

agent! { run: run, examples: ["../cases/months.json"] }
tollbridge_sdk::test_cases!(agent run);
