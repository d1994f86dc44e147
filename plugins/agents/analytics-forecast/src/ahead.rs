//! The steps ahead of a series: by the bridges, or by a method of the agent.

use agent_common::Answer;
use serde::Deserialize;
use serde_json::json;
use tollbridge_sdk::{Error, bridges};

use crate::methods;
use crate::output::{ForecastPoint, Unusual};
use crate::plan::Plan;

/// Fewest values that the bridge accepts.
const BRIDGE_FEWEST: usize = 6;

/// The steps ahead, and how they were computed.
#[derive(Default)]
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
    anomalies: Vec<Unusual>,
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
    intervals: [Interval; 1],
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
pub fn of(plan: &Plan<'_>) -> Result<Ahead, Error> {
    let (input, unit, values) = (plan.input, plan.calendar.unit, plan.basis.values.as_slice());
    let steps = plan.horizon.unwrap_or(1);
    let season = methods::season(values, input.period, unit);
    let is_plain = input.period.is_none() && season.is_none();
    let own = methods::growth(values, steps)
        .filter(|_| is_plain)
        .or_else(|| methods::cycles(values, season?, steps))
        .or_else(|| (values.len() < BRIDGE_FEWEST).then(|| methods::short(values, steps)));
    let mut ahead = own.map_or_else(|| of_bridge(plan, season), Ok)?;
    let year = methods::cycle(unit).filter(|cycle| matches!(cycle, 4 | 12));
    if input.period.is_none() && year.is_some_and(|year| values.len() < 2 * year) {
        ahead.limitations.push("less than two years are given, so a season cannot be seen".to_owned());
    }
    let is_count = values.iter().all(|value| *value >= 0.0 && value.fract() == 0.0);
    let least = input.minimum.or(is_count.then_some(0.0)).unwrap_or(f64::MIN);
    let most = input.maximum.unwrap_or(f64::MAX).max(least);
    for point in &mut ahead.points {
        for value in [&mut point.value, &mut point.low, &mut point.high] {
            *value = value.clamp(least, most);
        }
    }
    Ok(ahead)
}

fn of_bridge(plan: &Plan<'_>, season: Option<u32>) -> Result<Ahead, Error> {
    let call = json!({ "values": plan.basis.values, "max_anomalies": 5 });
    let mut unusual = bridges::call::<Answer<Anomalies>>("anomaly_detection", &call)?.result.anomalies;
    for one in &mut unusual {
        one.label = plan.basis.labels.get(one.index).cloned();
    }
    let mut call = json!({
        "values": plan.basis.values,
        "levels": [0.95],
        "horizon": plan.horizon,
        "period": plan.input.period.or(season),
        "minimum": plan.input.minimum,
        "maximum": plan.input.maximum,
    });
    if let Some(call) = call.as_object_mut() {
        call.retain(|_, value| !value.is_null());
    }
    let forecast: Forecast = bridges::call("forecast", &call)?;
    let point = |Point { step, value, intervals: [Interval { lower, upper }] }: Point| ForecastPoint {
        step,
        label: None,
        value,
        low: lower,
        high: upper,
    };
    Ok(Ahead {
        points: forecast.result.points.into_iter().map(point).collect(),
        method: forecast.method.name,
        period: forecast.method.period,
        mase: forecast.backtest.and_then(|test| test.mase),
        unusual,
        limitations: forecast.limitations,
    })
}
