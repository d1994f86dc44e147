//! An agent that has code written and checks what can be checked without running it.
//!
//! The bridge `code_generation` asks a model and checks the form;
//! `code_metrics` reads the functions out of the result, which are compared
//! with the calls in the examples. Without an inference provider there is no
//! code, and the caller is told so. Nothing is run.

mod examples;
mod formula;
mod given_code;
mod language;
mod refusal;
mod wanted;

use agent_common::request::Request;
use agent_common::{Answer, limits, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tollbridge_sdk::{Call, Error, agent, bridges};

use crate::examples::{Checked, FunctionSignature};
use crate::language::Language;

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

/// A call and its result.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
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
    /// The model that wrote it; `rules` where the request states a formula, `caller` where it brings the code.
    model: String,
    /// How likely it is right, 0 to 1: of answers that say 0.8 or more at least four in five were right on the frozen
    /// tasks.
    confidence: f64,
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

/// A formula that was written as stated, and agrees with its examples.
const FORMULA: f64 = 0.95;
/// The code of the caller, whose form was checked.
const GIVEN: f64 = 0.8;
/// Code of a model whose form and functions fit.
const FITS: f64 = 0.8;
/// Code of a model without examples, or in a language whose form is not checked.
const UNCHECKED: f64 = 0.6;
/// Code of a model whose form or functions do not fit.
const MISFIT: f64 = 0.3;

/// What a task wants.
struct Job {
    spec: String,
    language: Language,
    examples: Vec<Example>,
    /// Whether the examples were read from words, and so stand in the specification already.
    read: bool,
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let text = words::of(task, input.as_ref());
    let input = input.unwrap_or_default();
    let described = input.description.is_some();
    let description = input.description.unwrap_or_else(|| text.to_owned());
    if description.trim().is_empty() {
        return Err(Error::invalid("/description", "say as the task, or in `description`, what the code should do"));
    }
    let request = Request::read(&description);
    let given = given_code::read(&request);
    let (read, typed) = (input.examples.is_none(), described);
    let examples = input.examples.unwrap_or_else(|| wanted::examples(&description).into_iter().take(20).collect());
    let instruction = if request.instruction.is_empty() { description.as_str() } else { request.instruction.as_str() };
    let told = if given.is_some() { instruction } else { description.as_str() };
    if let Some(why) = refusal::of(told, given.is_some(), !examples.is_empty()).filter(|_| !typed) {
        return Err(Error::invalid("/description", why));
    }
    if let Some(example) = wanted::contradiction(&examples) {
        let why = format!(
            "two examples contradict each other: `{}` cannot give both results; say which one is right",
            example.call
        );
        return Err(Error::invalid("/examples", why));
    }
    let named = input.language.or_else(|| Language::named(instruction));
    if let Some(other) = Language::other(instruction).filter(|_| named.is_none()) {
        return Err(Error::invalid(
            "/language",
            format!("{other} is not written here; name another language, such as Python or JavaScript"),
        ));
    }
    let shown = given.clone().unwrap_or_else(|| description.clone());
    let language = named
        .or_else(|| Language::named(&description))
        .or_else(|| Language::of_code(&shown))
        .unwrap_or(Language::Python);
    let job = Job { spec: description.clone(), language, examples, read };
    if let Some(code) = given.filter(|_| given_code::is_check(instruction)) {
        return checked(&job, code);
    }
    match formula::read(&job.spec).filter(|_| job.read) {
        Some(formula) if !job.examples.iter().any(|example| formula.holds(example) == Some(false)) => {
            formula.code(language).map_or_else(|| written(&job), |code| stated(&job, &formula, code))
        }
        Some(formula) => {
            let wrong = job.examples.iter().find(|example| formula.holds(example) == Some(false));
            let call = wrong.map_or("", |example| example.call.as_str());
            let why = format!("the formula does not give what the example `{call}` says; correct one of the two");
            Err(Error::invalid("/examples", why))
        }
        None => written(&job),
    }
}

/// The functions that the bridge reads out of code.
fn functions(code: &str, language: Language) -> Result<Vec<FunctionSignature>, Error> {
    if !language.is_measured() {
        return Ok(Vec::new());
    }
    let metrics: Answer<Metrics> = bridges::call("code_metrics", &json!({ "source": code, "language": language }))?;
    Ok(metrics.result.functions)
}

/// The examples against the functions, and that in words.
fn compared(job: &Job, functions: &[FunctionSignature]) -> (Vec<Checked>, usize, String) {
    let checked: Vec<Checked> = job.examples.iter().map(|example| examples::check(&example.call, functions)).collect();
    let unmet = checked.iter().filter(|checked| !checked.fits).count();
    let calls = match (checked.len(), unmet) {
        (0, _) => "no example was given to compare".to_owned(),
        (all, 0) => format!("it has the functions that the {all} example calls need"),
        (all, unmet) => format!("{unmet} of {all} example calls do not fit its functions"),
    };
    (checked, unmet, calls)
}

const NOT_RUN: &str =
    "the code was not run: an example's call is compared with names and numbers of arguments, its result is not";

/// Code that a model writes.
fn written(job: &Job) -> Result<Output, Error> {
    let mut spec = job.spec.clone();
    if !job.read {
        for example in &job.examples {
            spec.push_str(&format!("\nExample: {} gives {}", example.call, example.gives));
        }
    }
    if let Some(name) = wanted::function(&job.spec, &job.examples).filter(|_| !job.examples.is_empty() && job.read) {
        spec.push_str(&format!("\nThe function is called {name}."));
    }
    let written: Answer<Written> =
        bridges::call("code_generation", &json!({ "spec": spec, "language": job.language }))?;
    let code = written.result.code;
    let functions = functions(&code, job.language)?;
    let (checked, unmet, calls) = compared(job, &functions);
    let form = if written.result.passed { "its form is in order" } else { "its form is NOT in order" };
    let confidence = if !written.result.passed || (unmet > 0 && job.language.is_measured()) {
        MISFIT
    } else if job.examples.is_empty() || !job.language.is_measured() {
        UNCHECKED
    } else {
        FITS
    };
    Ok(Output {
        summary: format!("Written by {}; {form}; {calls}. It was not run.", written.result.model),
        code,
        language: job.language,
        parses: written.result.passed,
        form_check: written.result.check,
        functions,
        examples: checked,
        model: written.result.model,
        confidence,
        limitations: limits(&[NOT_RUN], &[&written.limitations]),
    })
}

/// A formula that the request states, written down.
fn stated(job: &Job, formula: &formula::Formula, code: String) -> Result<Output, Error> {
    let functions = functions(&code, job.language)?;
    let (checked, _, _) = compared(job, &functions);
    let held = job.examples.iter().filter(|example| formula.holds(example) == Some(true)).count();
    let examples = match held {
        0 => "no example was given to compute".to_owned(),
        1 => "the example holds when the formula is computed".to_owned(),
        held => format!("{held} examples hold when the formula is computed"),
    };
    Ok(Output {
        summary: format!("The function as stated, `{}`; {examples}.", formula.expression),
        code,
        language: job.language,
        parses: true,
        form_check: "written to a fixed form around the stated formula".into(),
        functions,
        examples: checked,
        model: "rules".into(),
        confidence: FORMULA,
        limitations: limits(&["the formula was computed here, not by the language that it is written in"], &[]),
    })
}

/// Code of the caller, looked at.
fn checked(job: &Job, code: String) -> Result<Output, Error> {
    let mistake = given_code::mistake(&code, job.language == Language::Python);
    let functions = functions(&code, job.language)?;
    let (checked, _, calls) = compared(job, &functions);
    let form = mistake
        .as_ref()
        .map_or("Its form is in order".to_owned(), |mistake| format!("Its form is NOT in order: {mistake}"));
    Ok(Output {
        summary: format!(
            "{form}; {calls}. It was not run, so whether the results are those of the examples was not checked."
        ),
        code,
        language: job.language,
        parses: mistake.is_none(),
        form_check: "brackets, quotes and colons; not a full parse".into(),
        functions,
        examples: checked,
        model: "caller".into(),
        confidence: GIVEN,
        limitations: limits(&[NOT_RUN], &[]),
    })
}

agent! { run: run, examples: ["../cases/add.json"] }
tollbridge_sdk::test_cases!(agent run);
