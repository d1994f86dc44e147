//! The typed input.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A series or several, and how far to look ahead.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The values in order of time, evenly spaced, 4 to 10,000; null for a missing value.
    #[schemars(length(min = 4, max = 10_000))]
    pub values: Option<Vec<Option<f64>>>,
    /// The same as `values`.
    #[schemars(length(min = 4, max = 10_000))]
    pub series: Option<Vec<Option<f64>>>,
    /// Several series in place of `values`, at most 20; `horizon` and the other members apply to each.
    #[schemars(length(min = 1, max = 20))]
    pub several: Option<Vec<Series>>,
    /// Labels of the values, as many: `2024-01`, `Q1 2024`, `Mon`. Without them the steps have no label.
    #[schemars(length(max = 10_000))]
    pub labels: Option<Vec<String>>,
    /// Label of the first value, with `frequency`, in place of `labels`: `2023-05`.
    #[schemars(length(max = 40))]
    pub start: Option<String>,
    /// Distance between two values: `hour`, `day`, `working day`, `week`, `month`, `quarter` or `year`.
    #[schemars(length(max = 40))]
    pub frequency: Option<String>,
    /// Steps to forecast, 1 to 400, and at most as many as there are values. Default: one cycle or 8; 1 for a task in words.
    #[schemars(range(min = 1, max = 400))]
    pub horizon: Option<u32>,
    /// Label of the last step, in place of `horizon`: `2024-12`, `Q4 2024`, `December`, `2025` (its last step).
    #[schemars(length(max = 40))]
    pub until: Option<String>,
    /// Label of the first step that is listed. Default: the one after the last value.
    #[schemars(length(max = 40))]
    pub from: Option<String>,
    /// Points in one cycle (12 for months of a year), 1 for no season. Default: detected.
    #[schemars(range(min = 1, max = 400))]
    pub period: Option<u32>,
    /// Values below this cannot occur; 0 for counts.
    pub minimum: Option<f64>,
    /// Values above this cannot occur.
    pub maximum: Option<f64>,
    /// A value to reach: `reached` is the first step at or beyond it, and an error if there is none.
    pub target: Option<f64>,
    /// Values to leave out, by label or by position from 1 (`"3"`); they are filled in from their neighbours. An empty list keeps a value that is far from all others.
    #[schemars(length(max = 1_000))]
    pub ignore: Option<Vec<String>>,
    /// Periods to sum: `all` for all listed steps, or a label such as `Q3 2024` or `2024`; past values of that period are included.
    #[schemars(length(max = 20))]
    pub totals: Option<Vec<String>>,
}

/// A series with a name.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Its name.
    #[schemars(length(max = 200))]
    pub name: Option<String>,
    /// The values in order of time; null for a missing value.
    #[schemars(length(min = 4, max = 10_000))]
    pub values: Vec<Option<f64>>,
    /// Labels of the values, as many. Default: those of the input.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
}

impl Input {
    /// Returns whether the input has values.
    pub fn has_series(&self) -> bool {
        self.values.is_some() || self.series.is_some() || self.several.is_some()
    }

    /// Returns all series, with their labels.
    pub fn all(&self) -> Vec<Series> {
        let one = self.values.clone().or_else(|| self.series.clone());
        let one = one.map(|values| Series { values, ..Series::default() });
        let mut all: Vec<Series> = one.into_iter().chain(self.several.clone().unwrap_or_default()).collect();
        for series in all.iter_mut().filter(|series| series.labels.is_empty()) {
            series.labels = self.labels.clone().unwrap_or_default();
        }
        all
    }
}
