//! The methods that compete, each as a function from a series to a path.
//!
//! A method gives none where the series is too short or of the wrong kind for it; seasonal naive always answers.

use crate::ets::{self, Form};
use crate::input::Method;
use crate::path::Path;
use crate::season::{Season, is_seasonal};
use crate::stats::{differences, root_mean_square};
use crate::{autoregression, theta};

/// Methods that compete when the caller leaves the choice open.
pub const ALL: [Method; 7] = [
    Method::SeasonalNaive,
    Method::Drift,
    Method::Ets,
    Method::Theta,
    Method::Decomposition,
    Method::Autoregression,
    Method::Combination,
];
/// Methods whose mean is the combination.
const COMBINED: [Method; 4] = [Method::Ets, Method::Theta, Method::Decomposition, Method::Autoregression];

/// The name that callers use.
#[must_use]
pub const fn name(method: Method) -> &'static str {
    match method {
        Method::Auto => "auto",
        Method::SeasonalNaive => "seasonal_naive",
        Method::Drift => "drift",
        Method::Ets => "ets",
        Method::Theta => "theta",
        Method::Decomposition => "decomposition",
        Method::Autoregression => "autoregression",
        Method::Combination => "combination",
    }
}

/// A series to forecast, with what the methods share.
pub struct Task<'a> {
    values: &'a [f64],
    period: usize,
    steps: usize,
    seasonal: bool,
    season: Option<Season>,
    /// Form of exponential smoothing to use; chosen when none.
    form: Option<Form>,
}

impl<'a> Task<'a> {
    /// A task; `form` fixes the form of exponential smoothing, so that a back-test need not choose it every time.
    #[must_use]
    pub fn new(values: &'a [f64], period: usize, steps: usize, form: Option<Form>) -> Self {
        let seasonal = is_seasonal(values, period);
        let positive = values.iter().all(|value| *value > 0.0);
        let season =
            seasonal.then(|| Season::of(values, period, positive).or_else(|| Season::of(values, period, false)));
        Self { values, period, steps, seasonal, season: season.flatten(), form }
    }

    /// Form that exponential smoothing takes by AICc.
    #[must_use]
    pub fn choose_form(&self) -> Option<Form> {
        ets::best(self.values, self.period, true).map(|fit| fit.form)
    }

    /// The forecasts of all methods that have one.
    #[must_use]
    pub fn all(&self) -> Vec<(Method, Path)> {
        let single = ALL.iter().filter(|method| **method != Method::Combination);
        let mut paths: Vec<(Method, Path)> =
            single.filter_map(|method| Some((*method, self.checked(*method)?))).collect();
        let parts: Vec<Path> =
            paths.iter().filter(|(method, _)| COMBINED.contains(method)).map(|(_, path)| path.clone()).collect();
        if parts.len() > 1 {
            paths.push((Method::Combination, Path::mean(&parts)));
        }
        paths
    }

    /// The forecast of one method, if it has one.
    #[must_use]
    pub fn one(&self, method: Method) -> Option<Path> {
        if method == Method::Combination {
            let parts: Vec<Path> = COMBINED.iter().filter_map(|method| self.checked(*method)).collect();
            return (parts.len() > 1).then(|| Path::mean(&parts));
        }
        self.checked(method)
    }

    fn checked(&self, method: Method) -> Option<Path> {
        let largest = self.values.iter().fold(0.0f64, |most, value| most.max(value.abs()));
        let reach = 20.0 * largest + 1e-9;
        self.path(method).filter(|path| path.points.len() == self.steps && path.is_sound(reach))
    }

    fn path(&self, method: Method) -> Option<Path> {
        match method {
            Method::SeasonalNaive | Method::Auto | Method::Combination => Some(self.naive()),
            Method::Drift => Some(self.drift()),
            Method::Ets => {
                let fit = match self.form {
                    Some(form) => ets::fit(self.values, self.period, form),
                    None => ets::best(self.values, self.period, true),
                };
                Some(fit?.forecast(self.steps))
            }
            Method::Theta => Some(self.adjusted(|values| Some(theta::forecast(values, self.steps)))?),
            Method::Decomposition => {
                self.season.as_ref()?;
                self.adjusted(|values| Some(ets::best(values, 1, false)?.forecast(self.steps)))
            }
            Method::Autoregression => self.adjusted(|values| autoregression::forecast(values, self.steps)),
        }
    }

    /// Runs a method on the series without its season and puts the season back.
    fn adjusted(&self, method: impl Fn(&[f64]) -> Option<Path>) -> Option<Path> {
        let Some(season) = self.season.as_ref().filter(|_| self.seasonal) else { return method(self.values) };
        let plain = method(&season.removed(self.values))?;
        let mut path = Path::default();
        for (step, (point, deviation)) in plain.points.iter().zip(&plain.deviations).enumerate() {
            let (value, factor) = season.put_back(*point, self.values.len() + step);
            path.push(value, deviation * factor);
        }
        Some(path)
    }

    fn naive(&self) -> Path {
        let lag = self.period.clamp(1, self.values.len().max(1));
        let deviation = root_mean_square(&differences(self.values, lag));
        let cycle = self.values.get(self.values.len() - lag..).unwrap_or_default();
        let mut path = Path::default();
        for (step, value) in cycle.iter().cycle().take(self.steps).enumerate() {
            path.push(*value, deviation * ((step / lag + 1) as f64).sqrt());
        }
        path
    }

    fn drift(&self) -> Path {
        let steps = differences(self.values, 1);
        let count = steps.len().max(1) as f64;
        let (first, last) = (self.values.first().copied().unwrap_or(0.0), self.values.last().copied().unwrap_or(0.0));
        let slope = (last - first) / count;
        let errors: Vec<f64> = steps.iter().map(|step| step - slope).collect();
        let deviation = root_mean_square(&errors);
        let mut path = Path::default();
        for step in 1..=self.steps {
            let ahead = step as f64;
            path.push(last + slope * ahead, deviation * (ahead * (1.0 + ahead / count)).sqrt());
        }
        path
    }
}
