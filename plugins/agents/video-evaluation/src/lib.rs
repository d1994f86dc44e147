//! An agent that rates a video by what can be read without looking at it.
//!
//! The bridge `media_probe` reads headers and captions, `summarization` and
//! `sentiment_feed` the transcript. The score starts at 100 and every finding
//! takes off what its severity weighs; pictures and sound are never judged.

use std::collections::BTreeMap;

use agent_common::{Answer, figures, limits, sentences, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tollbridge_sdk::{Call, Error, agent, bridges};

const VERBS: [&str; 6] = ["evaluate", "rate", "check", "review", "judge", "assess"];
/// What a kind of finding takes off the score, and at most.
const WEIGHTS: [(&str, u32, u32); 3] = [("high", 15, 45), ("medium", 6, 30), ("low", 2, 15)];

/// A video, as far as it is given.
#[derive(Debug, Default, Deserialize, JsonSchema)]
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
    /// What the answer does not tell.
    limitations: Vec<String>,
}

/// A finding.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// high, medium or low.
    severity: String,
    /// What kind.
    kind: String,
    /// What is wrong.
    message: String,
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
    let (_, body) = words::request(words::of(task, input.as_ref()), &VERBS);
    let input = input.unwrap_or_default();
    let captions = input.captions.or_else(|| body.contains("-->").then(|| body.to_owned()));
    if input.media.is_none() && captions.is_none() {
        let fix = "give `media` (base64) or `captions`, or write captions (SRT or WebVTT) as the task; a link is not followed";
        return Err(Error::invalid("/media", fix));
    }
    let transcript =
        input.transcript.or_else(|| captions.as_deref().map(spoken)).filter(|text| !text.trim().is_empty());
    let mut asked = Map::new();
    for (name, value) in
        [("media", json!(input.media)), ("captions", json!(captions)), ("media_seconds", json!(input.media_seconds))]
    {
        if !value.is_null() {
            asked.insert(name.into(), value);
        }
    }
    let probe: Answer<Probe> = bridges::call("media_probe", &asked)?;
    let (transcript, more) = transcript.map(|text| listen(&text)).transpose()?.unzip();
    let mut media = probe.result;
    media.issues.sort_by_key(|issue| WEIGHTS.iter().position(|(name, ..)| *name == issue.severity));
    let score = score(&media.issues);
    Ok(Output {
        summary: summary(score, &media, transcript.as_ref()),
        score,
        counts: media.issue_counts,
        media: media.media,
        captions: media.captions.map(|mut captions| {
            captions.remove("thresholds");
            captions
        }),
        transcript,
        findings: media.issues.into_iter().take(100).collect(),
        limitations: limits(
            &[
                "pictures and sound were not looked at: the score is about technique, captions and words",
                "the weights of the score are a choice of this agent",
            ],
            &[&probe.limitations, &more.unwrap_or_default()],
        ),
    })
}

/// The text of captions without numbers, times and mark-up.
fn spoken(captions: &str) -> String {
    let mut text = String::new();
    for block in captions.replace("\r\n", "\n").split("\n\n") {
        let lines = block.lines().skip_while(|line| !line.contains("-->")).skip(1);
        for line in lines {
            let mut inside = false;
            let plain = line.chars().filter(|c| {
                let keep = !inside && *c != '<';
                inside = (inside || *c == '<') && *c != '>';
                keep
            });
            text.extend(plain);
            text.push(' ');
        }
    }
    text.trim().to_owned()
}

fn listen(text: &str) -> Result<(Transcript, Vec<String>), Error> {
    let short: Answer<Summary> = bridges::call("summarization", &json!({ "text": text, "max_sentences": 3 }))?;
    let items: Vec<&str> = sentences::split(text).into_iter().take(1_000).map(|sentence| sentence.text).collect();
    let feed: Answer<Feed> = bridges::call("sentiment_feed", &json!({ "items": items, "domain": "general" }))?;
    let words = text.split_whitespace().count();
    Ok((Transcript { summary: short.result.summary, words, sentiment: feed.result.index.value }, feed.limitations))
}

fn score(issues: &[Finding]) -> u32 {
    let count = |severity: &str| {
        u32::try_from(issues.iter().filter(|issue| issue.severity == severity).count()).unwrap_or(u32::MAX)
    };
    let off: u32 = WEIGHTS.iter().map(|(name, weight, most)| count(name).saturating_mul(*weight).min(*most)).sum();
    100_u32.saturating_sub(off)
}

fn summary(score: u32, found: &Probe, transcript: Option<&Transcript>) -> String {
    let mut text = format!("{score} of 100; {}", figures::count(found.issues.len(), "finding", "findings"));
    if let Some(worst) = found.issues.first() {
        text.push_str(&format!(", the gravest ({}): {}", worst.severity, worst.message));
    }
    let number = |map: &Option<Map<String, Value>>, name: &str| map.as_ref()?.get(name)?.as_f64().map(figures::figure);
    if let Some(seconds) = number(&found.media, "duration_seconds") {
        text.push_str(&format!("; {seconds} s long"));
    }
    if let (Some(cues), Some(pace)) =
        (number(&found.captions, "cues"), number(&found.captions, "mean_words_per_minute"))
    {
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
