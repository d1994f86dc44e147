//! A plugin's description of its schemas and examples, requested once and checked before the plugin
//! serves calls.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::checks::output_schema::OutputSchema;
use crate::limits::{EXAMPLES_MAX, SCHEMA_BYTES_MAX, SCHEMA_STEPS_MAX};
use crate::schema::compiled::{Schema, SchemaError, SizeLimit};
use crate::schema::rate::Size;
use crate::spec::CallLimits;

/// A checked description of a plugin.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// JSON Schema of the input, draft 2020-12.
    pub input_schema: Value,
    /// JSON Schema of the output, draft 2020-12.
    pub output_schema: Value,
    /// Examples of inputs and outputs that fit the schemas.
    pub examples: Vec<Example>,
}

/// An example input with its output.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Example {
    /// An input that fits the input schema.
    pub input: Value,
    /// An output that fits the output schema.
    pub output: Value,
}

/// The reason why a plugin's description is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum DescriptionError {
    #[error("the input schema cannot be used: {0}")]
    Input(SchemaError),
    #[error("the output schema cannot be used: {0}")]
    Output(SchemaError),
    #[error("the description has {0} examples; at most {EXAMPLES_MAX} are allowed")]
    TooManyExamples(usize),
    #[error("checking the examples can take more than {SCHEMA_STEPS_MAX} steps; shorten them or simplify the schemas")]
    ExamplesTooCostly,
    #[error("example {number}: its {side} is not JSON: {why}")]
    NotJson { number: usize, side: &'static str, why: String },
    #[error("example {number}: its {side} does not fit the {side} schema: {message}")]
    DoesNotFit { number: usize, side: &'static str, message: String },
}

/// A checked description and its compiled schemas.
pub struct Described {
    pub(crate) description: Description,
    pub(crate) input: Schema,
    pub(crate) output: OutputSchema,
}

/// A description as a plugin returns it, not checked yet.
#[derive(Clone, Debug, Default)]
pub struct DescriptionText {
    /// JSON Schema of the input.
    pub input_schema: String,
    /// JSON Schema of the output.
    pub output_schema: String,
    /// Examples of inputs and outputs.
    pub examples: Vec<ExampleText>,
}

/// An example of a [`DescriptionText`].
#[derive(Clone, Debug)]
pub struct ExampleText {
    /// The input, expected to be JSON.
    pub input: String,
    /// The output, expected to be JSON.
    pub output: String,
}

impl DescriptionText {
    /// Returns the digest of the complete description.
    pub fn digest(&self) -> [u8; 32] {
        let examples = self.examples.iter().flat_map(|example| [&example.input, &example.output]);
        let mut digest = Sha256::new();
        for text in [&self.input_schema, &self.output_schema].into_iter().chain(examples) {
            // Each text is preceded by its length, so that different descriptions never hash the same
            // bytes.
            digest.update(text.len().to_le_bytes());
            digest.update(text);
        }
        digest.finalize().into()
    }

    /// Checks a description and compiles its schemas. Skips the examples if `is_known`. Blocks while it
    /// checks the examples.
    pub fn check(&self, limits: &CallLimits, is_known: bool) -> Result<Described, DescriptionError> {
        let size = |name, bytes| SizeLimit { name, bytes };
        let input = Schema::parse(&self.input_schema, size("limits.input_bytes", limits.input_bytes))
            .map_err(DescriptionError::Input)?;
        let output = OutputSchema::parse(&self.output_schema, size("limits.output_bytes", limits.output_bytes))
            .map_err(DescriptionError::Output)?;
        if self.examples.len() > EXAMPLES_MAX {
            return Err(DescriptionError::TooManyExamples(self.examples.len()));
        }
        let mut examples = Vec::with_capacity(self.examples.len());
        for (index, example) in self.examples.iter().enumerate() {
            let number = index.saturating_add(1);
            examples.push(Example {
                input: read(number, "input", &example.input)?,
                output: read(number, "output", &example.output)?,
            });
        }
        if !is_known {
            check_examples(&examples, &input, &output.schema)?;
        }
        let description =
            Description { input_schema: input.value().clone(), output_schema: output.schema.value().clone(), examples };
        Ok(Described { description, input, output })
    }
}

fn read(number: usize, side: &'static str, text: &str) -> Result<Value, DescriptionError> {
    if text.len() > SCHEMA_BYTES_MAX {
        let why = format!("the schema has more than {SCHEMA_BYTES_MAX} bytes");
        return Err(DescriptionError::NotJson { number, side, why });
    }
    serde_json::from_str(text).map_err(|error| DescriptionError::NotJson { number, side, why: error.to_string() })
}

/// Checks that the examples fit the schemas. Rejects the description if the checks of all
/// examples together exceed the limit for checking one value.
fn check_examples(examples: &[Example], input: &Schema, output: &Schema) -> Result<(), DescriptionError> {
    let steps = |example: &Example| {
        input.steps(Size::of(&example.input)).saturating_add(output.steps(Size::of(&example.output)))
    };
    let steps = examples.iter().fold(0_u64, |sum, example| sum.saturating_add(steps(example)));
    if steps > SCHEMA_STEPS_MAX {
        return Err(DescriptionError::ExamplesTooCostly);
    }
    for (index, example) in examples.iter().enumerate() {
        for (side, value, schema) in [("input", &example.input, input), ("output", &example.output, output)] {
            schema.check_complete(value).map_err(|wrong| DescriptionError::DoesNotFit {
                number: index.saturating_add(1),
                side,
                message: wrong.message,
            })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn description(input: &str, output: &str) -> DescriptionText {
        DescriptionText {
            input_schema: r#"{"type":"object","required":["a"]}"#.to_owned(),
            output_schema: r#"{"type":"object","additionalProperties":false}"#.to_owned(),
            examples: vec![ExampleText { input: input.to_owned(), output: output.to_owned() }],
        }
    }

    fn check_example(input: &str, output: &str) -> Result<Described, DescriptionError> {
        description(input, output).check(&CallLimits::default(), false)
    }

    #[test]
    fn what_is_known_to_fit_is_not_checked_again() {
        let wrong = description("{}", "{}");
        assert!(wrong.check(&CallLimits::default(), false).is_err());
        assert_eq!(wrong.check(&CallLimits::default(), true).unwrap().description.examples.len(), 1);
        // The digest covers every text and the boundaries between the texts.
        assert_ne!(wrong.digest(), description("{", "}{}").digest());
        assert_eq!(wrong.digest(), description("{}", "{}").digest());
    }

    #[test]
    fn examples_may_cost_no_more_than_an_input() {
        let mut costly = description(r#"{"a":1}"#, "{}");
        costly.input_schema = r#"{"properties":{"a":{"pattern":"a[ab]{400}[^ab]"}}}"#.to_owned();
        let text = format!("{{\"a\":\"{}\"}}", "ab".repeat(20_000));
        costly.examples = vec![ExampleText { input: text, output: "{}".to_owned() }; 3];
        let error = costly.check(&CallLimits::default(), false).err().unwrap();
        assert_eq!(error, DescriptionError::ExamplesTooCostly);
    }

    #[test]
    fn examples_must_fit() {
        assert_eq!(check_example(r#"{"a":1}"#, "{}").unwrap().description.examples.len(), 1);
        for (input, output, expect) in [
            ("{}", "{}", "example 1: its input does not fit the input schema: `a` is required"),
            ("{", "{}", "example 1: its input is not JSON"),
            (r#"{"a":1}"#, r#"{"b":1}"#, "example 1: its output does not fit"),
        ] {
            let error = check_example(input, output).err().unwrap().to_string();
            assert!(error.starts_with(expect), "{error}");
        }
    }
}
