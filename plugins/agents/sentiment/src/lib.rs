//! An agent that tells the sentiment of texts and of what they speak of.
//!
//! Each text is rated by words and phrases that praise or blame, failures of
//! things and deliveries among them; what shows too little is refused before
//! anything is paid for, or judged by a model of the host, if there is one. The bridge `sentiment_feed` rates every sentence.

mod abroad;
mod apart;
mod aspect_words;
mod aspects;
mod by_model;
mod english;
mod evidence;
mod facts;
mod lexicon;
mod output;
mod rating;
mod scope;
mod summary;
mod tokens;

use agent_common::request::{Item, Request};
use agent_common::{Answer, figures, limits, sentences, words};
pub use output::Output;
use output::{Aspect, JudgedText, Sentence, Word};
use rating::{CONFIDENCE_FLOOR, Rating};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use summary::summary;
use tollbridge_sdk::{Call, Error, agent, bridges};

const SENTENCES_MAX: usize = 500;
const ITEMS_MAX: usize = 200;

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

#[derive(Deserialize)]
struct Feed {
    index: Index,
    items: Vec<Rated>,
}

#[derive(Deserialize)]
struct Index {
    value: f64,
}

#[derive(Deserialize)]
struct Rated {
    compound: f64,
    words: Vec<Word>,
}

/// Texts with their ratings.
struct Judged {
    items: Vec<(Item, Rating)>,
    names: Vec<String>,
    market: bool,
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let typed = input.as_ref().is_some_and(|input| input.text.is_some());
    let request = Request::read(words::of(task, input.as_ref()));
    let input = input.unwrap_or_default();
    let listed = if input.text.is_none() && input.aspects.is_none() {
        apart::names(words::of(task, Some(&input)), &request)
    } else {
        None
    };
    let items = match &input.text {
        Some(text) => vec![Item { label: None, text: text.clone(), start: 0 }],
        None if listed.is_some() => apart::beside_names(&request),
        None => {
            let found = request.items();
            apart::items(words::of(task, Some(&input)), &request, &found).unwrap_or(found)
        }
    };
    let items = match scope::behind_question(&request.instruction).filter(|_| items.is_empty()) {
        Some(text) if rating::rate(text, false).confidence >= CONFIDENCE_FLOOR => {
            vec![Item { label: None, text: text.to_owned(), start: 0 }]
        }
        _ => items,
    };
    let items: Vec<Item> = items.into_iter().map(|item| Item { text: spoken(&item.text), ..item }).collect();
    let items: Vec<Item> = items.into_iter().filter(|item| !item.text.trim().is_empty()).collect();
    if task.trim().is_empty() && !typed {
        return Err(Error::invalid("/text", "write the text as the task, or give it as `text`"));
    }
    if let Some(message) = scope::refusal(&request.instruction, items.len()) {
        return Err(Error::invalid("/text", message));
    }
    if items.len() > ITEMS_MAX {
        return Err(Error::invalid("/text", format!("{} texts; at most {ITEMS_MAX} in one task", items.len())));
    }
    let all = items.iter().map(|item| item.text.as_str()).collect::<Vec<_>>().join("\n");
    let market = input.finance || scope::is_market(&request.instruction, &all);
    let names = input.aspects.clone().unwrap_or_else(|| match &listed {
        Some(names) => names.clone(),
        None => aspects::asked(&request.instruction, &all),
    });
    let items =
        items.into_iter().map(|item| (rating::rate(&item.text, market), item)).map(|(rating, item)| (item, rating));
    let judged = Judged { items: items.collect(), names, market };
    if !typed && let Err(refusal) = judged.enough(&request) {
        let worded = input.aspects.is_none();
        return if worded { by_model::answer(task.trim(), &judged, refusal) } else { Err(refusal) };
    }
    answered(judged, &request, typed, input.aspects.is_some())
}

impl Judged {
    /// Whether the words show enough of each text, or of each thing asked for.
    fn enough(&self, request: &Request) -> Result<(), Error> {
        if !self.names.is_empty() {
            for name in &self.names {
                let found = self.items.iter().find_map(|(_, rating)| aspects::rated(name, rating));
                match found {
                    None => {
                        let message = format!(
                            "the text does not mention `{name}`: name something that it speaks of, or add the text that does"
                        );
                        return Err(Error::invalid("/aspects", message));
                    }
                    Some((_, _, false)) => {
                        let message = format!(
                            "the text does not say anything good or bad of `{name}` in words that rules can weigh: ask about something that it judges"
                        );
                        return Err(Error::invalid("/aspects", message));
                    }
                    Some(_) => {}
                }
            }
            return Ok(());
        }
        let unclear: Vec<&Item> = self
            .items
            .iter()
            .filter(|(_, rating)| rating.confidence < CONFIDENCE_FLOOR)
            .map(|(item, _)| item)
            .collect();
        if unclear.len() * 10 < self.items.len() && request.material.len() > 9 {
            return Ok(());
        }
        let Some(first) = unclear.first() else { return Ok(()) };
        let start: String = first.text.chars().take(60).collect();
        let message = format!(
            "the words do not show clearly enough whether \"{start}\" is positive or negative: send texts that say it outright, in English, German, French, Spanish, Italian, Portuguese or Dutch"
        );
        Err(Error::invalid("/text", message))
    }
}

