//! An agent that has code written and checks what can be checked without running it.
//!
//! The bridge `code_generation` asks a model and checks the form;
//! `code_metrics` reads the functions out of the result, which are compared
//! with the calls in the examples. Without an inference provider there is no
//! code, and the caller is told so. Nothing is run.

mod examples;

use agent_common::{Answer, limits, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tollbridge_sdk::{Call, Error, agent, bridges};

use crate::examples::{Checked, FunctionSignature};

/// What the code should do.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What to write, in words. The task unless given.
    #[schemars(length(min = 1, max = 30_000))]
    description: Option<String>,
    /// The language. Default: the one that the task names, else Python.
    language: Option<Language>,
    /// What calls should give, at most 20.
    #[schemars(length(max = 20))]
    examples: Option<Vec<Example>>,
}

/// Languages whose functions can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    Python,
    Javascript,
    Typescript,
    Rust,
    Go,
    Java,
    C,
    Cpp,
    Csharp,
}

/// A call and its result.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// The call as it would be written: `add(1, 2)`.
    #[schemars(length(min = 1, max = 500))]
    call: String,
    /// What it gives: `3`.
    #[schemars(length(min = 1, max = 500))]
    gives: String,
}

/// The code, and what was checked of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    summary: String,
    /// The code.
    code: String,
    /// Its language.
    language: Language,
    /// Whether its form is in order.
    parses: bool,
    /// What the check of the form covers.
    form_check: String,
    /// The functions in it.
    functions: Vec<FunctionSignature>,
    /// The examples, each against the functions: name and number of arguments, not the result.
    examples: Vec<Checked>,
    /// The model that wrote it.
    model: String,
    /// What the answer does not tell.
    limitations: Vec<String>,
}

#[derive(Deserialize)]
struct Written {
    code: String,
    check: String,
    passed: bool,
    model: String,
}

#[derive(Deserialize)]
struct Metrics {
    functions: Vec<FunctionSignature>,
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let text = words::of(task, input.as_ref());
    let input = input.unwrap_or_default();
    let description = input.description.unwrap_or_else(|| text.to_owned());
    if description.trim().is_empty() {
        return Err(Error::invalid("/description", "say as the task, or in `description`, what the code should do"));
    }
    let language = input.language.or_else(|| named(text)).unwrap_or(Language::Python);
    let examples = input.examples.unwrap_or_default();
    let mut spec = description;
    for example in &examples {
        spec.push_str(&format!("\nExample: {} gives {}", example.call, example.gives));
    }
    let written: Answer<Written> = bridges::call("code_generation", &json!({ "spec": spec, "language": language }))?;
    let code = written.result.code;
    let metrics: Answer<Metrics> = bridges::call("code_metrics", &json!({ "source": code, "language": language }))?;
    let functions = metrics.result.functions;
    let checked: Vec<Checked> = examples.iter().map(|example| examples::check(&example.call, &functions)).collect();
    let unmet = checked.iter().filter(|checked| !checked.fits).count();
    let form = if written.result.passed { "its form is in order" } else { "its form is NOT in order" };
    let calls = match (checked.len(), unmet) {
        (0, _) => "no example was given to compare".to_owned(),
        (all, 0) => format!("it has the functions that the {all} example calls need"),
        (all, unmet) => format!("{unmet} of {all} example calls do not fit its functions"),
    };
    Ok(Output {
        summary: format!("Written by {}; {form}; {calls}. It was not run.", written.result.model),
        code,
        language,
        parses: written.result.passed,
        form_check: written.result.check,
        functions,
        examples: checked,
        model: written.result.model,
        limitations: limits(
            &[
                "the code was not run: an example's call is compared with names and numbers of arguments, its result is not",
            ],
            &[&written.limitations],
        ),
    })
}

fn named(text: &str) -> Option<Language> {
    let lower = text.to_lowercase();
    let language = |word: &str| match word {
        "python" => Some(Language::Python),
        "javascript" => Some(Language::Javascript),
        "typescript" => Some(Language::Typescript),
        "rust" => Some(Language::Rust),
        "golang" => Some(Language::Go),
        "java" => Some(Language::Java),
        "c++" => Some(Language::Cpp),
        "c#" => Some(Language::Csharp),
        _ => None,
    };
    lower.split(|c: char| c.is_whitespace() || ",.:;()".contains(c)).find_map(language)
}

agent! { run: run, examples: ["../cases/add.json"] }
tollbridge_sdk::test_cases!(agent run);
