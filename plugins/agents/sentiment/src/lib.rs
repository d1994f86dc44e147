//! An agent that tells the sentiment of a text and of what it speaks of.
//!
//! The bridge `sentiment_feed` rates every sentence, `keyword_extraction` finds
//! what the text speaks of; an aspect has the mean of the sentences that name it.

use agent_common::{Answer, figures, limits, sentences, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tollbridge_sdk::{Call, Error, agent, bridges};

const VERBS: [&str; 8] = ["analyse", "analyze", "what", "tell", "rate", "judge", "sentiment", "how"];
const SENTENCES_MAX: usize = 500;

/// A text.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The text, English. The task's own text unless given.
    #[schemars(length(min = 1, max = 100_000))]
    text: Option<String>,
    /// What to look at; found in the text unless given. At most 20.
    #[schemars(length(min = 1, max = 20), inner(length(min = 1, max = 100)))]
    aspects: Option<Vec<String>>,
    /// Whether words of financial news are rated too. Default: false.
    #[serde(default)]
    finance: bool,
}

/// The sentiment.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    summary: String,
    /// positive, neutral, negative, or mixed where both are strong.
    label: &'static str,
    /// Mean of the sentences, -1 to 1.
    score: f64,
    /// Each sentence.
    sentences: Vec<Sentence>,
    /// What the text speaks of, the strongest feeling first.
    aspects: Vec<Aspect>,
    /// What the answer does not tell.
    limitations: Vec<String>,
}

/// A sentence.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Sentence {
    /// Place of its first character, from 0, in characters.
    start: usize,
    /// As written.
    text: String,
    /// -1 to 1.
    score: f64,
    /// The words that show it.
    words: Vec<Word>,
}

impl Sentence {
    /// Whether a phrase is of a word that was rated: that is a feeling, not a thing.
    fn rates(&self, phrase: &str) -> bool {
        phrase.split_whitespace().any(|part| self.words.iter().any(|word| word.word.eq_ignore_ascii_case(part)))
    }
}

/// A word that was rated.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Word {
    /// As written.
    word: String,
    /// What it adds, after negation and words of degree.
    value: f64,
}

/// A thing that the text speaks of.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Aspect {
    /// What.
    name: String,
    /// Mean of the sentences that name it, -1 to 1.
    score: f64,
    /// Places of those sentences in `sentences`, from 0.
    sentences: Vec<usize>,
}

#[derive(Deserialize)]
struct Feed {
    index: Index,
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Index {
    value: f64,
}

#[derive(Deserialize)]
struct Item {
    compound: f64,
    words: Vec<Word>,
}

#[derive(Deserialize)]
struct Keywords {
    phrases: Vec<Phrase>,
}

#[derive(Deserialize)]
struct Phrase {
    text: String,
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let (_, body) = words::request(words::of(task, input.as_ref()), &VERBS);
    let input = input.unwrap_or_default();
    let text = input.text.unwrap_or_else(|| body.to_owned());
    let parts = sentences::split(&text);
    if parts.is_empty() {
        return Err(Error::invalid("/text", "write the text as the task, or give it as `text`"));
    }
    if parts.len() > SENTENCES_MAX {
        return Err(Error::invalid("/text", format!("{} sentences; at most {SENTENCES_MAX} in one task", parts.len())));
    }
    let items: Vec<&str> = parts.iter().map(|part| part.text).collect();
    let domain = if input.finance { "finance" } else { "general" };
    let rated: Answer<Feed> = bridges::call("sentiment_feed", &json!({ "items": items, "domain": domain }))?;
    let sentences: Vec<Sentence> = parts
        .iter()
        .zip(rated.result.items)
        .map(|(part, item)| Sentence {
            start: part.start,
            text: part.text.into(),
            score: item.compound,
            words: item.words,
        })
        .collect();
    let names = match input.aspects {
        Some(names) => names,
        None => {
            let asked = json!({ "text": text, "max_phrases": 10, "max_words": 2 });
            let keywords: Answer<Keywords> = bridges::call("keyword_extraction", &asked)?;
            let feeling = |name: &String| sentences.iter().any(|sentence| sentence.rates(name));
            let names = keywords.result.phrases.into_iter().map(|phrase| phrase.text);
            names.filter(|name| !feeling(name)).collect()
        }
    };
    let aspects = aspects(names, &sentences);
    let score = rated.result.index.value;
    let label = label(score, &sentences);
    Ok(Output {
        summary: summary(label, score, &sentences, &aspects),
        label,
        score,
        sentences,
        aspects,
        limitations: limits(&["an aspect has the feeling of the whole sentence that names it"], &[&rated.limitations]),
    })
}

fn label(score: f64, sentences: &[Sentence]) -> &'static str {
    let strong = |sign: f64| sentences.iter().any(|sentence| sentence.score * sign >= 0.3);
    match score {
        _ if strong(1.0) && strong(-1.0) && score.abs() < 0.3 => "mixed",
        score if score >= 0.05 => "positive",
        score if score <= -0.05 => "negative",
        _ => "neutral",
    }
}

/// Aspects that a sentence names; a phrase inside a better one is left out.
fn aspects(names: Vec<String>, sentences: &[Sentence]) -> Vec<Aspect> {
    let mut aspects: Vec<Aspect> = Vec::new();
    for name in names {
        let lower = name.to_lowercase();
        let inside = |aspect: &Aspect| {
            aspect.name.to_lowercase().contains(&lower) || lower.contains(&aspect.name.to_lowercase())
        };
        let at: Vec<usize> = sentences
            .iter()
            .enumerate()
            .filter(|(_, s)| s.text.to_lowercase().contains(&lower))
            .map(|(at, _)| at)
            .collect();
        if at.is_empty() || aspects.iter().any(inside) {
            continue;
        }
        let sum: f64 = at.iter().filter_map(|at| sentences.get(*at)).map(|sentence| sentence.score).sum();
        #[allow(clippy::cast_precision_loss, reason = "at most 500")]
        let score = figures::round(sum / at.len() as f64);
        aspects.push(Aspect { name, score, sentences: at });
    }
    aspects.sort_by(|a, b| b.score.abs().total_cmp(&a.score.abs()));
    aspects
}

fn summary(label: &str, score: f64, sentences: &[Sentence], aspects: &[Aspect]) -> String {
    let count = figures::count(sentences.len(), "sentence", "sentences");
    let mut text = format!("{label} ({} on a scale from -1 to 1, {count})", figures::figure(score));
    for (word, sign) in [("Best", 1.0), ("Worst", -1.0)] {
        let most_negative = aspects
            .iter()
            .filter(|aspect| aspect.score * sign > 0.05)
            .max_by(|a, b| (a.score * sign).total_cmp(&(b.score * sign)));
        if let Some(most_negative) = most_negative {
            text.push_str(&format!(". {word} of: {} ({})", most_negative.name, figures::figure(most_negative.score)));
        }
    }
    text.push('.');
    text
}

agent! { run: run, examples: ["../cases/review.json"] }
tollbridge_sdk::test_cases!(agent run);
