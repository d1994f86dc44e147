//! Runs all golden cases in a folder against a plugin's function.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use schemars::{JsonSchema, Schema};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    bridges::Bridges,
    case::{self, Case, ExpectedError},
    compare::{self, Exactness},
    doubles::Doubles,
    fit::Fit,
    inference::Inference,
    ledger::Ledger,
    stopwatch,
    table::StatedTable,
};
use crate::{
    call::Call,
    error::Error,
    guest::{self, Description},
    schema,
};

/// Runs every case in `folder` against a bridge's function; panics with all differences if there
/// are any. Used by [`crate::test_cases!`].
///
/// Inputs of cases that expect an output, and all outputs, are also checked against the schemas.
#[allow(clippy::panic, reason = "a test fails by panicking")]
pub fn run_cases<I, O, F>(folder: &str, function: F)
where
    F: Fn(&Call, I) -> Result<O, Error>,
    I: DeserializeOwned + JsonSchema,
    O: Serialize + JsonSchema,
{
    if let Err(report) = check_cases(folder, function) {
        panic!("{report}");
    }
}

/// Does the same as [`run_cases`] for an agent's function.
#[allow(clippy::panic, reason = "a test fails by panicking")]
pub fn run_agent_cases<I, O, F>(folder: &str, function: F)
where
    F: Fn(&Call, &str, Option<I>) -> Result<O, Error>,
    I: DeserializeOwned + JsonSchema,
    O: Serialize + JsonSchema,
{
    if let Err(report) = check_agent_cases(folder, function) {
        panic!("{report}");
    }
}

/// Runs cases as [`run_cases`] does, but returns the number of passed cases, or a report
/// of the failures.
pub fn check_cases<I, O, F>(folder: &str, function: F) -> Result<usize, String>
where
    F: Fn(&Call, I) -> Result<O, Error>,
    I: DeserializeOwned + JsonSchema,
    O: Serialize + JsonSchema,
{
    let suite = Suite::new(&schema::of_input::<I>(), &schema::of_output::<O>())?;
    suite.run(folder, |call, case| {
        let input = bytes(case.input.as_ref().unwrap_or(&Value::Null))?;
        guest::handle(&function, call, &input)
    })
}

/// Runs cases as [`run_agent_cases`] does, but returns the number of passed cases, or a
/// report of the failures.
pub fn check_agent_cases<I, O, F>(folder: &str, function: F) -> Result<usize, String>
where
    F: Fn(&Call, &str, Option<I>) -> Result<O, Error>,
    I: DeserializeOwned + JsonSchema,
    O: Serialize + JsonSchema,
{
    let suite = Suite::new(&schema::of_input::<I>(), &schema::of_output::<O>())?;
    suite.run(folder, |call, case| {
        let input = case.input.as_ref().map(bytes).transpose()?;
        guest::run(&function, call, case.task.as_deref().unwrap_or_default(), input.as_deref())
    })
}

/// The call that a case describes, for a runner that makes calls inside a component or
/// over the network.
#[derive(Debug)]
pub struct Trial<'c> {
    /// Name of the case: the name of its file without the extension.
    pub name: &'c str,
    /// The call, as the host would describe it.
    pub call: &'c Call,
    /// The task; for agents only.
    pub task: Option<&'c str>,
    /// The text of the input object, if the case has one.
    pub input: Option<Vec<u8>>,
    /// Configuration values that the operator would set.
    pub config: &'c BTreeMap<String, String>,
    /// Tables in addition to those that the plugin ships; `None` hides a shipped table.
    pub tables: &'c BTreeMap<String, Option<StatedTable>>,
    /// Contents of the test double of the ledger.
    pub ledger: &'c Ledger,
    /// Answers of the test double of models.
    pub inference: &'c Inference,
    /// Answers of the test double of other plugins.
    pub bridges: &'c Bridges,
}

