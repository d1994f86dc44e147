//! An agent that checks captions against limits, and measures captions, media and speech.
//!
//! The bridge `media_probe` reads headers and captions; `summarization` and `sentiment_feed`
//! describe the transcript in a full evaluation. All checks of captions are exact
//! computations; pictures and sound are never judged.

mod captions;
mod checks;
mod commands;
mod facts;
mod finding;
mod input;

use std::collections::BTreeMap;

use agent_common::form::{self, Filled};
use agent_common::overlay::overlay;
use agent_common::{Answer, figures, limits as all_limits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tollbridge_sdk::{Call, Error, agent, bridges};

use crate::captions::Cue;
use crate::facts::Fact;
use crate::finding::{Finding, WEIGHTS};
pub use crate::input::{Input, Speech};

/// From this score on the verdict is `good`.
const GOOD: u32 = 70;
/// Most findings that are listed.
const LISTED_MAX: usize = 100;
/// Ends of the names of figures that complement another figure.
const COMPLEMENTS: [&str; 3] = ["_overall", "_of_media", "_of_span"];

const LIMITS: [&str; 2] = [
    "pictures and sound were not looked at: the score is about technique, captions and words",
    "the weights of the score are a choice of this agent",
];

/// The evaluation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    summary: String,
    /// 100 less what the findings take off, at least 0; at most 69 if a caption breaks a limit; null if nothing was checked.
    score: Option<u32>,
    /// `good` for a score of 70 or more, else `poor`; null if nothing was checked.
    verdict: Option<&'static str>,
    /// What breaks a limit, the gravest first, and words that were found; at most 100.
    findings: Vec<Finding>,
    /// How often each kind of finding occurs.
    counts: BTreeMap<String, u32>,
    /// Technical data of the headers; null without media.
    media: Option<Map<String, Value>>,
    /// Captions in figures; null without captions.
    captions: Option<Map<String, Value>>,
    /// The spoken words; null unless everything was evaluated.
    transcript: Option<Transcript>,
    /// What the answer does not cover.
    limitations: Vec<String>,
}

/// The spoken words.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Transcript {
    /// Its main sentences.
    summary: String,
    /// Number of words.
    words: usize,
    /// Sentiment, -1 to 1.
    sentiment: f64,
}

/// What `media_probe` answers.
#[derive(Default, Deserialize)]
struct Probe {
    media: Option<Map<String, Value>>,
    captions: Option<Map<String, Value>>,
    #[serde(default)]
    issues: Vec<Finding>,
    #[serde(default)]
    issue_counts: BTreeMap<String, u32>,
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let input = input.unwrap_or_default();
    let filled = if has_material(&input) || (task.trim().is_empty() && input != Input::default()) {
        Filled { form: input, note: None }
    } else {
        let filled = form::fill(task, commands::draft(task), check)?;
        Filled { form: overlay(filled.form, &input), note: filled.note }
    };
    check(&filled.form)?;
    let mut output = evaluated(&filled.form)?;
    output.limitations.extend(filled.note);
    Ok(output)
}

fn has_material(input: &Input) -> bool {
    input.media.is_some() || input.captions.is_some() || input.transcript.is_some() || input.speech.is_some()
}

fn check(input: &Input) -> Result<(), Error> {
    if !has_material(input) {
        let message = "give `captions`, `media`, `transcript` or `speech`; a link is not followed";
        return Err(Error::invalid("/captions", message));
    }
    if input.speech.is_some_and(|speech| facts::of_speech(&speech).is_none()) {
        return Err(Error::invalid("/speech", "give two of `words`, `seconds` and `words_per_minute`"));
    }
    Ok(())
}

fn evaluated(input: &Input) -> Result<Output, Error> {
    let cues = input.captions.as_deref().map(captions::cues).unwrap_or_default();
    let wants = checks::Wanted::of(input);
    let (probe, mut notes) = probe(input)?;
    let agree = probe.captions.as_ref().and_then(|own| own.get("cues")?.as_u64()) == Some(cues.len() as u64);
    if input.captions.is_some() && !agree {
        let message =
            "the captions cannot be read safely: a time has another form than `00:00:01,000 --> 00:00:02,000`";
        return Err(Error::invalid("/captions", message));
    }
    let all = facts::of_captions(&cues, input.media_seconds);
    let mut findings: Vec<Finding> = probe.issues.into_iter().map(|finding| finding.explained(&cues)).collect();
    findings.retain(|finding| wants.includes(&finding.kind));
    findings.extend(wants.beyond(&cues, &all, &findings));
    let score = wants.any().then(|| finding::score(&findings, cues.len()));
    let mut stated = stated(input, &cues, &all)?;
    let spoken = input.transcript.clone().unwrap_or_else(|| cues.iter().map(Cue::line).collect::<Vec<_>>().join(" "));
    for word in input.find_words.iter().flatten() {
        let (finding, text) = checks::occurrences(word, &cues, &spoken);
        findings.extend(finding);
        stated.push(text);
    }
    findings.sort_by_key(|finding| WEIGHTS.iter().position(|(name, ..)| *name == finding.severity));
    // The bridge counts more findings than it lists.
    let mut counts = probe.issue_counts;
    counts.retain(|kind, _| wants.includes(kind));
    let counted = counts.clone();
    for finding in findings.iter().filter(|finding| !counted.contains_key(&finding.kind)) {
        *counts.entry(finding.kind.clone()).or_default() += 1;
    }
    let captions = probe.captions.map(|mut captions| {
        captions.remove("thresholds");
        for fact in &all {
            captions.entry(fact.name).or_insert_with(|| json!(fact.value));
        }
        captions
    });
    let mut transcript = None;
    if input.checks.is_none() && !spoken.trim().is_empty() {
        let (words, more) = listen(&spoken)?;
        transcript = Some(words);
        notes.extend(more);
    }
    let mut output = Output {
        summary: String::new(),
        score,
        verdict: score.map(|score| if score >= GOOD { "good" } else { "poor" }),
        findings,
        counts,
        media: probe.media,
        captions,
        transcript,
        limitations: all_limits(&LIMITS, &[&notes]),
    };
    output.summary = summary(&output, &stated, &wants.words());
    output.findings.truncate(LISTED_MAX);
    Ok(output)
}

