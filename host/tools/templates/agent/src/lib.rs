//! Finds the numbers in a text and describes them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::{Call, Error};

/// Optional numbers, for callers that pass them separately from the text.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Numbers in addition to those in the task.
    #[serde(default)]
    values: Vec<f64>,
}

/// Statistics of the numbers.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// Number of values.
    count: usize,
    /// Their arithmetic mean.
    mean: f64,
    /// One sentence for a reader.
    summary: String,
}

/// Works on one task. The result is sent to the caller as JSON; an error costs the caller nothing.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let mut values = input.map(|input| input.values).unwrap_or_default();
    values.extend(numbers(task));
    if values.is_empty() {
        return Err(Error::invalid("/values", "write at least one number in the task, or give `values`"));
    }
    let count = values.len();
    let mean = values.iter().sum::<f64>() / count as f64;
    if !mean.is_finite() {
        return Err(Error::invalid("/values", "these numbers are too large to add up"));
    }
    Ok(Output { count, mean, summary: format!("{count} numbers, {mean} on average") })
}

/// Returns the words of a text that are numbers.
fn numbers(text: &str) -> impl Iterator<Item = f64> {
    let words = text.split(|c: char| c.is_whitespace() || c == ',' || c == ';');
    words.filter_map(|word| word.trim_end_matches(['.', '?', '!']).parse().ok()).filter(|value: &f64| value.is_finite())
}

tollbridge_sdk::agent! { run: run, examples: ["../cases/values.json"] }
tollbridge_sdk::test_cases!(agent run);
