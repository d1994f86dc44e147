//! Whether a series repeats with the calendar, and its next cycle.
//!
//! The bridge looks for seasons by itself, but believes one only after three cycles, and
//! often repeats the last cycle where each cycle grows. If the labels name the cycle of
//! the calendar, two suffice.

use agent_common::time_unit::Unit;

use crate::plan::Plan;
use crate::short::Point;

/// What the method for two cycles is called.
pub const METHOD: &str = "last cycle with growth";

/// Least share of the variance that the places in a cycle must explain, adjusted for their number.
const CLEAR: f64 = 0.7;

/// Returns the cycle of the calendar of a unit.
fn usual(unit: Option<Unit>) -> Option<usize> {
    Some(match unit? {
        Unit::Hour => 24,
        Unit::Day => 7,
        Unit::WorkingDay => 5,
        Unit::Month => 12,
        Unit::Quarter => 4,
        _ => return None,
    })
}

/// Returns the cycle that the values clearly repeat in: the given one, or that of the calendar.
pub fn of(values: &[f64], given: Option<u32>, unit: Option<Unit>) -> Option<u32> {
    if let Some(period) = given {
        return Some(period).filter(|period| *period > 1);
    }
    let period = usual(unit).filter(|period| values.len() >= 2 * period)?;
    (explained(values, period) >= CLEAR).then(|| u32::try_from(period).ok())?
}

/// Returns whether a year is longer than half the series.
pub fn is_hidden(count: usize, plan: &Plan) -> bool {
    let yearly = matches!(plan.unit, Some(Unit::Month | Unit::Quarter));
    yearly && plan.period.is_none() && usual(plan.unit).is_some_and(|period| count < 2 * period)
}

fn count(values: usize) -> f64 {
    f64::from(u32::try_from(values).unwrap_or(u32::MAX))
}

/// Returns the share of the variance around a line that the places in a cycle explain.
fn explained(values: &[f64], period: usize) -> f64 {
    let rest = without_line(values, period);
    let mean = |place: usize| {
        let own: Vec<f64> = rest.iter().skip(place).step_by(period).copied().collect();
        own.iter().sum::<f64>() / count(own.len())
    };
    let means: Vec<f64> = (0..period).map(mean).collect();
    let left = |(at, value): (usize, &f64)| (value - means.get(at % period).copied().unwrap_or_default()).powi(2);
    let errors: f64 = rest.iter().enumerate().map(left).sum();
    let all: f64 = rest.iter().map(|value| value * value).sum();
    let free = count(values.len().saturating_sub(period + 1)).max(1.0);
    if all > 0.0 { 1.0 - (errors / free) / (all / count(values.len() - 2)) } else { 0.0 }
}

/// Takes out the slope from cycle to cycle, which no season bends, and the mean.
fn without_line(values: &[f64], period: usize) -> Vec<f64> {
    let rises: Vec<f64> = values.iter().zip(values.iter().skip(period)).map(|(a, b)| b - a).collect();
    let slope = rises.iter().sum::<f64>() / count(rises.len()) / count(period);
    let flat: Vec<f64> = values.iter().enumerate().map(|(at, value)| value - slope * count(at)).collect();
    let mean = flat.iter().sum::<f64>() / count(flat.len());
    flat.into_iter().map(|value| value - mean).collect()
}

/// Least share of the values that differ from those one cycle before in the same direction.
const STEADY: f64 = 0.9;

/// Returns the steps ahead of a series of exactly two cycles, or of more that grow or
/// shrink steadily: the last cycle, changed as much as cycles changed before.
pub fn cycles(values: &[f64], period: u32, steps: u32) -> Option<Vec<Point>> {
    let size = period as usize;
    let number = values.len() / size.max(1);
    let changes = || values.iter().zip(values.iter().skip(size)).map(|(a, b)| b - a);
    let share = |sign: f64| count(changes().filter(|change| change * sign > 0.0).count()) / count(changes().count());
    let steady = number > 2 && (share(1.0) >= STEADY || share(-1.0) >= STEADY);
    if size < 2 || !(steady || values.len() == 2 * size) {
        return None;
    }
    let own: Vec<&[f64]> = values.get(values.len() - number * size..)?.chunks(size).collect();
    let sum = |values: &&[f64]| values.iter().sum::<f64>();
    let (first, last) = (own.first().map(sum)?, own.last().map(sum)?);
    let positive = values.iter().all(|value| *value > 0.0);
    let rate = if positive { (last / first).powf(1.0 / count(number - 1)) } else { 1.0 };
    let rise = if positive { 0.0 } else { (last - first) / count((number - 1) * size) };
    let error = |(a, b): (&f64, &f64)| (b - (a * rate + rise)).powi(2);
    let errors: f64 = values.iter().zip(values.iter().skip(size)).map(error).sum();
    let deviation = (errors / count(changes().count() - 1)).sqrt();
    let mut cycle = own.last()?.to_vec();
    let mut points = Vec::new();
    for step in 0..steps {
        let place = cycle.get_mut(step as usize % size)?;
        *place = *place * rate + rise;
        let reach = 2.6 * deviation * f64::from(step / period + 1).sqrt();
        points.push(Point { value: *place, low: *place - reach, high: *place + reach });
    }
    Some(points)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seasons_of_the_calendar_are_seen() {
        let toys = [310.0, 330.0, 325.0, 620.0, 335.0, 352.0, 350.0, 668.0, 360.0, 381.0, 374.0, 710.0];
        assert_eq!(of(&toys, None, Some(Unit::Quarter)), Some(4));
        assert_eq!(of(toys.get(..8).unwrap(), None, Some(Unit::Quarter)), Some(4));
        assert_eq!(of(&toys, None, None), None);
        let line = [140.0, 146.0, 151.0, 158.0, 163.0, 170.0, 175.0, 181.0, 186.0];
        assert_eq!(of(&line, None, Some(Unit::Quarter)), None);
        let noise = [5.0, 7.0, 6.0, 8.0, 7.0, 5.0, 8.0, 6.0, 7.0, 6.0, 5.0, 8.0];
        assert_eq!(of(&noise, None, Some(Unit::Quarter)), None);
    }

    #[test]
    fn cycles_go_on() {
        let values = [100.0, 200.0, 100.0, 400.0, 110.0, 220.0, 110.0, 440.0];
        let points = cycles(&values, 4, 5).unwrap();
        let found: Vec<i32> = points.iter().map(|point| figure(point.value)).collect();
        assert_eq!(found, [121, 242, 121, 484, 133]);
        assert_eq!(cycles(&values, 3, 2), None);
        let guests = [40.0, 128.0, 91.0, 42.0, 131.0, 85.0, 39.0, 132.0, 88.0];
        assert_eq!(cycles(&guests, 3, 3), None);
        let toys = [310.0, 620.0, 335.0, 668.0, 360.0, 710.0, 388.0, 760.0];
        let next: Vec<i32> = cycles(&toys, 2, 2).unwrap().iter().map(|point| figure(point.value)).collect();
        assert_eq!(next, [416, 815]);
    }

    #[allow(clippy::cast_possible_truncation, reason = "small numbers")]
    fn figure(value: f64) -> i32 {
        value.round() as i32
    }
}
