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
    let (joined, places) = join(documents);
    let language = language::detect(&joined.chars().take(SAMPLE).collect::<String>())?;
    let mut chosen =
        Selection { sentences: Vec::new(), total: 0, characters: 0, language: language.clone(), notes: Vec::new() };
    let Some(each) = input.per_document else {
        let most = input.bullets.or(input.max_sentences);
        let most = most.unwrap_or(if input.max_words.is_some() { RANKED } else { SENTENCES });
        let ranked = ranked(&joined, most, input, language.as_deref(), &mut chosen)?;
        chosen.sentences = ranked.into_iter().filter_map(|one| placed(one, &places)).collect();
        return within(chosen, input);
    };
    if documents.len() > ONE_BY_ONE {
        return Err(Error::invalid("/per_document", "at most 20 documents are summarised one by one"));
    }
    for document in documents {
        let title = document.title.clone().unwrap_or_default();
        let ranked = ranked(&document.text, each, input, language.as_deref(), &mut chosen)?;
        let own =
            ranked.into_iter().map(|one| Sentence { text: one.text, document: title.clone(), start: one.start_char });
        chosen.sentences.extend(own);
    }
    within(chosen, input)
}

/// Returns the most important sentences of a text that fit the wishes, in their order.
fn ranked(
    text: &str,
    most: u32,
    input: &Input,
    language: Option<&str>,
    chosen: &mut Selection,
) -> Result<Vec<Ranked>, Error> {
    let filtered = input.about.is_some() || input.containing.is_some() || input.with_numbers == Some(true);
    let spoken = language.map_or("en", |code| if KNOWN.contains(&code) { code } else { "other" });
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tollbridge_sdk::Error;
    use tollbridge_sdk::testing::Doubles;

    use crate::{Input, answer};

    const SENTENCES: [&str; 4] =
        ["The price of tea rose by 3 %.", "It rained.", "Tea is now at 4.20 euros in all shops.", "All shops agreed."];

    /// Ranks the sentences by their length.
    fn bridge(call: &Value) -> Result<Value, tollbridge_sdk::bridges::Error> {
        let text = call["text"].as_str().unwrap_or_default();
        let mut found: Vec<(usize, &str)> = SENTENCES.iter().filter_map(|one| Some((text.find(one)?, *one))).collect();
        found.sort_by_key(|(_, one)| std::cmp::Reverse(one.len()));
        let total = found.len();
        found.truncate(usize::try_from(call["max_sentences"].as_u64().unwrap_or(3)).unwrap_or(3));
        let sentences: Vec<Value> = found
            .iter()
            .zip(1..)
            .map(|((at, one), order)| json!({ "text": one, "start_char": at, "order": order }))
            .collect();
        Ok(json!({ "result": { "sentences": sentences, "sentences_total": total, "characters_total": text.len() } }))
    }

    fn summary(members: Value) -> Result<String, Error> {
        let mut value = json!({ "text": SENTENCES.join(" ") });
        value.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        let input: Input = serde_json::from_value(value).unwrap();
        let english = |_: &Value| Ok(json!({ "result": { "texts": [{ "language": "en", "reliable": true }] } }));
        let doubles = Doubles::new().bridge("language_detection", english).bridge("summarization", bridge);
        doubles.run(|| answer(&input)).0.map(|output| output.summary)
    }

    #[test]
    fn lengths_and_wishes_are_kept() {
        let cases = [
            (json!({ "max_sentences": 1 }), SENTENCES[2]),
            (json!({ "max_words": 9 }), "Tea is now at 4.20 euros in all shops."),
            (json!({ "max_words": 8 }), "The price of tea rose by 3 %."),
            (json!({ "max_words": 5 }), "It rained. All shops agreed."),
            (json!({ "containing": ["shops AGREED", "rained"] }), "It rained. All shops agreed."),
            (json!({ "with_numbers": true }), "The price of tea rose by 3 %. Tea is now at 4.20 euros in all shops."),
            (json!({ "about": "prices" }), SENTENCES[0]),
            (json!({ "bullets": 2 }), "- The price of tea rose by 3 %.\n- Tea is now at 4.20 euros in all shops."),
            (
                json!({ "max_sentences": 1, "format": "json" }),
                r#"{"summary":"Tea is now at 4.20 euros in all shops."}"#,
            ),
        ];
        for (members, expect) in cases {
            assert_eq!(summary(members.clone()).unwrap(), expect, "{members}");
        }
    }

    #[test]
    fn a_summary_that_cannot_keep_to_its_form_is_refused() {
        let cases = [
            (json!({ "max_words": 1 }), "so short"),
            (json!({ "max_sentences": 4 }), "only 4 sentences"),
            (json!({ "bullets": 5 }), "only 4 sentences"),
            (json!({ "containing": ["milk"] }), "no sentence"),
            (json!({ "per_document": 1 }), "needs `documents`"),
            (json!({ "language": "de" }), "own_words"),
        ];
        for (members, part) in cases {
            let error = summary(members.clone()).unwrap_err();
            assert!(error.message().contains(part), "{members}: {}", error.message());
        }
    }
}
