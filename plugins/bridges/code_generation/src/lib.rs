//! A bridge that writes code by a model of the host, and checks what can be checked of its syntax.
//!
//! Invariants: at most two completions; the code is never run; what was not checked is said.

mod answer;
mod input;
mod syntax;

use bridge_common::{Report, completion::Completion};
use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_sdk::{
    Call, Error, bridge,
    inference::{AUTO, Request, Response, Role},
};

pub use crate::input::Input;
use crate::{
    input::{Job, Language},
    syntax::Mistake,
};

/// The answer of this bridge.
pub type Output = Report<Answer, String>;

/// The code, and what was checked of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// The code, without a fence around it.
    pub code: String,
    /// The language that it was asked for in.
    pub language: Language,
    /// How the syntax was checked; null when this language is not checked.
    pub check: Option<&'static str>,
    /// No mistake was found; null when nothing was checked.
    pub passed: Option<bool>,
    /// The first mistake that is left after the repair.
    pub mistake: Option<Mistake>,
    /// Completions: 2 when the first code had a mistake and the model was asked to mend it.
    pub attempts: u32,
    #[serde(flatten)]
    pub completion: Completion,
}

/// Answers one call.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    let job = input.job(call)?;
    let request = request(&input, &job);
    let first = complete(&request)?;
    let mut completion = Completion::from(&first);
    let mut code = answer::code(&first.text);
    let mut mistake = syntax::check(job.language, &code);
    let mut attempts = 1;
    if let Some(first_mistake) = &mistake {
        let repair = request.message(Role::Assistant, first.text.clone()).user(repair_prompt(first_mistake));
        let second = complete(&repair)?;
        attempts = 2;
        code = answer::code(&second.text);
        mistake = syntax::check(job.language, &code);
        completion = Completion::from(&second).with_usage_of(&first);
    }
    let check = syntax::method(job.language);
    let checked = check.map_or("; its syntax was not checked".into(), |check| format!("; checked: {check}"));
    let method = format!("code written by {} of {}{checked}", completion.model, completion.provider);
    let answer = Answer {
        code,
        language: job.language,
        check,
        passed: check.map(|_| mistake.is_none()),
        mistake,
        attempts,
        completion,
    };
    Ok(Report::new(answer, method, LIMITATIONS))
}

const LIMITATIONS: [&str; 3] = [
    "the code was not compiled and not run; whether it does what was asked, and safely, was not checked",
    "the check finds broken brackets, quotes, comments and indentation, not every mistake of syntax; JSON is parsed",
    "the same question can get other code: models, and the choice among them, change",
];

/// A completion that is whole and holds code.
fn complete(request: &Request) -> Result<Response, Error> {
    let response = request.complete()?;
    if response.truncated {
        return Err(Error::upstream(format!("the code of {} was cut off; raise `max_tokens`", response.model)));
    }
    if answer::code(&response.text).trim().is_empty() {
        return Err(Error::upstream(format!("{} gave no code", response.model)));
    }
    Ok(response)
}

fn request(input: &Input, job: &Job) -> Request {
    let rules = format!(
        "Write {} code that does what the user asks. Answer with one fenced code block that holds all of it and nothing \
         else. Leave nothing out and put no placeholder in. If something is left open, choose the simplest way and say so \
         in a comment, where the language has comments.",
        job.language.name()
    );
    let request = Request::new(job.tokens).model(input.model.as_deref().unwrap_or(AUTO)).temperature(0.0).system(rules);
    match input.context.as_deref().filter(|code| !code.trim().is_empty()) {
        Some(code) => request.user(format!("It must fit to this existing code:\n\n{code}")).user(job.spec.clone()),
        None => request.user(job.spec.clone()),
    }
}

fn repair_prompt(mistake: &Mistake) -> String {
    format!(
        "Line {} of the code is wrong: {}. Answer with the whole code again, mended, in one fenced code block.",
        mistake.line, mistake.message
    )
}

// No examples: what a model answers is not known beforehand, and a server without one has no answer.
bridge! { handle: handle, examples: ["../cases/python.json"] }

tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests;
