//! What is normal at each point: an expected value, and how far a value may lie on either side.
//!
//! A model never decides alone what is an outlier: it gives scores and bounds, and a threshold in units of them.

use bridge_common::median::median_sorted;

use crate::robust::{Basis, hinges_sorted, quantile_sorted, sorted, spread};

/// From this many values on, this quantile of the tails is used besides the median deviation; with it, its distance
/// from the median in a normal distribution of deviation 1.
const TAILS: [(usize, f64, f64); 3] = [(60, 0.95, 1.644_854), (500, 0.99, 2.326_348), (1_000, 0.995, 2.575_829)];

/// One side of the normal range: a value `from + threshold × unit` away from the expected one is at the bound.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Side {
    pub from: f64,
    pub unit: f64,
}

impl Side {
    /// How far a value may lie from the expected one on this side.
    #[must_use]
    pub fn reach(&self, threshold: f64) -> f64 {
        self.from + threshold * self.unit
    }

    /// Units beyond `from`; 0 inside, and 0 where nothing varies.
    fn score(&self, distance: f64) -> f64 {
        if self.unit > 0.0 { ((distance - self.from) / self.unit).max(0.0) } else { 0.0 }
    }
}

/// The expected value of each point.
#[derive(Debug, Clone, PartialEq)]
pub enum Expected {
    /// The same for all.
    Fixed(f64),
    /// One for each.
    Moving(Vec<f64>),
}

/// What is normal.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub expected: Expected,
    pub below: Side,
    pub above: Side,
    pub basis: Basis,
}

impl Model {
    /// Median and median absolute deviation, the same on both sides: the modified z-score.
    #[must_use]
    pub fn modified_z(values: &[f64]) -> Self {
        let spread = spread(values);
        let side = Side { from: 0.0, unit: spread.scale };
        Self { expected: Expected::Fixed(spread.center), below: side, above: side, basis: spread.basis }
    }

    /// Tukey's hinges and multiples of their distance.
    #[must_use]
    pub fn fences(values: &[f64]) -> Self {
        let ordered = sorted(values);
        let (lower, upper) = hinges_sorted(&ordered);
        let center = median_sorted(&ordered);
        let side = |from: f64| Side { from, unit: upper - lower };
        let basis = if upper > lower { Basis::Median } else { Basis::None };
        Self { expected: Expected::Fixed(center), below: side(center - lower), above: side(upper - center), basis }
    }

    /// Deviations from `expected`, with a scale for each side: the largest of the median deviation, the noise
    /// between neighbours (when the expected value moves; `season` is taken out first), and what the quantiles of that side's tail imply.
    #[must_use]
    pub fn around(values: &[f64], expected: Expected, season: Option<&[f64]>) -> Self {
        let rest = residuals(values, &expected);
        let spread = spread(&rest);
        let (mut below, mut above) = (spread.scale, spread.scale);
        if matches!(expected, Expected::Moving(_)) {
            let plain = |season: &[f64]| values.iter().zip(season).map(|(value, season)| value - season).collect();
            let noise = noise(&season.map_or_else(|| values.to_vec(), plain));
            (below, above) = (below.max(noise), above.max(noise));
        }
        let ordered = sorted(&rest);
        for (_, p, distance) in TAILS.into_iter().filter(|(from, _, _)| *from <= values.len()) {
            above = above.max((quantile_sorted(&ordered, p) - spread.center) / distance);
            below = below.max((spread.center - quantile_sorted(&ordered, 1.0 - p)) / distance);
        }
        let side = |unit: f64| Side { from: 0.0, unit };
        let expected = expected.shifted(spread.center);
        Self { expected, below: side(below), above: side(above), basis: spread.basis }
    }

    /// The expected value of a point.
    #[must_use]
    pub fn expected_at(&self, index: usize) -> f64 {
        self.expected.at(index)
    }

    /// Signed score of each point: negative below the expected value.
    #[must_use]
    pub fn scores(&self, values: &[f64]) -> Vec<f64> {
        let score = |distance: f64| {
            if distance < 0.0 { -self.below.score(-distance) } else { self.above.score(distance) }
        };
        residuals(values, &self.expected).into_iter().map(score).collect()
    }
}

impl Expected {
    fn at(&self, index: usize) -> f64 {
        match self {
            Self::Fixed(value) => *value,
            Self::Moving(values) => values.get(index).copied().unwrap_or_default(),
        }
    }

    fn shifted(self, by: f64) -> Self {
        match self {
            Self::Fixed(value) => Self::Fixed(value + by),
            Self::Moving(values) => Self::Moving(values.into_iter().map(|value| value + by).collect()),
        }
    }
}

/// The deviation of noise that neighbours do not share, from their second differences. A moving median goes through
/// the points of a rising series exactly and would leave no noise.
fn noise(values: &[f64]) -> f64 {
    let steps = |values: &[f64]| -> Vec<f64> { values.iter().zip(values.iter().skip(1)).map(|(a, b)| b - a).collect() };
    spread(&steps(&steps(values))).scale / 6.0f64.sqrt()
}

/// Values less what was expected of them.
#[must_use]
pub fn residuals(values: &[f64], expected: &Expected) -> Vec<f64> {
    values.iter().enumerate().map(|(index, value)| value - expected.at(index)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The data and the scores that Iglewicz and Hoaglin print for them.
    #[test]
    fn modified_z_scores_as_published() {
        let values = [2.1, 2.6, 2.4, 2.5, 2.3, 2.1, 2.3, 2.6, 8.2, 8.3];
        let scores = Model::modified_z(&values).scores(&values);
        let published = [-1.574, 0.6745, -0.2248, 0.2248, -0.6745, -1.574, -0.6745, 0.6745, 25.856, 26.306];
        for (score, expect) in scores.iter().zip(published) {
            assert!((score - expect).abs() < 1e-3, "{scores:?}");
        }
    }

    #[test]
    fn fences_are_tukeys() {
        let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 50.0];
        let model = Model::fences(&values);
        assert_eq!(
            (model.expected_at(0) - model.below.reach(1.5), model.expected_at(0) + model.above.reach(1.5)),
            (-3.0, 13.0)
        );
        assert_eq!(model.scores(&values).last(), Some(&((50.0 - 7.0) / 4.0)));
    }

    #[test]
    fn nothing_varies_nothing_scores() {
        for model in [
            Model::modified_z(&[3.0; 8]),
            Model::fences(&[3.0; 8]),
            Model::around(&[3.0; 99], Expected::Fixed(1.0), None),
        ] {
            assert!(model.scores(&[3.0; 8]).iter().all(|score| *score == 0.0));
        }
    }
}
