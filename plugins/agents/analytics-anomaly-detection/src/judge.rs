//! Which points stand out: what the bridge marks, looked at as a person would.
//!
//! The bridge judges by robust scores. In short series these are too quick: a
//! point must also lie clear of the others, and not come again each cycle. Where
//! the series climbs or has levels, these are taken out first.

use agent_common::Answer;
use serde::Deserialize;
use serde_json::{Value, json};
use tollbridge_sdk::{Error, bridges};

use crate::input::{Direction, Sensitivity};
use crate::level::Change;
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
const CYCLES: [usize; 4] = [7, 12, 24, 4];

/// What the bridge is asked, besides the values.
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub sensitivity: Option<Sensitivity>,
    pub period: Option<u32>,
    pub direction: Option<Direction>,
}

/// A point that stands out.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Point {
    pub index: usize,
    pub value: f64,
    pub expected: f64,
    pub score: f64,
    pub lower: f64,
    pub upper: f64,
}

/// The points that were found, and how.
#[derive(Debug)]
pub struct Judged {
    pub points: Vec<Point>,
    pub method: String,
    pub limitations: Vec<String>,
}

#[derive(Deserialize)]
struct Findings {
    anomalies: Vec<Point>,
}

#[derive(Deserialize)]
struct Method {
    method: Named,
    #[serde(flatten)]
    rest: Answer<Findings>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
    why: String,
}

/// Asks the bridge about values as they are.
fn asked(values: &[f64], options: &Options) -> Result<Judged, Error> {
    let mut call = json!({ "values": values });
    let extra: [(&str, Value); 3] = [
        ("sensitivity", json!(options.sensitivity)),
        ("period", json!(options.period)),
        ("direction", json!(options.direction)),
    ];
    if let Some(call) = call.as_object_mut() {
        let given = extra.into_iter().filter(|(_, value)| !value.is_null());
        call.extend(given.map(|(name, value)| (name.to_owned(), value)));
    }
    let answer: Method = bridges::call("anomaly_detection", &call)?;
    let mut points = answer.rest.result.anomalies;
    points.sort_by_key(|point| point.index);
    Ok(Judged {
        points,
        method: format!("{}: {}", answer.method.name, answer.method.why),
        limitations: answer.rest.limitations,
    })
}

/// Judges a series: levels and slopes are taken out, and points must lie clear.
pub fn series(values: &[f64], changes: &[Change], options: &Options) -> Result<Judged, Error> {
    let base = base(values, changes);
    let center = median(values);
    let rest: Vec<f64> = match &base {
        Some(base) => values.iter().zip(base).map(|(value, base)| value - base + center).collect(),
        None => values.to_vec(),
    };
    let mut judged = asked(&rest, options)?;
    if values.len() <= SHORT {
        judged.points = clear(&rest, &judged.points);
        if judged.points.is_empty() {
            judged.points.extend(obvious(&rest, options.direction));
        }
    }
    // A value far out hides others from measures of spread.
    for _ in 0..HIDDEN {
        let hidden = (values.len() <= SHORT && !judged.points.is_empty())
            .then(|| behind(&rest, &judged.points, options.direction))
            .flatten();
        let Some(hidden) = hidden else { break };
        judged.points.push(hidden);
        judged.points.sort_by_key(|point| point.index);
    }
    let marked = judged.points.clone();
    judged.points.retain(|point| !comes_again(&rest, *point, &marked));
    if let Some(base) = base {
        for point in &mut judged.points {
            let shift = base.get(point.index).copied().unwrap_or(center) - center;
            point.value = values.get(point.index).copied().unwrap_or(point.value);
            point.expected += shift;
            point.lower += shift;
            point.upper += shift;
        }
    }
    Ok(judged)
}

/// The levels or the slope of a series, at each place.
fn base(values: &[f64], changes: &[Change]) -> Option<Vec<f64>> {
    if !changes.is_empty() {
        let mut cuts: Vec<usize> = changes.iter().map(|change| change.index).collect();
        cuts.push(values.len());
        let mut base = Vec::new();
        let mut from = 0;
        for cut in cuts {
            let part = values.get(from..cut).unwrap_or_default();
            base.extend(std::iter::repeat_n(median(part), part.len()));
            from = cut;
        }
        return (base.len() == values.len()).then_some(base);
    }
    if values.len() > SHORT || values.len() < 5 {
        return None;
    }
    let line = stats::line(values);
    let rest: Vec<f64> = values.iter().zip(&line).map(|(value, line)| value - line).collect();
    let plain = spread(values, median(values));
    (plain > 0.0 && spread(&rest, median(&rest)) < SLOPE * plain).then_some(line)
}

