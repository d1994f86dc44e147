//! The two ways of learning: multinomial naive Bayes and nearest centroid of TF-IDF vectors.
//!
//! Both as Manning, Raghavan and Schütze, Introduction to Information Retrieval (2008), have them: naive Bayes with
//! add-one smoothing (figure 13.2), Rocchio with ltc weights (figure 14.2; cosines instead of distances, which gives
//! the same order for vectors of one length).

use std::collections::BTreeMap;

use crate::features::Counts;

/// A text to learn from, and the place of its label.
#[derive(Debug, Clone)]
pub struct Document {
    pub counts: Counts,
    pub label: usize,
}

/// What was learnt.
#[derive(Debug)]
pub enum Model {
    Bayes(Bayes),
    Centroid(Centroid),
}

/// Scores of all labels for a text, and what each feature adds to each.
#[derive(Debug, Default)]
pub struct Verdict {
    /// By place of the label; naive Bayes: probabilities; centroid: cosines.
    pub scores: Vec<f64>,
    /// Feature, and by label what it adds.
    pub parts: Vec<(usize, Vec<f64>)>,
}

/// Of each feature that was seen: the labels that have it, with how much of it. A feature is looked up once, however
/// many labels there are, and most features have few labels.
#[derive(Debug, Default)]
struct Postings(BTreeMap<usize, Vec<(usize, f64)>>);

impl Postings {
    fn add(&mut self, feature: usize, label: usize, more: f64) {
        let labels = self.0.entry(feature).or_default();
        match labels.iter_mut().rev().find(|(own, _)| *own == label) {
            Some((_, held)) => *held += more,
            None => labels.push((label, more)),
        }
    }

    fn of(&self, feature: usize) -> &[(usize, f64)] {
        self.0.get(&feature).map(Vec::as_slice).unwrap_or_default()
    }
}

#[derive(Debug)]
pub struct Bayes {
    priors: Vec<f64>,
    counts: Postings,
    totals: Vec<f64>,
}

#[derive(Debug)]
pub struct Centroid {
    idf: BTreeMap<usize, f64>,
    centroids: Postings,
    lengths: Vec<f64>,
}

impl Model {
    /// Learns naive Bayes from documents of so many labels.
    #[must_use]
    pub fn bayes(documents: &[&Document], labels: usize) -> Self {
        let mut counts = Postings::default();
        let mut totals = vec![0.0; labels];
        let mut members = vec![0.0; labels];
        for document in documents {
            let (Some(total), Some(member)) = (totals.get_mut(document.label), members.get_mut(document.label)) else {
                continue;
            };
            *member += 1.0;
            for (feature, count) in &document.counts {
                counts.add(*feature, document.label, *count);
                *total += count;
            }
        }
        let all = documents.len().max(1) as f64;
        // A label without a document keeps a small prior, so that its logarithm is finite.
        let priors = members.iter().map(|member: &f64| (member / all).max(1e-9).ln()).collect();
        Self::Bayes(Bayes { priors, counts, totals })
    }

    /// Learns centroids from documents of so many labels.
    #[must_use]
    pub fn centroid(documents: &[&Document], labels: usize) -> Self {
        let mut frequency: BTreeMap<usize, f64> = BTreeMap::new();
        for (feature, _) in documents.iter().flat_map(|document| &document.counts) {
            *frequency.entry(*feature).or_insert(0.0) += 1.0;
        }
        let all = documents.len() as f64;
        let idf: BTreeMap<usize, f64> = frequency.into_iter().map(|(feature, df)| (feature, (all / df).ln())).collect();
        let mut centroids = Postings::default();
        for document in documents {
            for (feature, weight) in weighted(&document.counts, &idf) {
                centroids.add(feature, document.label, weight);
            }
        }
        let mut squares = vec![0.0f64; labels];
        for (label, weight) in centroids.0.values().flatten() {
            if let Some(square) = squares.get_mut(*label) {
                *square += weight * weight;
            }
        }
        let lengths = squares.into_iter().map(f64::sqrt).collect();
        Self::Centroid(Centroid { idf, centroids, lengths })
    }

    /// Scores a text.
    #[must_use]
    pub fn score(&self, text: &Counts) -> Verdict {
        match self {
            Self::Bayes(model) => model.score(text),
            Self::Centroid(model) => model.score(text),
        }
    }
}

impl Bayes {
    fn score(&self, text: &Counts) -> Verdict {
        let size = self.counts.0.len() as f64;
        // What a feature adds to a label that does not have it.
        let absent: Vec<f64> = self.totals.iter().map(|total| (1.0 / (total + size)).ln()).collect();
        let part = |feature: usize, count: f64| -> Vec<f64> {
            let mut part: Vec<f64> = absent.iter().map(|absent| count * absent).collect();
            for (label, held) in self.counts.of(feature) {
                if let (Some(part), Some(total)) = (part.get_mut(*label), self.totals.get(*label)) {
                    *part = count * ((held + 1.0) / (total + size)).ln();
                }
            }
            part
        };
        let known = text.iter().filter(|(feature, _)| !self.counts.of(*feature).is_empty());
        let parts: Vec<(usize, Vec<f64>)> = known.map(|(feature, count)| (*feature, part(*feature, *count))).collect();
        let mut logs = self.priors.clone();
        for (_, part) in &parts {
            logs.iter_mut().zip(part).for_each(|(log, part)| *log += part);
        }
        let highest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let raised: Vec<f64> = logs.iter().map(|log| (log - highest).exp()).collect();
        let sum: f64 = raised.iter().sum();
        Verdict { scores: raised.iter().map(|value| value / sum).collect(), parts }
    }
}

impl Centroid {
    fn score(&self, text: &Counts) -> Verdict {
        let part = |feature: usize, weight: f64| -> Vec<f64> {
            let mut part = vec![0.0; self.lengths.len()];
            for (label, held) in self.centroids.of(feature) {
                if let (Some(part), Some(length)) = (part.get_mut(*label), self.lengths.get(*label)) {
                    *part = if *length > 0.0 { weight * held / length } else { 0.0 };
                }
            }
            part
        };
        let weights = weighted(text, &self.idf);
        let parts: Vec<(usize, Vec<f64>)> =
            weights.iter().map(|(feature, weight)| (*feature, part(*feature, *weight))).collect();
        let mut scores = vec![0.0f64; self.lengths.len()];
        for (_, part) in &parts {
            scores.iter_mut().zip(part).for_each(|(score, part)| *score += part);
        }
        scores.iter_mut().for_each(|score| *score = score.clamp(0.0, 1.0));
        Verdict { scores, parts }
    }
}

/// (1 + ln tf) · idf, of length 1; features that occur everywhere or nowhere are left out.
fn weighted(counts: &Counts, idf: &BTreeMap<usize, f64>) -> Vec<(usize, f64)> {
    let weight = |(feature, count): &(usize, f64)| {
        let idf = idf.get(feature).copied().filter(|idf| *idf > 0.0)?;
        Some((*feature, (1.0 + count.ln()) * idf))
    };
    let mut weights: Vec<(usize, f64)> = counts.iter().filter_map(weight).collect();
    let length = weights.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
    if length > 0.0 {
        weights.iter_mut().for_each(|(_, weight)| *weight /= length);
    }
    weights
}
