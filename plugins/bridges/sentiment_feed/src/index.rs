//! The index over all items: a weighted mean of compounds with a 95% interval.
//!
//! The interval is Student's, with as many degrees of freedom as the weights leave (Kish's effective number of items
//! less one). It says how sure the mean is if the items are a random choice of what could have been said.

use crate::feed::Feed;
use bridge_common::student::upper_quantile;

/// A mean with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Index {
    pub mean: f64,
    /// None for fewer than two items' worth of weight.
    pub interval: Option<(f64, f64)>,
    /// How many items of equal weight would say as much.
    pub effective: f64,
}

/// The weights of all items: what the caller gave, halved with every half-life of age.
#[must_use]
pub fn weights(feed: &Feed, half_life_hours: Option<f64>) -> Vec<f64> {
    let decay = |at: Option<f64>| match (half_life_hours, feed.as_of, at) {
        (Some(half_life), Some(as_of), Some(at)) => (-((as_of - at).max(0.0) / 3_600.0) / half_life).exp2(),
        _ => 1.0,
    };
    feed.entries.iter().map(|entry| entry.weight * decay(entry.at)).collect()
}

/// The index; none when all weights have decayed to nothing.
#[must_use]
pub fn index(values: &[f64], weights: &[f64]) -> Option<Index> {
    // In units of the largest weight, so that weights of any size neither overflow nor vanish.
    let largest = weights.iter().copied().fold(0.0f64, f64::max);
    if largest <= 0.0 || !largest.is_normal() {
        return None;
    }
    let pairs = || values.iter().copied().zip(weights.iter().map(|weight| weight / largest));
    let total: f64 = pairs().map(|(_, weight)| weight).sum();
    let squares: f64 = pairs().map(|(_, weight)| weight * weight).sum();
    let mean = (pairs().map(|(value, weight)| value * weight).sum::<f64>() / total).clamp(-1.0, 1.0);
    let effective = total * total / squares;
    let freedom = effective - 1.0;
    let interval = (values.len() > 1 && freedom >= 1.0 - 1e-9).then(|| {
        let spread: f64 = pairs().map(|(value, weight)| weight * (value - mean).powi(2)).sum::<f64>() / total;
        let error = (spread / freedom).sqrt();
        let reach = upper_quantile(0.025, freedom) * error;
        ((mean - reach).max(-1.0), (mean + reach).min(1.0))
    });
    Some(Index { mean, interval, effective })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_weights_give_the_textbook_interval() {
        // NIST/SEMATECH e-Handbook 1.3.6.7.2: t(0.975, 4) = 2.776; the mean of five values, standard error s / √5.
        let values = [0.1, 0.2, 0.3, 0.4, 0.5];
        let index = index(&values, &[2.0; 5]).unwrap();
        let reach = 2.776 * (0.025f64 / 5.0).sqrt();
        let (low, high) = index.interval.unwrap();
        assert!((index.mean - 0.3).abs() < 1e-12 && (index.effective - 5.0).abs() < 1e-12);
        assert!((low - (0.3 - reach)).abs() < 1e-4 && (high - (0.3 + reach)).abs() < 1e-4);
    }

    #[test]
    fn little_weight_has_no_interval() {
        assert_eq!(index(&[0.5], &[1.0]).map(|found| found.interval), Some(None));
        assert_eq!(index(&[0.5, 0.1], &[1.0, 1e-9]).map(|found| found.interval), Some(None));
        assert_eq!(index(&[0.5], &[0.0]), None);
    }
}
