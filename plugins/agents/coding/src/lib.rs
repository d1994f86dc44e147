//! An agent that has code written, and refuses to sell what fails a check.
//!
//! The bridge `code_generation` asks a model and checks the form; `code_metrics` reads the
//! functions of the result, which must be those that the caller wants and fit the calls in
//! the examples. A function with a stated formula is written without a model. Nothing is run.

mod commands;
mod examples;
mod formula;
mod input;

use agent_common::form::{self, Filled};
use agent_common::overlay::overlay;
use agent_common::{Answer, limits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tollbridge_sdk::{Call, Error, agent, bridges};

use crate::examples::{Checked, FunctionSignature};
use crate::formula::Formula;
pub use crate::input::{Example, Input, Language};

/// The code, and what was checked of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    summary: String,
    /// The code.
    code: String,
    /// Its language.
    language: Language,
    /// Whether the check of the form found no mistake; code with one is not given.
    parses: bool,
    /// What the check of the form covers.
    form_check: String,
    /// The functions in it.
    functions: Vec<FunctionSignature>,
    /// The examples, each against the functions: name and number of arguments.
    examples: Vec<Checked>,
    /// The model that wrote it; `rules` if the request states a formula.
    model: String,
    /// What the answer does not cover.
    limitations: Vec<String>,
}

#[derive(Deserialize)]
struct Written {
    code: String,
    check: Option<String>,
    passed: Option<bool>,
    model: String,
}

#[derive(Deserialize)]
struct Metrics {
    functions: Vec<FunctionSignature>,
}

/// Texts of code that is not finished.
const UNFINISHED: [&str; 6] =
    ["your code here", "todo", "notimplemented", "not implemented", "rest of the code", "implementation here"];
/// Words of a line from which on it may be prose.
const PROSE_WORDS: usize = 4;
const NOT_RUN: &str =
    "the code was not run: an example's call is compared with names and numbers of arguments, its result is not";

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let input = input.unwrap_or_default();
    let filled = if input.description.is_some() || input.formula.is_some() || task.trim().is_empty() {
        Filled { form: input, note: None }
    } else if input == Input::default() {
        form::fill(task, commands::draft(task), check)?
    } else {
        // Members without a description apply to the task.
        let draft = commands::draft(task);
        let whole = Input { description: Some(task.to_owned()), ..Input::default() };
        let under = if draft.question.is_none() { draft.form } else { whole };
        Filled { form: overlay(under, &input), note: None }
    };
    check(&filled.form)?;
    let mut output = answer(&filled.form)?;
    output.limitations.extend(filled.note);
    Ok(output)
}

fn check(input: &Input) -> Result<(), Error> {
    let described = input.description.as_ref().is_some_and(|text| !text.trim().is_empty());
    if !described && input.formula.is_none() {
        return Err(Error::invalid("/description", "say as the task, or in `description`, what the code should do"));
    }
    if let Some(Example { call, .. }) = examples::contradiction(input.examples.as_deref().unwrap_or_default()) {
        let message = format!("two examples contradict each other: which result of `{call}` is right?");
        return Err(Error::invalid("/examples", message));
    }
    let Some(formula) = formula_of(input) else { return Ok(()) };
    if !formula.is_sound() {
        let message = "the formula must be arithmetic (+ - * / ** and brackets) of the parameters of a named function";
        return Err(Error::invalid("/formula", message));
    }
    if let Some(Example { call, .. }) = input.examples.iter().flatten().find(|one| formula.holds(one) == Some(false)) {
        let message = format!("the formula does not give the stated result of `{call}`; which of the two is right?");
        return Err(Error::invalid("/examples", message));
    }
    Ok(())
}

/// Returns the formula that the input states.
fn formula_of(input: &Input) -> Option<Formula> {
    Some(Formula {
        name: input.function.clone().unwrap_or_default(),
        parameters: input.parameters.clone().unwrap_or_default(),
        expression: input.formula.clone()?,
    })
}

fn answer(input: &Input) -> Result<Output, Error> {
    let language = input.language.unwrap_or(Language::Python);
    let Some(formula) = formula_of(input) else { return written(input, language) };
    let Some(code) = formula.code(language) else { return written(input, language) };
    let (functions, checked) = read(&code, input, language)?;
    let given = input.examples.as_deref().unwrap_or_default();
    let held = given.iter().filter(|example| formula.holds(example) == Some(true)).count();
    let examples = format!("{held} of {} examples were computed with it, and hold", given.len());
    Ok(Output {
        summary: format!("The function as stated, `{}`; {examples}.", formula.expression),
        language,
        parses: true,
        form_check: "written to a fixed form around the stated formula".into(),
        examples: checked,
        functions,
        code,
        model: "rules".into(),
        limitations: limits(&["the formula was computed here, not by the language that it is written in"], &[]),
    })
}

/// Returns the functions of code and the examples against them; none in a language that the bridge does not read.
fn read(code: &str, input: &Input, language: Language) -> Result<(Vec<FunctionSignature>, Vec<Checked>), Error> {
    if !language.is_measured() {
        return Ok((Vec::new(), Vec::new()));
    }
    let metrics: Answer<Metrics> = bridges::call("code_metrics", &json!({ "source": code, "language": language }))?;
    let functions = metrics.result.functions;
    let checked = input.examples.iter().flatten().map(|one| examples::check(&one.call, &functions)).collect();
    Ok((functions, checked))
}

