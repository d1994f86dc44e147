//! An agent that forecasts a series and says in words how far to trust it.
//!
//! The bridge `forecast` computes, `anomaly_detection` looks at the past for
//! points that may have misled it; this agent reads the series out of words and
//! explains. It changes no value.

use agent_common::{Answer, figures, limits, numbers, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tollbridge_sdk::{Call, Error, agent, bridges};

/// A series, and how far to look ahead.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The values in order of time, evenly spaced, 6 to 10,000. The task's own numbers or table unless given.
    #[schemars(length(min = 6, max = 10_000))]
    values: Option<Vec<f64>>,
    /// Points to forecast, 1 to 400. Default: the number after "next" in the task, else one cycle or 8.
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
    /// The result in words.
    summary: String,
    /// The points ahead, in order.
    forecast: Vec<ForecastPoint>,
    /// Which method was taken.
    method: String,
    /// Points in one cycle; 1 for no season.
    period: u32,
    /// Mean absolute scaled error in the back-test: below 1 is better than the simplest forecast; null where the series is too short to test.
    backtest_mase: Option<f64>,
    /// Points of the past that are unusual, and may bend the forecast.
    unusual: Vec<Unusual>,
    /// What the answer does not tell.
    limitations: Vec<String>,
}

/// A point ahead.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ForecastPoint {
    /// Steps after the last value given, from 1.
    step: u32,
    /// The expected value.
    value: f64,
    /// The range that should hold it 19 times in 20: low end.
    low: f64,
    /// High end.
    high: f64,
}

/// An unusual point of the past.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Unusual {
    /// Its place, from 0.
    index: usize,
    /// Its value.
    value: f64,
    /// What would have been usual.
    expected: f64,
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

#[derive(Deserialize)]
struct Anomalies {
    anomalies: Vec<Unusual>,
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let text = words::of(task, input.as_ref());
    let input = input.unwrap_or(Input { values: None, horizon: None, period: None, minimum: None });
    let values = input.values.unwrap_or_else(|| numbers::series(text));
    if values.len() < 6 {
        let count = figures::count(values.len(), "number", "numbers");
        let fix = "give at least 6 in order of time, as `values` or in the task (`next 3 months: 10, 12, …`)";
        return Err(Error::invalid("/values", format!("{count} found; {fix}")));
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be a small whole number")]
    let horizon_asked = numbers::after(text, &["next", "horizon", "ahead"])
        .filter(|n| n.fract() == 0.0 && (1.0..=400.0).contains(n))
        .map(|n| n as u32);
    let mut asked = json!({ "values": values, "levels": [0.95] });
    let extra = [
        ("horizon", json!(input.horizon.or(horizon_asked))),
        ("period", json!(input.period)),
        ("minimum", json!(input.minimum)),
    ];
    if let Some(asked) = asked.as_object_mut() {
        asked.extend(
            extra.into_iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| (name.to_owned(), value)),
        );
    }
    let forecast: Forecast = bridges::call("forecast", &asked)?;
    let odd: Answer<Anomalies> = bridges::call("anomaly_detection", &json!({ "values": values, "max_anomalies": 5 }))?;
    let ahead: Vec<ForecastPoint> = forecast.result.points.into_iter().filter_map(ahead).collect();
    let mase = forecast.backtest.and_then(|test| test.mase);
    Ok(Output {
        summary: summary(&values, &ahead, &forecast.method, mase, &odd.result.anomalies),
        forecast: ahead,
        method: forecast.method.name,
        period: forecast.method.period,
        backtest_mase: mase,
        unusual: odd.result.anomalies,
        limitations: limits(&[], &[&forecast.limitations]),
    })
}

fn ahead(point: Point) -> Option<ForecastPoint> {
    let interval = point.intervals.first()?;
    Some(ForecastPoint { step: point.step, value: point.value, low: interval.lower, high: interval.upper })
}

fn summary(values: &[f64], ahead: &[ForecastPoint], method: &Method, mase: Option<f64>, odd: &[Unusual]) -> String {
    let mut text = format!("{} given", figures::count(values.len(), "value", "values"));
    if let (Some(first), Some(last), Some(now)) = (ahead.first(), ahead.last(), values.last()) {
        let way = if last.value > *now {
            "above"
        } else if last.value < *now {
            "below"
        } else {
            "the same as"
        };
        text.push_str(&format!(
            "; the next is expected at {} ({} to {}), number {} ahead at {} ({} to {}), {way} the last value {}",
            figures::figure(first.value),
            figures::figure(first.low),
            figures::figure(first.high),
            last.step,
            figures::figure(last.value),
            figures::figure(last.low),
            figures::figure(last.high),
            figures::figure(*now)
        ));
    }
    text.push_str(". ");
    text.push_str(&match method.period {
        1 => format!("No season was found; the method is {}.", method.name),
        period => format!("A cycle of {period} points was used; the method is {}.", method.name),
    });
    match mase {
        Some(mase) if mase < 1.0 => {
            text.push_str(&format!(
                " On the past it erred {} times as much as the simplest forecast: better.",
                figures::figure(mase)
            ));
        }
        Some(mase) => {
            text.push_str(&format!(
                " On the past it erred {} times as much as the simplest forecast: treat it with care.",
                figures::figure(mase)
            ));
        }
        None => text.push_str(" The series is too short to test the method on its past."),
    }
    if !odd.is_empty() {
        let points = figures::count(odd.len(), "point", "points");
        text.push_str(&format!(" The past has {points} out of the ordinary; look at them first."));
    }
    text
}

agent! { run: run, examples: ["../cases/months.json"] }
tollbridge_sdk::test_cases!(agent run);
