//! Does the series repeat itself, and after how many points?
//!
//! Candidates are peaks of the autocorrelation (of the series without its level and with its wildest values cut)
//! and, when the points carry times, the calendar's usual lengths. Each candidate is judged by how well the same
//! phase of *other* cycles predicts a point, so that a period never looks good by explaining itself.

use crate::decompose::{Decomposition, refined, rough};
use crate::robust::{moving_median, spread};

/// Cycles that must be there for a period that is given.
pub const FEWEST_CYCLES: usize = 3;
/// Cycles that must be seen before a period is believed: with fewer, the median of the other cycles is a mean.
const FEWEST_SEEN: usize = 4;
/// The longest period that is looked for, in points.
const LONGEST: usize = 4_000;
/// Autocorrelation peaks that are judged.
const PEAKS: usize = 4;
/// The least autocorrelation of a peak.
const LEAST_CORRELATION: f64 = 0.15;
/// The share of the spread around the level that a season must explain.
const LEAST_STRENGTH: f64 = 0.25;
/// A longer period must explain this much more to be preferred to a shorter one.
const BETTER_BY: f64 = 0.04;
/// Seconds in the calendar's usual cycles: hour, day, week.
const CALENDAR: [f64; 3] = [3_600.0, 86_400.0, 604_800.0];

/// A period that was found, with the decomposition that it gives.
#[derive(Debug, Clone)]
pub struct Season {
    /// Points in one cycle.
    pub period: usize,
    /// Share of the spread around the level that the season explains, 0..=1.
    pub strength: f64,
    /// The series taken apart with this period.
    pub parts: Decomposition,
}

/// The best period, if the series has one. `step` is the seconds between points, when known.
#[must_use]
pub fn find(values: &[f64], step: Option<f64>) -> Option<Season> {
    let longest = (values.len() / FEWEST_SEEN).min(LONGEST);
    let mut candidates = peaks(&autocorrelation(values, longest));
    candidates.extend(step.into_iter().flat_map(|step| calendar(step, longest)));
    candidates.extend(candidates.clone().into_iter().map(|period| period * 7).filter(|period| *period <= longest));
    candidates.sort_unstable();
    candidates.dedup();
    let mut best: Option<Season> = None;
    for period in candidates {
        let season = judge(values, period);
        let bar = best.as_ref().map_or(LEAST_STRENGTH, |best| best.strength + BETTER_BY);
        if season.strength >= bar {
            best = Some(season);
        }
    }
    best
}

/// Takes the series apart with a given period and tells how much of the spread the season explains.
#[must_use]
pub fn judge(values: &[f64], period: usize) -> Season {
    let parts = rough(values, period);
    let around: Vec<f64> = values.iter().zip(&parts.level).map(|(value, level)| value - level).collect();
    let (before, after) = (spread(&around).scale, spread(&parts.residuals(values)).scale);
    let strength = if before > 0.0 { (1.0 - after / before).max(0.0) } else { 0.0 };
    Season { period, strength, parts: refined(values, &parts, period) }
}

/// Calendar cycles in points, where the step divides them into between 4 and `longest` points.
fn calendar(step: f64, longest: usize) -> impl Iterator<Item = usize> {
    CALENDAR.into_iter().filter_map(move |cycle| {
        let points = cycle / step;
        let whole = points.round();
        let fits = step > 0.0 && (points - whole).abs() < 0.01 * whole && whole >= 4.0 && whole <= longest as f64;
        fits.then_some(whole as usize)
    })
}

/// Autocorrelation at lags 0..=`longest` of the series without its slow level and with wild values cut.
fn autocorrelation(values: &[f64], longest: usize) -> Vec<f64> {
    let level = moving_median(values, values.len() / 2);
    let around: Vec<f64> = values.iter().zip(&level).map(|(value, level)| value - level).collect();
    let spread = spread(&around);
    let cut = 3.0 * spread.scale;
    let clipped: Vec<f64> = around.iter().map(|value| (value - spread.center).clamp(-cut, cut)).collect();
    let mean = clipped.iter().sum::<f64>() / clipped.len().max(1) as f64;
    let clipped: Vec<f64> = clipped.iter().map(|value| value - mean).collect();
    let energy: f64 = clipped.iter().map(|value| value * value).sum();
    if energy <= 0.0 {
        return Vec::new();
    }
    let at = |lag: usize| -> f64 {
        let later = clipped.get(lag..).unwrap_or_default();
        let product: f64 = clipped.iter().zip(later).map(|(a, b)| a * b).sum();
        product / energy * clipped.len() as f64 / later.len().max(1) as f64
    };
    (0..=longest).map(at).collect()
}

/// Lags of the highest peaks that come after a clear trough.
fn peaks(correlation: &[f64]) -> Vec<usize> {
    let mut peaks: Vec<(f64, usize)> = Vec::new();
    let mut trough = f64::INFINITY;
    for (lag, window) in correlation.windows(3).enumerate() {
        let &[before, here, after] = window else { continue };
        trough = trough.min(here);
        let is_peak = here >= before && here > after;
        if is_peak && here >= LEAST_CORRELATION && here - trough >= LEAST_CORRELATION {
            peaks.push((here, lag + 1));
        }
    }
    peaks.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let highest = peaks.first().map_or(0.0, |(height, _)| *height);
    let shortest = peaks.iter().filter(|(height, _)| *height >= 0.85 * highest).map(|(_, lag)| *lag).min();
    let mut lags: Vec<usize> =
        peaks.iter().take(PEAKS).map(|(_, lag)| *lag).chain(shortest).filter(|lag| *lag >= 2).collect();
    lags.dedup();
    lags
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(count: usize, period: usize) -> Vec<f64> {
        let at = |i: usize| 10.0 * (std::f64::consts::TAU * (i % period) as f64 / period as f64).sin();
        // A small fixed jitter, so that the spread of residuals is not zero.
        (0..count).map(|i| at(i) + ((i * 7_919) % 101) as f64 / 100.0 + 0.002 * i as f64).collect()
    }

    #[test]
    fn finds_the_period_of_a_wave_with_trend() {
        for period in [4, 7, 12, 24, 60] {
            assert_eq!(find(&wave(period * 10, period), None).map(|season| season.period), Some(period));
        }
    }

    #[test]
    fn finds_none_in_jitter_or_a_straight_line() {
        let mut state = 7u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64
        };
        let noise: Vec<f64> = (0..400).map(|_| random()).collect();
        assert!(find(&noise, None).is_none());
        let line: Vec<f64> = (0..200).map(f64::from).collect();
        assert!(find(&line, None).is_none());
        assert!(find(&[], None).is_none());
    }
}
