//! The answer. All numbers in it are finite and rounded to ten significant digits, so that it is the same on every
//! machine.

use bridge_common::Source;
use schemars::JsonSchema;
use serde::Serialize;

use bridge_common::time::Timestamp;

/// A forecast, how it was made and how well its method did on the series' own past.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Output {
    pub result: Forecast,
    pub method: MethodUsed,
    /// How the methods did from earlier ends of the series.
    pub backtest: BacktestReport,
    /// Always empty: no data set stands behind this answer, only the caller's points.
    pub data: Vec<Source>,
    /// What to bear in mind.
    pub limitations: Vec<String>,
}

/// Points to come.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Forecast {
    /// In order of time.
    pub points: Vec<Step>,
    /// Points that were given.
    pub given: usize,
    /// The newest of them that the method was fitted on.
    pub fitted_on: usize,
}

/// One point to come.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Step {
    /// 1 is the point after the last one given.
    pub step: usize,
    /// Its time, written like those given (times of day in UTC); left out when none were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t: Option<Timestamp>,
    /// The forecast, in the units of the values.
    pub value: f64,
    /// A prediction interval for each of the levels asked for.
    pub intervals: Vec<Interval>,
}

/// A prediction interval.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Interval {
    /// The share of such intervals that should hold the true value, 0 to 1.
    pub level: f64,
    /// Its lower end, in the units of the values.
    pub lower: f64,
    /// Its upper end, in the units of the values.
    pub upper: f64,
}

/// The method used and why.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MethodUsed {
    /// seasonal_naive, drift, ets, theta, decomposition, autoregression or combination.
    pub name: &'static str,
    /// Why this method, in words.
    pub why: String,
    /// Points in one cycle; 1 for none.
    pub period: usize,
    /// given, found or none.
    pub period_from: &'static str,
    /// Form of exponential smoothing that AICc prefers on the whole series, for example ETS(M,Ad,M).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ets_form: Option<String>,
    /// Factor by which the method's own deviations were widened (above 1) or narrowed to fit the back-test's errors.
    pub interval_factor: f64,
}

/// The back-test.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BacktestReport {
    /// Mean absolute scaled error of the method used: its mean absolute error divided by the one-step error of the
    /// seasonal naive forecast in the training part. Null when nothing varies or the series is too short for a test.
    pub mase: Option<f64>,
    /// The same of the seasonal naive forecast from the same ends of the series.
    pub seasonal_naive_mase: Option<f64>,
    /// Mean absolute error of the method used divided by that of seasonal naive: below 1 is better than it.
    pub relative_to_seasonal_naive: Option<f64>,
    /// Ends of the series that were tried.
    pub origins: usize,
    /// Points forecast from each.
    pub steps: usize,
    /// All methods that could be tested, the best first.
    pub methods: Vec<MethodScore>,
    /// Share of the back-test's values that lay in each of the intervals asked for.
    pub coverage: Vec<Coverage>,
}

/// How one method did.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MethodScore {
    /// The method, as in `method.name`.
    pub name: &'static str,
    /// Its mean absolute scaled error; null when nothing varies.
    pub mase: Option<f64>,
    /// In the units of the values.
    pub mean_absolute_error: f64,
}

/// How often an interval held the value.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Coverage {
    /// The coverage asked for, 0 to 1.
    pub level: f64,
    /// Share of the back-test's values that lay in the interval, 0 to 1.
    pub covered: f64,
}
