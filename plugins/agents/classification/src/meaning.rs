//! Labels by meaning: two readers that must not contradict each other. The bridge
//! `classification` compares words, vectors of a model compare meaning.

use agent_common::{Answer, language};
use serde::Deserialize;
use serde_json::json;
use tollbridge_sdk::{Error, bridges, inference};

use crate::input::Label;
use crate::output::Score;

/// Least difference between the two nearest labels at which vectors alone decide.
const MARGIN: f64 = 0.08;
/// … and at which they confirm what words suggest.
const MARGIN_CONFIRMED: f64 = 0.05;
/// Least cosine of the nearest label.
const NEAR: f64 = 0.15;
/// The share of right choices from a margin on, by `scripts/calibrate_classification.py`
/// on 99 texts of the development tasks.
const CALIBRATION: [(f64, f64); 6] =
    [(0.0, 0.33), (0.001, 0.43), (0.033, 0.67), (0.039, 0.76), (0.092, 0.92), (0.193, 0.97)];

/// What the readers make of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    pub language: Option<String>,
    pub label: Option<String>,
    /// The calibrated probability that the label is right, where vectors were compared.
    pub confidence: Option<f64>,
    /// Why there is no label.
    pub reason: Option<String>,
    pub scores: Vec<Score>,
    pub words: Vec<String>,
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

/// The label that is nearest to a text.
#[derive(Debug, Clone, PartialEq)]
struct Nearest {
    label: String,
    cosine: f64,
    margin: f64,
}

impl Nearest {
    fn is_clear(&self) -> bool {
        self.margin >= MARGIN && self.cosine >= NEAR
    }

    fn probability(&self) -> f64 {
        let step = CALIBRATION.iter().rev().find(|(margin, _)| self.margin >= *margin);
        step.map_or(0.0, |(_, share)| *share)
    }
}

/// Judges each text. Without a model for vectors, a `strict` caller gets its error, and
/// others the labels of the bridge alone.
pub fn judge(
    texts: &[String],
    labels: &[Label],
    min_score: f64,
    strict: bool,
) -> Result<(Vec<Verdict>, Vec<String>), Error> {
    let nearest = match nearest(texts, labels) {
        Ok(nearest) => Some(nearest),
        Err(inference::Error::NoProvider(_)) if !strict => None,
        Err(error) => return Err(error.into()),
    };
    let languages = language::detect_each(texts)?;
    let foreign = languages.iter().flatten().any(|language| language != "en");
    let mut call = json!({ "texts": texts, "labels": plain(labels), "min_score": min_score });
    // Parts of words that a text shares with the name of a label mean nothing.
    let bare = labels.iter().all(|label| label.examples.is_empty());
    if let Some(call) = call.as_object_mut().filter(|_| bare) {
        call.insert("features".into(), json!("words"));
    }
    let answer: Answer<Classifications> = bridges::call("classification", &call)?;
    let verdict = |(at, (found, language)): (usize, (Classification, Option<String>))| {
        let best = found.scores.first().map_or(0.0, |score| score.score);
        let shared = found.label.filter(|_| best > 0.0);
        let words = found.evidence.into_iter().map(|word| word.word).collect();
        let near = nearest.as_ref().map(|all| all.get(at).cloned().flatten());
        let (label, confidence, reason) = decide(shared, near, !foreign);
        Verdict { language, label, confidence, reason, scores: found.scores, words }
    };
    let verdicts = answer.result.texts.into_iter().zip(languages).enumerate().map(verdict).collect();
    // The bridge counts the texts that its words alone did not label.
    let mut limitations = answer.limitations;
    limitations.retain(|text| !text.ends_with("got no label"));
    if nearest.is_none() {
        limitations.push("no model for vectors is available: only words were compared".to_owned());
    }
    Ok((verdicts, limitations))
}

type Decision = (Option<String>, Option<f64>, Option<String>);

