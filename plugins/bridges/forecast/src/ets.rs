//! Exponential smoothing in state space form (Hyndman, Koehler, Ord and Snyder 2008): one recursion for all forms.
//!
//! Forms are named by error, trend and season (A additive, M multiplicative, Ad damped, N none). Forms with a
//! multiplicative part are used on positive values only; a recursion that leaves them gives none.

use crate::path::Path;
use crate::season::Season;
use crate::simplex::minimum;
use crate::stats::{line, mean};

/// Longest cycle that is smoothed as states of their own; longer ones are decomposed instead.
const LONGEST_CYCLE: usize = 24;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trend {
    None,
    Additive,
    Damped,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cycle {
    None,
    Additive,
    Multiplicative,
}

/// Which error, trend and season.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    pub relative_error: bool,
    pub trend: Trend,
    pub cycle: Cycle,
}

/// Smoothing weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    pub level: f64,
    pub slope: f64,
    pub season: f64,
    pub damping: f64,
}

/// A fitted form.
#[derive(Debug, Clone)]
pub struct Fit {
    pub form: Form,
    pub weights: Weights,
    /// Corrected Akaike criterion, comparable between forms of the same data only.
    pub criterion: f64,
    state: State,
    deviation: f64,
    count: usize,
}

#[derive(Debug, Clone, Default)]
struct State {
    level: f64,
    slope: f64,
    /// By phase; empty without a season.
    season: Vec<f64>,
}

impl Form {
    /// Its usual name, for example `ETS(M,Ad,M)`.
    #[must_use]
    pub fn name(&self) -> String {
        let error = if self.relative_error { "M" } else { "A" };
        let trend = match self.trend {
            Trend::None => "N",
            Trend::Additive => "A",
            Trend::Damped => "Ad",
        };
        let season = match self.cycle {
            Cycle::None => "N",
            Cycle::Additive => "A",
            Cycle::Multiplicative => "M",
        };
        format!("ETS({error},{trend},{season})")
    }

    fn weights(&self, free: &[f64]) -> Option<Weights> {
        let mut free = free.iter().copied();
        let mut next = |low: f64, high: f64| free.next().filter(|value| (low..=high).contains(value));
        let level = next(1e-4, 0.9999)?;
        let slope = if self.trend == Trend::None { 0.0 } else { level * next(1e-4, 0.9999)? };
        let damping = if self.trend == Trend::Damped { next(0.8, 0.98)? } else { 1.0 };
        let season = if self.cycle == Cycle::None { 0.0 } else { (1.0 - level) * next(1e-4, 0.9999)? };
        Some(Weights { level, slope, season, damping })
    }

    fn start(&self) -> Vec<f64> {
        let mut start = vec![0.3];
        if self.trend != Trend::None {
            start.push(0.1);
        }
        if self.trend == Trend::Damped {
            start.push(0.95);
        }
        if self.cycle != Cycle::None {
            start.push(0.1);
        }
        start
    }
}

/// The best form by AICc, with or without seasonal forms. None when the series is too short for any.
#[must_use]
pub fn best(values: &[f64], period: usize, seasonal: bool) -> Option<Fit> {
    let seasonal = seasonal && (2..=LONGEST_CYCLE).contains(&period) && values.len() > 2 * period;
    let positive = values.iter().all(|value| *value > 0.0);
    let mut forms = Vec::new();
    for trend in [Trend::None, Trend::Additive, Trend::Damped] {
        for relative_error in [false, true] {
            for cycle in [Cycle::None, Cycle::Additive, Cycle::Multiplicative] {
                let unfit = (cycle != Cycle::None && !seasonal)
                    || (relative_error && !positive)
                    || (cycle == Cycle::Multiplicative && !relative_error);
                if !unfit {
                    forms.push(Form { relative_error, trend, cycle });
                }
            }
        }
    }
    let fits = forms.into_iter().filter_map(|form| fit(values, period, form));
    fits.min_by(|a, b| a.criterion.total_cmp(&b.criterion))
}

/// Fits one form: initial states from a decomposition of the first cycles, weights by maximum likelihood.
#[must_use]
pub fn fit(values: &[f64], period: usize, form: Form) -> Option<Fit> {
    let first = initial(values, period, form)?;
    let start = form.start();
    let (free, least) = minimum(&start, 50 + 60 * start.len(), |free| {
        form.weights(free).and_then(|weights| run(values, form, weights, &first)).map_or(f64::INFINITY, |run| run.1)
    });
    let weights = form.weights(&free)?;
    let (state, likelihood, squares) = run(values, form, weights, &first)?;
    let states = 1 + usize::from(form.trend != Trend::None) + first.season.len();
    let (count, free) = (values.len() as f64, (start.len() + states + 1) as f64);
    let left = count - free - 1.0;
    if left <= 0.0 || !least.is_finite() {
        return None;
    }
    let criterion = likelihood + 2.0 * free + 2.0 * free * (free + 1.0) / left;
    let deviation = (squares / (count - start.len() as f64).max(1.0)).sqrt();
    Some(Fit { form, weights, criterion, state, deviation, count: values.len() })
}

