//! What a plugin says of itself, asked once and checked before it serves.

use serde_json::Value;
use tollbridge_core::limits::{EXAMPLES_MAX, SCHEMA_BYTES_MAX};

use super::bindings::types;
use super::schema::{Schema, SchemaError};

/// A plugin's description, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// JSON Schema, draft 2020-12.
    pub input_schema: Value,
    /// JSON Schema, draft 2020-12.
    pub output_schema: Value,
    /// Examples that fit both schemas.
    pub examples: Vec<Example>,
}

/// An example that fits the schemas.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// Fits the input schema.
    pub input: Value,
    /// Fits the output schema.
    pub output: Value,
}

/// What is wrong with a description.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DescriptionError {
    #[error("its input schema cannot be used: {0}")]
    Input(SchemaError),
    #[error("its output schema cannot be used: {0}")]
    Output(SchemaError),
    #[error("it has {0} examples; at most {EXAMPLES_MAX} are published")]
    TooManyExamples(usize),
    #[error("example {number}: its {side} is not JSON: {why}")]
    NotJson { number: usize, side: &'static str, why: String },
    #[error("example {number}: its {side} does not fit the {side} schema: {field} {message}")]
    DoesNotFit { number: usize, side: &'static str, field: String, message: String },
}

/// A description with its schemas compiled.
pub(super) struct Described {
    pub(super) description: Description,
    pub(super) input: Schema,
    pub(super) output: Schema,
}

/// The description of a declared agent: it takes what its author says, and the
/// examples of the component are another's.
pub(super) fn with_input(described: types::Description, input_schema: String) -> types::Description {
    types::Description { input_schema, examples: Vec::new(), ..described }
}

pub(super) fn check(described: types::Description) -> Result<Described, DescriptionError> {
    let input = Schema::parse(&described.input_schema).map_err(DescriptionError::Input)?;
    let output = Schema::parse(&described.output_schema).map_err(DescriptionError::Output)?;
    if described.examples.len() > EXAMPLES_MAX {
        return Err(DescriptionError::TooManyExamples(described.examples.len()));
    }
    let mut examples = Vec::with_capacity(described.examples.len());
    for (index, example) in described.examples.iter().enumerate() {
        let number = index.saturating_add(1);
        examples.push(Example {
            input: side(number, "input", &example.input, &input)?,
            output: side(number, "output", &example.output, &output)?,
        });
    }
    let description =
        Description { input_schema: input.value().clone(), output_schema: output.value().clone(), examples };
    Ok(Described { description, input, output })
}

fn side(number: usize, side: &'static str, text: &str, schema: &Schema) -> Result<Value, DescriptionError> {
    if text.len() > SCHEMA_BYTES_MAX {
        let why = format!("it has more than {SCHEMA_BYTES_MAX} bytes");
        return Err(DescriptionError::NotJson { number, side, why });
    }
    let value: Value = serde_json::from_str(text).map_err(|error| DescriptionError::NotJson {
        number,
        side,
        why: error.to_string(),
    })?;
    match schema.check_complete(&value) {
        Ok(()) => Ok(value),
        Err(wrong) => Err(DescriptionError::DoesNotFit { number, side, field: wrong.field, message: wrong.message }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_example(input: &str, output: &str) -> Result<Described, DescriptionError> {
        check(types::Description {
            input_schema: r#"{"type":"object","required":["a"]}"#.to_owned(),
            output_schema: r#"{"type":"object","additionalProperties":false}"#.to_owned(),
            examples: vec![types::Example { input: input.to_owned(), output: output.to_owned() }],
        })
    }

    #[test]
    fn examples_must_fit() {
        assert_eq!(check_example(r#"{"a":1}"#, "{}").unwrap().description.examples.len(), 1);
        for (input, output, expect) in [
            ("{}", "{}", "example 1: its input does not fit the input schema: /a is required"),
            ("{", "{}", "example 1: its input is not JSON"),
            (r#"{"a":1}"#, r#"{"b":1}"#, "example 1: its output does not fit"),
        ] {
            let error = check_example(input, output).err().unwrap().to_string();
            assert!(error.starts_with(expect), "{error}");
        }
    }
}