/// Returns the label on which the readers agree. `near` is none without vectors.
fn decide(shared: Option<String>, near: Option<Option<Nearest>>, english: bool) -> Decision {
    let none = |reason: String| (None, None, Some(reason));
    let Some(near) = near else {
        return match shared {
            Some(label) => (Some(label), None, None),
            None => none("it shares no word with a label".into()),
        };
    };
    let Some(near) = near else { return none("its meaning could not be compared".into()) };
    match shared {
        _ if !english => none("meaning is compared in English only".into()),
        Some(label) if label == near.label && near.margin >= MARGIN_CONFIRMED => {
            (Some(label), Some(near.probability()), None)
        }
        Some(label) if label == near.label => {
            none(format!("its words suggest `{label}`, and its meaning is as near to another label"))
        }
        Some(label) => none(format!("its words suggest `{label}`, its meaning `{}`", near.label)),
        None if near.is_clear() => {
            let probability = near.probability();
            (Some(near.label), Some(probability), None)
        }
        None => none("it shares no word with a label, and no label is clearly nearest in meaning".into()),
    }
}

/// The labels as the bridge reads them.
fn plain(labels: &[Label]) -> Vec<Label> {
    labels.iter().cloned().map(|label| Label { rule: None, ..label }).collect()
}

/// Returns the label nearest to each text. A label is a sentence about it, or the mean of
/// that and its examples.
fn nearest(texts: &[String], labels: &[Label]) -> Result<Vec<Option<Nearest>>, inference::Error> {
    let sentence = |label: &Label| {
        let about = label.description.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
        format!("This text is about {}{about}.", label.name.replace('_', " ").to_lowercase())
    };
    let all: Vec<String> = labels
        .iter()
        .flat_map(|label| [sentence(label)].into_iter().chain(label.examples.clone()))
        .chain(texts.iter().cloned())
        .collect();
    let vectors = inference::embed(&all)?.vectors;
    let mut rest = vectors.as_slice();
    let mut means = Vec::new();
    for label in labels {
        let (own, after) = rest.split_at_checked(label.examples.len() + 1).unwrap_or((rest, &[]));
        means.push((label.name.clone(), mean(own)));
        rest = after;
    }
    Ok(rest.iter().map(|vector| of_text(vector, &means)).collect())
}

fn of_text(vector: &[f32], labels: &[(String, Vec<f32>)]) -> Option<Nearest> {
    let mut cosines: Vec<(&String, f64)> = labels.iter().map(|(name, mean)| (name, cosine(vector, mean))).collect();
    cosines.sort_by(|a, b| b.1.total_cmp(&a.1));
    let [(label, cosine), (_, second), ..] = cosines.as_slice() else { return None };
    Some(Nearest { label: (*label).clone(), cosine: *cosine, margin: cosine - second })
}

fn mean(vectors: &[Vec<f32>]) -> Vec<f32> {
    let mut sum = vectors.first().cloned().unwrap_or_default();
    for vector in vectors.iter().skip(1) {
        sum.iter_mut().zip(vector).for_each(|(total, value)| *total += value);
    }
    sum
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    let lengths = (product(a, a) * product(b, b)).sqrt();
    if lengths > 0.0 { product(a, b) / lengths } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(margin: f64, cosine: f64) -> Option<Option<Nearest>> {
        Some(Some(Nearest { label: "a".into(), cosine, margin }))
    }

    #[test]
    fn readers_must_not_contradict_each_other() {
        let label = |shared: Option<&str>, near, english| decide(shared.map(str::to_owned), near, english).0;
        assert_eq!(label(Some("a"), near(0.06, 0.1), true), Some("a".into()));
        assert_eq!(label(Some("a"), near(0.04, 0.5), true), None);
        assert_eq!(label(Some("b"), near(0.3, 0.5), true), None);
        assert_eq!(label(None, near(0.09, 0.2), true), Some("a".into()));
        assert_eq!(label(None, near(0.07, 0.2), true), None);
        assert_eq!(label(None, near(0.2, 0.1), true), None);
        assert_eq!(label(None, near(0.2, 0.4), false), None);
        assert_eq!(label(Some("b"), None, true), Some("b".into()));
    }

    #[test]
    fn probability_rises_with_the_margin() {
        let at = |margin: f64| Nearest { label: "a".into(), cosine: 0.5, margin }.probability();
        assert_eq!((at(0.0), at(0.05), at(0.1), at(0.5)), (0.33, 0.76, 0.92, 0.97));
        assert!(CALIBRATION.windows(2).all(|pair| matches!(pair, [a, b] if a.0 < b.0 && a.1 < b.1)));
    }
}
