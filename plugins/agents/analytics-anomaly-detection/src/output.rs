//! The points and changes of level that were found.

use schemars::JsonSchema;
use serde::Serialize;

use crate::level::Change;

/// The points and changes of level that were found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The answer in words.
    pub summary: String,
    /// Points that stand out, by series and position; at most 500 of each series.
    pub anomalies: Vec<Anomaly>,
    /// Positions from which a series runs on another level, at most 5 of each series.
    pub level_changes: Vec<Change>,
    /// How the points were judged.
    pub method: String,
    /// The series that were examined.
    pub based_on: Vec<Basis>,
    /// What the answer does not cover.
    pub limitations: Vec<String>,
}

/// A series that was examined.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Basis {
    /// Its name, if it has one.
    pub series: Option<String>,
    /// Number of its values.
    pub count: usize,
    /// The lowest value.
    pub least: f64,
    /// The median.
    pub median: f64,
    /// The highest value.
    pub highest: f64,
}

/// A point that stands out.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Anomaly {
    /// The series, if there are several.
    pub series: Option<String>,
    /// Its position in the series, from 0.
    pub index: usize,
    /// Its label as written, if it has one.
    pub label: Option<String>,
    /// Its value.
    pub value: f64,
    /// The value that would be usual there.
    pub expected: f64,
    /// Its distance, in the unit of the method (mostly robust standard deviations); 0 for limits of the caller.
    pub score: f64,
    /// The same in words.
    pub explanation: String,
}
