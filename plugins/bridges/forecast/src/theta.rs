//! The theta method (Assimakopoulos and Nikolopoulos 2000) in the form of Hyndman and Billah (2003): simple exponential
//! smoothing, moved on by half the slope of the line through the series.

use crate::path::Path;
use crate::stats::{line, root_mean_square};

/// Weights that are tried, in hundredths.
const WEIGHTS: std::ops::RangeInclusive<u32> = 2..=99;

/// Forecasts a series without season.
#[must_use]
pub fn forecast(values: &[f64], steps: usize) -> Path {
    let trials = WEIGHTS.step_by(3).map(|hundredths| f64::from(hundredths) / 100.0);
    let best = trials.map(|weight| (weight, smooth(values, weight))).min_by(|a, b| a.1.1.total_cmp(&b.1.1));
    let Some((weight, (level, deviation))) = best else { return Path::default() };
    let drift = line(values).0 / 2.0;
    let settled = (1.0 - (1.0 - weight).powf(values.len() as f64)) / weight;
    let mut path = Path::default();
    for step in 0..steps {
        let point = level + drift * (step as f64 + settled);
        path.push(point, deviation * (1.0 + step as f64 * weight * weight).sqrt());
    }
    path
}

/// The last level and the root mean square of one-step errors.
fn smooth(values: &[f64], weight: f64) -> (f64, f64) {
    let mut level = values.first().copied().unwrap_or(0.0);
    let mut errors = Vec::with_capacity(values.len());
    for value in values.iter().skip(1) {
        errors.push(value - level);
        level += weight * (value - level);
    }
    (level, root_mean_square(&errors))
}
