//! A series taken apart into level, season and rest, by medians only, so that outliers stay in the rest.
//!
//! The level is a moving median over one cycle. The season at a point is the median, over the nearest cycles
//! *other than its own*, of what the same phase had above its level: a point never predicts itself.

use crate::robust::{cleaned, median_in_place, moving_median};

/// Cycles before and after a point that its season is taken from.
const NEAR: usize = 7;
/// The level is smoothed over at least this many points.
const LEAST_WINDOW: usize = 7;

/// Level and season of each point; both are as long as the series.
#[derive(Debug, Clone, Default)]
pub struct Decomposition {
    pub level: Vec<f64>,
    pub season: Vec<f64>,
}

impl Decomposition {
    /// What level and season lead one to expect, point by point.
    #[must_use]
    pub fn expected(&self) -> Vec<f64> {
        self.level.iter().zip(&self.season).map(|(level, season)| level + season).collect()
    }

    /// What is left of `values`.
    #[must_use]
    pub fn residuals(&self, values: &[f64]) -> Vec<f64> {
        values.iter().zip(self.expected()).map(|(value, expected)| value - expected).collect()
    }
}

/// Takes `values` apart with the given period (at least 2). The level knows nothing of the season here, so how much
/// the season explains can be told from this one.
#[must_use]
pub fn rough(values: &[f64], period: usize) -> Decomposition {
    let period = period.max(2);
    let level = moving_median(values, level_window(period));
    let season = season_of(values, &level, period);
    Decomposition { level, season }
}

/// Takes `values` apart again: the level from what `first` left without season and without the points that stood out.
#[must_use]
pub fn refined(values: &[f64], first: &Decomposition, period: usize) -> Decomposition {
    let period = period.max(2);
    let clean = cleaned(values, &first.expected());
    let without_season: Vec<f64> = clean.iter().zip(&first.season).map(|(value, season)| value - season).collect();
    let level = moving_median(&without_season, level_window(period));
    let season = season_of(&clean, &level, period);
    Decomposition { level, season }
}

/// The window of the level for a period: one cycle, made odd.
fn level_window(period: usize) -> usize {
    period.max(LEAST_WINDOW) | 1
}

/// The season of each point, given the level.
fn season_of(values: &[f64], level: &[f64], period: usize) -> Vec<f64> {
    let around: Vec<f64> = values.iter().zip(level).map(|(value, level)| value - level).collect();
    let mut season = vec![0.0; values.len()];
    for phase in 0..period.min(values.len()) {
        let cycles: Vec<f64> = around.iter().skip(phase).step_by(period).copied().collect();
        let places = season.iter_mut().skip(phase).step_by(period);
        for (own, place) in places.enumerate() {
            *place = median_of_others(&cycles, own);
        }
    }
    season
}

/// Median of the cycles near `own`, without it; 0 when there is no other.
fn median_of_others(cycles: &[f64], own: usize) -> f64 {
    let from = own.saturating_sub(NEAR);
    let before = cycles.get(from..own).unwrap_or_default();
    let after = cycles.get(own + 1..(own + 1 + NEAR).min(cycles.len())).unwrap_or_default();
    let mut near: Vec<f64> = before.iter().chain(after).copied().collect();
    median_in_place(&mut near)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decompose(values: &[f64], period: usize) -> Decomposition {
        refined(values, &rough(values, period), period)
    }

    #[test]
    fn a_spike_stays_in_the_rest() {
        let mut values: Vec<f64> = (0..60).map(|i| f64::from(i % 6)).collect();
        values[33] += 50.0;
        let rest = decompose(&values, 6).residuals(&values);
        assert!((rest[33] - 50.0).abs() < 1.0, "{}", rest[33]);
        assert!(rest.iter().enumerate().all(|(i, r)| i == 33 || r.abs() < 2.0), "{rest:?}");
    }

    #[test]
    fn short_series_do_not_break_it() {
        for count in 0..5 {
            let values = vec![1.0; count];
            assert_eq!(decompose(&values, 9).residuals(&values).len(), count);
        }
    }
}