fn answered(judged: Judged, request: &Request, typed: bool, given: bool) -> Result<Output, Error> {
    let parts: Vec<sentences::Sentence<'_>> =
        judged.items.iter().flat_map(|(item, _)| sentences::split(&item.text)).collect();
    if parts.is_empty() {
        return Err(Error::invalid("/text", "write the text as the task, or give it as `text`"));
    }
    if parts.len() > SENTENCES_MAX {
        return Err(Error::invalid("/text", format!("{} sentences; at most {SENTENCES_MAX} in one task", parts.len())));
    }
    let texts: Vec<&str> = parts.iter().map(|part| part.text).collect();
    let domain = if judged.market { "finance" } else { "general" };
    let feed: Answer<Feed> = bridges::call("sentiment_feed", &json!({ "items": texts, "domain": domain }))?;
    let sentences: Vec<Sentence> =
        parts.iter().zip(feed.result.items).map(|(part, rated)| sentence(part, rated, judged.market)).collect();
    let items: Vec<JudgedText> =
        judged.items.iter().map(|(item, rating)| text(item, rating, typed.then_some(&sentences))).collect();
    let score = if judged.items.len() == 1 && judged.items.iter().all(|(_, rating)| rating.evidence.is_empty()) {
        feed.result.index.value
    } else {
        mean(sentences.iter().map(|sentence| sentence.score))
    };
    let names = match (
        judged.names.is_empty() && !given,
        aspects::wants_own(&request.instruction) || typed || items.len() == 1,
    ) {
        (false, _) => judged.names.clone(),
        (true, true) => judged.items.iter().flat_map(|(_, rating)| aspects::own(rating)).collect(),
        (true, false) => Vec::new(),
    };
    let aspects = aspects_of(names, &judged, &sentences);
    let confidence = match judged.names.is_empty() {
        true => items.iter().map(|item| item.confidence).fold(1.0, f64::min),
        false => 0.85,
    };
    Ok(Output {
        summary: summary(&items, &aspects, &judged.names),
        label: whole(&items),
        score,
        confidence: figures::round(confidence),
        items,
        sentences,
        aspects,
        limitations: limits(
            &["irony that no word gives away is not seen", "an aspect has the feeling of the clauses that name it"],
            &[&feed.limitations],
        ),
    })
}

/// What a person wrote: a message without its headers, but with its subject.
fn spoken(text: &str) -> String {
    let header = |line: &str| {
        ["From:", "To:", "Date:", "Subject:", "Cc:", "Sent:", "Von:", "An:", "Betreff:"]
            .iter()
            .any(|name| line.starts_with(name))
    };
    if !text.lines().next().is_some_and(header) {
        return text.to_owned();
    }
    let subject = text.lines().take_while(|line| header(line)).find_map(|line| line.strip_prefix("Subject:"));
    let body: Vec<&str> = text.lines().skip_while(|line| header(line)).collect();
    format!("{}\n{}", subject.unwrap_or_default().trim(), body.join("\n").trim()).trim().to_owned()
}

fn sentence(part: &sentences::Sentence<'_>, rated: Rated, market: bool) -> Sentence {
    let own = rating::rate(part.text, market);
    let told = !own.evidence.is_empty();
    let words = if told { shown(&own) } else { rated.words };
    let score = if told && own.score * rated.compound <= 0.0 { own.score } else { rated.compound };
    Sentence { start: part.start, text: part.text.into(), score, words }
}

fn shown(rating: &Rating) -> Vec<Word> {
    rating.evidence.iter().map(|one| Word { word: one.words.clone(), value: figures::round(one.value) }).collect()
}

fn text(item: &Item, rating: &Rating, sentences: Option<&Vec<Sentence>>) -> JudgedText {
    let unclear = rating.confidence < CONFIDENCE_FLOOR;
    // A program that sends a text wants a label in any case; then the mean of the sentences decides.
    let (label, confidence) = match sentences.filter(|_| unclear) {
        Some(sentences) => (of_score(mean(sentences.iter().map(|sentence| sentence.score))), CONFIDENCE_FLOOR),
        None => (rating.label, rating.confidence),
    };
    JudgedText {
        name: item.label.clone(),
        text: item.text.chars().take(120).collect(),
        label,
        score: rating.score,
        confidence,
        based_on: shown(rating),
    }
}

fn of_score(score: f64) -> &'static str {
    match score {
        score if score >= 0.05 => "positive",
        score if score <= -0.05 => "negative",
        _ => "neutral",
    }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = f64::from(u32::try_from(values.len()).unwrap_or(u32::MAX)).max(1.0);
    figures::round(values.sum::<f64>() / count)
}

/// The label of all texts together.
fn whole(items: &[JudgedText]) -> &'static str {
    let has = |label: &str| items.iter().any(|item| item.label == label);
    match (has("positive"), has("negative"), has("mixed")) {
        (_, _, true) | (true, true, _) => "mixed",
        (true, false, _) => "positive",
        (false, true, _) => "negative",
        _ => "neutral",
    }
}

fn aspects_of(names: Vec<String>, judged: &Judged, sentences: &[Sentence]) -> Vec<Aspect> {
    let mut aspects: Vec<Aspect> = Vec::new();
    for name in names {
        let lower = name.to_lowercase();
        let places = |(at, sentence): (usize, &Sentence)| sentence.text.to_lowercase().contains(&lower).then_some(at);
        let at: Vec<usize> = sentences.iter().enumerate().filter_map(places).collect();
        let found =
            judged.items.iter().filter_map(|(_, rating)| aspects::rated(&name, rating)).max_by_key(|found| found.2);
        let known = aspects.iter().any(|aspect| aspect.name.eq_ignore_ascii_case(&name));
        if let Some((label, score, _)) = found.filter(|_| !known) {
            aspects.push(Aspect { name, label, score, sentences: at });
        }
    }
    aspects.sort_by(|a, b| b.score.abs().total_cmp(&a.score.abs()));
    aspects
}

agent! { run: run, init: lexicon::prepare, examples: ["../cases/review.json"] }
tollbridge_sdk::test_cases!(agent run);
