//! An agent that sorts texts under labels: by exact rules, or by two readers that agree,
//! the bridge `classification` for words and vectors of a model for meaning.

mod by_model;
mod commands;
mod meaning;
mod rules;

use agent_common::{figures, form, texts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::{Call, Error, agent};

use crate::meaning::Verdict;
use crate::rules::{Measure, Rule};

/// Texts, and the labels to choose from.
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The texts, 1 to 200. Default: the lines of the task.
    #[schemars(length(min = 1, max = 200))]
    #[serde(skip_serializing_if = "Option::is_none")]
    texts: Option<Vec<String>>,
    /// The labels, 2 to 50; one is enough if it has a rule.
    #[schemars(length(min = 1, max = 50))]
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<Vec<Label>>,
    /// A best score of the bridge below this gives no label, 0 to 1. Default: 0.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    min_score: Option<f64>,
    /// What rules with numbers compare. Default: the only number of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    measure: Option<Measure>,
    /// The numbers that rules compare, one for each text, instead of a measure.
    #[schemars(length(max = 200))]
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<f64>>,
    /// The date of today, for the measure `days`: `2024-03-04`.
    #[schemars(length(max = 40))]
    #[serde(skip_serializing_if = "Option::is_none")]
    today: Option<String>,
    /// Whether the first label whose rule fits is taken. Default: a text that fits two rules is an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_match: Option<bool>,
}

/// A label.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Label {
    /// Its name, unique.
    #[schemars(length(min = 1, max = 100))]
    name: String,
    /// What belongs here, in words that such texts use.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// Texts that belong here, at most 200.
    #[schemars(length(max = 200))]
    #[serde(default)]
    examples: Vec<String>,
    /// When a text gets this label. If one label has a rule, all need one.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<Rule>,
}

/// The label of each text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    summary: String,
    /// The texts, in order.
    texts: Vec<ClassifiedText>,
    /// What the labels rest on: `rules`, `words and meaning`, `words`, or `model`.
    labels_from: &'static str,
    /// What the answer does not cover.
    limitations: Vec<String>,
}

/// A text with its label.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ClassifiedText {
    /// Its beginning, at most 80 characters.
    text: String,
    /// Its language, ISO 639-1, if it was detected.
    language: Option<String>,
    /// The label; null if none is certain enough.
    label: Option<String>,
    /// Why there is no label.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The share of right labels among texts with a choice as clear as this one, measured on texts of other callers; only where meaning was compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    /// The scores of the bridge, best first.
    scores: Vec<Score>,
    /// Words of the text that point to the label.
    because_of: Vec<String>,
}

/// The score of a label.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Score {
    /// The label.
    label: String,
    /// A probability or a cosine, by the method of the bridge.
    score: f64,
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let typed = input.filter(|input| task.trim().is_empty() || input.texts.is_some() || input.labels.is_some());
    let (form, note, in_words) = match typed {
        Some(mut input) => {
            if input.texts.is_none() {
                input.texts = Some(texts::split(task, false).map_err(|question| Error::invalid("/task", question))?);
            }
            (input, None, false)
        }
        None => {
            let filled = form::fill(task, commands::draft(task)?, |form| material(form).map(drop))?;
            (filled.form, filled.note, true)
        }
    };
    let mut output = answer(&form, in_words)?;
    output.limitations.extend(note);
    Ok(output)
}