fn initial(values: &[f64], period: usize, form: Form) -> Option<State> {
    let season = match form.cycle {
        Cycle::None => None,
        cycle => {
            let early = values.get(..(period * 4).min(values.len()))?;
            Some(Season::of(early, period, cycle == Cycle::Multiplicative)?)
        }
    };
    let early = values.get(..values.len().min(10.max(2 * period)))?;
    let adjusted = season.as_ref().map_or_else(|| early.to_vec(), |season| season.removed(early));
    let (slope, start) = line(&adjusted);
    let (level, slope) = match form.trend {
        Trend::None => (mean(&adjusted), 0.0),
        _ => (start - slope, slope),
    };
    if form.relative_error && level <= 0.0 {
        return Some(State { level: mean(&adjusted), slope: 0.0, season: season.map_or(Vec::new(), |s| s.indices) });
    }
    Some(State { level, slope, season: season.map_or(Vec::new(), |season| season.indices) })
}

/// Runs through the values; gives the last state, minus twice the log likelihood (up to a constant) and the sum of
/// squared errors.
fn run(values: &[f64], form: Form, weights: Weights, first: &State) -> Option<(State, f64, f64)> {
    let mut state = first.clone();
    let phases = state.season.len().max(1);
    let neutral = if form.cycle == Cycle::Multiplicative { 1.0 } else { 0.0 };
    let (mut squares, mut scale) = (0.0, 0.0);
    for (place, value) in values.iter().enumerate() {
        let season = state.season.get(place % phases).copied().unwrap_or(neutral);
        let carried = weights.damping * state.slope;
        let base = state.level + carried;
        let relative_season = form.cycle == Cycle::Multiplicative;
        let expected = if relative_season { base * season } else { base + season };
        let mut error = value - expected;
        if form.relative_error {
            if expected <= 1e-12 {
                return None;
            }
            error /= expected;
            scale += expected.ln();
        }
        squares += error * error;
        if relative_season && (season <= 1e-6 || base <= 1e-12) {
            return None;
        }
        let (adjusted, seen) =
            if relative_season { (value / season, value / base) } else { (value - season, value - base) };
        state.level = base + weights.level * (adjusted - base);
        state.slope = carried + weights.slope / weights.level * (state.level - base);
        if let Some(index) = state.season.get_mut(place % phases) {
            *index = season + weights.season * (seen - season);
        }
    }
    let count = values.len() as f64;
    // A perfect fit has no finite likelihood: errors below rounding count as rounding.
    let likelihood = count * (squares / count).max(1e-30).ln() + 2.0 * scale;
    (likelihood.is_finite() && state.level.is_finite()).then_some((state, likelihood, squares))
}

impl Fit {
    /// The next values and their deviations. Forms with a relative error have deviations in proportion to the
    /// forecast; the growth with the horizon is that of the additive form, which is close for small errors.
    #[must_use]
    pub fn forecast(&self, steps: usize) -> Path {
        let phases = self.state.season.len().max(1);
        let mut path = Path::default();
        let (mut slopes, mut power, mut variance) = (0.0, 1.0, 1.0);
        for step in 1..=steps {
            power *= self.weights.damping;
            slopes += power;
            let base = self.state.level + slopes * self.state.slope;
            let index = self.state.season.get((self.count + step - 1) % phases).copied();
            let point = match (self.form.cycle, index) {
                (Cycle::Multiplicative, Some(index)) => base * index,
                (Cycle::Additive, Some(index)) => base + index,
                _ => base,
            };
            let unit = if self.form.relative_error { self.deviation * point.abs() } else { self.deviation };
            path.push(point, unit * f64::sqrt(variance));
            let season = if step % phases == 0 && phases > 1 { self.weights.season } else { 0.0 };
            variance += (self.weights.level + self.weights.slope * slopes + season).powi(2);
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_continued() {
        let values: Vec<f64> = (0..30).map(|i| 5.0 + 2.0 * f64::from(i)).collect();
        let path = best(&values, 1, false).expect("a fit").forecast(3);
        for (point, expect) in path.points.iter().zip([65.0, 67.0, 69.0]) {
            assert!((point - expect).abs() < 0.2, "{path:?}");
        }
    }

    #[test]
    fn seasons_that_grow_are_multiplicative() {
        let shape = [0.6, 1.4, 1.2, 0.8];
        let jitter = |i: usize| 1.0 + ((i * 7_919) % 101) as f64 / 5_000.0;
        let values: Vec<f64> = (0..40).map(|i| (50.0 + 5.0 * i as f64) * shape[i % 4] * jitter(i)).collect();
        let fit = best(&values, 4, true).expect("a fit");
        assert_eq!(fit.form.cycle, Cycle::Multiplicative, "{}", fit.form.name());
        let path = fit.forecast(4);
        for (step, point) in path.points.iter().enumerate() {
            let expect = (250.0 + 5.0 * step as f64) * shape[step] * 1.01;
            assert!((point / expect - 1.0).abs() < 0.04, "{path:?}");
        }
    }
}
