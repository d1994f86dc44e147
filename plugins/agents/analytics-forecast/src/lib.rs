//! An agent that forecasts series and says how far to trust the result.
//!
//! The bridge `forecast` computes, and `anomaly_detection` names unusual points of the
//! past. The agent names the steps ahead and derives totals and the step at which a value
//! is reached.

mod ahead;
mod commands;
mod growth;
mod input;
mod periods;
mod plan;
mod season;
mod short;
mod summary;

use agent_common::{figures, form, limits, overlay::overlay};
use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_sdk::{Call, Error, agent};

use crate::ahead::Ahead;
use crate::input::Input;
use crate::plan::Plan;

/// A change of less than this share of the last value is none.
const FLAT: f64 = 0.02;

/// What to expect.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The answer in words.
    summary: String,
    /// The forecast of the first series.
    #[serde(flatten)]
    first: Outlook,
    /// The forecasts of the other series, in order.
    others: Vec<Outlook>,
    /// What the answer does not cover.
    limitations: Vec<String>,
}

/// The forecast of one series.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Outlook {
    /// The steps ahead, in order.
    forecast: Vec<ForecastPoint>,
    /// The last value.
    last_value: f64,
    /// Where the series goes from the last value to the last step: `up`, `down`, or `flat` for less than 2 %.
    direction: String,
    /// The distance between two values: hour, day, week, month, quarter or year; null if nothing states it.
    frequency: Option<String>,
    /// The method.
    method: String,
    /// Points in one cycle; 1 if there is no season.
    period: u32,
    /// Mean absolute scaled error in the back-test: below 1 is better than the simplest forecast; null if the series is too short to test.
    backtest_mase: Option<f64>,
    /// Unusual points of the past, which may bend the forecast.
    unusual: Vec<Unusual>,
    /// The requested totals.
    totals: Vec<Total>,
    /// The first step at which the requested value is reached.
    reached: Option<Reached>,
    /// The series as it was used.
    based_on: Basis,
}

/// The values that the forecast rests on.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Basis {
    /// The name of the series, if it has one.
    series: Option<String>,
    /// The values in order of time.
    values: Vec<f64>,
    /// Their labels, if they have any.
    labels: Vec<String>,
    /// Values that were filled in or left out, in words.
    changed: Vec<String>,
}

/// A step ahead.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ForecastPoint {
    /// Steps after the last value, from 1.
    step: u32,
    /// Its label, in the style of the series; null if the series has no labels.
    label: Option<String>,
    /// The expected value.
    value: f64,
    /// Lower end of the 95 % range.
    low: f64,
    /// Upper end of the 95 % range.
    high: f64,
}

/// An unusual point of the past.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Unusual {
    /// Its position, from 0.
    index: usize,
    /// Its label, if it has one.
    label: Option<String>,
    /// Its value.
    value: f64,
    /// The value that would be usual there.
    expected: f64,
}

/// A sum of values.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Total {
    /// The period that is summed, as requested.
    label: String,
    /// The sum.
    value: f64,
    /// The part of it that is past.
    actual: f64,
    /// Steps ahead in it.
    steps: u32,
}

/// When a value is reached.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Reached {
    /// The value to reach.
    target: f64,
    /// The first step at or beyond it.
    step: u32,
    /// The label of that step.
    label: Option<String>,
    /// The expected value there.
    value: f64,
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let filled = match input {
        Some(input) if task.trim().is_empty() || input.has_series() => form::Filled { form: input, note: None },
        input => {
            let mut draft = commands::draft(task)?;
            if let Some(typed) = &input {
                draft.form = overlay(draft.form, typed);
            }
            form::fill(task, draft, |form| plan::plans(form).map(drop))?
        }
    };
    let plans = plan::plans(&filled.form).map_err(|error| error.with_input(&filled.form))?;
    let mut notes: Vec<Vec<String>> = Vec::new();
    let mut all = Vec::new();
    for plan in plans {
        let ahead = ahead::of(&plan)?;
        notes.push(ahead.limitations.clone());
        all.push(outlook(plan, ahead, filled.form.target)?);
    }
    let summary = summary::text(&all);
    let mut all = all.into_iter();
    let first = all.next().ok_or_else(|| Error::invalid("/values", "give at least 4 numbers in order of time"))?;
    notes.push(filled.note.into_iter().collect());
    let notes: Vec<&[String]> = notes.iter().map(Vec::as_slice).collect();
    Ok(Output { summary, first, others: all.collect(), limitations: limits(&[], &notes) })
}

fn outlook(plan: Plan, ahead: Ahead, target: Option<f64>) -> Result<Outlook, Error> {
    let labelled = |mut point: ForecastPoint| {
        let at = usize::try_from(point.step).unwrap_or(usize::MAX).saturating_sub(1);
        point.label = plan.future.get(at).cloned();
        point
    };
    let points: Vec<ForecastPoint> = ahead.points.into_iter().map(labelled).collect();
    let last_value = plan.values.last().copied().unwrap_or_default();
    let reached = target.map(|target| reached(target, last_value, &points)).transpose()?;
    let totals = plan.totals.iter().map(|wanted| wanted.sum(&plan.values, &points)).collect();
    let until = plan.until.or(reached.as_ref().map(|reached| reached.step)).unwrap_or(u32::MAX);
    let listed = |point: &ForecastPoint| (plan.from..=until).contains(&point.step);
    let forecast: Vec<ForecastPoint> = points.into_iter().filter(listed).collect();
    let direction = direction(last_value, forecast.last().map_or(last_value, |point| point.value));
    Ok(Outlook {
        direction: direction.to_owned(),
        forecast,
        last_value,
        frequency: plan.unit.map(|unit| unit.name().to_owned()),
        method: ahead.method,
        period: ahead.period,
        backtest_mase: ahead.mase,
        unusual: ahead.unusual,
        totals,
        reached,
        based_on: Basis { series: plan.name, values: plan.values, labels: plan.labels, changed: plan.changed },
    })
}

/// Returns the first step at or beyond a value.
fn reached(target: f64, last: f64, points: &[ForecastPoint]) -> Result<Reached, Error> {
    let beyond = |value: f64| if target >= last { value >= target } else { value <= target };
    let Some(point) = points.iter().find(|point| beyond(point.value)) else {
        let end = points.last().map_or(last, |point| point.value);
        let steps = figures::count(points.len(), "step", "steps");
        let text = format!(
            "{} is not reached within {steps}, where {} is expected; give a longer `horizon` or another `target`",
            figures::figure(target),
            figures::figure(end)
        );
        return Err(Error::invalid("/target", text));
    };
    Ok(Reached { target, step: point.step, label: point.label.clone(), value: point.value })
}

fn direction(from: f64, to: f64) -> &'static str {
    let size = from.abs().max(to.abs()).max(f64::MIN_POSITIVE);
    match to - from {
        change if change.abs() < FLAT * size => "flat",
        change if change > 0.0 => "up",
        _ => "down",
    }
}

agent! { run: run, examples: ["../cases/months.json"] }
tollbridge_sdk::test_cases!(agent run);
