//! Autoregression by Burg's method on the series or on its differences; order and differencing by AICc.

use crate::path::Path;
use crate::stats::{differences, mean};

/// The highest order.
const HIGHEST: usize = 24;

struct Model {
    differenced: bool,
    center: f64,
    weights: Vec<f64>,
    variance: f64,
    criterion: f64,
}

/// Forecasts a series without season; none when it is too short or does not vary.
#[must_use]
pub fn forecast(values: &[f64], steps: usize) -> Option<Path> {
    let models = [false, true].into_iter().filter_map(|differenced| best(values, differenced));
    let model = models.min_by(|a, b| a.criterion.total_cmp(&b.criterion))?;
    Some(model.forecast(values, steps))
}

fn best(values: &[f64], differenced: bool) -> Option<Model> {
    let series = if differenced { differences(values, 1) } else { values.to_vec() };
    let count = series.len();
    let highest = HIGHEST.min(count / 4);
    let center = mean(&series);
    let around: Vec<f64> = series.iter().map(|value| value - center).collect();
    let mut variance = around.iter().map(|value| value * value).sum::<f64>() / count.max(1) as f64;
    if variance <= 1e-24 || count < 8 {
        return None;
    }
    let (mut forward, mut backward) = (around.clone(), around);
    let mut weights: Vec<f64> = Vec::new();
    let mut best: Option<Model> = None;
    for order in 0..=highest {
        if order > 0 {
            let reflection = reflect(&mut forward, &mut backward)?;
            let turned: Vec<f64> = weights.iter().rev().copied().collect();
            weights.iter_mut().zip(turned).for_each(|(weight, other)| *weight -= reflection * other);
            weights.push(reflection);
            variance *= 1.0 - reflection * reflection;
        }
        let free = (order + 2) as f64;
        let left = count as f64 - free - 1.0;
        if left <= 0.0 || variance <= 1e-28 {
            break;
        }
        let criterion = count as f64 * variance.ln() + 2.0 * free * count as f64 / left;
        // Per point, because differencing loses one.
        let criterion = criterion / count as f64;
        if best.as_ref().is_none_or(|best| criterion < best.criterion) {
            best = Some(Model { differenced, center, weights: weights.clone(), variance, criterion });
        }
    }
    best
}

/// One step of Burg's recursion: the reflection coefficient, and the errors after it.
fn reflect(forward: &mut Vec<f64>, backward: &mut Vec<f64>) -> Option<f64> {
    let ahead: Vec<f64> = forward.iter().skip(1).copied().collect();
    let behind: Vec<f64> = backward.iter().take(ahead.len()).copied().collect();
    let cross: f64 = ahead.iter().zip(&behind).map(|(f, b)| f * b).sum();
    let energy: f64 = ahead.iter().zip(&behind).map(|(f, b)| f * f + b * b).sum();
    if energy <= 0.0 {
        return None;
    }
    let reflection = (2.0 * cross / energy).clamp(-0.999_999, 0.999_999);
    *forward = ahead.iter().zip(&behind).map(|(f, b)| f - reflection * b).collect();
    *backward = ahead.iter().zip(&behind).map(|(f, b)| b - reflection * f).collect();
    Some(reflection)
}

impl Model {
    fn forecast(&self, values: &[f64], steps: usize) -> Path {
        let series = if self.differenced { differences(values, 1) } else { values.to_vec() };
        // The newest first.
        let mut recent: Vec<f64> =
            series.iter().rev().take(self.weights.len()).map(|value| value - self.center).collect();
        let mut level = values.last().copied().unwrap_or(0.0);
        let mut shocks: Vec<f64> = vec![1.0];
        let (mut total, mut sum) = (1.0, 1.0);
        let mut path = Path::default();
        for _ in 0..steps {
            let next: f64 = self.weights.iter().zip(&recent).map(|(weight, value)| weight * value).sum();
            recent.insert(0, next);
            recent.truncate(self.weights.len());
            level = if self.differenced { level + next + self.center } else { next + self.center };
            path.push(level, (self.variance * sum).max(0.0).sqrt());
            let shock: f64 = self.weights.iter().zip(&shocks).map(|(weight, shock)| weight * shock).sum();
            shocks.insert(0, shock);
            shocks.truncate(self.weights.len().max(1));
            total += shock;
            sum += if self.differenced { total * total } else { shock * shock };
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sine_is_continued() {
        let at = |i: usize| (i as f64 * 0.7).sin() + ((i * 7_919) % 101) as f64 / 5_000.0;
        let values: Vec<f64> = (0..200).map(at).collect();
        let path = forecast(&values, 8).expect("a forecast");
        for (step, point) in path.points.iter().enumerate() {
            assert!((point - at(200 + step)).abs() < 0.1, "{step}: {point}");
        }
        assert!(forecast(&[1.0; 50], 3).is_none());
    }
}
