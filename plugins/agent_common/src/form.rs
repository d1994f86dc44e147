//! The typed input of a task in words, and the refusal of a task that is not understood.
//!
//! A task in words is answered only if every word of its command belongs to a clause of
//! the agent's closed list, or if a model filled the form and its figures stand in the
//! task. Otherwise the refusal is free and proposes the input as far as it was understood.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tollbridge_sdk::Error;
use tollbridge_sdk::inference::Request as Prompt;

use crate::grounds;

/// A longer task is not passed to a model, in bytes.
const TASK_MAX: usize = 60_000;
/// Most tokens of a form that a model fills.
const TOKENS_MAX: u32 = 8_192;

/// The typed input that the grammar of an agent read from a task.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft<F> {
    /// The typed input, as far as it was understood.
    pub form: F,
    /// Why it must not be used as it is, as one question to the caller; none if every word
    /// was understood.
    pub question: Option<String>,
}

/// A typed input, with a limitation that the answer must state.
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
/// The grammar is the second reader of a model's form: members that it read, such as the
/// material, are added, and a member with another value makes the form invalid. So does
/// a number that the task does not contain, and an error of `check`, which verifies what
/// the agent can verify. A model gets one more attempt with the error.
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
            None => agreed(&draft.form, form),
        });
        let checked = checked.and_then(|form| check(&form).map(|()| form).map_err(|error| error.message().to_owned()));
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

/// Returns a model's form with the members that only the grammar read; an error names a
/// member on which the two differ.
fn agreed<F: Serialize + DeserializeOwned>(draft: &F, form: F) -> Result<F, String> {
    let members = |form: &F| serde_json::to_value(form).ok().and_then(|value| value.as_object().cloned());
    let (Some(mut read), Some(filled)) = (members(draft), members(&form)) else { return Ok(form) };
    read.retain(|_, value| !value.is_null());
    if let Some((name, value)) =
        read.iter().find(|(name, value)| filled.get(*name).is_some_and(|other| other != *value))
    {
        return Err(format!("`{name}` must be {value}, as the parser read it, or the task is unclear"));
    }
    read.extend(filled);
    serde_json::from_value(Value::Object(read)).map_err(|error| error.to_string())
}

/// Returns the first number of a form that its task does not contain.
fn grounds_of<F: Serialize>(form: &F, task: &str) -> Option<String> {
    let mut numbers = Vec::new();
    collect(&serde_json::to_value(form).unwrap_or_default(), &mut numbers);
    numbers.into_iter().find_map(|text| grounds::number_of_its_own(&text, task))
}

fn collect(value: &Value, numbers: &mut Vec<String>) {
    match value {
        Value::Number(number) => numbers.push(number.to_string()),
        Value::String(text) => numbers.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|part| collect(part, numbers)),
        Value::Object(map) => map.values().for_each(|part| collect(part, numbers)),
        _ => {}
    }
}

/// Returns the question about words that no clause accounts for.
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

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use tollbridge_sdk::testing::Doubles;

    use super::*;

    #[derive(Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Form {
        #[serde(skip_serializing_if = "Option::is_none")]
        values: Option<Vec<f64>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        limit: Option<f64>,
    }

    const TASK: &str = "tell me which are above seven: 5, 6, 9";

    fn draft(limit: Option<f64>) -> Draft<Form> {
        Draft { form: Form { values: Some(vec![5.0, 6.0, 9.0]), limit }, question: Some("what is `tell`?".into()) }
    }

    fn filled(replies: &[&str], draft: Draft<Form>) -> (Result<Filled<Form>, Error>, usize) {
        let doubles = replies.iter().fold(Doubles::new(), |doubles, reply| doubles.completion(reply));
        let positive = |form: &Form| match form.limit {
            Some(limit) if limit > 0.0 => Ok(()),
            _ => Err(Error::invalid("/limit", "give a limit")),
        };
        let (result, recorded) = doubles.run(|| fill(TASK, draft, positive));
        (result, recorded.prompts.len())
    }

    #[test]
    fn a_complete_draft_asks_no_model() {
        let complete = Draft { question: None, ..draft(Some(7.0)) };
        assert_eq!(filled(&[], complete), (Ok(Filled { form: draft(Some(7.0)).form, note: None }), 0));
    }

    #[test]
    fn a_model_fills_what_the_grammar_did_not_read() {
        for replies in [&[r#"{"limit": 7}"#][..], &["no form", r#"{"values": [5, 6, 9], "limit": 7}"#]] {
            let (result, asked) = filled(replies, draft(None));
            assert_eq!((result.unwrap().form, asked), (draft(Some(7.0)).form, replies.len()));
        }
    }

    #[test]
    fn a_form_that_differs_from_the_task_is_refused_with_the_draft() {
        let invented = r#"{"limit": 70}"#;
        let contradicts = r#"{"values": [5, 6], "limit": 7}"#;
        let unchecked = "{}";
        for reply in [invented, contradicts, unchecked] {
            let (result, asked) = filled(&[reply, reply], draft(None));
            let error = result.unwrap_err();
            assert_eq!((error.message(), asked), ("what is `tell`?", 2), "{reply}");
            assert_eq!(error.input(), Some(&serde_json::json!({ "values": [5.0, 6.0, 9.0] })), "{reply}");
        }
        let (result, asked) = filled(&[], draft(None));
        assert_eq!((result.unwrap_err().message(), asked), ("what is `tell`?", 1));
    }
}
