//! Extractive summaries: the sentences of a text that are most like the others, without repeats, with their places.
//!
//! Invariants: every sentence of a summary stands in the text, in the same order; the same text gives the same answer.

mod input;
mod output;
mod rank;
mod sentence;
mod terms;

use bridge_common::{Report, Source};
use tollbridge_sdk::{Call, Error, bridge};

pub use input::Input;
use input::{Language, Method, Task};
pub use output::Output;
use output::{MethodUsed, SelectedSentence, Summary};
use rank::{Limits, Similarity};
use sentence::Span;
use terms::Terms;

/// Every pair of sentences is compared.
const MOST_SENTENCES: usize = 1_500;
/// Fewer words are a heading or an exclamation; such are taken only if there is nothing else.
const FEWEST_WORDS: usize = 4;

const CLDR: Source<&str> = Source {
    name: "CLDR sentence break suppressions",
    version: "46.1.0",
    as_of: "2026-03-20",
    licence: "Unicode-3.0",
    source: "cldr-segments-full on npm, Unicode Consortium",
};

/// Summarises the text that the input gives.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    let task = Task::read(call, &input)?;
    let spans = sentence::sentences(&task.text, input.language);
    if spans.is_empty() {
        return Err(Error::invalid(task.field, "there is no sentence in this text"));
    }
    if spans.len() > MOST_SENTENCES {
        let message = format!("{} sentences are more than {MOST_SENTENCES}; send parts", spans.len());
        return Err(Error::invalid(task.field, message));
    }
    let texts: Vec<&str> = spans.iter().map(|span| task.text.get(span.start..span.end).unwrap_or_default()).collect();
    let (ranks, cosines, matched) = ranked(&texts, &input);
    let long: Vec<bool> = texts.iter().map(|text| terms::words(text).len() >= FEWEST_WORDS).collect();
    let candidates = if long.contains(&true) { long } else { vec![true; texts.len()] };
    let lengths: Vec<usize> = texts.iter().map(|text| flat(text).chars().count()).collect();
    let limits = Limits { sentences: task.sentences, characters: task.characters, relevance: task.relevance };
    let picked = rank::pick(&ranks, &cosines, &candidates, &lengths, limits);
    if picked.is_empty() {
        let shortest = lengths.iter().zip(&candidates).filter(|(_, open)| **open).map(|(length, _)| *length).min();
        let message = format!("no sentence is so short; the shortest has {} characters", shortest.unwrap_or(0));
        return Err(Error::invalid("/max_characters", message));
    }
    let result = summary(&task.text, &spans, &ranks, &picked);
    let limitations = limitations(&task, &input, &spans, matched);
    let data = (input.language != Language::Other).then_some(CLDR);
    Ok(Report::new(result, used(&task, &input, matched), limitations).with_data(data))
}

/// Ranks and cosines of all sentences, and whether the query has a word of the text.
fn ranked(texts: &[&str], input: &Input) -> (Vec<f64>, Similarity, Option<bool>) {
    let mut terms = Terms::default();
    let counts: Vec<terms::Counts> = texts.iter().map(|text| terms.learn(text)).collect();
    let vectors = terms::vectors(&counts, terms.len());
    let query = input.query.as_ref().map(|query| terms.learn(query));
    let starts = rank::starts(&vectors, query.as_ref());
    let matched = query.map(|query| vectors.iter().any(|vector| terms::product(vector, &query) > 0.0));
    let cosines = Similarity::cosines(&vectors);
    let ranks = match rank::own_similarity(input.method, &counts) {
        Some(own) => rank::ranks(&own, &starts),
        None => rank::ranks(&cosines, &starts),
    };
    (ranks, cosines, matched)
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn summary(text: &str, spans: &[Span], ranks: &[f64], taken: &[usize]) -> Summary {
    let mut places: Vec<(usize, usize)> = taken.iter().copied().zip(1..).collect();
    places.sort_unstable();
    let (mut at, mut characters) = (0usize, 0usize);
    let mut sentences = Vec::with_capacity(places.len());
    for (index, order) in places {
        let Some(span) = spans.get(index) else { continue };
        let count = |from: usize, to: usize| text.get(from..to).map_or(0, |part| part.chars().count());
        let start_char = characters.saturating_add(count(at, span.start));
        let end_char = start_char.saturating_add(count(span.start, span.end));
        (at, characters) = (span.end, end_char);
        sentences.push(SelectedSentence {
            text: text.get(span.start..span.end).unwrap_or_default().to_owned(),
            index,
            start_byte: span.start,
            end_byte: span.end,
            start_char,
            end_char,
            score: tidy(ranks.get(index).copied().unwrap_or(0.0)),
            order,
        });
    }
    let summary = sentences.iter().map(|picked| flat(&picked.text)).collect::<Vec<_>>().join(" ");
    let characters_total = text.chars().count();
    let ratio = tidy(summary.chars().count() as f64 / characters_total.max(1) as f64);
    Summary { summary, sentences, sentences_total: spans.len(), characters_total, ratio }
}

fn used(task: &Task, input: &Input, matched: Option<bool>) -> MethodUsed {
    let (name, measure) = match input.method {
        Method::Lexrank => {
            ("lexrank", "continuous LexRank: cosines of TF-IDF vectors, idf over the sentences of the text")
        }
        Method::Textrank => ("textrank", "TextRank: words in common by the logarithms of the sentences' lengths"),
    };
    let start = if matched.is_some() { ", starting from sentences like the query" } else { "" };
    let description = format!(
        "extractive; sentences by Unicode's rules; {measure}, damping 0.85{start}; chosen by maximal marginal relevance \
         with {} for rank",
        task.relevance
    );
    MethodUsed { name, description, query_matched: matched }
}

fn limitations(task: &Task, input: &Input, spans: &[Span], matched: Option<bool>) -> Vec<String> {
    let mut notes = vec![
        "sentences are taken out of their context: what \"he\" or \"this\" refers to may be missing".to_owned(),
        "what many sentences speak of counts as important; a single decisive sentence can be passed over".to_owned(),
    ];
    if spans.len() <= task.sentences {
        notes.push("the text has no more sentences than were asked for".to_owned());
    }
    if matched == Some(false) {
        notes.push(
            "no word of the query is in the text (or all of its words are in every sentence); it was left aside"
                .to_owned(),
        );
    }
    if input.language == Language::Other {
        notes.push("without a known language, abbreviations may end a sentence too early".to_owned());
    }
    notes
}

/// Six decimals.
fn tidy(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

bridge! { handle: handle, examples: ["../cases/clock.json"] }

tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests;
