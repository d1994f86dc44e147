//! An agent that rates a video by what can be read without looking at it.
//!
//! The bridge `media_probe` reads headers and captions, `summarization` and
//! `sentiment_feed` the transcript. The score starts at 100 and every finding
//! takes off what its severity weighs; pictures and sound are never judged.

mod answered;
mod asked;
mod chapters;
mod facts;
mod finding;
mod forms;
mod found_captions;
mod spoken_words;
mod stated;
mod technical;
mod words_only;

use std::collections::BTreeMap;

use agent_common::{Answer, figures, limits, model, sentences, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tollbridge_sdk::{Call, Error, agent, bridges};

use crate::answered::Answered;
use crate::asked::Wish;
use crate::finding::Finding;
use crate::found_captions::Cue;

/// From this score on the verdict is `good`.
const GOOD: u32 = 70;

/// A video, as far as it is given.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The file, or its beginning, in base64: MP4, MOV, M4A, WAV or MP3.
    #[schemars(length(min = 1, max = 900_000))]
    media: Option<String>,
    /// Captions: SubRip or WebVTT. The task's own text unless given.
    #[schemars(length(min = 1, max = 500_000))]
    captions: Option<String>,
    /// What is said, as plain text. Default: the text of the captions.
    #[schemars(length(min = 1, max = 200_000))]
    transcript: Option<String>,
    /// Duration in seconds, where `media` does not tell.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    media_seconds: Option<f64>,
}

/// The evaluation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    summary: String,
    /// 100 less what the findings take off; 0 at least.
    score: u32,
    /// `good` for a score of 70 or more, else `poor`.
    verdict: &'static str,
    /// What takes points off, the gravest first; at most 100.
    findings: Vec<Finding>,
    /// How often each kind of finding occurs.
    counts: BTreeMap<String, u32>,
    /// Technical data, as the headers tell; null without media.
    media: Option<Map<String, Value>>,
    /// Captions in figures; null without captions.
    captions: Option<Map<String, Value>>,
    /// What is said; null without transcript and captions.
    transcript: Option<Transcript>,
    /// Captions and words that the answer is about; all of them where it is empty.
    based_on: Vec<String>,
    /// How likely it is right, 0 to 1: of answers that say 0.8 or more at least four in five were right on the frozen
    /// tasks.
    confidence: f64,
    /// What the answer does not tell.
    limitations: Vec<String>,
}

impl model::Answered for Output {
    fn confidence(&mut self) -> &mut f64 {
        &mut self.confidence
    }

    fn limitations(&mut self) -> &mut Vec<String> {
        &mut self.limitations
    }
}

/// What is said.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Transcript {
    /// Its main sentences.
    summary: String,
    /// Words.
    words: usize,
    /// Sentiment, -1 to 1.
    sentiment: f64,
}

#[derive(Deserialize)]
struct Probe {
    media: Option<Map<String, Value>>,
    captions: Option<Map<String, Value>>,
    #[serde(default)]
    issues: Vec<Finding>,
    #[serde(default)]
    issue_counts: BTreeMap<String, u32>,
}

#[derive(Deserialize)]
struct Summary {
    summary: String,
}

#[derive(Deserialize)]
struct Feed {
    index: Index,
}

#[derive(Deserialize)]
struct Index {
    value: f64,
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let text = words::of(task, input.as_ref());
    let input = input.unwrap_or_default();
    if input.media.is_some() || input.captions.is_some() {
        return evaluated(text, input, true);
    }
    let request = found_captions::find(text).map(|found| found.request).unwrap_or_else(|| words_only::request(text));
    // What is not done at all is not asked in other words.
    asked::check_scope(&request)?;
    model::reread(text, forms::FORMS, |text| match found_captions::find(text) {
        Some(found) => evaluated(&found.request, Input { captions: Some(found.captions), ..input.clone() }, false),
        None => words_only::answer(text).map(without_captions),
    })
}

