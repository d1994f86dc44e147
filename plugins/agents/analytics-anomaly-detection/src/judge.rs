//! Which points stand out: what the bridge marks, looked at as a person would.
//!
//! The bridge judges by robust scores. In short series these are too quick: a
//! point must also lie clear of the others, and not come again each cycle. Where
//! the series climbs or has levels, these are taken out first.

use serde::Deserialize;
use serde_json::json;
use tollbridge_sdk::{Error, bridges};

use crate::input::{Direction, Input};
use crate::level::{Change, levels};
use crate::stats::{self, median, spread};

/// Series up to this length are looked at for a slope and for clear distance.
const SHORT: usize = 60;
/// A point must lie so far from the nearest other, in the range of the others.
const CLEAR: f64 = 0.5;
/// … and so far where the bridge marks nothing.
const OBVIOUS: f64 = 2.0;
/// Points that may hide behind others, and values that must be left to see one.
const HIDDEN: usize = 3;
const FEWEST_LEFT: usize = 6;
/// A slope counts if it leaves less than this share of the spread.
const SLOPE: f64 = 0.4;
/// Cycles in which the same values come again.
const CYCLES: [usize; 3] = [7, 12, 24];

/// A point that stands out.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Point {
    pub index: usize,
    pub value: f64,
    pub expected: f64,
    pub score: f64,
    pub lower: f64,
    pub upper: f64,
}

/// The answer of the bridge.
#[derive(Deserialize)]
pub struct Judged {
    pub result: Points,
    pub method: Method,
    #[serde(default)]
    pub limitations: Vec<String>,
}

#[derive(Deserialize)]
pub struct Points {
    pub anomalies: Vec<Point>,
}

#[derive(Deserialize)]
pub struct Method {
    pub name: String,
    pub why: String,
}

/// Judges a series: levels and slopes are taken out, and points must lie clear.
pub fn series(values: &[f64], changes: &[Change], input: &Input) -> Result<Judged, Error> {
    let base = base(values, changes);
    let (base, center) = base.map_or_else(|| (vec![0.0; values.len()], 0.0), |base| (base, median(values)));
    let rest: Vec<f64> = values.iter().zip(&base).map(|(value, base)| value - base + center).collect();
    let Input { sensitivity, period, direction, .. } = input;
    let mut call = json!({ "values": rest, "sensitivity": sensitivity, "period": period, "direction": direction });
    if let Some(call) = call.as_object_mut() {
        call.retain(|_, value| !value.is_null());
    }
    let mut judged: Judged = bridges::call("anomaly_detection", &call)?;
    let points = &mut judged.result.anomalies;
    if values.len() <= SHORT {
        *points = clear(&rest, points);
        // A value far out hides others from measures of spread.
        for _ in 0..HIDDEN + usize::from(points.is_empty()) {
            points.extend(obvious(&rest, points, *direction));
        }
    }
    points.sort_by_key(|point| point.index);
    let marked = points.clone();
    points.retain(|point| !comes_again(&rest, *point, &marked));
    for point in points {
        let shift = base.get(point.index).copied().unwrap_or(center) - center;
        point.value = values.get(point.index).copied().unwrap_or(point.value);
        point.expected += shift;
        point.lower += shift;
        point.upper += shift;
    }
    Ok(judged)
}

/// Returns the levels or the slope of a series, at each place.
fn base(values: &[f64], changes: &[Change]) -> Option<Vec<f64>> {
    if !changes.is_empty() {
        return Some(levels(values, changes.iter().map(|change| change.index)));
    }
    if values.len() > SHORT || values.len() < 5 {
        return None;
    }
    let line = stats::line(values);
    let rest: Vec<f64> = values.iter().zip(&line).map(|(value, line)| value - line).collect();
    let plain = spread(values);
    (plain > 0.0 && spread(&rest) < SLOPE * plain).then_some(line)
}

/// Returns how far a value lies outside the range of others, and that range.
fn outside(value: f64, others: &[f64]) -> (f64, f64, f64) {
    let low = others.iter().copied().fold(f64::MAX, f64::min);
    let high = others.iter().copied().fold(f64::MIN, f64::max);
    ((value - high).max(low - value), low, high)
}

/// Returns the points that lie clear of all that are not marked.
fn clear(values: &[f64], points: &[Point]) -> Vec<Point> {
    let is_marked = |at: usize| points.iter().any(|point| point.index == at);
    let others: Vec<f64> = (0..).zip(values).filter(|(at, _)| !is_marked(*at)).map(|(_, value)| *value).collect();
    let is_clear = |point: &&Point| {
        let (gap, low, high) = outside(values.get(point.index).copied().unwrap_or(point.value), &others);
        gap >= CLEAR * (high - low)
    };
    points.iter().filter(is_clear).copied().collect()
}

/// Returns one more point that lies farther from all others than these do from one another.
fn obvious(values: &[f64], found: &[Point], direction: Option<Direction>) -> Option<Point> {
    let is_left = |at: usize| found.iter().all(|point| point.index != at);
    let left: Vec<(usize, f64)> = (0..).zip(values.iter().copied()).filter(|(at, _)| is_left(*at)).collect();
    // Of a few values left each seems far.
    if !found.is_empty() && left.len() < FEWEST_LEFT {
        return None;
    }
    let far = |(index, value): &(usize, f64)| {
        let others: Vec<f64> = left.iter().filter(|(other, _)| other != index).map(|(_, value)| *value).collect();
        let (gap, lower, upper) = outside(*value, &others);
        let fits = match direction {
            Some(Direction::High) => *value > upper,
            Some(Direction::Low) => *value < lower,
            None => true,
        };
        let (range, expected) = (upper - lower, median(&others));
        let score = (value - expected) / range.max(f64::MIN_POSITIVE);
        let point = Point { index: *index, value: *value, expected, score, lower, upper };
        (fits && range > 0.0 && others.len() > 2 && gap >= OBVIOUS * range).then_some(point)
    };
    left.iter().find_map(far)
}

/// Returns whether the like of a point comes one cycle before or after it, as in a season.
fn comes_again(values: &[f64], point: Point, marked: &[Point]) -> bool {
    let off = (point.value - point.expected).abs();
    let is_like = |value: f64| (value - point.value).abs() < 0.3 * off;
    let is_like_at = |at: Option<usize>| at.and_then(|at| values.get(at)).is_some_and(|value| is_like(*value));
    // Another marked point must be like it, or it is no season but chance.
    let is_season = marked.iter().filter(|other| is_like(other.value)).count() > 1;
    let mut cycles = CYCLES.iter().filter(|cycle| values.len() >= 2 * **cycle);
    is_season
        && cycles.any(|cycle| is_like_at(point.index.checked_sub(*cycle)) || is_like_at(Some(point.index + cycle)))
}
