//! Seasons: whether there is one, how long its cycle is, and how to take it out and put it back.
//!
//! Indices belong to phases: point `i` has phase `i % period`. Additive indices have mean 0, multiplicative ones 1.

use crate::stats::{autocorrelation, differences, mean, without_line};

/// Cycles of which the newest count in a decomposition; older ones fade.
const FADE: f64 = 0.75;
/// Cycles that must be there before a period is believed when it is looked for.
const CYCLES_SEEN: usize = 3;
/// The least autocorrelation of a period that is looked for.
const LEAST_CORRELATION: f64 = 0.3;

/// Indices of one cycle, by phase.
#[derive(Debug, Clone, PartialEq)]
pub struct Season {
    pub indices: Vec<f64>,
    pub multiplicative: bool,
}

impl Season {
    /// The season of `values`; none when there are fewer than two cycles.
    #[must_use]
    pub fn of(values: &[f64], period: usize, multiplicative: bool) -> Option<Self> {
        if period < 2 || values.len() < 2 * period || (multiplicative && values.iter().any(|value| *value <= 0.0)) {
            return None;
        }
        let trend = centred_average(values, period);
        let half = period / 2;
        let mut sums = vec![(0.0, 0.0); period];
        let cycles = values.len() / period;
        let inner = values.iter().enumerate().skip(half).zip(&trend);
        for ((place, value), level) in inner {
            let ratio = if multiplicative { value / level.max(f64::MIN_POSITIVE) } else { value - level };
            let age = cycles.saturating_sub(place / period) as f64;
            let weight = FADE.powf(age.min(200.0));
            if let Some((sum, weights)) = sums.get_mut(place % period) {
                *sum += weight * ratio;
                *weights += weight;
            }
        }
        let neutral = f64::from(u8::from(multiplicative));
        let raw: Vec<f64> =
            sums.iter().map(|(sum, weights)| if *weights > 0.0 { sum / weights } else { neutral }).collect();
        let center = mean(&raw);
        let indices: Vec<f64> = if multiplicative {
            raw.iter().map(|index| index / center).collect()
        } else {
            raw.iter().map(|index| index - center).collect()
        };
        let sound = indices.iter().all(|index| index.is_finite() && (!multiplicative || *index > 1e-3));
        sound.then_some(Self { indices, multiplicative })
    }

    /// The index of point `place`.
    #[must_use]
    pub fn at(&self, place: usize) -> f64 {
        let neutral = f64::from(u8::from(self.multiplicative));
        self.indices.get(place % self.indices.len().max(1)).copied().unwrap_or(neutral)
    }

    /// The values without the season.
    #[must_use]
    pub fn removed(&self, values: &[f64]) -> Vec<f64> {
        let one = |(place, value): (usize, &f64)| {
            if self.multiplicative { value / self.at(place) } else { value - self.at(place) }
        };
        values.iter().enumerate().map(one).collect()
    }

    /// A value with the season of point `place`, and the factor by which its spread grows.
    #[must_use]
    pub fn put_back(&self, value: f64, place: usize) -> (f64, f64) {
        if self.multiplicative { (value * self.at(place), self.at(place)) } else { (value + self.at(place), 1.0) }
    }
}

/// Moving average over one cycle, centred (ends with half weight when the period is even); the first value belongs to
/// point `period / 2`.
fn centred_average(values: &[f64], period: usize) -> Vec<f64> {
    let width = period + usize::from(period.is_multiple_of(2));
    let average = |window: &[f64]| {
        let sum: f64 = window.iter().sum();
        let ends = window.first().copied().unwrap_or(0.0) + window.last().copied().unwrap_or(0.0);
        if period.is_multiple_of(2) { (sum - ends / 2.0) / period as f64 } else { sum / period as f64 }
    };
    values.windows(width).map(average).collect()
}

/// Whether the autocorrelation at the period is beyond chance (one-sided, 5 %) once the trend is out.
#[must_use]
pub fn is_seasonal(values: &[f64], period: usize) -> bool {
    if period < 2 || values.len() < 2 * period + 1 {
        return false;
    }
    let correlation = autocorrelation(&differences(values, 1), period);
    let plain = autocorrelation(&without_line(values), period);
    let beyond = |correlation: &[f64]| {
        let Some((last, before)) = correlation.split_last() else { return false };
        let sum: f64 = before.iter().skip(1).map(|r| r * r).sum();
        *last > 1.645 * ((1.0 + 2.0 * sum) / values.len() as f64).sqrt()
    };
    beyond(&correlation) || beyond(&plain)
}

/// The period that the series shows, 1 for none. `usual` are lengths that the calendar suggests.
#[must_use]
pub fn find_period(values: &[f64], usual: &[usize], longest: usize) -> usize {
    let longest = longest.min(values.len() / CYCLES_SEEN);
    let differenced = differences(values, 1);
    let correlation = autocorrelation(&differenced, longest + 1);
    let detrended = autocorrelation(&without_line(values), longest + 1);
    let height = |period: usize| correlation.get(period).copied().unwrap_or(0.0);
    let fits = |period: &usize| *period <= longest && is_seasonal(values, *period);
    if let Some(period) = usual.iter().copied().filter(fits).find(|period| height(*period) > 0.1) {
        return period;
    }
    let mut peaks: Vec<usize> = Vec::new();
    for window in [&correlation, &detrended] {
        for (lag, three) in window.windows(3).enumerate().skip(1) {
            let &[before, here, after] = three else { continue };
            if here >= before && here > after && here >= LEAST_CORRELATION && height(lag + 1) >= LEAST_CORRELATION / 2.0
            {
                peaks.push(lag + 1);
            }
        }
    }
    let highest = peaks.iter().map(|period| height(*period)).fold(0.0, f64::max);
    peaks.sort_unstable();
    peaks.into_iter().filter(|period| fits(period) && height(*period) >= 0.85 * highest).min().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(count: usize, period: usize) -> Vec<f64> {
        let at = |i: usize| 10.0 * (std::f64::consts::TAU * (i % period) as f64 / period as f64).sin();
        (0..count).map(|i| at(i) + ((i * 7_919) % 101) as f64 / 100.0 + 0.05 * i as f64 + 20.0).collect()
    }

    #[test]
    fn finds_the_period_of_a_wave_with_trend() {
        for period in [4, 7, 12, 24] {
            assert_eq!(find_period(&wave(period * 8, period), &[], 400), period);
        }
        let line: Vec<f64> = (0..60).map(f64::from).collect();
        assert_eq!(find_period(&line, &[12], 400), 1);
    }

    #[test]
    fn taking_out_and_putting_back_is_nothing() {
        let values = wave(48, 12);
        for multiplicative in [false, true] {
            let season = Season::of(&values, 12, multiplicative).expect("a season");
            for (place, value) in season.removed(&values).iter().enumerate() {
                assert!((season.put_back(*value, place).0 - values[place]).abs() < 1e-9);
            }
        }
        assert!(Season::of(&values[..23], 12, false).is_none());
    }
}
