//! Methods of the agent itself, for series that the bridge cannot or does not see through: very
//! short ones, those that grow by a steady share, and those with a season of two cycles.

use agent_common::figures;
use agent_common::time_unit::Unit;

use crate::ahead::Ahead;
use crate::output::ForecastPoint;

/// Student's t for 19 in 20, by degrees of freedom from 1.
const QUANTILES: [f64; 8] = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31];
/// Least change in each step of steady growth, as the logarithm of its factor.
const LEAST_GROWTH: f64 = 0.06;
/// Least share of the variance that the places in a cycle must explain, adjusted for their number.
const CLEAR: f64 = 0.7;
/// Least share of the values that differ from those one cycle before in the same direction.
const STEADY: f64 = 0.9;

/// Returns a count as a number to compute with.
pub fn float(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Returns a forecast from the value and the ends of its range at each step.
fn ahead(steps: u32, (method, period): (&str, u32), limit: &str, at: impl Fn(u32) -> [f64; 3]) -> Ahead {
    let point = |step: u32| {
        let [value, low, high] = at(step).map(figures::round);
        ForecastPoint { step, label: None, value, low, high }
    };
    let points = (1..=steps).map(point).collect();
    Ahead { points, method: method.to_owned(), period, limitations: vec![limit.to_owned()], ..Ahead::default() }
}

/// The line through values by least squares.
struct Line {
    mean: f64,
    slope: f64,
    /// The height at the last value.
    end: f64,
    /// The sums of squares around the line, and of the places around their mean.
    errors: f64,
    square: f64,
}

fn line(values: &[f64]) -> Line {
    let count = float(values.len());
    let middle = (count - 1.0) / 2.0;
    let mean = values.iter().sum::<f64>() / count;
    let placed = || values.iter().enumerate().map(|(at, value)| (float(at) - middle, value - mean));
    let square: f64 = placed().map(|(at, _)| at.powi(2)).sum();
    let slope = placed().map(|(at, value)| at * value).sum::<f64>() / square;
    let errors = placed().map(|(at, value)| (value - slope * at).powi(2)).sum();
    Line { mean, slope, end: mean + slope * middle, errors, square }
}

/// Forecasts a short series: by the slope of the least squares, from a level
/// between the line and the last value.
pub fn short(values: &[f64], steps: u32) -> Ahead {
    let count = float(values.len());
    let Line { mean, slope, end, errors, square } = line(values);
    let deviation = (errors / (count - 2.0)).sqrt();
    let quantile = QUANTILES.get(values.len().saturating_sub(3)).copied().unwrap_or(2.1);
    let level = f64::midpoint(end, values.last().copied().unwrap_or(end));
    // A slope within the noise is none.
    let is_clear = slope.abs() > 2.0 * deviation / square.sqrt() || deviation == 0.0;
    let limit = format!("{count} values say little about what comes, and no method can be tested on them");
    ahead(steps, ("line", 1), &limit, |step| {
        let value = if is_clear { level + slope * f64::from(step) } else { mean };
        let far = 1.0 + 1.0 / count + ((count - 1.0) / 2.0 + f64::from(step)).powi(2) / square;
        let reach = quantile * deviation * far.sqrt();
        [value, value - reach, value + reach]
    })
}

/// Forecasts a series that a steady share fits far better than a steady amount.
pub fn growth(values: &[f64], steps: u32) -> Option<Ahead> {
    if values.len() < 5 || values.iter().any(|value| *value <= 0.0) {
        return None;
    }
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let (amount, share) = (line(values), line(&logs));
    let count = float(values.len());
    let first = share.end - share.slope * (count - 1.0);
    let error = |(at, value): (usize, &f64)| (value - (first + share.slope * float(at)).exp()).powi(2);
    let errors: f64 = values.iter().enumerate().map(error).sum();
    let is_steady = logs.windows(2).all(|pair| matches!(pair, [a, b] if (b - a) * share.slope > 0.0));
    if !is_steady || share.slope.abs() < LEAST_GROWTH || errors > 0.25 * amount.errors {
        return None;
    }
    let deviation = (share.errors / (count - 2.0)).sqrt();
    let level = f64::midpoint(share.end, *logs.last()?);
    let limit = "each step is taken to change by the same share as before, which no series does for ever";
    Some(ahead(steps, ("growth", 1), limit, |step| {
        let log = level + share.slope * f64::from(step);
        let reach = 2.6 * deviation * (1.0 + f64::from(step) / count).sqrt();
        [log, log - reach, log + reach].map(f64::exp)
    }))
}

/// Returns the cycle of the calendar of a unit.
pub fn cycle(unit: Option<Unit>) -> Option<usize> {
    Some(match unit? {
        Unit::Hour => 24,
        Unit::Day => 7,
        Unit::WorkingDay => 5,
        Unit::Month => 12,
        Unit::Quarter => 4,
        _ => return None,
    })
}

/// Returns the cycle that the values repeat in: the given one, or that of the calendar if it
/// explains them. Two cycles suffice for that; the bridge needs three.
pub fn season(values: &[f64], given: Option<u32>, unit: Option<Unit>) -> Option<u32> {
    if let Some(period) = given {
        return Some(period).filter(|period| *period > 1);
    }
    let period = cycle(unit).filter(|period| values.len() >= 2 * period)?;
    u32::try_from(period).ok().filter(|_| explained(values, period) >= CLEAR)
}

/// Returns the share of the variance around a line that the places in a cycle explain.
fn explained(values: &[f64], period: usize) -> f64 {
    // The slope from cycle to cycle is one that no season bends.
    let rises: Vec<f64> = values.iter().zip(values.iter().skip(period)).map(|(a, b)| b - a).collect();
    let slope = mean(rises.iter()) / float(period);
    let flat: Vec<f64> = values.iter().enumerate().map(|(at, value)| value - slope * float(at)).collect();
    let means: Vec<f64> = (0..period).map(|place| mean(flat.iter().skip(place).step_by(period))).collect();
    let errors: f64 = flat.iter().zip(means.iter().cycle()).map(|(value, mean)| (value - mean).powi(2)).sum();
    let middle = mean(flat.iter());
    let all: f64 = flat.iter().map(|value| (value - middle).powi(2)).sum();
    let free = float(values.len().saturating_sub(period + 1)).max(1.0);
    if all > 0.0 { 1.0 - (errors / free) / (all / float(values.len() - 2)) } else { 0.0 }
}

fn mean<'v>(values: impl Iterator<Item = &'v f64> + Clone) -> f64 {
    values.clone().sum::<f64>() / float(values.count())
}

