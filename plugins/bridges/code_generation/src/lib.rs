//! A bridge that writes code by a model of the host, and checks what can be checked of its syntax.
//!
//! Invariants: at most two completions; the code is never run; what was not checked is said.

mod answer;
mod input;
mod syntax;

use bridge_common::Report;
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
    /// The model that answered.
    pub model: String,
    /// Who runs it.
    pub provider: String,
    /// Tokens of all requests.
    pub input_tokens: u64,
    /// Tokens of all answers.
    pub output_tokens: u64,
    /// What the provider took, in thousandths of a penny; paid out of the price of this call.
    pub cost_millipence: u64,
}

/// Answers one call.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    let job = input.job(call)?;
    let request = request(&input, &job);
    let mut said = said(&request)?;
    let mut code = answer::code(&said.text);
    let mut mistake = syntax::check(job.language, &code);
    let mut attempts = 1;
    if let Some(found) = &mistake {
        let second = self::said(&request.message(Role::Assistant, said.text.clone()).user(complaint(found)))?;
        attempts = 2;
        let mended = answer::code(&second.text);
        mistake = syntax::check(job.language, &mended);
        code = mended;
        said = Response {
            input_tokens: said.input_tokens.saturating_add(second.input_tokens),
            output_tokens: said.output_tokens.saturating_add(second.output_tokens),
            cost_millipence: said.cost_millipence.saturating_add(second.cost_millipence),
            ..second
        };
    }
    let check = syntax::method(job.language);
    let checked = check.map_or("; its syntax was not checked".into(), |check| format!("; checked: {check}"));
    let method = format!("code written by {} of {}{checked}", said.model, said.provider);
    let answer = Answer {
        code,
        language: job.language,
        check,
        passed: check.map(|_| mistake.is_none()),
        mistake,
        attempts,
        model: said.model,
        provider: said.provider,
        input_tokens: said.input_tokens,
        output_tokens: said.output_tokens,
        cost_millipence: said.cost_millipence,
    };
    Ok(Report::new(answer, method, LIMITATIONS))
}

const LIMITATIONS: [&str; 3] = [
    "the code was not compiled and not run; whether it does what was asked, and safely, was not checked",
    "the check finds broken brackets, quotes, comments and indentation, not every mistake of syntax; JSON is parsed",
    "the same question can get other code: models, and the choice among them, change",
];

/// An answer that is whole and holds code.
fn said(request: &Request) -> Result<Response, Error> {
    let said = request.complete()?;
    if said.truncated {
        return Err(Error::upstream(format!("the code of {} was cut off; raise `max_tokens`", said.model)));
    }
    if answer::code(&said.text).trim().is_empty() {
        return Err(Error::upstream(format!("{} gave no code", said.model)));
    }
    Ok(said)
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

fn complaint(mistake: &Mistake) -> String {
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
