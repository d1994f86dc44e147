//! An agent that summarises one document or several by their own sentences.
//!
//! A task in words is parted into the request and its material; statements are
//! weighed by decisions, dates, amounts and what they have in common, and put
//! into the form that is asked for. Documents given as members go to the bridge
//! `summarization` in one call. Nothing is made up; what would need other words
//! than those of the text is refused.

mod by_model;
mod compose;
mod noise;
mod noise_words;
mod refusals;
mod statements;
mod wants;
mod weight;

use agent_common::{Answer, figures, language, limits, numbers, request::Request, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tollbridge_sdk::{Call, Error, agent, bridges};

/// A summary less sure than this is not given.
/// Fewer words than this beside `the attached report` are not the report.
const ATTACHED_WORDS: usize = 25;
const CONFIDENCE_FLOOR: f64 = 0.7;
/// Sentences by the rank of the bridge, which knows no decisions.
const RANKED: f64 = 0.75;
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
    /// How likely the summary has what matters, 0 to 1; of answers that say 0.8 or more at least four in five were right.
    confidence: f64,
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
    /// Place of its first character in the document, or in the task that holds the text, from 0, in characters.
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
    if input.text.is_none() && input.documents.is_none() && input.about.is_none() {
        return in_words(task, input.max_sentences);
    }
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
        confidence: RANKED,
        limitations: limits(
            &["nothing is rewritten: a summary is made of the text's own sentences"],
            &[&answer.limitations],
        ),
    })
}

/// A task in words.
fn in_words(task: &str, sentences: Option<u32>) -> Result<Output, Error> {
    // Tags become blanks, so that places stay what they are.
    let plain = agent_common::html::plain(task);
    let request = Request::read(plain.as_deref().unwrap_or(task));
    let refused = |message: &str| Err(Error::invalid("/text", message));
    let text = request.text();
    let material = statements::read(&request);
    let names_only = material.statements.iter().map(|one| one.text.split_whitespace().count()).sum::<usize>() < 5;
    if text.trim().is_empty() || names_only || material.statements.is_empty() {
        return refused(refusals::missing(&request.instruction));
    }
    let words: usize = material.statements.iter().map(|one| one.text.split_whitespace().count()).sum();
    if words < ATTACHED_WORDS && refusals::is_elsewhere(&request.instruction) {
        return refused(refusals::missing(&request.instruction));
    }
    let sample: String = text.chars().take(2_000).collect();
    let language = language::detect(&sample)?;
    let away = refusals::out_of_reach(&request.instruction, language.as_deref());
    let labels: Vec<&str> = request.material.iter().filter_map(|piece| piece.label.as_deref()).collect();
    let parts = format!("{text}\n{}", labels.join("\n"));
    if let Some(part) = refusals::absent_part(&request.instruction, &parts) {
        return refused(away.unwrap_or(&format!("{part} is not in the text; paste it too")));
    }
    if refusals::too_few(&request.instruction, material.documents.len().max(request.material.len())) {
        return refused(away.unwrap_or("only one document is there; paste the other one too"));
    }
    chosen(&request.instruction, &material, away, sentences, language.clone()).or_else(|refusal| {
        let instruction = request.instruction.as_str();
        by_model::answer(
            by_model::Asked { task, instruction, text: &text, material: &material, language, sentences },
            refusal,
        )
    })
}

/// The statements that rules choose; `away` says why they cannot.
fn chosen(
    instruction: &str,
    material: &statements::Material,
    away: Option<&str>,
    sentences: Option<u32>,
    language: Option<String>,
) -> Result<Output, Error> {
    let refused = |message: &str| Err(Error::invalid("/text", message));
    if let Some(reason) = away {
        return refused(reason);
    }
    let mut wants = wants::read(instruction);
    wants.format.sentences_max = wants.format.sentences_max.or(sentences);
    if let Some(reason) = beyond(material, &wants) {
        return refused(reason);
    }
    let summary = compose::compose(material, &wants).map_err(|reason| Error::invalid("/text", reason))?;
    if summary.confidence < CONFIDENCE_FLOOR {
        return refused(
            "in this form too much of the text would be left out to say that the summary has what matters; allow more sentences, bullets or words",
        );
    }
    Ok(answered(material, &wants, summary, language))
}

/// What the material is that sentences cannot be chosen from.
fn beyond(material: &statements::Material, wants: &wants::Wants) -> Option<&'static str> {
    if material.table {
        return Some(
            "a table is not summed up by its sentences; ask for totals or changes of its columns, or paste the text without it",
        );
    }
    if material.code {
        return Some("code and captions are not summed up here; paste the text that describes them");
    }
    if material.talk && !wants.only {
        return Some(
            "what came out of a conversation takes understanding it; mark the decisions in it as `Decision: …`, or paste its minutes",
        );
    }
    if wants.format.table {
        return Some("a summary is given as sentences, bullets or JSON here, not as a table; say which of them");
    }
    let known = ["summary", "tldr", "decision", "decisions", "actions", "action_items", "open_questions"];
    let strange = wants.keys.iter().any(|key| !known.contains(&key.as_str()));
    strange.then_some("of the members asked for only `summary`, `decisions`, `actions` and `open_questions` can be filled here; ask for these")
}

fn answered(
    material: &statements::Material,
    wants: &wants::Wants,
    summary: compose::Summary,
    language: Option<String>,
) -> Output {
    let chosen: Vec<&statements::Statement> =
        summary.chosen.iter().filter_map(|at| material.statements.get(*at)).collect();
    let title = |one: &statements::Statement| material.documents.get(one.document).cloned().unwrap_or_default();
    let sentences =
        chosen.iter().map(|one| Sentence { text: one.text.clone(), document: title(one), start: one.start }).collect();
    let left_out = if material.thread { "; of a thread only the newest mail was read" } else { "" };
    let orders =
        if material.injected { "; a line of the text that gives orders to its reader was left out" } else { "" };
    let note = format!(
        "{} of {} taken from {}, in the order of the text{left_out}{orders}.",
        figures::count(chosen.len(), "statement", "statements"),
        material.statements.len(),
        figures::count(material.documents.len(), "document", "documents")
    );
    let text = if wants.format.json { as_json(material, wants, &summary.text) } else { summary.text };
    Output {
        summary: text,
        sentences,
        language,
        note,
        confidence: summary.confidence,
        limitations: limits(
            &[
                "nothing is rewritten: a summary is made of the text's own sentences, joined by semicolons where fewer are asked for",
            ],
            &[],
        ),
    }
}

/// The summary as the text of a JSON object.
fn as_json(material: &statements::Material, wants: &wants::Wants, summary: &str) -> String {
    let of = |scope: wants::Scope| -> String {
        let fitting = material.statements.iter().filter(|one| weight::fits(one, scope));
        fitting.map(|one| one.text.clone()).collect::<Vec<_>>().join(" ")
    };
    let value = |key: &String| match key.as_str() {
        "decision" | "decisions" => of(wants::Scope::Decisions),
        "actions" | "action_items" => of(wants::Scope::Actions),
        "open_questions" => of(wants::Scope::Questions),
        _ => summary.replace("\n- ", " ").trim_start_matches("- ").to_owned(),
    };
    let keys = if wants.keys.is_empty() { vec!["summary".to_owned()] } else { wants.keys.clone() };
    let object: serde_json::Map<String, serde_json::Value> =
        keys.iter().map(|key| (key.clone(), json!(value(key)))).collect();
    serde_json::Value::Object(object).to_string()
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
