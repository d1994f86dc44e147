//! An agent that sorts texts into categories.
//!
//! The bridge `classification` learns from the labels' examples or
//! descriptions; this agent reads texts and labels out of words, and brings
//! categories of its own for messages of customers. A text that shares no word
//! with any category gets none.

mod builtin;

use agent_common::{Answer, figures, language, limits, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tollbridge_sdk::{Call, Error, agent, bridges};

const VERBS: [&str; 6] = ["classify", "categorise", "categorize", "sort", "label", "tag"];

/// Texts, and where they may belong.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The texts, 1 to 200. The task's own lines unless given.
    #[schemars(length(min = 1, max = 200))]
    texts: Option<Vec<String>>,
    /// Two to 50 categories. Default: those that the task names (`into a, b or c:`), else built-in ones for messages of customers.
    #[schemars(length(min = 2, max = 50))]
    labels: Option<Vec<Label>>,
    /// A best score below this gives no category, 0 to 1; default 0.
    #[schemars(range(min = 0.0, max = 1.0))]
    min_score: Option<f64>,
}

/// A category.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Label {
    /// Its name; no two alike.
    #[schemars(length(min = 1, max = 100))]
    pub name: String,
    /// What belongs here, in words that such texts use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Texts that belong here, at most 200.
    #[serde(default)]
    pub examples: Vec<String>,
}

/// Where each text belongs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    summary: String,
    /// One for each text, in order.
    texts: Vec<ClassifiedText>,
    /// Where the categories come from: `given`, `task` or `built-in`.
    labels_from: String,
    /// What the answer does not tell.
    limitations: Vec<String>,
}

/// A text's category.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ClassifiedText {
    /// Its beginning, at most 80 characters.
    text: String,
    /// Its language, ISO 639-1, where it shows.
    language: Option<String>,
    /// The category; null where no word speaks for any.
    label: Option<String>,
    /// Share of the best score in all scores, 0 to 1: how clear the choice is.
    confidence: f64,
    /// All categories, the best first.
    scores: Vec<Score>,
    /// Words that spoke for it.
    because_of: Vec<String>,
}

/// A category's score.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Score {
    /// The category.
    label: String,
    /// As the method scores: a probability, or a cosine.
    score: f64,
}

#[derive(Deserialize)]
struct Classifications {
    texts: Vec<Classification>,
}

#[derive(Deserialize)]
struct Classification {
    label: Option<String>,
    scores: Vec<Score>,
    #[serde(default)]
    evidence: Vec<Word>,
}

#[derive(Deserialize)]
struct Word {
    word: String,
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let (request, body) = words::request(words::of(task, input.as_ref()), &VERBS);
    let input = input.unwrap_or_default();
    let lines = || body.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    let texts: Vec<String> = input.texts.unwrap_or_else(lines);
    if texts.is_empty() {
        return Err(Error::invalid("/texts", "write the texts as the task, one a line, or give them as `texts`"));
    }
    if texts.len() > 200 {
        return Err(Error::invalid("/texts", format!("{} texts; at most 200 in one task", texts.len())));
    }
    let (labels, labels_from) = match (input.labels, builtin::named(request)) {
        (Some(labels), _) => (labels, "given"),
        (None, Some(labels)) => (labels, "task"),
        (None, None) => (builtin::labels(), "built-in"),
    };
    let languages = language::detect_each(&texts)?;
    let asked = json!({ "texts": texts, "labels": labels, "min_score": input.min_score.unwrap_or(0.0) });
    let answer: Answer<Classifications> = bridges::call("classification", &asked)?;
    let sorted = texts.iter().zip(languages).zip(answer.result.texts);
    let sorted: Vec<ClassifiedText> = sorted.map(|((text, language), chosen)| sort(text, language, chosen)).collect();
    Ok(Output {
        summary: summary(&sorted),
        texts: sorted,
        labels_from: labels_from.into(),
        limitations: limits(
            &["the confidence says how clear the choice is among these categories, not how likely it is right"],
            &[&answer.limitations],
        ),
    })
}

fn sort(text: &str, language: Option<String>, chosen: Classification) -> ClassifiedText {
    let all: f64 = chosen.scores.iter().map(|score| score.score.max(0.0)).sum();
    let best = chosen.scores.first().map_or(0.0, |score| score.score.max(0.0));
    let label = chosen.label.filter(|_| best > 0.0);
    ClassifiedText {
        text: text.chars().take(80).collect(),
        language,
        confidence: if label.is_some() && all > 0.0 { figures::round(best / all) } else { 0.0 },
        label,
        scores: chosen.scores,
        because_of: chosen.evidence.into_iter().map(|word| word.word).collect(),
    }
}

fn summary(sorted: &[ClassifiedText]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for text in sorted {
        let label = text.label.as_deref().unwrap_or("no category");
        match counts.iter_mut().find(|(name, _)| *name == label) {
            Some((_, n)) => *n += 1,
            None => counts.push((label, 1)),
        }
    }
    counts.sort_by_key(|count| std::cmp::Reverse(count.1));
    let parts: Vec<String> = counts.iter().map(|(label, n)| format!("{label}: {n}")).collect();
    format!("{}: {}.", figures::count(sorted.len(), "text", "texts"), parts.join(", "))
}

agent! { run: run, examples: ["../cases/support.json"] }
tollbridge_sdk::test_cases!(agent run);