/// Returns the texts and labels of an input.
fn material(input: &Input) -> Result<(&[String], &[Label]), Error> {
    let texts = input.texts.as_deref().unwrap_or_default();
    let labels = input.labels.as_deref().unwrap_or_default();
    if texts.is_empty() || texts.iter().any(|text| text.trim().is_empty()) {
        return Err(Error::invalid("/texts", "give the texts, none of them empty; in words, one a line"));
    }
    if texts.len() > 200 {
        return Err(Error::invalid("/texts", format!("{} texts; at most 200 in one task", texts.len())));
    }
    let few = labels.len() < 2 && labels.iter().all(|label| label.rule.is_none());
    if few || labels.iter().any(|label| label.name.trim().is_empty()) {
        return Err(Error::invalid("/labels", "give two or more labels with names, or labels with rules"));
    }
    let repeated = |(at, label): (usize, &Label)| labels.iter().skip(at + 1).any(|other| other.name == label.name);
    if labels.iter().enumerate().any(repeated) {
        return Err(Error::invalid("/labels", "two labels have the same name"));
    }
    Ok((texts, labels))
}

fn answer(input: &Input, in_words: bool) -> Result<Output, Error> {
    let (texts, labels) = material(input)?;
    if let Some(found) = rules::labels(input, texts)? {
        if found.iter().all(Option::is_none) {
            return Err(Error::invalid("/texts", "no text fits a rule; add a rule for the others").with_input(input));
        }
        let verdict = |label: Option<String>| Verdict {
            reason: label.is_none().then(|| "it fits no rule".to_owned()),
            language: None,
            label,
            confidence: None,
            scores: Vec::new(),
            words: Vec::new(),
        };
        return Ok(output(texts, found.into_iter().map(verdict).collect(), "rules", Vec::new()));
    }
    let (verdicts, limitations) = meaning::judge(texts, labels, input.min_score.unwrap_or(0.0), in_words)?;
    if verdicts.iter().any(|verdict| verdict.label.is_some()) || !in_words {
        let compared = verdicts.iter().any(|verdict| verdict.confidence.is_some());
        let from = if compared { "words and meaning" } else { "words" };
        return Ok(output(texts, verdicts, from, limitations));
    }
    let reason = verdicts.into_iter().find_map(|verdict| verdict.reason).unwrap_or_default();
    let message =
        format!("no label is certain enough: {reason}; describe the labels or give examples of each in `labels`");
    let refusal = Error::invalid("/labels", message).with_input(input);
    let (verdicts, note) = by_model::judge(texts, labels, &refusal)?;
    Ok(output(texts, verdicts, "model", vec![note]))
}

fn output(texts: &[String], verdicts: Vec<Verdict>, labels_from: &'static str, limitations: Vec<String>) -> Output {
    let classified = |(text, verdict): (&String, Verdict)| ClassifiedText {
        text: text.chars().take(80).collect(),
        language: verdict.language,
        label: verdict.label,
        reason: verdict.reason,
        confidence: verdict.confidence,
        scores: verdict.scores,
        because_of: verdict.words,
    };
    let texts: Vec<ClassifiedText> = texts.iter().zip(verdicts).map(classified).collect();
    Output { summary: summary(&texts), texts, labels_from, limitations }
}

/// Returns the label of one text, a line for each of a few, or the count of each label.
fn summary(texts: &[ClassifiedText]) -> String {
    let label = |text: &ClassifiedText| text.label.clone().unwrap_or_else(|| "no label".into());
    match texts {
        [only] => label(only),
        few if few.len() <= 20 => {
            let line = |(at, text): (usize, &ClassifiedText)| format!("{}: {}", at + 1, label(text));
            few.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
        }
        many => {
            let mut counts: Vec<(String, usize)> = Vec::new();
            for name in many.iter().map(label) {
                match counts.iter_mut().find(|(other, _)| *other == name) {
                    Some((_, count)) => *count += 1,
                    None => counts.push((name, 1)),
                }
            }
            counts.sort_by_key(|count| std::cmp::Reverse(count.1));
            let parts: Vec<String> = counts.iter().map(|(name, count)| format!("{name}: {count}")).collect();
            format!("{}: {}.", figures::count(many.len(), "text", "texts"), parts.join(", "))
        }
    }
}

agent! { run: run, examples: ["../cases/support.json"] }
tollbridge_sdk::test_cases!(agent run);

#[cfg(test)]
mod tests;
