//! An agent that summarises one document or several by their own sentences.
//!
//! Documents are put together for one call of the bridge `summarization`, so
//! that what they have in common counts and nothing is said twice; each
//! sentence is then traced back to its document. Nothing is made up.

use agent_common::{Answer, figures, language, limits, numbers, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tollbridge_sdk::{Call, Error, agent, bridges};

const VERBS: [&str; 8] = ["summarise", "summarize", "sum", "shorten", "condense", "tldr", "give", "write"];
/// Languages whose abbreviations the bridge knows.
const KNOWN: [&str; 7] = ["de", "en", "es", "fr", "it", "pt", "ru"];

/// Documents, and how short.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("| text | documents"))]
pub struct Input {
    /// One text. The task's own text unless given.
    #[schemars(length(min = 1, max = 500_000))]
    text: Option<String>,
    /// Several documents instead, at most 50 and 500,000 bytes in all.
    #[schemars(length(min = 1, max = 50))]
    documents: Option<Vec<Document>>,
    /// Most sentences. Default: the number before "sentences" in the task, else 3.
    #[schemars(range(min = 1, max = 100))]
    max_sentences: Option<u32>,
    /// What the summary should be about, a few words.
    #[schemars(length(min = 1, max = 500))]
    about: Option<String>,
}

/// A document.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// What to call it. Default: `document 1` and so on.
    title: Option<String>,
    /// Its text.
    #[schemars(length(min = 1, max = 500_000))]
    text: String,
}

/// The summary.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The summary: sentences of the documents, in their order.
    summary: String,
    /// Each of its sentences, and where it stands.
    sentences: Vec<Sentence>,
    /// Language of the documents, ISO 639-1, as far as it shows.
    language: Option<String>,
    /// What was done, in words.
    note: String,
    /// What the answer does not tell.
    limitations: Vec<String>,
}

/// A sentence of the summary.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Sentence {
    /// As it stands in the document.
    text: String,
    /// Title of the document.
    document: String,
    /// Place of its first character in the document, from 0, in characters.
    start: usize,
}

#[derive(Deserialize)]
struct Summary {
    summary: String,
    sentences: Vec<SelectedSentence>,
    sentences_total: usize,
    characters_total: usize,
}

#[derive(Deserialize)]
struct SelectedSentence {
    text: String,
    start_char: usize,
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let (request, body) = words::request(words::of(task, input.as_ref()), &VERBS);
    let input = input.unwrap_or_default();
    let documents = match (input.documents, input.text) {
        (Some(_), Some(_)) => return Err(Error::invalid("/text", "give `text` or `documents`, not both")),
        (Some(documents), None) => documents,
        (None, text) => vec![Document { title: None, text: text.unwrap_or_else(|| body.to_owned()) }],
    };
    if documents.iter().all(|document| document.text.trim().is_empty()) {
        return Err(Error::invalid("/text", "write the text to summarise as the task, or give `text` or `documents`"));
    }
    let (joined, places) = join(documents);
    let sample: String = joined.chars().take(2_000).collect();
    let language = language::detect(&sample)?;
    let spoken = language.as_deref().map_or("en", |code| if KNOWN.contains(&code) { code } else { "other" });
    let max_sentences = input.max_sentences.or_else(|| sentences_asked(request)).unwrap_or(3);
    let mut asked = json!({ "text": joined, "max_sentences": max_sentences, "language": spoken });
    if let (Some(about), Some(asked)) = (input.about, asked.as_object_mut()) {
        asked.insert("query".into(), json!(about));
    }
    let answer: Answer<Summary> = bridges::call("summarization", &asked)?;
    let result = answer.result;
    let note = format!(
        "{} of {} taken from {} ({} characters), in the order of the text.",
        figures::count(result.sentences.len(), "sentence", "sentences"),
        result.sentences_total,
        figures::count(places.len(), "document", "documents"),
        result.characters_total
    );
    Ok(Output {
        summary: result.summary,
        sentences: result.sentences.into_iter().filter_map(|chosen| placed(chosen, &places)).collect(),
        language,
        note,
        limitations: limits(
            &["nothing is rewritten: a summary is made of the text's own sentences"],
            &[&answer.limitations],
        ),
    })
}

/// All documents apart by blank lines, and the title and first character of each.
fn join(documents: Vec<Document>) -> (String, Vec<(String, usize)>) {
    let (mut joined, mut places, mut characters) = (String::new(), Vec::new(), 0);
    for (index, document) in documents.into_iter().enumerate() {
        places.push((document.title.unwrap_or_else(|| format!("document {}", index + 1)), characters));
        characters += document.text.chars().count() + 2;
        joined.push_str(&document.text);
        joined.push_str("\n\n");
    }
    (joined.trim_end().to_owned(), places)
}

fn placed(chosen: SelectedSentence, places: &[(String, usize)]) -> Option<Sentence> {
    let (title, first) = places.iter().rev().find(|(_, first)| *first <= chosen.start_char)?;
    Some(Sentence { text: chosen.text, document: title.clone(), start: chosen.start_char - first })
}

/// `in 2 sentences` or `in two sentences`.
fn sentences_asked(request: &str) -> Option<u32> {
    let words: Vec<&str> = request.split_whitespace().collect();
    let at = words.iter().position(|word| word.to_lowercase().starts_with("sentence"))?;
    let before = words.get(at.checked_sub(1)?)?.to_lowercase();
    let named = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let named = named.iter().zip(1..).find(|(name, _)| **name == before).map(|(_, n)| n);
    let digits = numbers::number(&before).filter(|n| n.fract() == 0.0 && (1.0..=100.0).contains(n));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be a small whole number")]
    named.or(digits.map(|n| n as u32))
}

agent! { run: run, examples: ["../cases/clock.json"] }
tollbridge_sdk::test_cases!(agent run);
