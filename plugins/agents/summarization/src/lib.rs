//! An agent that summarises one document or several by their own sentences.
//!
//! The bridge `summarization` ranks the sentences; the agent keeps to the length and the
//! form that are asked for. Other words than those of the text need a model.

mod commands;
mod input;
mod output;
mod own_words;
mod select;

use agent_common::form::Draft;
use agent_common::overlay::overlay;
use agent_common::{figures, limits};
use serde_json::json;
use tollbridge_sdk::{Call, Error, agent};

pub use crate::input::{Document, Format, Input};
pub use crate::output::{Output, Sentence};
use crate::select::Selection;

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let input = input.unwrap_or_default();
    if input.text.is_some() || input.documents.is_some() || (task.trim().is_empty() && input != Input::default()) {
        return answer(&input);
    }
    let Draft { form, question } = commands::draft(task);
    if input == Input::default() {
        let Some(question) = question else { return answer(&form) };
        let documents = documents(&form).unwrap_or_default();
        return own_words::answer(task, &form, &documents, Error::invalid("/task", question).with_input(&form));
    }
    // Members without a text apply to the text of the command, or to the whole task.
    let text = if question.is_none() { form } else { Input { text: Some(task.to_owned()), ..Input::default() } };
    answer(&overlay(text, &input))
}

/// Returns the documents of an input.
fn documents(input: &Input) -> Result<Vec<Document>, Error> {
    let mut documents = match (&input.documents, &input.text) {
        (Some(_), Some(_)) => return Err(Error::invalid("/text", "give `text` or `documents`, not both")),
        (Some(documents), None) => documents.clone(),
        (None, text) => vec![Document { title: None, text: text.clone().unwrap_or_default() }],
    };
    if documents.iter().any(|document| document.text.trim().is_empty()) {
        let field = if input.documents.is_some() { "/documents" } else { "/text" };
        let fix = "write the text to summarise behind the command, or give `text` or `documents`";
        return Err(Error::invalid(field, fix));
    }
    for (index, document) in documents.iter_mut().enumerate() {
        document.title.get_or_insert_with(|| format!("document {}", index + 1));
    }
    Ok(documents)
}

/// Checks members that exclude each other.
fn check(input: &Input) -> Result<(), Error> {
    let bullets = input.bullets.is_some();
    let problem = if bullets && input.format == Some(Format::Text) {
        ("/format", "`bullets` and the format `text` contradict each other")
    } else if input.bullets.zip(input.max_sentences).is_some_and(|(bullets, most)| bullets > most) {
        ("/max_sentences", "`bullets` is more than `max_sentences`")
    } else if input.per_document.is_some() && (bullets || input.max_sentences.is_some() || input.documents.is_none()) {
        ("/per_document", "`per_document` needs `documents`, and excludes `max_sentences` and `bullets`")
    } else if input.language.is_some() && input.own_words != Some(true) {
        ("/language", "a summary in another language needs `own_words`")
    } else if [input.max_sentences, input.bullets, input.max_words, input.per_document].contains(&Some(0)) {
        ("/max_sentences", "a summary has at least one sentence, bullet or word")
    } else {
        return Ok(());
    };
    Err(Error::invalid(problem.0, problem.1))
}

fn answer(input: &Input) -> Result<Output, Error> {
    check(input)?;
    let documents = documents(input)?;
    if input.own_words == Some(true) {
        return own_words::of_input(input, &documents);
    }
    let Selection { sentences, total, characters, language, notes } = select::select(input, &documents)?;
    let note = format!(
        "{} of {total} taken from {} ({characters} characters), in the order of the text.",
        figures::count(sentences.len(), "sentence", "sentences"),
        figures::count(documents.len(), "document", "documents"),
    );
    let lines: Vec<String> = sentences.iter().map(|sentence| flat(&sentence.text)).collect();
    Ok(Output {
        summary: written(&lines, input),
        sentences,
        language,
        note,
        limitations: limits(&["nothing is rewritten: a summary is made of the text's own sentences"], &[&notes]),
    })
}

/// Returns a text with single spaces.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the summary in the form that is asked for.
fn written(lines: &[String], input: &Input) -> String {
    let bare = |line: &String| line.trim_start_matches(['-', '*', '•', ' ']).to_owned();
    let format = input.format.unwrap_or(if input.bullets.is_some() { Format::Bullets } else { Format::Text });
    match format {
        Format::Text => lines.join(" "),
        Format::Bullets => lines.iter().map(|line| format!("- {}", bare(line))).collect::<Vec<_>>().join("\n"),
        Format::Json if input.bullets.is_some() => {
            json!({ "summary": lines.iter().map(bare).collect::<Vec<_>>() }).to_string()
        }
        Format::Json => json!({ "summary": lines.join(" ") }).to_string(),
    }
}

agent! { run: run, examples: ["../cases/clock.json"] }
tollbridge_sdk::test_cases!(agent run);

#[cfg(test)]
mod tests;
