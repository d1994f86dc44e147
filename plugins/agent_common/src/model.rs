//! Judgements by a language model, if the host has one.
//!
//! It judges what needs meaning ([`judged`]); `form` has it fill a typed input. It
//! writes no figure of an answer. Without a model, or if one fails, the refusal that the
//! agent had is returned.

use schemars::JsonSchema;
use serde::{Deserialize, de::DeserializeOwned};
use tollbridge_sdk::Error;
use tollbridge_sdk::inference::{Request as Prompt, Response};

use crate::grounds;

/// Most tokens of what a model answers.
const TOKENS: u32 = 4_096;
/// A longer task is not given to a model, in bytes.
const LONGEST_TASK: usize = 60_000;
/// A longer sentence about what is missing is cut, in characters.
const LONGEST_QUESTION: usize = 300;
/// The judgement of a model, and which model it was.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged<T> {
    /// The judgement, whose grounds the agent must check.
    pub found: T,
    /// For the limitations of the answer.
    pub note: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, bound = "T: DeserializeOwned")]
struct Judgement<T> {
    /// What nobody could judge without, as one question to the person who asked; null if nothing is missing.
    missing: Option<String>,
    /// The judgement; null if something is missing.
    found: Option<T>,
}

/// Has a model judge a task that rules refused, according to `guide`. The agent must check the grounds that the
/// judgement names.
pub fn judged<T: JsonSchema + DeserializeOwned>(task: &str, guide: &str, refusal: Error) -> Result<Judged<T>, Error> {
    if !matches!(refusal, Error::InvalidInput { .. }) {
        return Err(refusal);
    }
    let Some((reply, model)) = answer::<Judgement<T>>(guide, task) else { return Err(refusal) };
    match reply.found {
        Some(found) => Ok(Judged { found, note: format!("{model} judged this; its grounds stand in the text") }),
        None => Err(question(reply.missing, task, refusal)),
    }
}

/// Returns the answer of a model in a shape, and its name; none without a model, or if it fails.
fn answer<T: JsonSchema + DeserializeOwned>(guide: &str, task: &str) -> Option<(T, String)> {
    if task.trim().is_empty() || task.len() > LONGEST_TASK {
        return None;
    }
    let prompt = Prompt::new(TOKENS).system(guide).user(task).temperature(0.0).json::<T>();
    let response: Response = prompt.complete().ok().filter(|response| !response.truncated)?;
    Some((response.json().ok()?, response.model))
}

/// Returns a model's question about what is missing, if its numbers and names are those of
/// the task; otherwise the refusal.
fn question(missing: Option<String>, task: &str, refusal: Error) -> Error {
    let of_the_task = |text: &String| {
        grounds::number_of_its_own(text, task).is_none() && grounds::name_of_its_own(text, task).is_none()
    };
    missing.filter(of_the_task).map_or(refusal, |text| Error::invalid("/task", cut(&text)))
}

fn cut(text: &str) -> String {
    text.chars().take(LONGEST_QUESTION).collect()
}

#[cfg(test)]
mod tests {
    use tollbridge_sdk::testing::Doubles;

    use super::*;

    #[test]
    fn a_judgement_has_the_shape_that_was_asked_for() {
        let refusal = || Error::invalid("/text", "no rule tells");
        let judge = |reply: &str| {
            Doubles::new().completion(reply).run(|| judged::<Vec<String>>("is it good?", "say", refusal())).0
        };
        assert_eq!(
            judge(r#"{"missing":null,"found":["good"]}"#).map(|judged| judged.found),
            Ok(vec!["good".to_owned()])
        );
        for failed in ["no JSON", r#"{"missing":null,"found":null}"#, r#"{"missing":null,"found":[1]}"#] {
            assert_eq!(judge(failed), Err(refusal()), "{failed}");
        }
        assert_eq!(judge(r#"{"missing":"Of what?","found":null}"#), Err(Error::invalid("/task", "Of what?")));
        for invented in ["Did you pay the 4,500?", "Shall I write to Harold?"] {
            assert_eq!(judge(&format!(r#"{{"missing":"{invented}","found":null}}"#)), Err(refusal()), "{invented}");
        }
    }
}
