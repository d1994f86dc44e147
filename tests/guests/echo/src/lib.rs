//! Returns the input text and its length. For tests and benchmarks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::{Call, Error};

/// Text to return.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The text.
    text: String,
}

/// The text and its length.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// The text, unchanged.
    text: String,
    /// Length of the text in characters (Unicode scalar values).
    length: usize,
}

/// Returns `text` and its length.
pub fn handle(_call: &Call, input: Input) -> Result<Output, Error> {
    Ok(Output { length: input.text.chars().count(), text: input.text })
}

tollbridge_sdk::bridge! { handle: handle, examples: ["../cases/greeting.json"] }
tollbridge_sdk::test_cases!(handle);
