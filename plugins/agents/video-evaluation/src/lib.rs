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
use crate::checks::{Check, Limits};
use crate::facts::{Fact, Figure};
use crate::finding::Finding;
pub use crate::input::{Input, Speech};

/// From this score on the verdict is `good`.
const GOOD: u32 = 70;
/// Most findings that are listed.
const LISTED_MAX: usize = 100;

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

#[derive(Default, Deserialize)]
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

const LIMITS: [&str; 2] = [
    "pictures and sound were not looked at: the score is about technique, captions and words",
    "the weights of the score are a choice of this agent",
];

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let input = input.unwrap_or_default();
    let filled = if has_material(&input) || (task.trim().is_empty() && input != Input::default()) {
        Filled { form: input, note: None }
    } else {
        let filled = form::fill(task, commands::draft(task), |form| checked(form).map(drop))?;
        Filled { form: overlay(filled.form, &input), note: filled.note }
    };
    let mut output = evaluated(&checked(&filled.form)?)?;
    output.limitations.extend(filled.note);
    Ok(output)
}

fn has_material(input: &Input) -> bool {
    input.media.is_some() || input.captions.is_some() || input.transcript.is_some() || input.speech.is_some()
}

fn checked(input: &Input) -> Result<Input, Error> {
    if !has_material(input) {
        let message = "give `captions`, `media`, `transcript` or `speech`; a link is not followed";
        return Err(Error::invalid("/captions", message));
    }
    if input.speech.is_some_and(|speech| facts::of_speech(&speech).is_none()) {
        return Err(Error::invalid("/speech", "give two of `words`, `seconds` and `words_per_minute`"));
    }
    Ok(input.clone())
}

fn evaluated(input: &Input) -> Result<Output, Error> {
    let cues = input.captions.as_deref().map(captions::cues).unwrap_or_default();
    let wants = checks::Wanted::of(input);
    let (probe, notes) = probe(input)?;
    let agree = probe.captions.as_ref().and_then(|own| own.get("cues")?.as_u64()) == Some(cues.len() as u64);
    if input.captions.is_some() && !agree {
        let message =
            "the captions cannot be read safely: a time has another form than `00:00:01,000 --> 00:00:02,000`";
        return Err(Error::invalid("/captions", message));
    }
    let all = facts::of_captions(&cues, input.media_seconds);
    let mut findings = finding::explained(probe.issues, &cues);
    findings.extend(finding::repeated(&cues));
    findings.retain(|finding| wants.includes(&finding.kind));
    let beyond = wants.beyond(&cues, &all, &findings);
    findings.extend(beyond);
    let score = wants.any().then(|| finding::score(&findings, cues.len()));
    let mut stated = stated(input, &cues, &all)?;
    let spoken = input.transcript.clone().unwrap_or_else(|| cues.iter().map(Cue::line).collect::<Vec<_>>().join(" "));
    for word in input.find_words.iter().flatten() {
        let (finding, text) = checks::occurrences(word, &cues, &spoken);
        findings.extend(finding);
        stated.push(text);
    }
    findings.sort_by_key(|finding| finding::WEIGHTS.iter().position(|(name, ..)| *name == finding.severity));
    let full = input.checks.is_none() && !spoken.trim().is_empty();
    let (transcript, more) = full.then(|| listen(&spoken)).transpose()?.unzip();
    let captions = probe.captions.map(|mut captions| {
        captions.remove("thresholds");
        for fact in &all {
            captions.entry(fact.name).or_insert_with(|| json!(fact.value));
        }
        captions
    });
    let mut counts = probe.issue_counts;
    counts.retain(|kind, _| wants.includes(kind));
    for finding in findings.iter().filter(|finding| !counts.contains_key(&finding.kind)).cloned().collect::<Vec<_>>() {
        let count = findings.iter().filter(|other| other.kind == finding.kind).count();
        counts.insert(finding.kind, u32::try_from(count).unwrap_or(u32::MAX));
    }
    let verdict = score.map(|score| if score >= GOOD { "good" } else { "poor" });
    let measured = (probe.media.as_ref(), captions.as_ref(), transcript.as_ref());
    Ok(Output {
        summary: summary(score, &findings, &stated, &wants.words(), measured),
        score,
        verdict,
        counts,
        media: probe.media,
        captions,
        transcript,
        findings: findings.into_iter().take(LISTED_MAX).collect(),
        limitations: all_limits(&LIMITS, &[&notes, &more.unwrap_or_default()]),
    })
}