/// Runs cases as [`check_cases`] does, but with `carry_out`, which makes each call
/// elsewhere (for example inside a component) and returns the bytes of the answer.
pub fn check_elsewhere(
    folder: &str,
    schemas: (&Value, &Value),
    carry_out: impl Fn(&Trial<'_>) -> Result<Vec<u8>, Error>,
) -> Result<usize, String> {
    Suite::of_values(schemas)?.run(folder, |call, case| carry_out(&trial(call, case)?))
}

/// A case whose answer is valid but differs from the expected answer.
#[derive(Debug)]
#[doc(hidden)]
pub struct ChangedCase {
    /// The case file.
    pub path: PathBuf,
    /// The actual answer: an output if the case expects an output, an error if it expects
    /// an error.
    pub answer: Result<Vec<u8>, Error>,
    /// Whether the case lists only some members of the output.
    pub is_partial: bool,
    tolerance: f64,
}

impl ChangedCase {
    /// Returns whether a part of the actual answer matches the expected part, within the
    /// tolerance of the case.
    pub fn passes(&self, expected: &Value, actual: &Value) -> bool {
        let exactness = Exactness { tolerance: self.tolerance, partial: self.is_partial };
        compare::differences(expected, actual, exactness).is_empty()
    }
}

/// Runs cases as [`check_elsewhere`] does, but returns those whose expectation can be
/// replaced by the actual answer: an output that fits the schema, or the same error with
/// another message.
#[doc(hidden)]
pub fn changed_elsewhere(
    folder: &str,
    schemas: (&Value, &Value),
    carry_out: impl Fn(&Trial<'_>) -> Result<Vec<u8>, Error>,
) -> Result<Vec<ChangedCase>, String> {
    Suite::of_values(schemas)?.changed(folder, |call, case| carry_out(&trial(call, case)?))
}

fn trial<'c>(call: &'c Call, case: &'c Case) -> Result<Trial<'c>, Error> {
    let input = case.input.as_ref().map(bytes).transpose()?;
    let Case { name, task, config, tables, ledger, inference, bridges, .. } = case;
    Ok(Trial { name, call, task: task.as_deref(), input, config, tables, ledger, inference, bridges })
}

/// Checks that every example has an input and an output that fit the schemas; panics
/// otherwise. Used by [`crate::bridge!`] and [`crate::agent!`].
#[allow(clippy::panic, reason = "a test fails by panicking")]
#[doc(hidden)]
pub fn assert_examples(description: &Description) {
    for (input, output) in &description.examples {
        for (what, schema, text) in
            [("input", &description.input_schema, input), ("output", &description.output_schema, output)]
        {
            let problems = example_problems(what, schema, text).unwrap_or_else(|problem| vec![problem]);
            if !problems.is_empty() {
                panic!("an example is wrong: {}", problems.join("; "));
            }
        }
    }
}

/// The compiled schemas, shared by all cases of a run.
struct Suite {
    input: Fit,
    output: Fit,
}

impl Suite {
    fn new(input: &Schema, output: &Schema) -> Result<Self, String> {
        Ok(Self { input: Fit::new("input", input)?, output: Fit::new("output", output)? })
    }

    fn of_values((input, output): (&Value, &Value)) -> Result<Self, String> {
        let schema = |value: &Value| Schema::try_from(value.clone()).map_err(|error| error.to_string());
        Self::new(&schema(input)?, &schema(output)?)
    }

    fn run(&self, folder: &str, call: impl Fn(&Call, &Case) -> Result<Vec<u8>, Error>) -> Result<usize, String> {
        let mut failed = Vec::new();
        let paths = case::files(Path::new(folder))?;
        for path in &paths {
            let problems = match Case::read(path) {
                Ok(case) => self.problems(&case, &call),
                Err(problem) => vec![problem],
            };
            if !problems.is_empty() {
                failed.push(format!("{}\n    {}", path.display(), problems.join("\n    ")));
            }
        }
        if failed.is_empty() {
            return Ok(paths.len());
        }
        Err(format!("{} of {} cases failed\n\n{}\n", failed.len(), paths.len(), failed.join("\n\n")))
    }

    /// Returns the cases that fail only because their output or error message differs
    /// from the expected one.
    fn changed(
        &self,
        folder: &str,
        call: impl Fn(&Call, &Case) -> Result<Vec<u8>, Error>,
    ) -> Result<Vec<ChangedCase>, String> {
        let mut changed = Vec::new();
        for path in case::files(Path::new(folder))? {
            let Ok(case) = Case::read(&path) else { continue };
            let Ok(answer) = answer(&case, &call) else { continue };
            let is_changed = match (&answer, &case.output, &case.error) {
                (Ok(bytes), Some(expected), _) => {
                    self.fits(&case, bytes) && !self.output_problems(&case, expected, bytes).is_empty()
                }
                (Err(error), _, Some(expected)) => {
                    is_same_error(expected, error)
                        && input_problems(&case, expected, error).is_empty()
                        && !says(expected, error)
                }
                _ => false,
            };
            if is_changed {
                let (is_partial, tolerance) = (case.partial, case.tolerance);
                changed.push(ChangedCase { path, answer, is_partial, tolerance });
            }
        }
        Ok(changed)
    }

    fn problems(&self, case: &Case, call: impl Fn(&Call, &Case) -> Result<Vec<u8>, Error>) -> Vec<String> {
        let answer = match answer(case, call) {
            Ok(answer) => answer,
            Err(problem) => return vec![problem],
        };
        match (answer, &case.output, &case.error) {
            (Ok(bytes), Some(expected), _) => self.output_problems(case, expected, &bytes),
            (Ok(bytes), None, _) => vec![format!("expected an error, got {}", String::from_utf8_lossy(&bytes))],
            (Err(error), _, Some(expected)) => error_problems(case, expected, &error),
            (Err(error), _, None) => vec![format!("expected an output, got the error {error}")],
        }
    }

    /// Returns whether the output is JSON and both input and output fit their schemas.
    fn fits(&self, case: &Case, bytes: &[u8]) -> bool {
        let input_fits = case.input.as_ref().is_none_or(|input| self.input.mismatches(input).is_empty());
        let output: Option<Value> = serde_json::from_slice(bytes).ok();
        input_fits && output.is_some_and(|output| self.output.mismatches(&output).is_empty())
    }

    fn output_problems(&self, case: &Case, expected: &Value, bytes: &[u8]) -> Vec<String> {
        let actual: Value = match serde_json::from_slice(bytes) {
            Ok(actual) => actual,
            Err(error) => return vec![format!("the output is not JSON: {error}")],
        };
        let mut problems = compare::differences(expected, &actual, exactness(case));
        if let Some(input) = &case.input {
            problems.extend(self.input.mismatches(input));
        }
        problems.extend(self.output.mismatches(&actual));
        problems
    }
}

/// Makes the call of a case with test doubles of the host. The error says why the case
/// describes no valid call.
fn answer(
    case: &Case,
    call: impl Fn(&Call, &Case) -> Result<Vec<u8>, Error>,
) -> Result<Result<Vec<u8>, Error>, String> {
    let context = case.call()?;
    let mut doubles = Doubles::new().ledger(case.ledger.clone()).inference(case.inference.clone());
    doubles = doubles.bridges(case.bridges.clone());
    for (key, value) in &case.config {
        doubles = doubles.config(key, value);
    }
    for (name, table) in &case.tables {
        doubles = doubles.stated_table(name, table.as_ref());
    }
    let (answer, _) = doubles.run(|| {
        let answer = call(&context, case);
        if answer.is_ok() && stopwatch::is_wanted() {
            stopwatch::print(&case.name, || call(&context, case).is_ok());
        }
        answer
    });
    Ok(answer)
}

const fn exactness(case: &Case) -> Exactness {
    Exactness { tolerance: case.tolerance, partial: case.partial }
}

fn error_problems(case: &Case, expected: &ExpectedError, error: &Error) -> Vec<String> {
    let mut problems = input_problems(case, expected, error);
    if expected.kind != error.kind() {
        problems.push(format!("expected the error {}, got {error}", expected.kind));
    } else if !is_same_error(expected, error) {
        problems
            .push(format!("expected the error at {:?}, got {error}", expected.field.as_deref().unwrap_or_default()));
    }
    if !says(expected, error) {
        let part = expected.message.as_deref().unwrap_or_default();
        problems.push(format!("expected an error that says {part:?}, got {error}"));
    }
    problems
}

/// Returns how the proposed input differs from the expected one.
fn input_problems(case: &Case, expected: &ExpectedError, error: &Error) -> Vec<String> {
    let Some(expected) = &expected.input else { return Vec::new() };
    let Some(actual) = error.input() else { return vec![format!("expected a proposed input, got {error}")] };
    let differences = compare::differences(expected, actual, exactness(case));
    differences.iter().map(|difference| format!("the proposed input: {difference}")).collect()
}

/// Returns whether the error has the expected kind and field.
fn is_same_error(expected: &ExpectedError, error: &Error) -> bool {
    expected.kind == error.kind() && (expected.field.is_none() || expected.field.as_deref() == error.field())
}

/// Returns whether the message contains the expected part.
fn says(expected: &ExpectedError, error: &Error) -> bool {
    expected.message.as_ref().is_none_or(|part| error.message().contains(part.as_str()))
}

fn example_problems(what: &'static str, schema: &str, text: &str) -> Result<Vec<String>, String> {
    let value: Value = serde_json::from_str(text).map_err(|_| text.to_owned())?;
    let schema = serde_json::from_str(schema).map_err(|error| error.to_string())?;
    Ok(Fit::new(what, &schema)?.mismatches(&value))
}

fn bytes(value: &Value) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(value).map_err(|error| Error::internal(error.to_string()))
}

#[cfg(test)]
mod tests;
