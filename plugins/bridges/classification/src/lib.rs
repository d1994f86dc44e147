//! Classification: texts sorted under the caller's labels, learnt in the call from examples or descriptions.
//!
//! Invariants: only what the call holds is learnt from; the same input gives the same answer; a text of which nothing
//! is known gets no label.

mod choose;
mod features;
mod input;
mod model;
mod output;

use bridge_common::Report;
use tollbridge_sdk::{Call, Error, bridge};

use choose::{Choice, best};
pub use input::Input;
use input::{Label, Task};
use model::{Model, Verdict};
pub use output::Output;
use output::{Classified, Evidence, Findings, LabelScore, MethodUsed, tidy};

const EVIDENCE: usize = 5;

/// Sorts the texts under the labels that the input gives.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    let least = input.min_score.unwrap_or(0.0);
    if !(0.0..=1.0).contains(&least) {
        return Err(Error::invalid("/min_score", "give a number from 0 to 1"));
    }
    let task = Task::read(call, input.clone())?;
    let choice = choose::choose(&task.labels, &input);
    let empty = (0..task.labels.len()).find(|label| {
        let mut of_label = choice.school.documents.iter().filter(|document| document.label == *label);
        of_label.all(|document| document.counts.is_empty())
    });
    if let Some(place) = empty {
        let message = "nothing can be learnt of this label: give examples or a description with words";
        return Err(Error::invalid(format!("/labels/{place}"), message));
    }
    let model = choice.school.model(choice.way);
    let mut texts = Vec::with_capacity(task.texts.len());
    for (index, text) in task.texts.iter().enumerate() {
        texts.push(classified(index, text, &choice, &model, &task.labels, least));
    }
    let limitations = limitations(&choice, &texts, &task.labels);
    Ok(Report::new(Findings { texts }, used(&choice), limitations))
}

fn classified(index: usize, text: &str, choice: &Choice, model: &Model, labels: &[Label], least: f64) -> Classified {
    let verdict = model.score(&choice.school.vocabulary.read(text));
    let known = !verdict.parts.is_empty();
    let mut order: Vec<(usize, f64)> = verdict.scores.iter().copied().enumerate().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let name = |place: usize| labels.get(place).map(|label| label.name.clone()).unwrap_or_default();
    let at = |rank: usize| order.get(rank).copied().unwrap_or_default();
    let chosen = best(&verdict.scores).filter(|_| known && at(0).1 >= least);
    Classified {
        index,
        label: chosen.map(name),
        margin: tidy(at(0).1 - at(1).1),
        scores: order.iter().map(|(place, score)| LabelScore { label: name(*place), score: tidy(*score) }).collect(),
        evidence: evidence(&verdict, choice, at(0).0, at(1).0),
    }
}

/// The words that speak most for the first label against the second.
fn evidence(verdict: &Verdict, choice: &Choice, first: usize, second: usize) -> Vec<Evidence> {
    let weight = |part: &[f64]| part.get(first).unwrap_or(&0.0) - part.get(second).unwrap_or(&0.0);
    let word = |(feature, part): &(usize, Vec<f64>)| {
        let word = choice.school.vocabulary.word(*feature)?.to_owned();
        Some(Evidence { word, weight: tidy(weight(part)) }).filter(|evidence| evidence.weight > 0.0)
    };
    let mut evidence: Vec<Evidence> = verdict.parts.iter().filter_map(word).collect();
    evidence.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.word.cmp(&b.word)));
    evidence.truncate(EVIDENCE);
    evidence
}

fn used(choice: &Choice) -> MethodUsed {
    let (name, score) = match choice.way.bayes {
        true => ("naive_bayes", "probability by multinomial naive Bayes with add-one smoothing"),
        false => ("centroid", "cosine between the text and the label's mean TF-IDF vector"),
    };
    MethodUsed {
        name,
        features: if choice.way.subwords { "subwords" } else { "words" },
        why: choice.why,
        score,
        documents: choice.school.documents.len(),
        cross_validation: choice.trial.clone(),
    }
}

fn limitations(choice: &Choice, texts: &[Classified], labels: &[Label]) -> Vec<String> {
    let mut notes = vec!["words in common are counted, meaning is not understood: a text that says the same in other words than the examples is missed".to_owned()];
    if choice.way.bayes {
        notes.push(
            "probabilities of naive Bayes are too near to 0 and 1, because words are taken as independent".to_owned(),
        );
    }
    match &choice.trial {
        Some(_) if choice.why.starts_with("most accurate") => {
            notes.push("the accuracy is of the best of several methods, so somewhat too high".to_owned());
        }
        Some(_) => {}
        None => notes.push("fewer than two examples for a label: how good this is cannot be estimated".to_owned()),
    }
    let bare = labels.iter().filter(|label| label.examples.is_empty()).count();
    if bare > 0 {
        notes
            .push(format!("{bare} of {} labels have no examples; five or more for each are much better", labels.len()));
    }
    let unknown = texts.iter().filter(|text| text.label.is_none()).count();
    if unknown > 0 {
        notes.push(format!("{unknown} of {} texts got no label", texts.len()));
    }
    notes
}

bridge! { handle: handle, examples: ["../cases/support.json"] }

tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests;
