//! Chooses a method, builds its model and marks the outliers.
//!
//! Deterministic, and scale-free: multiplying all values by a power of two multiplies what is reported by it.

use tollbridge_sdk::Error;

use crate::esd::{self, generalized_esd};
use crate::input::{Direction, Input, Method, Period, Sensitivity};
use crate::model::{Expected, Model, Side};
use crate::robust::{Basis, moving_level, spread};
use crate::season::{self, FEWEST_CYCLES, Season};
use bridge_common::series::Series;
use bridge_common::student::normal_upper_quantile;

/// Fewest points with which auto looks at their order at all.
const FEWEST_IN_ORDER: usize = 20;
/// The window of the moving level: a share of the points, between two bounds.
const LEVEL_SHARE: usize = 20;
const LEVEL_WINDOW: (usize, usize) = (9, 31);
/// The level is taken to move when the spread around it is at most this share of the spread of the values.
const LEVEL_MOVES: f64 = 0.8;
/// Deviations below this share of the largest value are rounding, not outliers.
const ROUNDING: f64 = 1e-9;

/// A marked point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mark {
    pub index: usize,
    /// Signed: negative below the expected value.
    pub score: f64,
}

/// What was done and found.
#[derive(Debug, Clone, PartialEq)]
pub struct Detection {
    /// mad, iqr, generalized_esd, seasonal or level.
    pub name: &'static str,
    pub why: String,
    pub threshold: f64,
    /// Points in one cycle, when a season was used.
    pub period: Option<usize>,
    /// Share of the spread that the season explains.
    pub strength: Option<f64>,
    pub model: Model,
    /// In order of index.
    pub marks: Vec<Mark>,
}

/// Looks for outliers as the input says.
pub fn detect(series: &Series, input: &Input) -> Result<Detection, Error> {
    check_options(input)?;
    let values = series.values.as_slice();
    let asked = |text: &str| format!("asked for; {text}");
    match input.method {
        Method::Mad => {
            let threshold = threshold(input, 5.0, 3.5, 2.5);
            Ok(mark(
                "mad",
                asked("modified z-scores of the values as they are"),
                values,
                Model::modified_z(values),
                threshold,
                input,
            ))
        }
        Method::Iqr => {
            let threshold = threshold(input, 3.0, 1.5, 1.0);
            Ok(mark(
                "iqr",
                asked("Tukey's fences at hinges of the values as they are"),
                values,
                Model::fences(values),
                threshold,
                input,
            ))
        }
        Method::GeneralizedEsd => by_test(values, input),
        Method::Seasonal => {
            let season = wanted_season(series, input)?.ok_or_else(|| {
                let text =
                    String::from("no season shows in four cycles or more of these points; give `period`, or use auto");
                Error::invalid("/method", text)
            })?;
            Ok(by_season(values, season, "asked for", input))
        }
        Method::Auto => auto(series, input),
    }
}

fn check_options(input: &Input) -> Result<(), Error> {
    let is_esd = input.method == Method::GeneralizedEsd;
    let takes_period = matches!(input.method, Method::Auto | Method::Seasonal);
    if is_esd && input.threshold.is_some() {
        return Err(Error::invalid("/threshold", "generalized_esd takes `alpha` instead"));
    }
    if !is_esd && input.alpha.is_some() {
        return Err(Error::invalid("/alpha", "only generalized_esd takes `alpha`; use `threshold`"));
    }
    if !takes_period && input.period.is_some() {
        return Err(Error::invalid("/period", "only auto and seasonal take `period`"));
    }
    if input.threshold.is_some_and(|value| !(0.1..=1_000.0).contains(&value)) {
        return Err(Error::invalid("/threshold", "must lie between 0.1 and 1000"));
    }
    if input.alpha.is_some_and(|value| !(1e-9..=0.5).contains(&value)) {
        return Err(Error::invalid("/alpha", "must lie between 0.000000001 and 0.5"));
    }
    if input.max_anomalies.is_some_and(|value| !(1..=crate::input::MOST_LISTED).contains(&value)) {
        return Err(Error::invalid("/max_anomalies", "must lie between 1 and 2000"));
    }
    Ok(())
}

fn threshold(input: &Input, low: f64, normal: f64, high: f64) -> f64 {
    input.threshold.unwrap_or(match input.sensitivity {
        Sensitivity::Low => low,
        Sensitivity::Normal => normal,
        Sensitivity::High => high,
    })
}

/// The threshold of auto and seasonal: at least the usual one, and so high that normal data of this length would
/// give a false alarm in one series out of twenty.
fn threshold_for(count: usize, input: &Input) -> f64 {
    let (least, alarm) = match input.sensitivity {
        Sensitivity::Low => (5.0, 0.001),
        Sensitivity::Normal => (3.5, 0.05),
        Sensitivity::High => (2.5, 1.0),
    };
    let long = normal_upper_quantile(alarm / (2.0 * count.max(2) as f64));
    input.threshold.unwrap_or(long.max(least))
}

