//! Checks a plugin's inputs and outputs against its schemas.
//!
//! Invariant: a check that may take long, judged by the schema's cost and the value's size, never
//! runs on a thread that serves calls.

use std::sync::Arc;

use serde_json::Value;

use super::output;
use super::output_schema::OutputSchema;
use super::places::{CheckPlaces, CheckTurns, NoPlace};
use crate::limits::SCHEMA_STEPS_AT_ONCE_MAX;
use crate::schema::compiled::Schema;
use crate::schema::rate::Size;
use crate::schema::words::Invalid;

/// Maximum size of an output that is parsed directly on a thread that serves calls.
const OUTPUT_BYTES_AT_ONCE_MAX: usize = 128 << 10;

/// The reason why an input is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckError {
    /// The input does not fit the input schema.
    Invalid(Invalid),
    /// Too many long checks are already waiting.
    Busy,
}

/// The reason why an output is rejected.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum OutputError {
    /// The output is invalid; the text describes the problem to the plugin's owner.
    Bad(String),
    Busy,
}

/// The input and output schemas of a loaded plugin.
pub(crate) struct PluginSchemas {
    input: Arc<Schema>,
    output: Arc<OutputSchema>,
    turns: Arc<CheckTurns>,
}

impl PluginSchemas {
    pub(crate) fn new(input: Schema, output: OutputSchema, turns: Arc<CheckTurns>) -> Self {
        Self { input: Arc::new(input), output: Arc::new(output), turns }
    }

    /// Returns whether the input schema defines a top-level member of this name.
    pub(crate) fn declares(&self, member: &str) -> bool {
        self.input.declares(member)
    }

    /// Checks an input whose text has `bytes` bytes; returns the first violated top-level
    /// requirement, if any.
    pub(crate) async fn check_input(
        &self,
        places: &CheckPlaces,
        input: &Arc<Value>,
        bytes: usize,
    ) -> Result<Option<Invalid>, CheckError> {
        let steps = steps(&self.input, input, bytes);
        if steps <= SCHEMA_STEPS_AT_ONCE_MAX {
            return self.input.fit(input).map_err(CheckError::Invalid);
        }
        let (schema, input) = (self.input.clone(), input.clone());
        let fit = places.run(&self.turns, steps, move || schema.fit(&input)).await;
        fit.map_err(|NoPlace| CheckError::Busy)?.map_err(CheckError::Invalid)
    }

    /// Checks that an output is the text of a JSON object that fits the output schema; returns the
    /// output unchanged.
    pub(crate) async fn check_output(&self, places: &CheckPlaces, body: Vec<u8>) -> Result<Vec<u8>, OutputError> {
        let schema = &self.output.schema;
        if schema.accepts_any_object() {
            return output::check(&body).map(|()| body).map_err(OutputError::Bad);
        }
        let most_steps = schema.steps(Size::of_text(body.len()));
        let output = self.output.clone();
        let checked = if body.len() > OUTPUT_BYTES_AT_ONCE_MAX {
            let work = move || output::read(&body).and_then(|value| fits(&output.schema, &value)).map(|()| body);
            places.run(&self.turns, most_steps, work).await
        } else if most_steps <= SCHEMA_STEPS_AT_ONCE_MAX && output.accepts(&body) {
            return Ok(body);
        } else {
            let value = output::read(&body).map_err(OutputError::Bad)?;
            let steps = steps(schema, &value, body.len());
            if steps <= SCHEMA_STEPS_AT_ONCE_MAX {
                return fits(schema, &value).map(|()| body).map_err(OutputError::Bad);
            }
            places.run(&self.turns, steps, move || fits(&output.schema, &value).map(|()| body)).await
        };
        checked.map_err(|NoPlace| OutputError::Busy)?.map_err(OutputError::Bad)
    }
}

/// Returns an upper bound for the steps of a check. For a small text, the bound derived
/// from its length is low enough, so the values are not counted.
fn steps(schema: &Schema, value: &Value, bytes: usize) -> u64 {
    let most = schema.steps(Size::of_text(bytes));
    if most <= SCHEMA_STEPS_AT_ONCE_MAX { most } else { schema.steps(Size::of(value)) }
}

fn fits(schema: &Schema, output: &Value) -> Result<(), String> {
    let explain = |wrong: Invalid| format!("the output does not fit the output schema: {}", wrong.message);
    schema.check_complete(output).map_err(explain)
}
