//! How words become a typed input, and what happens if they do not.
//!
//! A task in words is answered only if every word of its command belongs to a clause of
//! the agent's closed list, or if a model filled the form and its figures stand in the
//! task. Otherwise the refusal is free and proposes the input as far as it was understood.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tollbridge_sdk::Error;
use tollbridge_sdk::inference::Request as Prompt;

use crate::grounds;

/// A longer task is not passed to a model, in bytes.
const TASK_MAX: usize = 60_000;
/// Most tokens of a form that a model fills.
const TOKENS_MAX: u32 = 8_192;

/// What the grammar of an agent made of a task.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft<F> {
    /// The typed input, as far as it was understood.
    pub form: F,
    /// Why it must not be used as it is, as one question to the caller; none if every word
    /// was understood.
    pub question: Option<String>,
}

/// A typed input, and what the answer must state about how it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Filled<F> {
    /// The input to compute with.
    pub form: F,
    /// A limitation, if a model filled the form.
    pub note: Option<String>,
}

/// Returns the input of a task in words: the draft if it is complete, otherwise the form
/// that a model fills, if the operator has one.
///
/// A model's form must fit the schema. It gets one more attempt after an error of `check`,
/// which verifies what the agent can verify. Numbers that the task does not contain make
/// the form invalid.
///
/// # Errors
/// The draft's question, with the draft as the proposed input.
pub fn fill<F>(task: &str, draft: Draft<F>, check: impl Fn(&F) -> Result<(), Error>) -> Result<Filled<F>, Error>
where
    F: Serialize + DeserializeOwned + JsonSchema,
{
    let Some(question) = draft.question else { return Ok(Filled { form: draft.form, note: None }) };
    let refusal = || Error::invalid("/task", question.clone()).with_input(&draft.form);
    if task.trim().is_empty() || task.len() > TASK_MAX {
        return Err(refusal());
    }
    let guide = format!(
        "Fill the form with what the task below asks for. Copy numbers, names and texts exactly as they are written. \
         Leave out members that the task does not mention; add nothing. Do not do the task and do not compute.\n\
         A strict parser understood this much of it, which may be wrong: {}",
        serde_json::to_string(&draft.form).unwrap_or_default()
    );
    let mut complaint = String::new();
    for _ in 0..2 {
        let prompt = Prompt::new(TOKENS_MAX).system(format!("{guide}{complaint}")).user(task).temperature(0.0);
        let Ok(response) = prompt.json::<F>().complete() else { return Err(refusal()) };
        let read = response.json::<F>().map_err(|error| error.to_string());
        let checked = read.and_then(|form| match grounds_of(&form, task) {
            Some(number) => Err(format!("the task does not contain the number {number}")),
            None => check(&form).map(|()| form).map_err(|error| error.message().to_owned()),
        });
        match checked {
            Ok(form) => {
                let note = Some(format!("{} filled the input from the task in words", response.model));
                return Ok(Filled { form, note });
            }
            Err(error) => complaint = format!("\nYour last form was rejected: {error}"),
        }
    }
    Err(refusal())
}

/// Returns the first number of a form that its task does not contain.
fn grounds_of<F: Serialize>(form: &F, task: &str) -> Option<String> {
    let mut numbers = Vec::new();
    collect(&serde_json::to_value(form).unwrap_or_default(), &mut numbers);
    numbers.into_iter().find_map(|text| grounds::number_of_its_own(&text, task))
}

fn collect(value: &serde_json::Value, numbers: &mut Vec<String>) {
    match value {
        serde_json::Value::Number(number) => numbers.push(number.to_string()),
        serde_json::Value::String(text) => numbers.push(text.clone()),
        serde_json::Value::Array(list) => list.iter().for_each(|part| collect(part, numbers)),
        serde_json::Value::Object(map) => map.values().for_each(|part| collect(part, numbers)),
        _ => {}
    }
}

/// Returns the question about words that no clause accounts for.
#[must_use]
pub fn unread(words: &[String], commands: &str) -> Option<String> {
    let shown: Vec<&str> = words.iter().take(12).map(String::as_str).collect();
    (!words.is_empty()).then(|| {
        let more = if words.len() > shown.len() { " …" } else { "" };
        format!(
            "the command has words that this agent does not know: `{}{more}`; confirm or correct `input`, or use one \
             of its commands: {commands}",
            shown.join(" ")
        )
    })
}