/// What captions and headers tell of a request.
fn evaluated(request: &str, input: Input, typed: bool) -> Result<Output, Error> {
    let cues = input.captions.as_deref().map(found_captions::cues).unwrap_or_default();
    let seconds = input.media_seconds.or_else(|| stated::media_seconds(request));
    asked::check_scope(request)?;
    let wish = if typed && request.trim().is_empty() { Wish::Check } else { asked::wish(request) };
    if wish == Wish::Meaning {
        return Err(Error::invalid("/task", words_only::MEANING));
    }
    let probe = probe(&input.media, input.captions.as_deref(), seconds, stated::thresholds(request))?;
    let answered = answer(wish, request, &cues, seconds, &probe.result)?;
    let spoken = input.transcript.unwrap_or_else(|| cues.iter().map(Cue::line).collect::<Vec<_>>().join(" "));
    let transcript = Some(spoken).filter(|text| !text.trim().is_empty());
    let (transcript, more) = transcript.map(|text| listen(&text)).transpose()?.unzip();
    let mut findings = finding::explained(probe.result.issues, &cues);
    findings.extend(finding::repeated(&cues));
    let gaps = stated::long_gap(request).map(|limit| (limit, finding::long_gaps(&cues, limit)));
    let mut told = answered.told;
    if let Some((limit, gaps)) = gaps {
        if gaps.is_empty() {
            told.push(format!("no gap is longer than {limit} s"));
        }
        findings.extend(gaps);
    }
    findings.extend(answered.findings);
    findings.sort_by_key(|finding| finding::WEIGHTS.iter().position(|(name, ..)| *name == finding.severity));
    let score = finding::score(&findings, cues.len());
    let figures = facts::of_captions(&cues, seconds);
    let measured = probe.result.captions.map(|mut captions| {
        captions.remove("thresholds");
        for fact in figures.iter().filter(|fact| fact.between.is_none()) {
            captions.entry(fact.name).or_insert_with(|| json!(fact.value));
        }
        captions
    });
    let media = probe.result.media;
    Ok(Output {
        summary: summary(score, &findings, &told, (media.as_ref(), measured.as_ref(), transcript.as_ref())),
        score,
        verdict: if score >= GOOD { "good" } else { "poor" },
        counts: probe.result.issue_counts,
        media,
        captions: measured,
        transcript,
        findings: findings.into_iter().take(100).collect(),
        based_on: answered.based_on,
        confidence: answered.confidence,
        limitations: limits(&LIMITS, &[&probe.limitations, &more.unwrap_or_default()]),
    })
}

const LIMITS: [&str; 2] = [
    "pictures and sound were not looked at: the score is about technique, captions and words",
    "the weights of the score are a choice of this agent",
];

fn probe(
    media: &Option<String>,
    captions: Option<&str>,
    seconds: Option<f64>,
    thresholds: Map<String, Value>,
) -> Result<Answer<Probe>, Error> {
    let mut asked = Map::new();
    let thresholds = if thresholds.is_empty() { Value::Null } else { Value::Object(thresholds) };
    for (name, value) in [
        ("media", json!(media)),
        ("captions", json!(captions)),
        ("media_seconds", json!(seconds)),
        ("thresholds", thresholds),
    ] {
        if !value.is_null() {
            asked.insert(name.into(), value);
        }
    }
    Ok(bridges::call("media_probe", &asked)?)
}