/// Returns the specification for the model: the description, and what it does not state.
fn spec(input: &Input) -> String {
    let description = input.description.clone().unwrap_or_default();
    let mut spec = description.clone();
    let mut add = |text: &str, line: String| {
        if !description.contains(text) {
            spec.push_str(&line);
        }
    };
    for Example { call, gives } in input.examples.iter().flatten() {
        add(call, format!("\nExample: {call} gives {gives}"));
    }
    if let Some(name) = &input.function {
        let parameters = input.parameters.as_ref().map(|list| format!("({})", list.join(", "))).unwrap_or_default();
        add(name, format!("\nThe function is called {name}{parameters}."));
    }
    if let Some(formula) = &input.formula {
        add(formula, format!("\nIt returns {formula}."));
    }
    spec
}

/// Returns code of a model that passed all checks.
fn written(input: &Input, language: Language) -> Result<Output, Error> {
    let mut call = json!({ "spec": spec(input), "language": language });
    if let (Some(code), Some(call)) = (&input.code, call.as_object_mut()) {
        call.insert("context".into(), json!(code));
    }
    let answer: Answer<Written> = bridges::call("code_generation", &call)?;
    let Written { code, check, passed, model } = answer.result;
    let mistake = (passed == Some(false)).then(|| "its form is not in order".to_owned());
    let (functions, checked) = if mistake.is_none() { read(&code, input, language)? } else { Default::default() };
    let misfit = checked.iter().find(|one| !one.fits).map(|one| one.reason.clone());
    if let Some(problem) = mistake.or_else(|| problem(input, &code, &functions, language)).or(misfit) {
        let text = format!("the code of {model} is not given, because it failed a check: {problem}");
        return Err(Error::invalid("/description", text));
    }
    let calls = match input.examples.as_deref().unwrap_or_default().len() {
        0 => "no example was given to compare".to_owned(),
        all if language.is_measured() => format!("it has the functions that the {all} example calls need"),
        _ => "the examples were not compared, because functions of this language are not read".to_owned(),
    };
    let form = if passed == Some(true) { "its form is in order" } else { "its form was not checked" };
    Ok(Output {
        summary: format!("Written by {model}; {form}; {calls}. It was not run."),
        code,
        language,
        parses: true,
        form_check: check.unwrap_or_else(|| "none for this language".into()),
        functions,
        examples: checked,
        model,
        limitations: limits(&[NOT_RUN], &[&answer.limitations]),
    })
}

/// Returns why code is not what the input wants; none if nothing speaks against it.
fn problem(input: &Input, code: &str, functions: &[FunctionSignature], language: Language) -> Option<String> {
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    if input.code.as_ref().is_some_and(|given| bare(given) == bare(code)) {
        return Some("it is the given code, unchanged".into());
    }
    let (lower, wish) = (code.to_lowercase(), spec(input).to_lowercase());
    if let Some(text) = UNFINISHED.iter().find(|text| lower.contains(**text) && !wish.contains(**text)) {
        return Some(format!("it is not finished (`{text}`)"));
    }
    let lines: Vec<&str> = code.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.iter().filter(|line| is_prose(line)).count() * 3 >= lines.len() {
        return Some("it is prose, not code".into());
    }
    let word = |name: &str| code.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name);
    if let Some(name) = &input.function {
        let own = functions.iter().find(|function| function.name == *name);
        if !word(name) || (own.is_none() && language.is_measured()) {
            return Some(format!("it has no function `{name}`"));
        }
        let wanted = input.parameters.as_deref().unwrap_or_default();
        if own.is_some_and(|own| own.parameters < wanted.len()) || wanted.iter().any(|name| !word(name)) {
            return Some(format!("`{name}` has other parameters"));
        }
    }
    let failed = examples::unfulfilled(code, input.examples.as_deref().unwrap_or_default())?;
    Some(format!("`{}` does not give {}", failed.call, failed.gives))
}

/// Returns whether a line is a sentence: it begins as one and has only words and the marks of prose.
fn is_prose(line: &str) -> bool {
    let mut letters = line.chars();
    let begins = letters.next().is_some_and(char::is_uppercase) && letters.next().is_none_or(char::is_lowercase);
    let plain = line.chars().all(|c| c.is_alphabetic() || " ,.!?'’".contains(c));
    begins && plain && line.split_whitespace().count() >= PROSE_WORDS
}

agent! { run: run, examples: ["../cases/add.json"] }
tollbridge_sdk::test_cases!(agent run);

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use tollbridge_sdk::testing::Doubles;

    use super::*;

    /// Inputs, the code that the model writes, its functions, and a part of the answer or of the refusal.
    #[test]
    fn code_is_given_or_refused() {
        let all: Vec<(Input, Value, Value, String)> = serde_json::from_str(include_str!("../written.json")).unwrap();
        for (input, code, functions, expect) in all {
            let written = json!({ "result": { "code": code, "passed": true, "model": "m" } });
            let doubles = Doubles::new()
                .bridge("code_generation", move |_| Ok(written.clone()))
                .bridge("code_metrics", move |_| Ok(json!({ "result": { "functions": functions } })));
            let (output, _) = doubles.run(|| run(&Call::default(), "", Some(input)));
            let shown = |output: Output| format!("{} {}", output.summary, output.code);
            let text = output.map_or_else(|error| error.message().to_owned(), shown);
            assert!(text.contains(&expect), "{code}\n=> {text}");
        }
    }
}
