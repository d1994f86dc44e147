//! The back-test: how each method would have done from earlier ends of the series.
//!
//! Errors are scaled by the one-step error of the seasonal naive forecast inside the training part (Hyndman and
//! Koehler 2006): a scaled error (MASE) below 1 is better than that. The form of exponential smoothing is chosen on the
//! shortest training part, so no later value decides it.

use crate::candidate::Task;
use crate::input::Method;
use crate::path::Path;
use crate::stats::{mean, naive_error};

/// Most ends of the series that are tried.
const MOST_ORIGINS: usize = 6;
/// Errors that the method's own deviations count for when they are compared with those of the back-test, and how much
/// too small these are taken to be: the weights are estimated from the same points (tuned, see `quality/`).
const PRIOR_ERRORS: f64 = 8.0;
const PRIOR_RATIO: f64 = 1.5;
/// Another method must have errors below this share of the combination's to be preferred to it.
const MUCH_BETTER: f64 = 0.85;

/// What the back-test found.
#[derive(Debug, Clone, Default)]
pub struct Backtest {
    /// Ends of the series that were tried.
    pub origins: usize,
    /// Points forecast from each.
    pub steps: usize,
    /// By method, in a fixed order.
    pub scores: Vec<Score>,
}

/// How one method did.
#[derive(Debug, Clone)]
pub struct Score {
    pub method: Method,
    /// Mean absolute scaled error; none when the series does not vary.
    pub mase: Option<f64>,
    /// Mean absolute error.
    pub absolute: f64,
    /// Factor that makes the method's deviations fit its errors.
    pub calibration: f64,
    /// Every forecast of the back-test with what came.
    errors: Vec<Error>,
}

#[derive(Debug, Clone, Copy)]
struct Error {
    size: f64,
    scaled: Option<f64>,
    in_deviations: Option<f64>,
}

impl Backtest {
    /// Tests all methods. Series too short for one origin give an empty test.
    #[must_use]
    pub fn of(values: &[f64], period: usize, horizon: usize) -> Self {
        let least = (values.len() / 2).max(if period > 1 { 2 * period + 1 } else { 4 });
        let Some(room) = values.len().checked_sub(least).filter(|room| *room > 0) else { return Self::default() };
        let steps = horizon.min(room.div_ceil(2)).max(1);
        let stride = (steps / 2).max(1);
        let origins = (1 + (room - steps) / stride).min(MOST_ORIGINS);
        let ends: Vec<usize> = (0..origins).map(|back| values.len() - steps - back * stride).collect();
        let first = ends.last().and_then(|end| values.get(..*end)).unwrap_or_default();
        let form = Task::new(first, period, steps, None).choose_form();
        let mut errors_by_method: Vec<(Method, Vec<Error>)> = Vec::new();
        for end in ends {
            let (past, rest) = values.split_at(end.min(values.len()));
            let scale = Some(naive_error(past, period)).filter(|scale| *scale > 1e-12);
            for (method, path) in Task::new(past, period, steps, form).all() {
                let errors = compare(&path, rest, scale);
                match errors_by_method.iter_mut().find(|(known, _)| *known == method) {
                    Some((_, all)) => all.extend(errors),
                    None => errors_by_method.push((method, errors)),
                }
            }
        }
        // A method that did not answer from every end cannot be compared.
        errors_by_method.retain(|(_, errors)| errors.len() == origins * steps);
        let scores = errors_by_method.into_iter().map(|(method, errors)| Score::of(method, errors)).collect();
        Self { origins, steps, scores }
    }

    /// The method to use: the combination, unless another one was much better.
    #[must_use]
    pub fn best(&self) -> Option<&Score> {
        let least = self.scores.iter().min_by(|a, b| a.absolute_or_scaled().total_cmp(&b.absolute_or_scaled()))?;
        let combination = self.score(Method::Combination);
        Some(match combination {
            Some(all) if least.absolute_or_scaled() >= MUCH_BETTER * all.absolute_or_scaled() => all,
            _ => least,
        })
    }

    /// The score of a method, if it has one.
    #[must_use]
    pub fn score(&self, method: Method) -> Option<&Score> {
        self.scores.iter().find(|score| score.method == method)
    }
}

impl Score {
    fn of(method: Method, errors: Vec<Error>) -> Self {
        let sizes: Vec<f64> = errors.iter().map(|error| error.size).collect();
        let scaled: Vec<f64> = errors.iter().filter_map(|error| error.scaled).collect();
        let mase = (scaled.len() == errors.len() && !errors.is_empty()).then(|| mean(&scaled));
        let relative: Vec<f64> = errors.iter().filter_map(|error| error.in_deviations).collect();
        let squares: f64 = relative.iter().map(|error| error.min(10.0).powi(2)).sum();
        let calibration =
            ((PRIOR_ERRORS * PRIOR_RATIO * PRIOR_RATIO + squares) / (PRIOR_ERRORS + relative.len() as f64)).sqrt();
        Self { method, mase, absolute: mean(&sizes), calibration: calibration.clamp(0.8, 3.0), errors }
    }

    /// Share of the back-test's values inside an interval of so many (calibrated) deviations.
    #[must_use]
    pub fn covered(&self, reach: f64) -> Option<f64> {
        let inside =
            |error: &Error| f64::from(u8::from(error.in_deviations.is_none_or(|e| e <= reach * self.calibration)));
        let inside: Vec<f64> = self.errors.iter().map(inside).collect();
        (!inside.is_empty()).then(|| mean(&inside))
    }

    fn absolute_or_scaled(&self) -> f64 {
        self.mase.unwrap_or(self.absolute)
    }
}

fn compare(path: &Path, rest: &[f64], scale: Option<f64>) -> Vec<Error> {
    let pairs = path.points.iter().zip(&path.deviations).zip(rest);
    let one = |((point, deviation), value): ((&f64, &f64), &f64)| {
        let size = (value - point).abs();
        Error {
            size,
            scaled: scale.map(|scale| size / scale),
            in_deviations: (*deviation > 1e-12).then(|| size / deviation),
        }
    };
    pairs.map(one).collect()
}
