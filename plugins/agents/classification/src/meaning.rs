//! Labels by meaning: two readers that must not contradict each other. The bridge
//! `classification` compares words, vectors of a model compare meaning.

use agent_common::{Answer, language};
use serde::Deserialize;
use serde_json::json;
use tollbridge_sdk::{Error, bridges, inference};

use crate::input::{ClassifiedText, Input, Label, Score};

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

/// Judges each text. Without a model for vectors, a `strict` caller gets its error, and
/// others the labels of the bridge alone.
pub fn judge(input: &Input, strict: bool) -> Result<(Vec<ClassifiedText>, Vec<String>), Error> {
    let texts = input.texts.as_deref().unwrap_or_default();
    let labels = input.labels.as_deref().unwrap_or_default();
    let nearest = match nearest(texts, labels) {
        Ok(nearest) => Some(nearest),
        Err(inference::Error::NoProvider(_)) if !strict => None,
        Err(error) => return Err(error.into()),
    };
    let languages = language::detect_each(texts)?;
    let foreign = languages.iter().flatten().any(|language| language != "en");
    let plain: Vec<Label> = labels.iter().cloned().map(|label| Label { rule: None, ..label }).collect();
    let mut call = json!({ "texts": texts, "labels": plain, "min_score": input.min_score.unwrap_or(0.0) });
    // Parts of words that a text shares with the name of a label mean nothing.
    let bare = labels.iter().all(|label| label.examples.is_empty());
    if let Some(call) = call.as_object_mut().filter(|_| bare) {
        call.insert("features".into(), json!("words"));
    }
    let answer: Answer<Classifications> = bridges::call("classification", &call)?;
    let classified = |(at, (found, language)): (usize, (Classification, Option<String>))| {
        let best = found.scores.first().map_or(0.0, |score| score.score);
        let shared = found.label.filter(|_| best > 0.0);
        let because_of = found.evidence.into_iter().map(|word| word.word).collect();
        let near = nearest.as_ref().map(|all| all.get(at).cloned().flatten());
        let (label, confidence, reason) = match decide(shared, near, !foreign) {
            Ok((label, confidence)) => (Some(label), confidence, None),
            Err(reason) => (None, None, Some(reason)),
        };
        let text = ClassifiedText::new(texts.get(at).map_or("", String::as_str));
        ClassifiedText { language, label, confidence, reason, scores: found.scores, because_of, ..text }
    };
    let found = answer.result.texts.into_iter().zip(languages).enumerate().map(classified).collect();
    // The bridge counts the texts that its words alone did not label.
    let mut limitations = answer.limitations;
    limitations.retain(|text| !text.ends_with("got no label"));
    if nearest.is_none() {
        limitations.push("no model for vectors is available: only words were compared".to_owned());
    }
    Ok((found, limitations))
}

/// Returns the label on which the readers agree, with its confidence, or why there is none.
/// `near` is none without vectors.
fn decide(
    shared: Option<String>,
    near: Option<Option<Nearest>>,
    is_english: bool,
) -> Result<(String, Option<f64>), String> {
    let Some(near) = near else {
        return shared.map(|label| (label, None)).ok_or_else(|| "it shares no word with a label".to_owned());
    };
    let near = near.ok_or("its meaning could not be compared")?;
    let is_confirmed = shared.as_ref() == Some(&near.label) && near.margin >= MARGIN_CONFIRMED;
    let is_clear = shared.is_none() && near.margin >= MARGIN && near.cosine >= NEAR;
    if is_english && (is_confirmed || is_clear) {
        let step = CALIBRATION.iter().rev().find(|(margin, _)| near.margin >= *margin);
        return Ok((near.label, step.map(|(_, share)| *share)));
    }
    Err(match shared {
        _ if !is_english => "meaning is compared in English only".to_owned(),
        Some(label) if label == near.label => {
            format!("its words suggest `{label}`, and its meaning is as near to another label")
        }
        Some(label) => format!("its words suggest `{label}`, its meaning `{}`", near.label),
        None => "it shares no word with a label, and no label is clearly nearest in meaning".to_owned(),
    })
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
        // The sum has the direction of the mean.
        let mut sum = vec![0.0; own.first().map_or(0, Vec::len)];
        own.iter().for_each(|vector| sum.iter_mut().zip(vector).for_each(|(total, value)| *total += value));
        means.push((label.name.clone(), sum));
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

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    let lengths = (product(a, a) * product(b, b)).sqrt();
    if lengths > 0.0 { product(a, b) / lengths } else { 0.0 }
}
