//! Key phrases of a text by YAKE, with their places.
//!
//! Invariants: every phrase stands in the text where the answer says; the same text gives the same answer.

mod input;
mod phrases;
mod score;
mod stopwords;
mod tokens;

use bridge_common::{Report, Source};
use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_sdk::{Call, Error, bridge};

pub use input::Input;
use input::{Language, Task};
use phrases::Phrase;
use score::Words;

/// Occurrences of a phrase that are listed.
const MOST_PLACES: usize = 20;

/// The answer of this bridge.
pub type Output = Report<Findings, String>;

/// The key phrases of the text.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Findings {
    /// The best first.
    pub phrases: Vec<KeyPhrase>,
    /// Phrases that came into question.
    pub candidates: usize,
    /// Sentences in the text.
    pub sentences: usize,
    /// Whose stop words were left out: what the input says, or what was found.
    pub language: Language,
}

/// A key phrase.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct KeyPhrase {
    /// As it stands in the text for the first time, with single spaces.
    pub text: String,
    /// YAKE's score, above 0: the lower, the better. Scores of different texts cannot be compared.
    pub score: f64,
    /// How often it occurs, in any case.
    pub count: usize,
    /// Its first 20 occurrences.
    pub places: Vec<Place>,
}

/// Where a phrase begins and ends (not included) in the text.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Place {
    /// Where it begins, in bytes of UTF-8 from 0.
    pub start_byte: usize,
    /// Where it ends (not included), in bytes of UTF-8.
    pub end_byte: usize,
    /// Where it begins, in characters (Unicode code points) from 0.
    pub start_char: usize,
    /// Where it ends (not included), in characters.
    pub end_char: usize,
}

const STOPWORDS: Source<&str> = Source {
    name: "Stopwords ISO",
    version: "1.1.0",
    as_of: "2024-12-09",
    licence: "MIT",
    source: "stopwords-iso on npm, Gene Diaz; collected from many lists, and some words of this bridge",
};

/// Finds the key phrases of the text that the input gives.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    let task = Task::read(call, &input)?;
    let language = input.language.unwrap_or_else(|| stopwords::language_of(&task.text));
    let (chunks, sentences) = tokens::chunks(&task.text, language, &input.exclude);
    if chunks.is_empty() {
        return Err(Error::invalid(task.field, "there is no word in this text"));
    }
    let words = Words::new(&chunks, sentences);
    let all = phrases::phrases(&chunks, &words, task.words);
    let candidates = all.len();
    let best = phrases::distinct(all, task.phrases, task.deduplicate);
    let characters = Characters::new(&task.text);
    let phrases = best.iter().map(|phrase| shown(phrase, &task.text, &characters)).collect();
    let method = format!(
        "YAKE (Campos and others 2020) from case, place, frequency, neighbours and spread of words; phrases of up to {} \
         words within punctuation; of phrases alike by {} or more (edit distance) the best is kept",
        task.words, task.deduplicate
    );
    let data = (language != Language::Other).then_some(STOPWORDS);
    let limitations = limitations(&input, language, sentences, candidates);
    Ok(Report::new(Findings { phrases, candidates, sentences, language }, method, limitations).with_data(data))
}

fn shown(phrase: &Phrase, text: &str, characters: &Characters) -> KeyPhrase {
    let place = |(start, end): &(usize, usize)| Place {
        start_byte: *start,
        end_byte: *end,
        start_char: characters.before(*start),
        end_char: characters.before(*end),
    };
    let first = phrase.places.first().and_then(|(start, end)| text.get(*start..*end)).unwrap_or_default();
    KeyPhrase {
        text: first.split_whitespace().collect::<Vec<_>>().join(" "),
        score: significant(phrase.score),
        count: phrase.places.len(),
        places: phrase.places.iter().take(MOST_PLACES).map(place).collect(),
    }
}

/// The bytes at which characters begin, to count those before a byte.
struct Characters(Vec<usize>);

impl Characters {
    fn new(text: &str) -> Self {
        Self(text.char_indices().map(|(at, _)| at).collect())
    }

    fn before(&self, byte: usize) -> usize {
        self.0.partition_point(|at| *at < byte)
    }
}

/// Six significant digits: scores are of very different sizes.
fn significant(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 0.0;
    }
    let unit = 10f64.powi(5 - (value.log10().floor().clamp(-300.0, 300.0) as i32));
    let rounded = (value * unit).round() / unit;
    if rounded.is_finite() { rounded } else { value }
}

fn limitations(input: &Input, language: Language, sentences: usize, candidates: usize) -> Vec<String> {
    let mut notes = vec![
        "statistics of this text alone: a phrase that stands out in it need not be its subject".to_owned(),
        "forms of a word (singular, plural) are different words".to_owned(),
        "scripts that write words without spaces (Chinese, Japanese, Thai) are not split into words".to_owned(),
    ];
    if sentences < 3 {
        notes.push("fewer than three sentences: frequency and place say little".to_owned());
    }
    if candidates == 0 {
        notes.push("all words are stop words, numbers or shorter than three characters".to_owned());
    }
    if let Some(code) = language.code().filter(|_| input.language.is_none()) {
        notes.push(format!(
            "the language ({code}) was found by the stop words in the text; give `language` if it is another"
        ));
    }
    if language == Language::Other {
        notes.push("without stop words of the language, such words may be among the phrases".to_owned());
    }
    notes
}

bridge! { handle: handle, examples: ["../cases/bridge.json"] }

tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests;
