//! One series or several, and what to look for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::Limits;

/// One series or several, and what to look for.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The values of one series in order of time, 3 to 20,000.
    #[schemars(length(min = 3, max = 20_000))]
    pub values: Option<Vec<f64>>,
    /// Names of the values, as many: dates, names.
    #[schemars(length(max = 20_000))]
    pub labels: Option<Vec<String>>,
    /// Several series instead of `values`, at most 20.
    #[schemars(length(min = 1, max = 20))]
    pub series: Option<Vec<Series>>,
    /// How much to report: `low`, `normal` or `high`. Default: normal.
    pub sensitivity: Option<Sensitivity>,
    /// Points in one cycle. Default: detected.
    #[schemars(range(min = 2, max = 6666))]
    pub period: Option<u32>,
    /// Only values above (`high`) or below (`low`) the usual. Default: both.
    pub direction: Option<Direction>,
    /// What to report: `points`, `levels` or `all`. Default: all.
    pub find: Option<Find>,
    /// The caller's own limits, in place of the statistical judgement.
    pub limits: Option<Limits>,
}

/// A series with a name.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Its name.
    pub name: Option<String>,
    /// The values in order of time.
    #[schemars(length(min = 3, max = 20_000))]
    pub values: Vec<f64>,
    /// Names of the values, as many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
}

/// How much to report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sensitivity {
    Low,
    Normal,
    High,
}

/// Which side of the usual values to report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    High,
    Low,
}

/// What to report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Find {
    Points,
    Levels,
    All,
}
