//! What a caller may send.

use bridge_common::series::{Point, Rules, SeriesInput};
use schemars::JsonSchema;
use serde::Deserialize;

/// Most points in one call.
const MOST_POINTS: usize = 20_000;
/// Most anomalies that are listed.
pub const MOST_LISTED: u32 = 2_000;

/// What is a sample or series here.
pub const RULES: Rules = Rules {
    min_points: 1,
    max_points: MOST_POINTS,
    strictly_increasing: false,
    gap_advice: "leave out lines without a value",
};

/// A sample or a series of numbers, and how to look for outliers in it. Give `values`, or `resource_id` of a stored
/// CSV or JSON file.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("values | resource_id"))]
pub struct Input {
    /// Numbers, or objects with time and value in order of time; at most 20,000. Gaps are left out, not null. Give this
    /// or `resource_id`.
    #[schemars(length(min = 1, max = 20_000))]
    pub values: Option<Vec<Point>>,
    /// Id of a stored resource (`res_…`) that holds CSV, or JSON of the shape of `values`. This bridge has no other
    /// natural key; alone, it means: this file, method auto.
    pub resource_id: Option<String>,
    /// CSV only: name or number (from 1) of the column with the values. Default: the last column that is numeric.
    pub column: Option<String>,
    /// How to look. Default: auto.
    #[serde(default)]
    pub method: Method,
    /// How much to report when no threshold is given. Default: normal.
    #[serde(default)]
    pub sensitivity: Sensitivity,
    /// mad, seasonal, auto: robust z-score from which a point is an outlier, 0.1 to 1,000. iqr: multiple of the
    /// interquartile range. Default: by `sensitivity`; z-scores are more in long series. Not for generalized_esd.
    #[schemars(range(min = 0.1, max = 1000.0))]
    pub threshold: Option<f64>,
    /// generalized_esd only: significance of the test, 1e-9 to 0.5. Default: by `sensitivity`.
    #[schemars(range(min = 1e-9, max = 0.5))]
    pub alpha: Option<f64>,
    /// auto and seasonal only: points in one cycle, or "auto" to find it. Default: auto.
    pub period: Option<Period>,
    /// Which side counts. Default: both.
    #[serde(default)]
    pub direction: Direction,
    /// Most anomalies to list, the most extreme first to stay (1 to 2,000; default 500). For generalized_esd also
    /// the number of outliers tested for.
    #[schemars(range(min = 1, max = 2_000))]
    pub max_anomalies: Option<u32>,
}

impl Input {
    /// Where the points are.
    #[must_use]
    pub fn given(&self) -> SeriesInput<'_> {
        let Self { values, resource_id, column, .. } = self;
        SeriesInput { values: values.as_ref(), resource_id: resource_id.as_ref(), column: column.as_ref() }
    }
}

/// A way of looking for outliers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Season, moving level or plain sample, as the data suggest; then robust z-scores.
    #[default]
    Auto,
    /// Modified z-scores of Iglewicz and Hoaglin on the values as they are.
    Mad,
    /// Tukey's fences on the values as they are.
    Iqr,
    /// Rosner's generalized extreme Studentized deviate test on the values as they are.
    GeneralizedEsd,
    /// Robust z-scores of what level and season leave over.
    Seasonal,
}

/// How much to report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sensitivity {
    /// Only what is far out: z-score 5, fences at 3 interquartile ranges, significance 0.001.
    Low,
    /// z-score 3.5, fences at 1.5 interquartile ranges, significance 0.05.
    #[default]
    Normal,
    /// Also what is a little out: z-score 2.5, fences at 1 interquartile range, significance 0.1.
    High,
}

/// Which side counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Outliers above and below.
    #[default]
    Both,
    /// Only values above what is normal.
    High,
    /// Only values below what is normal.
    Low,
}

/// Length of a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a whole number of points from 2, or \"auto\"")]
pub enum Period {
    /// Points in one cycle, at least 2.
    Points(#[schemars(range(min = 2, max = 6_666))] u32),
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