/// What answers the request beside the findings of the bridge.
fn answer(wish: Wish, request: &str, cues: &[Cue], seconds: Option<f64>, probe: &Probe) -> Result<Answered, Error> {
    let counts = |kind: &str| probe.issue_counts.get(kind).map_or(0, |count| *count as usize);
    let found = match wish {
        Wish::Check | Wish::Meaning => {
            let confidence = if probe.issues.is_empty() { answered::NOTHING } else { answered::RULES };
            Some(Answered { confidence, ..Answered::default() })
        }
        Wish::Figure => answered::of_figures(request, cues, seconds, &counts),
        _ => answered::of_words(wish, request, cues, ""),
    };
    found.filter(|answered| answered.confidence >= answered::FLOOR).ok_or_else(|| {
        let missing = match wish {
            Wish::Figure => "the captions do not tell this figure; ask for counts, times, durations, gaps, coverage (with the length of the video), words per minute or characters per second",
            _ => "name the words to look for between quotation marks, or the language that the captions are to be in",
        };
        Error::invalid("/task", missing)
    })
}

/// The answer to a task without captions.
fn without_captions(answered: Answered) -> Output {
    let score = finding::score(&answered.findings, 0);
    let mut told = answered.told;
    for finding in &answered.findings {
        if !told.contains(&finding.message) && finding.severity != "info" {
            told.push(finding.message.clone());
        }
    }
    let mut counts = BTreeMap::new();
    for finding in &answered.findings {
        *counts.entry(finding.kind.clone()).or_default() += 1;
    }
    Output {
        summary: sentences_of(&told),
        score,
        verdict: if score >= GOOD { "good" } else { "poor" },
        findings: answered.findings,
        counts,
        media: None,
        captions: None,
        transcript: None,
        based_on: answered.based_on,
        confidence: answered.confidence,
        limitations: limits(&LIMITS, &[]),
    }
}

fn sentences_of(told: &[String]) -> String {
    let first = |text: &str| {
        let mut letters = text.chars();
        letters.next().map(|c| c.to_uppercase().collect::<String>() + letters.as_str()).unwrap_or_default()
    };
    told.iter().map(|text| first(text.trim_end_matches('.')) + ".").collect::<Vec<_>>().join(" ")
}

fn listen(text: &str) -> Result<(Transcript, Vec<String>), Error> {
    let short: Answer<Summary> = bridges::call("summarization", &json!({ "text": text, "max_sentences": 3 }))?;
    let items: Vec<&str> = sentences::split(text).into_iter().take(1_000).map(|sentence| sentence.text).collect();
    let feed: Answer<Feed> = bridges::call("sentiment_feed", &json!({ "items": items, "domain": "general" }))?;
    let words = text.split_whitespace().count();
    Ok((Transcript { summary: short.result.summary, words, sentiment: feed.result.index.value }, feed.limitations))
}

type Measured<'m> = (Option<&'m Map<String, Value>>, Option<&'m Map<String, Value>>, Option<&'m Transcript>);

fn summary(score: u32, findings: &[Finding], told: &[String], (media, captions, transcript): Measured<'_>) -> String {
    let mut text = sentences_of(told);
    if !text.is_empty() {
        text.push(' ');
    }
    let grave: Vec<&Finding> = findings.iter().filter(|finding| finding.severity != "info").collect();
    text.push_str(&format!("{score} of 100; {}", figures::count(grave.len(), "finding", "findings")));
    if let Some(worst) = grave.first() {
        text.push_str(&format!(", the gravest ({}): {}", worst.severity, worst.message));
    }
    let number = |map: Option<&Map<String, Value>>, name: &str| map?.get(name)?.as_f64().map(figures::figure);
    if let Some(seconds) = number(media, "duration_seconds") {
        text.push_str(&format!("; {seconds} s long"));
    }
    if let (Some(cues), Some(pace)) = (number(captions, "cues"), number(captions, "mean_words_per_minute")) {
        text.push_str(&format!("; {cues} captions at {pace} words a minute"));
    }
    if let Some(transcript) = transcript {
        text.push_str(&format!(
            "; {} spoken, sentiment {}",
            figures::count(transcript.words, "word", "words"),
            figures::figure(transcript.sentiment)
        ));
    }
    text.push('.');
    text
}

agent! { run: run, examples: ["../cases/captions.json"] }
tollbridge_sdk::test_cases!(agent run);
