//! An agent that forecasts series and says how far to trust the result.
//!
//! The bridge `forecast` computes, and `anomaly_detection` names unusual points of the
//! past. The agent names the steps ahead and derives totals and the step at which a value
//! is reached.

mod ahead;
mod commands;
mod growth;
mod input;
mod output;
mod periods;
mod plan;
mod season;
mod short;
mod summary;

use agent_common::{figures, form, limits, overlay::overlay};
use tollbridge_sdk::{Call, Error, agent};

use crate::ahead::Ahead;
use crate::input::Input;
pub use crate::output::{Basis, ForecastPoint, Outlook, Output, Reached, Total, Unusual};
use crate::plan::Plan;

/// A change of less than this share of the last value is none.
const FLAT: f64 = 0.02;

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