/// Returns the members of an object that are not null.
fn given(object: &Value) -> Map<String, Value> {
    let members = object.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    members.map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn probe(input: &Input) -> Result<(Probe, Vec<String>), Error> {
    if input.media.is_none() && input.captions.is_none() {
        return Ok((Probe::default(), Vec::new()));
    }
    let thresholds = input.limits.as_ref().map(checks::thresholds).filter(|map| !map.is_empty());
    let call = given(&json!({
        "media": input.media,
        "captions": input.captions,
        "media_seconds": input.media_seconds,
        "thresholds": thresholds,
    }));
    let answer: Answer<Probe> = bridges::call("media_probe", &call)?;
    Ok((answer.result, answer.limitations))
}

/// Returns the figures that the input asks for, in words.
fn stated(input: &Input, cues: &[Cue], all: &[Fact]) -> Result<Vec<String>, Error> {
    let mut stated = Vec::new();
    for figure in input.figures.iter().flatten() {
        let name = json!(figure).as_str().unwrap_or_default().to_owned();
        let is_own = |fact: &&Fact| {
            let complement = fact.name.strip_prefix(name.as_str());
            complement.is_some_and(|rest| rest.is_empty() || COMPLEMENTS.contains(&rest))
        };
        let before = stated.len();
        stated.extend(all.iter().filter(is_own).map(|fact| fact.words.clone()));
        if let Some(text) = input.transcript.as_ref().filter(|_| name == "words" && cues.is_empty()) {
            stated.push(figures::count(captions::words(text), "word", "words"));
        }
        if stated.len() == before {
            let message = format!("the figure `{name}` needs captions with readable times, or the length of the video");
            return Err(Error::invalid("/figures", message));
        }
    }
    if let Some([a, b]) = input.between {
        let gap = facts::gaps(cues).into_iter().find(|gap| (gap.0, gap.1) == (a.min(b) as usize, a.max(b) as usize));
        let Some((a, b, gap)) = gap else {
            return Err(Error::invalid("/between", "give the numbers of two successive captions"));
        };
        stated.push(format!("from the end of caption {a} to the start of caption {b} are {} s", facts::shown(gap)));
    }
    stated.extend(input.speech.as_ref().and_then(facts::of_speech));
    Ok(stated)
}

fn listen(text: &str) -> Result<(Transcript, Vec<String>), Error> {
    let short: Answer<Value> = bridges::call("summarization", &json!({ "text": text, "max_sentences": 3 }))?;
    let parts = text.split_inclusive(['.', '!', '?', '\n']).map(str::trim).filter(|item| !item.is_empty());
    let items: Vec<&str> = parts.take(1_000).collect();
    let feed: Answer<Value> = bridges::call("sentiment_feed", &json!({ "items": items, "domain": "general" }))?;
    let summary = short.result.get("summary").and_then(Value::as_str);
    let sentiment = feed.result.pointer("/index/value").and_then(Value::as_f64);
    let (Some(summary), Some(sentiment)) = (summary, sentiment) else {
        return Err(Error::Upstream("a bridge answered in another form".to_owned()));
    };
    let words = text.split_whitespace().count();
    Ok((Transcript { summary: summary.to_owned(), words, sentiment }, feed.limitations))
}

fn summary(output: &Output, stated: &[String], checks: &str) -> String {
    let first = |text: &String| {
        let mut letters = text.chars();
        letters.next().map(|c| c.to_uppercase().collect::<String>() + letters.as_str()).unwrap_or_default() + "."
    };
    let mut all: Vec<String> = stated.iter().map(first).collect();
    let Some(score) = output.score else { return all.join(" ") };
    let grave: Vec<&Finding> = output.findings.iter().filter(|finding| finding.severity != "info").collect();
    let mut parts = vec![format!("{score} of 100"), figures::count(grave.len(), "finding", "findings")];
    if let (Some(worst), Some(count)) = (grave.first(), parts.last_mut()) {
        *count += &format!(", the gravest ({}): {}", worst.severity, worst.message);
    }
    parts.push(format!("checked: {checks}"));
    let number = |map: &Option<Map<String, Value>>, name: &str| map.as_ref()?.get(name)?.as_f64().map(figures::figure);
    parts.extend(number(&output.media, "duration_seconds").map(|seconds| format!("{seconds} s long")));
    let pace = number(&output.captions, "cues").zip(number(&output.captions, "mean_words_per_minute"));
    parts.extend(pace.map(|(cues, pace)| format!("{cues} captions at {pace} words a minute")));
    if let Some(transcript) = &output.transcript {
        let words = figures::count(transcript.words, "word", "words");
        parts.push(format!("{words} spoken, sentiment {}", figures::figure(transcript.sentiment)));
    }
    all.push(parts.join("; ") + ".");
    all.join(" ")
}

agent! { run: run, examples: ["../cases/captions.json"] }
tollbridge_sdk::test_cases!(agent run);

#[cfg(test)]
mod tests;
