//! The steps ahead of a series: by the bridge, or by a line, a rate or a cycle where the
//! bridge has too few values.

use agent_common::{Answer, figures, limits};
use serde::Deserialize;
use serde_json::{Value, json};
use tollbridge_sdk::{Error, bridges};

use crate::output::{ForecastPoint, Unusual};
use crate::plan::Plan;
use crate::{growth, season, short};

/// Fewest values that the bridge accepts.
const BRIDGE_FEWEST: usize = 6;

/// What comes, and how it was found.
pub struct Ahead {
    pub points: Vec<ForecastPoint>,
    pub method: String,
    pub period: u32,
    pub mase: Option<f64>,
    pub unusual: Vec<Unusual>,
    pub limitations: Vec<String>,
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

/// Computes the steps ahead of a series.
pub fn of(plan: &Plan) -> Result<Ahead, Error> {
    let steps = plan.horizon.unwrap_or(1);
    let values = plan.values.as_slice();
    let shape = season::of(values, plan.period, plan.unit);
    let plain = plan.period.is_none() && shape.is_none();
    let mut ahead = if let Some(points) = growth::ahead(values, steps).filter(|_| plain) {
        let share = "each step is taken to change by the same share as before, which no series does for ever";
        of_points(&points, growth::METHOD, 1, share)
    } else if let Some(points) = shape.and_then(|period| season::cycles(values, period, steps)) {
        let growth = "the last cycle is carried on with the growth from cycle to cycle, which may end";
        of_points(&points, season::METHOD, shape.unwrap_or(1), growth)
    } else if values.len() < BRIDGE_FEWEST {
        let few = format!("{} values say little about what comes, and no method can be tested on them", values.len());
        of_points(&short::ahead(values, steps), short::METHOD, 1, &few)
    } else {
        of_bridge(plan, shape)?
    };
    if season::is_hidden(values.len(), plan) {
        ahead.limitations.push("less than two years are given, so a season cannot be seen".to_owned());
    }
    let counts = values.iter().all(|value| *value >= 0.0 && value.fract() == 0.0);
    let least = plan.minimum.or(counts.then_some(0.0)).unwrap_or(f64::MIN);
    let most = plan.maximum.unwrap_or(f64::MAX).max(least);
    for point in &mut ahead.points {
        for value in [&mut point.value, &mut point.low, &mut point.high] {
            *value = value.clamp(least, most);
        }
    }
    Ok(ahead)
}

/// Points that no bridge computes.
fn of_points(points: &[short::Point], method: &str, period: u32, limit: &str) -> Ahead {
    let point = |(step, point): (u32, &short::Point)| {
        let [value, low, high] = [point.value, point.low, point.high].map(figures::round);
        ForecastPoint { step, label: None, value, low, high }
    };
    Ahead {
        points: (1..).zip(points).map(point).collect(),
        method: method.to_owned(),
        period,
        mase: None,
        unusual: Vec::new(),
        limitations: vec![limit.to_owned()],
    }
}

fn of_bridge(plan: &Plan, season: Option<u32>) -> Result<Ahead, Error> {
    let odd: Answer<Anomalies> =
        bridges::call("anomaly_detection", &json!({ "values": plan.values, "max_anomalies": 5 }))?;
    let mut call = json!({ "values": plan.values, "levels": [0.95] });
    let extra = [
        ("horizon", json!(plan.horizon)),
        ("period", json!(plan.period.or(season))),
        ("minimum", json!(plan.minimum)),
        ("maximum", json!(plan.maximum)),
    ];
    if let Some(call) = call.as_object_mut() {
        let given = extra.into_iter().filter(|(_, value)| *value != Value::Null);
        call.extend(given.map(|(name, value)| (name.to_owned(), value)));
    }
    let forecast: Forecast = bridges::call("forecast", &call)?;
    let label = |at: usize| plan.labels.get(at).cloned();
    let unusual =
        |odd: Odd| Unusual { index: odd.index, label: label(odd.index), value: odd.value, expected: odd.expected };
    Ok(Ahead {
        points: forecast.result.points.into_iter().filter_map(point).collect(),
        method: forecast.method.name,
        period: forecast.method.period,
        mase: forecast.backtest.and_then(|test| test.mase),
        unusual: odd.result.anomalies.into_iter().map(unusual).collect(),
        limitations: limits(&[], &[&forecast.limitations]),
    })
}

fn point(point: Point) -> Option<ForecastPoint> {
    let interval = point.intervals.first()?;
    Some(ForecastPoint { step: point.step, label: None, value: point.value, low: interval.lower, high: interval.upper })
}