/// The points that lie clear of all that are not marked.
fn clear(values: &[f64], points: &[Point]) -> Vec<Point> {
    let marked = |at: usize| points.iter().any(|point| point.index == at);
    let others: Vec<f64> = values.iter().enumerate().filter(|(at, _)| !marked(*at)).map(|(_, value)| *value).collect();
    let (low, high) = ends(&others);
    let gap = |value: f64| (value - high).max(low - value);
    points
        .iter()
        .filter(|point| gap(values.get(point.index).copied().unwrap_or(point.value)) >= CLEAR * (high - low))
        .copied()
        .collect()
}

fn ends(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(*value), high.max(*value)))
}

/// A point that is obvious once those that were found are left out.
fn behind(values: &[f64], found: &[Point], direction: Option<Direction>) -> Option<Point> {
    let places: Vec<usize> = (0..values.len()).filter(|at| found.iter().all(|point| point.index != *at)).collect();
    let left: Vec<f64> = places.iter().filter_map(|at| values.get(*at)).copied().collect();
    // Of a few values left each seems far.
    if left.len() < FEWEST_LEFT {
        return None;
    }
    let point = obvious(&left, direction)?;
    Some(Point { index: places.get(point.index).copied()?, ..point })
}

/// One point that lies farther from all others than these do from one another.
fn obvious(values: &[f64], direction: Option<Direction>) -> Option<Point> {
    let far = |at: usize| {
        let value = *values.get(at)?;
        let others: Vec<f64> = values.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, v)| *v).collect();
        let (low, high) = ends(&others);
        let fits = match direction {
            Some(Direction::High) => value > high,
            Some(Direction::Low) => value < low,
            _ => true,
        };
        let range = high - low;
        let gap = (value - high).max(low - value);
        let expected = median(&others);
        let score = (value - expected) / range.max(f64::MIN_POSITIVE);
        (fits && range > 0.0 && others.len() > 2 && gap >= OBVIOUS * range).then_some(Point {
            index: at,
            value,
            expected,
            score,
            lower: low,
            upper: high,
        })
    };
    (0..values.len()).find_map(far)
}

/// A point whose like comes one cycle before or after it belongs to the season.
fn comes_again(values: &[f64], point: Point, marked: &[Point]) -> bool {
    let off = (point.value - point.expected).abs();
    let like = |at: Option<usize>| {
        at.and_then(|at| values.get(at)).is_some_and(|other| (other - point.value).abs() < 0.3 * off)
    };
    CYCLES.iter().filter(|cycle| values.len() >= 2 * **cycle && **cycle > 4).any(|cycle| {
        // All points marked must come again, or it is no season but chance.
        let again = |index: usize| like(index.checked_sub(*cycle)) || like(Some(index + cycle));
        again(point.index) && marked.iter().filter(|other| (other.value - point.value).abs() < 0.3 * off).count() > 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(values: &[f64], index: usize) -> Point {
        let (value, expected) = (values[index], median(values));
        Point { index, value, expected, score: 9.0, lower: expected, upper: expected }
    }

    #[test]
    fn clear_points_and_seasons() {
        let noise = [10.0, 11.0, 10.0, 10.5, 12.5, 10.2, 9.0];
        assert_eq!(clear(&noise, &[point(&noise, 4)]).len(), 1);
        let near = [10.0, 12.0, 8.0, 10.5, 13.0, 10.2, 9.0];
        assert!(clear(&near, &[point(&near, 4)]).is_empty());
        assert_eq!(obvious(&[60.0, 62.0, 7.0, 61.0], None).map(|p| p.index), Some(2));
        assert_eq!(obvious(&[60.0, 62.0, 58.0, 61.0], None), None);
        let both = [200.0, 210.0, 190.0, 205.0, 1900.0, 202.0, 198.0, 40.0];
        assert_eq!(behind(&both, &[point(&both, 4)], None).map(|p| p.index), Some(7));
        assert_eq!(behind(&noise, &[point(&noise, 4)], None), None);
        let week = [10.0, 11.0, 10.0, 11.0, 10.0, 30.0, 31.0, 10.0, 11.0, 11.0, 10.0, 10.0, 31.0, 30.0];
        let marked: Vec<Point> = [5, 6, 12, 13].map(|at| point(&week, at)).to_vec();
        assert!(marked.iter().all(|one| comes_again(&week, *one, &marked)));
        let line: Vec<f64> = (0..8).map(|i| f64::from(i) * 5.0).collect();
        assert_eq!(base(&line, &[]).map(|base| base == line), Some(true));
    }
}
