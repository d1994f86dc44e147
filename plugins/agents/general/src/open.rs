//! Open questions: answered by a model, and refused if the text is no answer.

use agent_common::{Answer, columns, language};
use serde::Deserialize;
use serde_json::json;
use tollbridge_sdk::{Error, bridges};

/// Beginnings of texts about the task instead of an answer.
const CHATTER: &str = "as an ai|i am an ai|i'm an ai|i cannot|i can't|i am unable|i'm unable|i'm sorry|i am sorry|\
    sorry,|could you|please provide|the task |the user ";

/// What a model answered.
#[derive(Debug, Deserialize)]
pub struct Completion {
    pub text: String,
    pub model: String,
}

/// Asks a model, and returns its answer with the limitations.
///
/// # Errors
/// No model, or a text that repeats the task, is in another language or chats.
pub fn ask(task: &str) -> Result<Answer<Completion>, Error> {
    let answer: Answer<Completion> = bridges::call("model_inference", &json!({ "prompt": task }))?;
    let text = answer.result.text.trim();
    let lower = text.to_lowercase().replace('’', "'");
    let problem = if text.is_empty() || columns::name_words(text) == columns::name_words(task) {
        "repeated the task"
    } else if CHATTER.split('|').any(|beginning| lower.starts_with(beginning)) {
        "did not answer it"
    } else if is_latin(text) != is_latin(task) {
        "answered in another script"
    } else {
        match language::detect_each(&[task.to_owned(), text.to_owned()])?.as_slice() {
            [Some(own), Some(other)] if own != other => "answered in another language",
            _ => return Ok(answer),
        }
    };
    Err(Error::invalid("/task", format!("no answer: the model {problem}; name a `skill`, or rephrase the task")))
}

/// Returns whether most letters are Latin; digits alone count as Latin.
fn is_latin(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let latin = text.chars().filter(|c| c.is_alphabetic() && *c < '\u{250}').count();
    latin * 2 >= letters
}