fn probe(input: &Input) -> Result<(Probe, Vec<String>), Error> {
    if input.media.is_none() && input.captions.is_none() {
        return Ok((Probe::default(), Vec::new()));
    }
    let thresholds = input.limits.as_ref().map(Limits::thresholds).filter(|map| !map.is_empty());
    let mut call = Map::new();
    for (name, value) in [
        ("media", json!(input.media)),
        ("captions", json!(input.captions)),
        ("media_seconds", json!(input.media_seconds)),
        ("thresholds", json!(thresholds)),
    ] {
        if !value.is_null() {
            call.insert(name.into(), value);
        }
    }
    let answer: Answer<Probe> = bridges::call("media_probe", &call)?;
    Ok((answer.result, answer.limitations))
}

/// Returns the figures that the input asks for, in words.
fn stated(input: &Input, cues: &[Cue], all: &[Fact]) -> Result<Vec<String>, Error> {
    let mut stated = Vec::new();
    let spoken = input.transcript.as_ref().filter(|_| cues.is_empty());
    for figure in input.figures.iter().flatten() {
        let name = json!(figure).as_str().unwrap_or_default().to_owned();
        let own = all.iter().filter(|fact| {
            fact.name.strip_prefix(name.as_str()).is_some_and(|rest| {
                rest.is_empty()
                    || (rest.starts_with('_') && matches!(figure, Figure::WordsPerMinute | Figure::CoveredPercent))
            })
        });
        let mut own: Vec<String> = own.map(|fact| fact.words.clone()).collect();
        if let (Figure::Words, Some(text)) = (figure, spoken) {
            own.push(figures::count(captions::words(text), "word", "words"));
        }
        if own.is_empty() {
            let message = format!("the figure `{name}` needs captions with readable times, or the length of the video");
            return Err(Error::invalid("/figures", message));
        }
        stated.extend(own);
    }
    if let Some([a, b]) = input.between {
        let gap = facts::gaps(cues).into_iter().find(|gap| (gap.0, gap.1) == (a.min(b) as usize, a.max(b) as usize));
        let Some((a, b, gap)) = gap else {
            return Err(Error::invalid("/between", "give the numbers of two successive captions"));
        };
        stated.push(format!("from the end of caption {a} to the start of caption {b} are {} s", facts::shown(gap)));
    }
    stated.extend(input.speech.as_ref().and_then(facts::of_speech).map(|fact| fact.words));
    Ok(stated)
}

fn listen(text: &str) -> Result<(Transcript, Vec<String>), Error> {
    let short: Answer<Summary> = bridges::call("summarization", &json!({ "text": text, "max_sentences": 3 }))?;
    let items: Vec<&str> = text
        .split_inclusive(['.', '!', '?', '\n'])
        .map(str::trim)
        .filter(|item| !item.is_empty())
        .take(1_000)
        .collect();
    let feed: Answer<Feed> = bridges::call("sentiment_feed", &json!({ "items": items, "domain": "general" }))?;
    let words = text.split_whitespace().count();
    Ok((Transcript { summary: short.result.summary, words, sentiment: feed.result.index.value }, feed.limitations))
}

type Measured<'m> = (Option<&'m Map<String, Value>>, Option<&'m Map<String, Value>>, Option<&'m Transcript>);

fn summary(
    score: Option<u32>,
    findings: &[Finding],
    stated: &[String],
    checked: &str,
    (media, captions, transcript): Measured<'_>,
) -> String {
    let first = |text: &String| {
        let mut letters = text.chars();
        letters.next().map(|c| c.to_uppercase().collect::<String>() + letters.as_str()).unwrap_or_default() + "."
    };
    let stated: Vec<String> = stated.iter().map(first).collect();
    let Some(score) = score else { return stated.join(" ") };
    let grave: Vec<&Finding> = findings.iter().filter(|finding| finding.severity != "info").collect();
    let mut text = format!("{score} of 100; {}", figures::count(grave.len(), "finding", "findings"));
    if let Some(worst) = grave.first() {
        text.push_str(&format!(", the gravest ({}): {}", worst.severity, worst.message));
    }
    text.push_str(&format!("; checked: {checked}"));
    let number = |map: Option<&Map<String, Value>>, name: &str| map?.get(name)?.as_f64().map(figures::figure);
    if let Some(seconds) = number(media, "duration_seconds") {
        text.push_str(&format!("; {seconds} s long"));
    }
    if let (Some(cues), Some(pace)) = (number(captions, "cues"), number(captions, "mean_words_per_minute")) {
        text.push_str(&format!("; {cues} captions at {pace} words a minute"));
    }
    if let Some(transcript) = transcript {
        let words = figures::count(transcript.words, "word", "words");
        text.push_str(&format!("; {words} spoken, sentiment {}", figures::figure(transcript.sentiment)));
    }
    [stated.join(" "), text + "."].join(" ").trim().to_owned()
}

agent! { run: run, examples: ["../cases/captions.json"] }
tollbridge_sdk::test_cases!(agent run);
