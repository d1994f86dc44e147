//! The forecast, and what it is based on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What to expect.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The answer in words.
    pub summary: String,
    /// The forecast of the first series.
    #[serde(flatten)]
    pub first: Outlook,
    /// The forecasts of the other series, in order.
    pub others: Vec<Outlook>,
    /// What the answer does not cover.
    pub limitations: Vec<String>,
}

/// The forecast of one series.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Outlook {
    /// The steps ahead, in order.
    pub forecast: Vec<ForecastPoint>,
    /// The last value.
    pub last_value: f64,
    /// Where the series goes from the last value to the last step: `up`, `down`, or `flat` for less than 2 %.
    pub direction: String,
    /// The distance between two values: hour, day, week, month, quarter or year; null if nothing states it.
    pub frequency: Option<String>,
    /// The method.
    pub method: String,
    /// Points in one cycle; 1 if there is no season.
    pub period: u32,
    /// Mean absolute scaled error in the back-test: below 1 is better than the simplest forecast; null if the series is too short to test.
    pub backtest_mase: Option<f64>,
    /// Unusual points of the past, which may bend the forecast.
    pub unusual: Vec<Unusual>,
    /// The requested totals.
    pub totals: Vec<Total>,
    /// The first step at which the requested value is reached.
    pub reached: Option<Reached>,
    /// The series as it was used.
    pub based_on: Basis,
}

/// The values that the forecast rests on.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Basis {
    /// The name of the series, if it has one.
    pub series: Option<String>,
    /// The values in order of time.
    pub values: Vec<f64>,
    /// Their labels, if they have any.
    pub labels: Vec<String>,
    /// Values that were filled in or left out, in words.
    pub changed: Vec<String>,
}

/// A step ahead.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ForecastPoint {
    /// Steps after the last value, from 1.
    pub step: u32,
    /// Its label, in the style of the series; null if the series has no labels.
    pub label: Option<String>,
    /// The expected value.
    pub value: f64,
    /// Lower end of the 95 % range.
    pub low: f64,
    /// Upper end of the 95 % range.
    pub high: f64,
}

/// An unusual point of the past.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub struct Unusual {
    /// Its position, from 0.
    pub index: usize,
    /// Its label, if it has one.
    pub label: Option<String>,
    /// Its value.
    pub value: f64,
    /// The value that would be usual there.
    pub expected: f64,
}

/// A sum of values.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Total {
    /// The period that is summed, as requested.
    pub label: String,
    /// The sum.
    pub value: f64,
    /// The part of it that is past.
    pub actual: f64,
    /// Steps ahead in it.
    pub steps: u32,
}

/// When a value is reached.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Reached {
    /// The value to reach.
    pub target: f64,
    /// The first step at or beyond it.
    pub step: u32,
    /// The label of that step.
    pub label: Option<String>,
    /// The expected value there.
    pub value: f64,
}
