//! The choice of sentences: ranked by the bridge, kept by the wishes of the caller.

use agent_common::{Answer, columns, grounds, language};
use serde::Deserialize;
use serde_json::json;
use tollbridge_sdk::{Error, bridges};

use crate::input::{Document, Format, Input};
use crate::output::Sentence;

/// Sentences of a summary without a stated length.
const SENTENCES: u32 = 3;
/// Most sentences that the bridge ranks in one call.
const RANKED: u32 = 100;
/// Most documents that are summarised one by one.
const ONE_BY_ONE: usize = 20;
/// Languages whose abbreviations the bridge knows.
const KNOWN: [&str; 7] = ["de", "en", "es", "fr", "it", "pt", "ru"];
/// Characters from which the language is detected.
const SAMPLE: usize = 2_000;

/// The chosen sentences.
#[derive(Default)]
pub(crate) struct Selection {
    pub(crate) sentences: Vec<Sentence>,
    /// Number of sentences in all documents.
    pub(crate) total: usize,
    /// Number of characters in all documents.
    pub(crate) characters: usize,
    pub(crate) language: Option<String>,
    pub(crate) notes: Vec<String>,
}

#[derive(Deserialize)]
struct Ranking {
    sentences: Vec<Ranked>,
    sentences_total: usize,
    characters_total: usize,
}

#[derive(Deserialize)]
struct Ranked {
    text: String,
    start_char: usize,
    /// The place among the chosen, from 1; the most important first.
    order: usize,
}

/// Chooses the sentences of a summary.
pub(crate) fn select(input: &Input, documents: &[Document]) -> Result<Selection, Error> {
    let sample: String = join(documents).0.chars().take(SAMPLE).collect();
    let language = language::detect(&sample)?;
    let mut chosen = Selection { language, ..Selection::default() };
    let most = input.per_document.or(input.bullets).or(input.max_sentences);
    let most = most.unwrap_or(if input.max_words.is_some() { RANKED } else { SENTENCES });
    let parts = if input.per_document.is_some() { documents.chunks(1).collect() } else { vec![documents] };
    if parts.len() > ONE_BY_ONE {
        return Err(Error::invalid("/per_document", "at most 20 documents are summarised one by one"));
    }
    for part in parts {
        let (text, places) = join(part);
        let ranked = ranked(&text, most, input, &mut chosen)?;
        chosen.sentences.extend(ranked.into_iter().filter_map(|one| placed(one, &places)));
    }
    within(chosen, input)
}

/// Returns the most important sentences of a text that fit the wishes, in their order.
fn ranked(text: &str, most: u32, input: &Input, chosen: &mut Selection) -> Result<Vec<Ranked>, Error> {
    let filtered = input.about.is_some() || input.containing.is_some() || input.with_numbers == Some(true);
    let language = chosen.language.as_deref().unwrap_or("en");
    let spoken = if KNOWN.contains(&language) { language } else { "other" };
    let listed = if filtered { RANKED } else { most };
    let mut call = json!({ "text": text, "max_sentences": listed, "language": spoken });
    if let (Some(about), Some(call)) = (&input.about, call.as_object_mut()) {
        call.insert("query".into(), json!(about));
    }
    let answer: Answer<Ranking> = bridges::call("summarization", &call)?;
    let Ranking { mut sentences, sentences_total, characters_total } = answer.result;
    chosen.total += sentences_total;
    chosen.characters += characters_total;
    chosen.notes.extend(answer.limitations);
    sentences.retain(|sentence| is_wanted(&sentence.text, input));
    if sentences.is_empty() {
        return Err(Error::invalid("/task", "no sentence of the text has what is asked for; ask for less"));
    }
    sentences.sort_by_key(|sentence| sentence.order);
    let mut room = input.max_words.map_or(usize::MAX, |words| words as usize);
    let mut kept = Vec::new();
    for sentence in sentences {
        let words = sentence.text.split_whitespace().count();
        if kept.len() < most as usize && words <= room {
            room -= words;
            kept.push(sentence);
        }
    }
    kept.sort_by_key(|sentence| sentence.start_char);
    Ok(kept)
}

fn is_wanted(sentence: &str, input: &Input) -> bool {
    let topic = input.about.as_ref().is_none_or(|topic| {
        let words = columns::name_words(sentence);
        let mut topic = columns::name_words(topic).into_iter().filter(|word| word.chars().count() > 3).peekable();
        topic.peek().is_none() || topic.any(|one| words.iter().any(|word| columns::same_word(&one, word)))
    });
    let containing =
        input.containing.as_ref().is_none_or(|texts| texts.iter().any(|text| grounds::stands_in(text, sentence)));
    let numbers = input.with_numbers != Some(true) || sentence.chars().any(|c| c.is_ascii_digit());
    topic && containing && numbers
}

/// Refuses a choice that has another length than requested.
fn within(chosen: Selection, input: &Input) -> Result<Selection, Error> {
    let count = chosen.sentences.len();
    let words: usize = chosen.sentences.iter().map(|one| one.text.split_whitespace().count()).sum();
    let refused = |field: &str, text: String| Err(Error::invalid(field, text));
    if count == 0 || input.max_words.is_some_and(|most| words > most as usize) {
        return refused("/max_words", "no sentence of the text is so short; allow more words".into());
    }
    if input.bullets.is_some_and(|bullets| bullets as usize != count) {
        return refused("/bullets", format!("only {count} sentences fit; ask for at most {count} bullets"));
    }
    let plain = input.bullets.is_none() && matches!(input.format, None | Some(Format::Text));
    if (plain || chosen.total == 1) && input.per_document.is_none() && count >= chosen.total {
        let text = format!("the text has only {count} sentences, so that this is no summary; ask for fewer");
        return refused("/max_sentences", text);
    }
    Ok(chosen)
}

/// Joins all documents with empty lines between them, and returns the title and first character of each.
pub(crate) fn join(documents: &[Document]) -> (String, Vec<(String, usize)>) {
    let (mut joined, mut places, mut characters) = (String::new(), Vec::new(), 0);
    for document in documents {
        places.push((document.title.clone().unwrap_or_default(), characters));
        characters += document.text.chars().count() + 2;
        joined.push_str(&document.text);
        joined.push_str("\n\n");
    }
    (joined.trim_end().to_owned(), places)
}

fn placed(one: Ranked, places: &[(String, usize)]) -> Option<Sentence> {
    let (title, first) = places.iter().rev().find(|(_, first)| *first <= one.start_char)?;
    Some(Sentence { text: one.text, document: title.clone(), start: one.start_char - first })
}
