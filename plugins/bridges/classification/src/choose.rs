//! Which way of learning does best on the caller's own examples, by cross-validation.

use crate::features::Vocabulary;
use crate::input::{Features, Input, Label, Method};
use crate::model::{Document, Model};
use crate::output::Trial;

const MOST_FOLDS: usize = 5;

/// A way of learning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Approach {
    pub bayes: bool,
    pub subwords: bool,
}

/// All texts to learn from, read in one of the two ways.
#[derive(Debug)]
pub struct TrainingSet {
    pub vocabulary: Vocabulary,
    pub documents: Vec<Document>,
    pub labels: usize,
}

/// The way chosen, why, and how it does on the examples.
#[derive(Debug)]
pub struct Choice {
    pub way: Approach,
    pub school: TrainingSet,
    pub why: &'static str,
    pub trial: Option<Trial>,
}

impl TrainingSet {
    /// Examples and descriptions are documents each; of a label without either, its name is.
    #[must_use]
    pub fn new(labels: &[Label], subwords: bool) -> Self {
        let mut vocabulary = Vocabulary::new(subwords);
        let mut documents = Vec::new();
        for (place, label) in labels.iter().enumerate() {
            let name = label.name.replace(['_', '-'], " ");
            let described = label.description.as_ref().filter(|text| !text.trim().is_empty());
            let described =
                described.map(|text| if label.examples.is_empty() { format!("{name} {text}") } else { text.clone() });
            let bare = (described.is_none() && label.examples.is_empty()).then_some(name);
            for text in label.examples.iter().chain(&described).chain(&bare) {
                documents.push(Document { counts: vocabulary.learn(text), label: place });
            }
        }
        Self { vocabulary, documents, labels: labels.len() }
    }

    /// What is learnt from all documents.
    #[must_use]
    pub fn model(&self, way: Approach) -> Model {
        learn(&self.documents.iter().collect::<Vec<_>>(), self.labels, way)
    }

    /// Documents of the label that has fewest.
    fn fewest(&self) -> usize {
        let count = |label| self.documents.iter().filter(|document| document.label == label).count();
        (0..self.labels).map(count).min().unwrap_or(0)
    }

    /// Cross-validation: of every label, every k-th document is in the same fold. None with fewer than two documents
    /// of a label.
    fn trial(&self, way: Approach) -> Option<Trial> {
        let folds = self.fewest().min(MOST_FOLDS);
        if folds < 2 {
            return None;
        }
        let mut seen = vec![0usize; self.labels];
        let mut fold_of = Vec::with_capacity(self.documents.len());
        for document in &self.documents {
            let seen = seen.get_mut(document.label)?;
            fold_of.push(*seen % folds);
            *seen += 1;
        }
        let mut right = 0usize;
        for fold in 0..folds {
            let part = |inside: bool| {
                let pairs = self.documents.iter().zip(&fold_of);
                pairs.filter(|(_, of)| (**of == fold) == inside).map(|(document, _)| document).collect::<Vec<_>>()
            };
            let model = learn(&part(false), self.labels, way);
            let hit = |document: &&&Document| best(&model.score(&document.counts).scores) == Some(document.label);
            right = right.saturating_add(part(true).iter().filter(hit).count());
        }
        let all = self.documents.len();
        let largest = seen.iter().copied().max().unwrap_or(0);
        let share = |count: usize| (count as f64 / all as f64 * 1e4).round() / 1e4;
        Some(Trial { folds, documents: all, accuracy: share(right), most_frequent: share(largest) })
    }
}

fn learn(documents: &[&Document], labels: usize, way: Approach) -> Model {
    if way.bayes { Model::bayes(documents, labels) } else { Model::centroid(documents, labels) }
}

/// The place of the highest score, the first of equals; none if all are 0.
#[must_use]
pub fn best(scores: &[f64]) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (place, score) in scores.iter().copied().enumerate() {
        if score > best.map_or(0.0, |(_, most)| most) {
            best = Some((place, score));
        }
    }
    best.map(|(place, _)| place)
}

/// Chooses a way, and learns nothing yet.
#[must_use]
pub fn choose(labels: &[Label], input: &Input) -> Choice {
    let (methods, why): (&[bool], _) = match input.method {
        Method::NaiveBayes => (&[true], "as asked for"),
        Method::Centroid => (&[false], "as asked for"),
        Method::Auto => (&[false, true], "most accurate in cross-validation on the examples"),
    };
    let subwords: &[bool] = match (input.features, input.method) {
        (Features::Words, _) => &[false],
        (Features::Subwords, _) => &[true],
        (Features::Auto, Method::Auto) => &[true, false],
        (Features::Auto, _) => &[false],
    };
    let mut chosen: Option<Choice> = None;
    for subwords in subwords {
        for bayes in methods {
            // Of two that do equally well, the first stays.
            let way = Approach { bayes: *bayes, subwords: *subwords };
            let school = TrainingSet::new(labels, way.subwords);
            let trial = school.trial(way);
            let why = if trial.is_none() && input.method == Method::Auto { "too few examples to compare" } else { why };
            let accuracy = |choice: &Choice| choice.trial.as_ref().map_or(0.0, |trial| trial.accuracy);
            let next = Choice { way, school, why, trial };
            match &chosen {
                Some(held) if accuracy(&next) <= accuracy(held) => {}
                _ => chosen = Some(next),
            }
        }
    }
    chosen.unwrap_or_else(|| {
        let way = Approach { bayes: false, subwords: false };
        Choice { way, school: TrainingSet::new(labels, false), why, trial: None }
    })
}
