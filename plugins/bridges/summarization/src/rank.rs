//! Which sentences say most (LexRank, TextRank), and which of them to take (maximal marginal relevance).

use crate::input::Method;
use crate::terms::{Counts, product};

/// Share of the rank that comes from other sentences; as in PageRank and both papers.
const DAMPING: f64 = 0.85;
/// Turns at most, and the change at which to stop.
const TURNS: usize = 200;
const STILL: f64 = 1e-10;

/// Similarities of all pairs of sentences, 0 for a sentence with itself.
#[derive(Debug)]
pub struct Similarity {
    size: usize,
    values: Vec<f64>,
}

impl Similarity {
    /// Fills in both halves from a function of two different places.
    fn new(size: usize, of: impl Fn(usize, usize) -> f64) -> Self {
        let mut values = vec![0.0; size.saturating_mul(size)];
        for a in 0..size {
            for b in 0..a {
                let value = of(a, b);
                for place in [a * size + b, b * size + a] {
                    if let Some(cell) = values.get_mut(place) {
                        *cell = value;
                    }
                }
            }
        }
        Self { size, values }
    }

    /// Cosines of vectors of length 1.
    #[must_use]
    pub fn cosines(vectors: &[Counts]) -> Self {
        let of = |a: usize, b: usize| match (vectors.get(a), vectors.get(b)) {
            (Some(a), Some(b)) => product(a, b).clamp(0.0, 1.0),
            _ => 0.0,
        };
        Self::new(vectors.len(), of)
    }

    /// TextRank's measure: words in common by the sum of the logarithms of the lengths.
    #[must_use]
    pub fn overlaps(counts: &[Counts]) -> Self {
        let sets: Vec<Counts> =
            counts.iter().map(|words| words.iter().map(|(term, _)| (*term, 1.0)).collect()).collect();
        let lengths: Vec<f64> = counts.iter().map(|words| words.iter().map(|(_, count)| count).sum()).collect();
        let of = |a: usize, b: usize| match (sets.get(a), sets.get(b), lengths.get(a), lengths.get(b)) {
            // Two sentences of one word each have lengths whose logarithms are 0: no measure.
            (Some(x), Some(y), Some(m), Some(n)) if m * n > 1.0 => product(x, y) / (m.ln() + n.ln()),
            _ => 0.0,
        };
        Self::new(counts.len(), of)
    }

    fn row(&self, place: usize) -> &[f64] {
        let start = place.saturating_mul(self.size);
        self.values.get(start..start.saturating_add(self.size)).unwrap_or_default()
    }
}

/// Ranks that add up to 1: how often a reader is at a sentence who goes on to similar ones, and every now and then
/// starts anew, by `starts` (which add up to 1).
#[must_use]
pub fn ranks(similarity: &Similarity, starts: &[f64]) -> Vec<f64> {
    let sums: Vec<f64> = (0..similarity.size).map(|place| similarity.row(place).iter().sum()).collect();
    let mut ranks = starts.to_vec();
    for _ in 0..TURNS {
        let mut next = vec![0.0; ranks.len()];
        let mut lost = 0.0;
        for (place, (rank, sum)) in ranks.iter().zip(&sums).enumerate() {
            if *sum > 0.0 {
                let share = rank / sum;
                next.iter_mut().zip(similarity.row(place)).for_each(|(next, value)| *next += share * value);
            } else {
                // From a sentence like no other the reader starts anew.
                lost += rank;
            }
        }
        for (next, start) in next.iter_mut().zip(starts) {
            *next = DAMPING * (*next + lost * start) + (1.0 - DAMPING) * start;
        }
        let change: f64 = next.iter().zip(&ranks).map(|(a, b)| (a - b).abs()).sum();
        ranks = next;
        if change < STILL {
            break;
        }
    }
    ranks
}

/// Where the reader starts: anywhere, or at sentences like the query.
#[must_use]
pub fn starts(vectors: &[Counts], query: Option<&Counts>) -> Vec<f64> {
    let even = vec![1.0 / vectors.len().max(1) as f64; vectors.len()];
    let Some(query) = query else { return even };
    let likeness: Vec<f64> = vectors.iter().map(|vector| product(vector, query)).collect();
    let sum: f64 = likeness.iter().sum();
    if sum > 0.0 { likeness.iter().map(|value| value / sum).collect() } else { even }
}

/// What to take and how much of it.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub sentences: usize,
    pub characters: usize,
    /// Weight of rank against newness.
    pub relevance: f64,
}

/// Takes one sentence after the other: the one with the best rank less its likeness to what is taken. `lengths` are in
/// characters; a candidate that would go beyond the limit is passed over. The result is in order of taking.
#[must_use]
pub fn pick(ranks: &[f64], cosines: &Similarity, candidates: &[bool], lengths: &[usize], limits: Limits) -> Vec<usize> {
    let highest = ranks.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let mut closest = vec![0.0f64; ranks.len()];
    let mut open: Vec<bool> = candidates.to_vec();
    let mut picked = Vec::new();
    let mut characters = 0usize;
    while picked.len() < limits.sentences {
        let mut best: Option<(usize, f64)> = None;
        for (place, ((rank, close), open)) in ranks.iter().zip(&closest).zip(&open).enumerate() {
            let value = limits.relevance * rank / highest - (1.0 - limits.relevance) * close;
            if *open && best.is_none_or(|(_, held)| value > held) {
                best = Some((place, value));
            }
        }
        let Some((place, _)) = best else { break };
        if let Some(open) = open.get_mut(place) {
            *open = false;
        }
        let length = lengths.get(place).copied().unwrap_or(0).saturating_add(usize::from(!picked.is_empty()));
        if characters.saturating_add(length) > limits.characters {
            continue;
        }
        characters = characters.saturating_add(length);
        picked.push(place);
        closest.iter_mut().zip(cosines.row(place)).for_each(|(close, value)| *close = close.max(*value));
    }
    picked
}

/// The similarity that a method ranks by; none where that is the cosines anyway.
#[must_use]
pub fn own_similarity(method: Method, counts: &[Counts]) -> Option<Similarity> {
    (method == Method::Textrank).then(|| Similarity::overlaps(counts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_three() {
        // By hand: x = 0.05 + 0.425 y, y = 0.05 + 1.7 x, so y = 0.135 / 0.2775 = 18/37.
        let path = Similarity::new(3, |a, b| if a - b == 1 { 1.0 } else { 0.0 });
        let scores = ranks(&path, &[1.0 / 3.0; 3]);
        assert!((scores[1] - 18.0 / 37.0).abs() < 1e-9 && (scores[0] - 9.5 / 37.0).abs() < 1e-9, "{scores:?}");
    }

    #[test]
    fn textrank_measure() {
        // Three words in common of 4 and 6: 3 / (ln 4 + ln 6).
        let counts: Vec<Counts> =
            [0..4, 1..7].into_iter().map(|range| range.map(|term| (term, 1.0)).collect()).collect();
        assert!((Similarity::overlaps(&counts).row(0)[1] - 3.0 / 24f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn repeats_are_passed_over() {
        let same = Similarity::new(3, |a, b| if (a, b) == (1, 0) { 1.0 } else { 0.0 });
        let limits = |relevance| Limits { sentences: 2, characters: usize::MAX, relevance };
        assert_eq!(pick(&[0.4, 0.35, 0.25], &same, &[true; 3], &[1; 3], limits(1.0)), [0, 1]);
        assert_eq!(pick(&[0.4, 0.35, 0.25], &same, &[true; 3], &[1; 3], limits(0.5)), [0, 2]);
    }
}
