//! Limits that the caller sets in place of the statistical judgement.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judge::Point;
use crate::stats;

/// The caller's limits; all that are given apply.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Clone, Copy, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Values below this are reported.
    pub lower: Option<f64>,
    /// Values above this are reported.
    pub upper: Option<f64>,
    /// Values farther than this many standard deviations from the mean are reported.
    #[schemars(range(min = 0.1, max = 20.0))]
    pub deviations: Option<f64>,
    /// Values outside Tukey's fences are reported: the quartiles, less or plus this many interquartile ranges.
    #[schemars(range(min = 0.1, max = 20.0))]
    pub quartile_ranges: Option<f64>,
    /// Values farther than this many percent from the median are reported.
    #[schemars(range(min = 0.1, max = 100_000.0))]
    pub percent_of_median: Option<f64>,
    /// Values that differ from the value before by more than this are reported.
    #[schemars(range(min = 0.0))]
    pub step: Option<f64>,
    /// Values that differ from the value before by more than this many percent are reported.
    #[schemars(range(min = 0.0, max = 100_000.0))]
    pub step_percent: Option<f64>,
}

/// Returns the values outside the limits.
pub fn outside(values: &[f64], limits: Limits) -> Vec<Point> {
    let mut range = (limits.lower.unwrap_or(f64::MIN), limits.upper.unwrap_or(f64::MAX));
    let mut narrow = |low: f64, high: f64| range = (range.0.max(low), range.1.min(high));
    if let Some(times) = limits.deviations {
        let (mean, deviation) = stats::moments(values);
        narrow(mean - times * deviation, mean + times * deviation);
    }
    if let Some(times) = limits.quartile_ranges {
        let (low, high) = stats::quartiles(values);
        narrow(low - times * (high - low), high + times * (high - low));
    }
    let center = stats::median(values);
    if let Some(percent) = limits.percent_of_median {
        let off = center.abs() * percent / 100.0;
        narrow(center - off, center + off);
    }
    let before = [None].into_iter().chain(values.iter().copied().map(Some));
    let point = |(index, (value, before)): (usize, (&f64, Option<f64>))| {
        let (mut lower, mut upper) = range;
        if let Some(before) = before {
            let percent = limits.step_percent.map(|percent| before.abs() * percent / 100.0);
            for step in [limits.step, percent].into_iter().flatten() {
                (lower, upper) = (lower.max(before - step), upper.min(before + step));
            }
        }
        let expected = center.clamp(lower.min(upper), upper.max(lower));
        (*value < lower || *value > upper).then_some(Point { index, value: *value, expected, score: 0.0, lower, upper })
    };
    values.iter().zip(before).enumerate().filter_map(point).collect()
}
