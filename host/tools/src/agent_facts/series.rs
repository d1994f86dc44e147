//! Checks of answers about series: forecasts, anomalies and prices.

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use super::compare::{contains, near, same, texts_in, to_number};
use super::value::{
    any, compare, equal, fact, get, list, member, non_empty, number, object, one_or_many, parts, text_of,
};

/// Checks the steps, the period and the direction of a forecast.
pub(super) fn forecast(answer: &Value, expect: &Value) -> Result<()> {
    let (steps, values) = (list(answer, "forecast")?, list(expect, "values")?);
    fact(expect, "steps", |count| Ok(equal(count, &steps.len().into())))?;
    ensure!(steps.len() >= values.len(), "{} steps", steps.len());
    for (step, bounds) in steps.iter().zip(&values) {
        ensure!(is_between(member(step, "value")?, bounds)?, "{step} is not in {bounds}");
    }
    for (step, label) in steps.iter().zip(&list(expect, "labels")?) {
        ensure!(same(label, get(step, "label")?), "{step} is not labelled {label}");
    }
    // `period` in an answer is the number of points in a cycle; `frequency` is the distance between two points.
    fact(expect, "period", |period| {
        Ok(same(period, get(answer, "period")?) || same(period, get(answer, "frequency")?))
    })?;
    fact(expect, "direction", |expected| Ok(same(expected, &direction(answer, &steps)?.into())))
}

/// Returns the direction from the last value of the series, or else the first step, to the last step.
#[expect(clippy::float_arithmetic, reason = "a tolerance is about floats; no money here")]
fn direction(answer: &Value, steps: &[Value]) -> Result<&'static str> {
    let (first, last) = steps.first().zip(steps.last()).context("no steps")?;
    let (first, last) = (member(first, "value")?, number(member(last, "value")?)?);
    let first = number(answer.get("last_value").unwrap_or(first))?;
    Ok(match (last - first).abs() {
        change if change < 0.02 * first.abs().max(last.abs()).max(1e-9) => "flat",
        _ if last > first => "up",
        _ => "down",
    })
}

fn is_between(value: &Value, bounds: &Value) -> Result<bool> {
    let bounds = parts(bounds)?;
    let [low, high, ..] = bounds.as_slice() else { bail!("two bounds are expected") };
    Ok(!value.is_null() && compare(low, value)?.is_le() && compare(value, high)?.is_le())
}

/// Checks the places of anomalies and level changes.
pub(super) fn anomaly(answer: &Value, expect: &Value) -> Result<()> {
    let is_quiet = non_empty(answer, "anomalies")?.or(non_empty(answer, "level_changes")?).is_none();
    ensure!(is_quiet || non_empty(expect, "none")?.is_none(), "there is nothing to find");
    let at = get(expect, "at")?;
    if !at.is_null() {
        let (at, anomalies) = (parts(at)?, list(answer, "anomalies")?);
        let unexpected = any(&anomalies, |one| Ok(!any(&at, |place| is_place(place, one))?))?;
        let missing = any(&at, |place| Ok(!any(&anomalies, |one| is_place(place, one))?))?;
        ensure!(!unexpected && !missing, "not at {at:?}: {anomalies:?}");
    }
    let change = get(expect, "level_change")?;
    if !change.is_null() {
        let changes = list(answer, "level_changes")?;
        let right = any(&changes, |one| any(one_or_many(change), |place| is_place(place, one)))?;
        ensure!(right, "not at {change}: {changes:?}");
    }
    Ok(())
}

/// Returns whether something is at a place: an index, or the label of a point.
fn is_place(place: &Value, one: &Value) -> Result<bool> {
    let (index, label) = (object(one)?.get("index").or_else(|| one.get("at")), get(one, "label")?);
    if place.is_i64() || place.is_u64() || place.is_boolean() {
        return Ok(index.is_some_and(|index| equal(index, place)));
    }
    Ok(!label.is_null() && same(place, label))
}

/// Checks the decision about a price, the price, the elasticity, and which price was better in the data.
pub(super) fn pricing(answer: &Value, expect: &Value) -> Result<()> {
    fact(expect, "decision", |expected| {
        let (decision, expected) = (decision(answer)?, expected.as_str().context("the decision is not a text")?);
        Ok(expected.split('|').any(|one| Some(one) == decision))
    })?;
    let elasticity = non_empty(answer, "elasticity")?.map(|own| get(own, "estimate")).transpose()?;
    fact(expect, "price", |bounds| is_between(get(answer, "price")?, bounds))?;
    fact(expect, "elasticity", |bounds| is_between(elasticity.unwrap_or(&Value::Null), bounds))?;
    fact(expect, "compare", |expected| {
        let best = get(answer, "best_in_data")?;
        let (text, number) = (texts_in(best), to_number(best));
        let is_best = |one: &str| number.is_some_and(|best| near(&one.into(), best)) || contains(&text, one);
        Ok(!best.is_null() && text_of(expected).split('|').any(is_best))
    })
}

/// Returns the decision about a price in the words of the tasks.
fn decision(answer: &Value) -> Result<Option<&str>> {
    let (decision, price, current) = (get(answer, "decision")?, get(answer, "price")?, get(answer, "current_price")?);
    Ok(match decision.as_str() {
        Some("change") if !price.is_null() && !current.is_null() => {
            Some(if compare(price, current)?.is_gt() { "raise" } else { "lower" })
        }
        Some("stay") => Some("keep"),
        Some("test" | "none") => Some("unclear"),
        None if decision.is_null() => Some("unclear"),
        other => other,
    })
}
