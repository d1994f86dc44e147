//! A bridge to the host's language models: one question, one answer.
//!
//! Invariant: what stands in the answer is what a model of the host said; without a provider there is none (503 E005).

mod fit;
mod input;

use bridge_common::{Report, completion::Completion};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tollbridge_sdk::{Call, Error, bridge};

pub use crate::input::Input;

/// The answer of this bridge.
pub type Output = Report<Answer, String>;

/// The answer of the model.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// The answer.
    pub text: String,
    /// With `json_schema`: the answer read as JSON; else null.
    pub json: Option<Value>,
    /// With `json_schema`: whether no problem was found; else null.
    pub fits_schema: Option<bool>,
    /// What does not fit the schema, by JSON pointer; at most 20.
    pub schema_problems: Vec<String>,
    /// The answer was cut off at `max_tokens`.
    pub truncated: bool,
    #[serde(flatten)]
    pub completion: Completion,
}

/// Answers one call.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    let response = input.request(call)?.complete()?;
    if response.text.trim().is_empty() {
        return Err(Error::upstream(format!("{} gave an empty answer", response.model)));
    }
    let mut limitations = vec![
        "a model's answer can be wrong; nothing in it was checked against facts".to_owned(),
        "the same question can get another answer: models, and the choice among them, change".to_owned(),
    ];
    if response.truncated {
        limitations.push("the answer was cut off; raise `max_tokens`".to_owned());
    }
    let (mut json, mut fits, mut problems) = (None, None, Vec::new());
    if let Some(schema) = &input.json_schema {
        let value: Value = response.json()?;
        if !fit::is_shallow(&value) {
            return Err(Error::upstream(format!("{} answered with JSON nested too deeply to pass on", response.model)));
        }
        let fit = fit::fit(&value, schema);
        if !fit.unchecked.is_empty() {
            limitations.push(format!("of the schema was not checked: {}", fit.unchecked.join(", ")));
        }
        (json, fits, problems) = (Some(value), Some(fit.problems.is_empty()), fit.problems);
    }
    let checked = if json.is_some() { "; read as JSON and compared with the schema" } else { "" };
    let completion = Completion::from(&response);
    let method = format!("one completion by {} of {}{checked}", completion.model, completion.provider);
    let answer = Answer {
        text: response.text,
        json,
        fits_schema: fits,
        schema_problems: problems,
        truncated: response.truncated,
        completion,
    };
    Ok(Report::new(answer, method, limitations))
}

// No examples: what a model answers is not known beforehand, and a server without one has no answer.
bridge! { handle: handle, examples: ["../cases/plain.json"] }

tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests;
