//! Forecast: the next points of a series with prediction intervals, the method chosen by back-test.
//!
//! Invariants: the same points give the same answer; every number in the answer is finite; no input panics; the work
//! of a call is bounded by the number of points that methods are fitted on.

mod answer;
mod autoregression;
mod backtest;
mod calendar;
mod candidate;
mod ets;
mod input;
mod output;
mod path;
mod season;
mod simplex;
mod stats;
mod theta;

use bridge_common::series::Series;
use tollbridge_sdk::{Call, Error, bridge};

pub use input::Input;
pub use output::Output;

use crate::backtest::Backtest;
use crate::candidate::Task;
use crate::input::{FEWEST_POINTS, LONGEST_PERIOD, MOST_LEVELS, MOST_STEPS, Method, Period, RULES};
use crate::path::Path;

/// Methods are fitted on at most so many points, the newest.
const MOST_FITTED: usize = 1_500;

/// What a call asks for, read and checked.
struct Plan {
    period: usize,
    period_from: &'static str,
    steps: usize,
    levels: Vec<f64>,
}

/// Forecasts the series that the input names.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    check_options(&input)?;
    let series = Series::read(call, input.given(), &RULES)?;
    let factor = unit(&series.values);
    let newest = series.values.len().saturating_sub(MOST_FITTED);
    let values: Vec<f64> = series.values.iter().skip(newest).map(|value| value / factor).collect();
    let plan = plan(&input, &series, &values)?;
    let backtest = Backtest::of(&values, plan.period, plan.steps);
    let task = Task::new(&values, plan.period, plan.steps, None);
    let (method, path) = choose(&input, &task, &backtest)?;
    let form = task.choose_form().map(|form| form.name());
    let made = answer::Prediction { method, path, form, fitted: values.len(), factor };
    Ok(answer::answer(&series, &input, &plan, &backtest, &made))
}

fn check_options(input: &Input) -> Result<(), Error> {
    if input.horizon.is_some_and(|steps| !(1..=MOST_STEPS).contains(&steps)) {
        return Err(Error::invalid("/horizon", format!("must lie between 1 and {MOST_STEPS}")));
    }
    if matches!(input.period, Some(Period::Points(points)) if !(1..=LONGEST_PERIOD).contains(&points)) {
        return Err(Error::invalid("/period", format!("must lie between 1 and {LONGEST_PERIOD}, or be \"auto\"")));
    }
    let levels = input.levels.as_deref().unwrap_or(&[0.8]);
    if levels.is_empty() || levels.len() > MOST_LEVELS {
        return Err(Error::invalid("/levels", format!("give 1 to {MOST_LEVELS} levels")));
    }
    if let Some(place) = levels.iter().position(|level| !(0.5..=0.995).contains(level)) {
        return Err(Error::invalid(format!("/levels/{place}"), "must lie between 0.5 and 0.995"));
    }
    for (field, bound) in [("/minimum", input.minimum), ("/maximum", input.maximum)] {
        if bound.is_some_and(|bound| !bound.is_finite()) {
            return Err(Error::invalid(field, "must be a finite number"));
        }
    }
    if input.minimum.zip(input.maximum).is_some_and(|(low, high)| low >= high) {
        return Err(Error::invalid("/maximum", "must be above `minimum`"));
    }
    Ok(())
}

/// Period, horizon and levels.
fn plan(input: &Input, series: &Series, values: &[f64]) -> Result<Plan, Error> {
    let (period, period_from) = match input.period {
        Some(Period::Points(1)) => (1, "given"),
        Some(Period::Points(points)) if values.len() > 2 * points as usize => (points as usize, "given"),
        Some(Period::Points(points)) => {
            let needed = 2 * points as usize + 1;
            let message = format!("{} values are too few for a cycle of {points}; give {needed}, or 1", values.len());
            return Err(Error::invalid("/period", message));
        }
        _ => match season::find_period(values, &calendar::usual_periods(series.step), LONGEST_PERIOD as usize) {
            1 => (1, "none"),
            period => (period, "found"),
        },
    };
    let usual = if period > 1 { period.min(48) } else { 8 };
    let steps = input.horizon.map_or(usual.min(series.values.len() / 2).max(1), |steps| steps as usize);
    if steps > values.len() {
        let message = format!("farther than the {} points that the forecast is made from", values.len());
        return Err(Error::invalid("/horizon", message));
    }
    let levels = input.levels.clone().unwrap_or_else(|| vec![0.8, 0.95]);
    for (field, bound, below) in [("/minimum", input.minimum, true), ("/maximum", input.maximum, false)] {
        let broken = |value: &&f64| bound.is_some_and(|bound| if below { **value < bound } else { **value > bound });
        if let Some(value) = series.values.iter().find(broken) {
            return Err(Error::invalid(field, format!("the series itself has {value} beyond it")));
        }
    }
    Ok(Plan { period, period_from, steps, levels })
}

fn choose(input: &Input, task: &Task<'_>, backtest: &Backtest) -> Result<(Method, Path), Error> {
    if input.method != Method::Auto {
        let text = "this method cannot be used on this series (no season, nothing varies, or too few points); use auto";
        let path = task.one(input.method).ok_or_else(|| Error::invalid("/method", text))?;
        return Ok((input.method, path));
    }
    let mut order: Vec<Method> = backtest.best().map(|score| score.method).into_iter().collect();
    // Without a back-test: the combination, else what answers always.
    order.extend([Method::Combination, Method::SeasonalNaive]);
    let chosen = order.into_iter().find_map(|method| Some((method, task.one(method)?)));
    chosen.ok_or_else(|| Error::internal("no method answered"))
}

/// A power of two in which the largest value is near 1, so that no sum of squares overflows or vanishes.
fn unit(values: &[f64]) -> f64 {
    let largest = values.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    if largest > 0.0 { largest.log2().floor().clamp(-1_000.0, 1_000.0).exp2() } else { 1.0 }
}

const _: () = assert!(FEWEST_POINTS > 4, "a back-test needs five points");

bridge! { handle: handle, examples: ["../cases/air_passengers.json", "../cases/too_short_for_a_season.json"] }

tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests;