/// Forecasts a series of exactly two cycles, or of more that grow or
/// shrink steadily: the last cycle, changed as much as cycles changed before.
pub fn cycles(values: &[f64], period: u32, steps: u32) -> Option<Ahead> {
    let size = period as usize;
    let number = values.len().checked_div(size).filter(|number| size > 1 && *number > 1)?;
    let pairs: Vec<(f64, f64)> = values.iter().copied().zip(values.iter().skip(size).copied()).collect();
    let share = |up: f64| float(pairs.iter().filter(|(a, b)| (b - a) * up > 0.0).count()) / float(pairs.len());
    let is_steady = number > 2 && (share(1.0) >= STEADY || share(-1.0) >= STEADY);
    if !is_steady && values.len() != 2 * size {
        return None;
    }
    let last = values.get(values.len() - size..)?;
    let first = values.iter().skip(values.len() - number * size).take(size);
    let (before, after) = (first.sum::<f64>(), last.iter().sum::<f64>());
    let (rate, rise) = if values.iter().all(|value| *value > 0.0) {
        ((after / before).powf(1.0 / float(number - 1)), 0.0)
    } else {
        (1.0, (after - before) / float((number - 1) * size))
    };
    let errors: f64 = pairs.iter().map(|(a, b)| (b - (a * rate + rise)).powi(2)).sum();
    let deviation = (errors / float(pairs.len() - 1)).sqrt();
    let limit = "the last cycle is carried on with the growth from cycle to cycle, which may end";
    Some(ahead(steps, ("last cycle with growth", period), limit, |step| {
        let cycle = f64::from((step - 1) / period + 1);
        let before = last.get((step - 1) as usize % size).copied().unwrap_or_default();
        let value = before * rate.powf(cycle) + rise * cycle;
        let reach = 2.6 * deviation * cycle.sqrt();
        [value, value - reach, value + reach]
    }))
}
