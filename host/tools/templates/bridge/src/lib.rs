//! Mean, minimum and maximum of a list of numbers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::{Call, Error};

/// Numbers: as `values`, or as a stored text with one number on each line.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The numbers.
    values: Option<Vec<f64>>,
    /// The id (`res_…`) of a stored text; its lines are the numbers.
    resource_id: Option<String>,
}

/// Statistics of the numbers.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// Number of values.
    count: usize,
    /// Their arithmetic mean.
    mean: f64,
    /// The smallest number.
    min: f64,
    /// The greatest number.
    max: f64,
}

/// Answers one call. The result is sent to the caller as JSON; an error costs the caller nothing.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    let values = match (input.values, input.resource_id) {
        (Some(values), _) => values,
        (None, Some(_)) => lines(call.stored()?.text()?)?,
        (None, None) => return Err(Error::invalid("/values", "give `values` or `resource_id`")),
    };
    if values.is_empty() {
        return Err(Error::invalid("/values", "give at least one number"));
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    if !mean.is_finite() {
        return Err(Error::invalid("/values", "these numbers are too large to add up"));
    }
    Ok(Output {
        count: values.len(),
        mean,
        min: values.iter().copied().fold(f64::INFINITY, f64::min),
        max: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    })
}

fn lines(text: &str) -> Result<Vec<f64>, Error> {
    let number = |(index, line): (usize, &str)| {
        let wrong = || Error::invalid("/resource_id", format!("line {} is not a number: {line}", index + 1));
        line.trim().parse().ok().filter(|value: &f64| value.is_finite()).ok_or_else(wrong)
    };
    text.lines().enumerate().map(number).collect()
}

tollbridge_sdk::bridge! { handle: handle, examples: ["../cases/three_numbers.json"] }
tollbridge_sdk::test_cases!(handle);
