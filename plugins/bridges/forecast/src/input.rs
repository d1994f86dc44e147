//! What a caller may send.

use bridge_common::series::{Point, Rules, SeriesInput};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most points in one call.
const MOST_POINTS: usize = 10_000;
/// Fewest points that a forecast can be made of.
pub const FEWEST_POINTS: usize = 6;
/// Most points that are forecast.
pub const MOST_STEPS: u32 = 400;
/// The longest cycle.
pub const LONGEST_PERIOD: u32 = 400;
/// Most prediction intervals a point.
pub const MOST_LEVELS: usize = 4;

/// What is a series here.
pub const RULES: Rules = Rules {
    min_points: FEWEST_POINTS,
    max_points: MOST_POINTS,
    strictly_increasing: true,
    gap_advice: "fill gaps yourself",
};

/// A series of numbers at even steps, and how far to forecast it. Give `values`, or `resource_id` of a stored CSV or
/// JSON file.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("values | resource_id"))]
pub struct Input {
    /// Numbers, or objects with time and value in order of time; 6 to 10,000, evenly spaced. Missing values are not
    /// filled: put a value of your own there. Give this or `resource_id`.
    #[schemars(length(min = 6, max = 10_000))]
    pub values: Option<Vec<Point>>,
    /// Id of a stored resource (`res_…`) that holds CSV, or JSON of the shape of `values`. This bridge has no other
    /// natural key; alone, it means: this file, everything else by default.
    pub resource_id: Option<String>,
    /// CSV only: name or number (from 1) of the column with the values. Default: the last column that is numeric.
    pub column: Option<String>,
    /// Points to forecast, 1 to 400, and at most as many as are given. Default: one cycle where there is one (at most
    /// 48), else 8; never more than half of the points given.
    #[schemars(range(min = 1, max = 400))]
    pub horizon: Option<u32>,
    /// Points in one cycle (2 to 400; at least two cycles and one point must be given), 1 for no season, or "auto" to
    /// find it. Default: auto.
    pub period: Option<Period>,
    /// How to forecast. Default: auto, which tries all and takes what did best in the back-test.
    #[serde(default)]
    pub method: Method,
    /// Coverage of the prediction intervals, 0.5 to 0.995, at most four. Default: 0.8 and 0.95.
    #[schemars(length(min = 1, max = 4), inner(range(min = 0.5, max = 0.995)))]
    pub levels: Option<Vec<f64>>,
    /// Values below this cannot occur (0 for counts): forecasts and intervals are cut there. Default: none.
    pub minimum: Option<f64>,
    /// Values above this cannot occur. Default: none.
    pub maximum: Option<f64>,
}

impl Input {
    /// Where the points are.
    #[must_use]
    pub fn given(&self) -> SeriesInput<'_> {
        let Self { values, resource_id, column, .. } = self;
        SeriesInput { values: values.as_ref(), resource_id: resource_id.as_ref(), column: column.as_ref() }
    }
}

/// A way of forecasting.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// What did best in the back-test.
    #[default]
    Auto,
    /// The value one cycle ago (the last value where there is no season).
    SeasonalNaive,
    /// The last value, moved on by the mean step of the series.
    Drift,
    /// Exponential smoothing (ETS), its form chosen by AICc.
    Ets,
    /// The theta method on the seasonally adjusted series.
    Theta,
    /// Seasonal decomposition by moving averages, exponential smoothing without season on what is left.
    Decomposition,
    /// Autoregression (Burg) on the seasonally adjusted series or its differences, order by AICc.
    Autoregression,
    /// The mean of ets, theta, decomposition and autoregression.
    Combination,
}

/// Length of a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a whole number of points from 1 to 400, or \"auto\"")]
pub enum Period {
    /// Points in one cycle; 1 for none.
    Points(#[schemars(range(min = 1, max = 400))] u32),
    /// Find it.
    Word(PeriodWord),
}

/// The word for a period to be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PeriodWord {
    /// Find it.
    Auto,
}
