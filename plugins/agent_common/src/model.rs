//! What a language model of the host does for an agent, where the host has one.
//!
//! It says a task that no rule reads in words that the rules do read
//! ([`reread`]), or judges what needs meaning ([`judged`]). It writes no figure
//! of an answer: the agent computes, and a task in new words with a number that
//! the caller's did not have is not used. Without a model, and when one fails,
//! the rules' own refusal stands.

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
/// An answer that rests on a model's reading says at most this of itself.
pub const CONFIDENCE: f64 = 0.8;

/// An answer of an agent, of which a model may have had a part.
pub trait Answered {
    /// How likely it is right, from 0 to 1.
    fn confidence(&mut self) -> &mut f64;
    /// What it does not tell.
    fn limitations(&mut self) -> &mut Vec<String>;
}

/// What a model found, and which one it was.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged<T> {
    /// Its judgement, in the shape that was asked for; its grounds are the caller's to look at.
    pub found: T,
    /// For the limitations of the answer.
    pub note: String,
}

/// A task in words that the rules read.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reworded {
    /// What nobody could do the task without, as one question to the person who asked; null if nothing is missing.
    missing: Option<String>,
    /// The whole task in one of the forms that were given, its material copied word for word; null if something is
    /// missing or no form says it.
    task: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, bound = "T: DeserializeOwned")]
struct Judgement<T> {
    /// What nobody could judge without, as one question to the person who asked; null if nothing is missing.
    missing: Option<String>,
    /// The judgement; null if something is missing.
    found: Option<T>,
}

/// Does a task by rules; if they refuse it, once more in a model's words. `forms` tells the model which ways of saying
/// it the rules read.
pub fn reread<A: Answered>(task: &str, forms: &str, act: impl Fn(&str) -> Result<A, Error>) -> Result<A, Error> {
    let refusal = match act(task) {
        Err(refusal @ Error::InvalidInput { .. }) => refusal,
        other => return other,
    };
    let guide = format!(
        "You put a person's task into words that a careful program reads. Do not do the task and do not compute. Copy \
         numbers, names, dates and material exactly as they are written; add nothing that the person did not say. \
         The program said of the task as it stands: {}\nForms that it reads:\n{forms}",
        refusal.message(),
    );
    let Some((reply, model)) = asked::<Reworded>(&guide, task) else { return Err(refusal) };
    let Some(words) = reply.task.filter(|words| grounds::number_of_its_own(words, task).is_none()) else {
        return Err(question(reply.missing, task, refusal));
    };
    let mut answer = act(&words).map_err(|_| refusal)?;
    let confidence = answer.confidence();
    *confidence = confidence.min(CONFIDENCE);
    let note = format!("{model} put the task into other words before it was computed: {}", cut(&first_line(&words)));
    answer.limitations().push(note);
    Ok(answer)
}

/// Has a model judge a task that rules refused; `guide` says what to judge and how. Whoever asks looks at the grounds
/// that the judgement names.
pub fn judged<T: JsonSchema + DeserializeOwned>(task: &str, guide: &str, refusal: Error) -> Result<Judged<T>, Error> {
    if !matches!(refusal, Error::InvalidInput { .. }) {
        return Err(refusal);
    }
    let Some((reply, model)) = asked::<Judgement<T>>(guide, task) else { return Err(refusal) };
    match reply.found {
        Some(found) => Ok(Judged { found, note: format!("{model} judged this; its grounds stand in the text") }),
        None => Err(question(reply.missing, task, refusal)),
    }
}

/// What a model answers in a shape, and its name; none without one, or if it fails.
fn asked<T: JsonSchema + DeserializeOwned>(guide: &str, task: &str) -> Option<(T, String)> {
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

fn first_line(text: &str) -> String {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned()
}

fn cut(text: &str) -> String {
    text.chars().take(LONGEST_QUESTION).collect()
}

#[cfg(test)]
mod tests {
    use tollbridge_sdk::testing::Doubles;

    use super::*;

    #[derive(Debug, PartialEq)]
    struct Sum {
        sum: f64,
        confidence: f64,
        limitations: Vec<String>,
    }

    impl Answered for Sum {
        fn confidence(&mut self) -> &mut f64 {
            &mut self.confidence
        }

        fn limitations(&mut self) -> &mut Vec<String> {
            &mut self.limitations
        }
    }

    /// Reads `add 1 and 2`, nothing else.
    fn add(task: &str) -> Result<Sum, Error> {
        let numbers = task.strip_prefix("add ").ok_or_else(|| Error::invalid("/task", "say `add 1 and 2`"))?;
        let sum = numbers.split(" and ").filter_map(|number| number.parse::<f64>().ok()).sum();
        Ok(Sum { sum, confidence: 0.99, limitations: Vec::new() })
    }

    fn with(reply: &str, task: &str) -> Result<Sum, Error> {
        Doubles::new().completion(reply).run(|| reread(task, "- add A and B", add)).0
    }

    #[test]
    fn rules_come_first_and_their_refusal_stands_without_a_model() {
        let (answer, recorded) = Doubles::new().run(|| reread("add 1 and 2", "", add));
        assert_eq!(answer.map(|sum| (sum.sum, sum.confidence)), Ok((3.0, 0.99)));
        assert!(recorded.prompts.is_empty());
        let (answer, _) = Doubles::new().run(|| reread("what are 1 and 2 together?", "", add));
        assert_eq!(answer, add(""));
    }

    #[test]
    fn a_task_in_other_words_is_computed_by_rules_and_says_so() {
        let answer =
            with(r#"{"missing":null,"task":"add 1 and 2"}"#, "what are 1 and two together?").expect("an answer");
        assert_eq!((answer.sum, answer.confidence), (3.0, CONFIDENCE));
        assert!(answer.limitations.iter().any(|limit| limit.contains("add 1 and 2")), "{answer:?}");
    }

    #[test]
    fn numbers_that_the_caller_did_not_say_are_not_computed_with() {
        let refused = with(r#"{"missing":null,"task":"add 1 and 200"}"#, "what are 1 and two together?");
        assert_eq!(refused, add(""));
    }

    #[test]
    fn what_is_missing_is_asked_and_what_fails_changes_nothing() {
        let asked = with(r#"{"missing":"Which two numbers?","task":null}"#, "together, please");
        assert_eq!(asked, Err(Error::invalid("/task", "Which two numbers?")));
        for reply in ["no JSON", r#"{"missing":null,"task":null}"#, r#"{"missing":null,"task":"sum it"}"#] {
            assert_eq!(with(reply, "together, please"), add(""), "{reply}");
        }
    }

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
        assert_eq!(judge(r#"{"missing":null,"found":[1]}"#), Err(refusal()));
        assert_eq!(judge(r#"{"missing":"Of what?","found":null}"#), Err(Error::invalid("/task", "Of what?")));
        for invented in ["Did you pay the 4,500?", "Shall I write to Harold?"] {
            assert_eq!(judge(&format!(r#"{{"missing":"{invented}","found":null}}"#)), Err(refusal()), "{invented}");
        }
    }
}
