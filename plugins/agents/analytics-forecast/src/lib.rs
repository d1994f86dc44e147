//! An agent that forecasts series and says how far to trust the result.
//!
//! The bridge `forecast` computes, and `anomaly_detection` names unusual points of the
//! past. The agent names the steps ahead and derives totals and the step at which a value
//! is reached.

mod ahead;
mod commands;
mod input;
mod methods;
mod output;
mod periods;
mod plan;
mod summary;

use agent_common::figures::{count, figure, round};
use agent_common::{form, limits, overlay::overlay};
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
    let mut notes = Vec::new();
    let mut all = Vec::new();
    for plan in plans {
        let mut ahead = ahead::of(&plan)?;
        notes.append(&mut ahead.limitations);
        all.push(outlook(plan, ahead)?);
    }
    notes.extend(filled.note);
    let summary = summary::text(&all);
    let mut all = all.into_iter();
    let first = all.next().ok_or_else(|| Error::invalid("/values", "give at least 4 numbers in order of time"))?;
    Ok(Output { summary, first, others: all.collect(), limitations: limits(&[], &[&notes]) })
}

fn outlook(plan: Plan<'_>, ahead: Ahead) -> Result<Outlook, Error> {
    let mut points = ahead.points;
    for (point, (label, _)) in points.iter_mut().zip(&plan.calendar.future) {
        point.label = Some(label.clone());
    }
    let values = plan.basis.values.as_slice();
    let last_value = values.last().copied().unwrap_or_default();
    let reached = plan.input.target.map(|target| reached(target, last_value, &points)).transpose()?;
    let until = plan.until.or(reached.as_ref().map(|reached| reached.step)).unwrap_or(u32::MAX);
    let mut totals = Vec::new();
    for label in plan.input.totals.iter().flatten() {
        let listed = (0, (plan.from, until));
        let (past, (first, last)) = if plan::is_all(label) { listed } else { plan.calendar.total(label)? };
        let actual: f64 = values.iter().skip(values.len() - past).sum();
        let inside = points.iter().filter(|point| (first..=last).contains(&point.step));
        let value = round(actual + inside.clone().map(|point| point.value).sum::<f64>());
        totals.push(Total { label: label.clone(), value, actual: round(actual), steps: inside.map(|_| 1).sum() });
    }
    points.retain(|point| (plan.from..=until).contains(&point.step));
    let direction = direction(last_value, points.last().map_or(last_value, |point| point.value));
    Ok(Outlook {
        forecast: points,
        last_value,
        direction: direction.to_owned(),
        frequency: plan.calendar.unit.map(|unit| unit.name().to_owned()),
        method: ahead.method,
        period: ahead.period,
        backtest_mase: ahead.mase,
        unusual: ahead.unusual,
        totals,
        reached,
        based_on: plan.basis,
    })
}

/// Returns the first step at or beyond a value.
fn reached(target: f64, last: f64, points: &[ForecastPoint]) -> Result<Reached, Error> {
    let is_beyond = |value: f64| if target >= last { value >= target } else { value <= target };
    let point = points.iter().find(|point| is_beyond(point.value)).ok_or_else(|| {
        let end = figure(points.last().map_or(last, |point| point.value));
        let text = format!("{} is not reached within {}", figure(target), count(points.len(), "step", "steps"));
        let text = format!("{text}, where {end} is expected; give a longer `horizon` or another `target`");
        Error::invalid("/target", text)
    })?;
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

#[cfg(test)]
mod tests {
    use agent_common::{command, testing};
    use tollbridge_sdk::testing::Doubles;

    use super::*;

    /// Tasks and typed inputs, each with a part of its answer or refusal. No bridge answers.
    #[test]
    fn tasks_are_answered_or_refused() {
        testing::typed_outcomes_are_expected(include_str!("../tasks.json"), |task, input| {
            let input = input.map(|input| serde_json::from_value(input).unwrap());
            let doubles = Doubles::new();
            let (answer, _) = doubles.run(|| run(&Call::default(), task, input));
            answer.map_or_else(|error| error.message().to_owned(), |output| output.summary)
        });
    }

    #[test]
    fn published_examples_are_understood() {
        for example in command::examples(commands::COMMANDS) {
            let draft = commands::draft(example).unwrap();
            assert_eq!((draft.question, plan::plans(&draft.form).err()), (None, None), "{example}");
        }
    }
}