fn auto(series: &Series, input: &Input) -> Result<Detection, Error> {
    let values = series.values.as_slice();
    let threshold = threshold_for(values.len(), input);
    let sample = |why: &str| {
        let center = spread(values).center;
        mark("mad", why.to_owned(), values, Model::around(values, Expected::Fixed(center), None), threshold, input)
    };
    if let Some(season) = wanted_season(series, input)? {
        let why = if matches!(input.period, Some(Period::Points(_))) {
            "the period was given"
        } else {
            "the points repeat themselves"
        };
        return Ok(by_season(values, season, why, input));
    }
    if values.len() < FEWEST_IN_ORDER {
        return Ok(sample("too few points to look at their order"));
    }
    if series.times.is_empty() && is_sorted(values) {
        return Ok(sample("the values came sorted and without times, so their order says nothing"));
    }
    let (least, most) = LEVEL_WINDOW;
    let level = moving_level(values, (values.len() / LEVEL_SHARE).clamp(least, most));
    let around: Vec<f64> = values.iter().zip(&level).map(|(value, level)| value - level).collect();
    if spread(&around).scale <= LEVEL_MOVES * spread(values).scale {
        let model = Model::around(values, Expected::Moving(level), None);
        return Ok(mark(
            "level",
            "the level of the points moves, and they do not repeat themselves".to_owned(),
            values,
            model,
            threshold,
            input,
        ));
    }
    Ok(sample("the points neither repeat themselves nor move their level"))
}

fn is_sorted(values: &[f64]) -> bool {
    values.is_sorted() || values.is_sorted_by(|a, b| a >= b)
}

/// The season that the input asks for: given, found, or none.
fn wanted_season(series: &Series, input: &Input) -> Result<Option<Season>, Error> {
    let values = series.values.as_slice();
    if let Some(Period::Points(points)) = input.period {
        let period = points as usize;
        let max_period = values.len() / FEWEST_CYCLES;
        if period < 2 || period > max_period {
            let text = format!(
                "{} points allow a period from 2 to {max_period}: {FEWEST_CYCLES} cycles must be seen",
                values.len()
            );
            return Err(Error::invalid("/period", text));
        }
        return Ok(Some(season::judge(values, period)));
    }
    let ordered = !series.times.is_empty() || !is_sorted(values);
    Ok((ordered && values.len() >= FEWEST_IN_ORDER).then(|| season::find(values, series.step)).flatten())
}

fn by_season(values: &[f64], season: Season, why: &str, input: &Input) -> Detection {
    let threshold = threshold_for(values.len(), input);
    let model = Model::around(values, Expected::Moving(season.parts.expected()), Some(&season.parts.season));
    let why = format!("{why}; scores are of what level and season leave over");
    let detection = mark("seasonal", why, values, model, threshold, input);
    Detection { period: Some(season.period), strength: Some(season.strength), ..detection }
}

fn by_test(values: &[f64], input: &Input) -> Result<Detection, Error> {
    if values.len() < esd::FEWEST {
        let text = format!("generalized_esd needs at least {} values; use mad", esd::FEWEST);
        return Err(Error::invalid("/method", text));
    }
    let alpha = input.alpha.unwrap_or(match input.sensitivity {
        Sensitivity::Low => 0.001,
        Sensitivity::Normal => 0.05,
        Sensitivity::High => 0.1,
    });
    let default = esd::default_maximum(values.len());
    let outcome = generalized_esd(values, alpha, input.max_anomalies.map_or(default, |most| most as usize));
    let side = Side { from: 0.0, unit: outcome.deviation };
    let basis = if outcome.deviation > 0.0 { Basis::Mean } else { Basis::None };
    let model = Model { expected: Expected::Fixed(outcome.mean), below: side, above: side, basis };
    let sign = |index: usize| if values.get(index).is_some_and(|value| *value < outcome.mean) { -1.0 } else { 1.0 };
    let outliers =
        outcome.outliers.iter().map(|step| Mark { index: step.index, score: sign(step.index) * step.statistic });
    let mut marks: Vec<Mark> = outliers.filter(|mark| counts(mark.score, input.direction)).collect();
    marks.sort_by_key(|mark| mark.index);
    let why = format!("asked for; at most {} outliers tested at significance {alpha}", outcome.tested);
    let threshold = outcome.critical;
    Ok(Detection { name: "generalized_esd", why, threshold, period: None, strength: None, model, marks })
}

/// Marks the points whose score passes the threshold.
fn mark(name: &'static str, why: String, values: &[f64], model: Model, threshold: f64, input: &Input) -> Detection {
    let largest = values.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    let scores = model.scores(values).into_iter().zip(values).enumerate();
    let marks = scores
        .filter(|(index, (score, value))| {
            let deviates = (*value - model.expected_at(*index)).abs() > ROUNDING * largest;
            score.abs() > threshold && deviates && counts(*score, input.direction)
        })
        .map(|(index, (score, _))| Mark { index, score })
        .collect();
    Detection { name, why, threshold, period: None, strength: None, model, marks }
}

fn counts(score: f64, direction: Direction) -> bool {
    match direction {
        Direction::Both => true,
        Direction::High => score > 0.0,
        Direction::Low => score < 0.0,
    }
}

#[cfg(test)]
mod tests;
