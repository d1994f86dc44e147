//! The model of Fellegi and Sunter (1969): how much agreement of each degree in each field speaks for a match.
//!
//! The weight of a field is log2(m / u): m is how often records of the same entity agree to that degree, u how often
//! others do by chance. Fixed values are stated here; estimated ones come from the lists without any randomness: u from
//! value counts and a fixed sample of pairs, m from pairs that the *other* fields make clear matches.

use crate::column::Column;
use crate::input::{Kind, Parameters};

/// Degrees of agreement: exact, close, partial, different.
pub const DEGREES: [&str; 4] = ["exact", "close", "partial", "different"];
/// Similarities from which agreement is close and partial.
const CLOSE: f64 = 0.92;
const PARTIAL: f64 = 0.8;
/// Fixed m for every type.
const FIXED_M: [f64; 4] = [0.80, 0.10, 0.04, 0.06];
/// Pairs sampled for u.
const SAMPLED: usize = 15_000;
/// A clear match: the odds of the other fields' agreement, as a base-2 logarithm.
const CLEAR: f64 = 6.0;
/// Pairs that the fixed m counts for when m is estimated.
const PRIOR_PAIRS: f64 = 20.0;
/// Different values of a column of which all pairs are remembered: 512 KiB.
const MOST_KNOWN: usize = 256;

/// How two values of a field agree: degree (none where one is missing) and similarity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    pub degree: Option<usize>,
    pub similarity: f64,
}

impl Agreement {
    const MISSING: Self = Self { degree: None, similarity: 0.0 };

    fn of(similarity: f64) -> Self {
        Self { degree: Some(degree(similarity)), similarity }
    }
}

/// Degrees of agreement of many pairs in little memory: of each pair one byte for each field.
pub struct Compared {
    degrees: Vec<u8>,
    fields: usize,
}

impl Compared {
    /// Compares the pairs.
    #[must_use]
    pub fn new(columns: &[Column], pairs: &[(usize, usize)]) -> Self {
        let byte = |agreement: Agreement| agreement.degree.map_or(u8::MAX, |degree| degree as u8);
        let mut known: Vec<Known> = columns.iter().map(Known::new).collect();
        let mut degrees = Vec::with_capacity(pairs.len() * columns.len());
        let mut fields = Vec::with_capacity(columns.len());
        for (a, b) in pairs {
            fields.clear();
            fields.extend(columns.iter().zip(&mut known).map(|(column, known)| known.agreement(column, *a, *b)));
            swapped(columns, *a, *b, &mut fields);
            degrees.extend(fields.iter().copied().map(byte));
        }
        Self { degrees, fields: columns.len().max(1) }
    }

    /// The pairs in order; each a degree for each field, none where a value is missing.
    pub fn pairs(&self) -> impl Iterator<Item = impl Iterator<Item = Option<usize>> + Clone> {
        let degree = |byte: &u8| (*byte < u8::MAX).then_some(usize::from(*byte));
        self.degrees.chunks_exact(self.fields).map(move |pair| pair.iter().map(degree))
    }
}

/// What pairs of values of a column came to before: cities and states are few, and the same pairs come thousands of
/// times. Nothing of a column with many values.
struct Known {
    values: usize,
    /// NaN where it is not known yet.
    similarities: Vec<f64>,
}

impl Known {
    fn new(column: &Column) -> Self {
        let values = if column.values.len() <= MOST_KNOWN { column.values.len() } else { 0 };
        Self { values, similarities: vec![f64::NAN; values * values] }
    }

    fn agreement(&mut self, column: &Column, a: usize, b: usize) -> Agreement {
        let cell = |record: usize| column.cells.get(record).copied().flatten();
        let (Some(x), Some(y)) = (cell(a), cell(b)) else { return Agreement::MISSING };
        let place = self.similarities.get_mut(x * self.values + y).filter(|_| self.values > 0);
        match place {
            Some(known) if !known.is_nan() => Agreement::of(*known),
            place => {
                let agreement = agreement(column, a, b);
                if let Some(place) = place {
                    *place = agreement.similarity;
                }
                agreement
            }
        }
    }
}

/// Probabilities of all fields, and the prior odds of a match.
pub struct Model {
    pub m: Vec<[f64; 4]>,
    pub u: Vec<[f64; 4]>,
    /// Share of the possible pairs that are matches.
    pub prior: f64,
    pub parameters: Parameters,
    records: usize,
}

/// Compares two records in all fields.
#[must_use]
pub fn compare(columns: &[Column], a: usize, b: usize) -> Vec<Agreement> {
    let mut agreements: Vec<Agreement> = columns.iter().map(|column| agreement(column, a, b)).collect();
    swapped(columns, a, b, &mut agreements);
    agreements
}

fn agreement(column: &Column, a: usize, b: usize) -> Agreement {
    match (column.value(a), column.value(b)) {
        (Some(x), Some(y)) => Agreement::of(x.similarity(y, column.kind)),
        _ => Agreement::MISSING,
    }
}

fn degree(similarity: f64) -> usize {
    match similarity {
        similarity if similarity >= 1.0 => 0,
        similarity if similarity >= CLOSE => 1,
        similarity if similarity >= PARTIAL => 2,
        _ => 3,
    }
}

/// First and last name in each other's place: both count as close.
fn swapped(columns: &[Column], a: usize, b: usize, found: &mut [Agreement]) {
    let mut names = columns.iter().enumerate().filter(|(_, column)| column.kind == Kind::Name);
    let (Some((i, first)), Some((j, second))) = (names.next(), names.next()) else { return };
    let differ = |place: usize| found.get(place).is_some_and(|agreement| agreement.degree == Some(3));
    if !differ(i) || !differ(j) {
        return;
    }
    let (Some(p), Some(q), Some(r), Some(s)) = (first.value(a), second.value(b), second.value(a), first.value(b))
    else {
        return;
    };
    let across = p.similarity(q, Kind::Name).min(r.similarity(s, Kind::Name));
    if across >= CLOSE {
        for place in [i, j] {
            if let Some(agreement) = found.get_mut(place) {
                *agreement = Agreement { degree: Some(1), similarity: across.min(0.95) };
            }
        }
    }
}

impl Model {
    /// Fixed probabilities, with what the caller set.
    #[must_use]
    pub fn fixed(columns: &[Column], records: usize, possible: usize) -> Self {
        let m = columns.iter().map(|column| set_exact(FIXED_M, column.m)).collect();
        let u = columns.iter().map(|column| set_exact(fixed_u(column.kind), column.u)).collect();
        let prior = (records as f64 / 4.0 / possible.max(1) as f64).clamp(1e-7, 0.2);
        Self { m, u, prior, parameters: Parameters::Fixed, records }
    }

    /// Estimates u from a fixed sample of pairs, then m and the prior from the pairs that are compared.
    #[must_use]
    pub fn estimated(columns: &[Column], compared: &Compared, records: usize, possible: usize) -> Self {
        let mut model = Self::fixed(columns, records, possible);
        model.parameters = Parameters::Estimated;
        model.u = chance(columns, records);
        for _ in 0..2 {
            model.m = model.agreement_of_matches(columns, compared);
            let expected: f64 = compared.pairs().map(|degrees| model.probability(model.plain_weight(degrees))).sum();
            model.prior = ((expected + 0.5) / possible.max(1) as f64).clamp(1e-7, 0.2);
        }
        model
    }

    fn agreement_of_matches(&self, columns: &[Column], compared: &Compared) -> Vec<[f64; 4]> {
        let prior = FIXED_M.map(|m| m * PRIOR_PAIRS);
        let mut counts: Vec<[f64; 4]> = vec![prior; columns.len()];
        for degrees in compared.pairs() {
            let total = self.plain_weight(degrees.clone()) + odds(self.prior);
            for (field, (degree, count)) in degrees.zip(&mut counts).enumerate() {
                let Some(degree) = degree else { continue };
                if total - self.degree_weight(field, degree) >= CLEAR
                    && let Some(count) = count.get_mut(degree)
                {
                    *count += 1.0;
                }
            }
        }
        let share = |(counts, column): (&[f64; 4], &Column)| {
            let all: f64 = counts.iter().sum();
            set_exact(counts.map(|count| count / all), column.m)
        };
        counts.iter().zip(columns).map(share).collect()
    }

    /// Weights of the fields of a pair: exact agreement on a rare value counts more than on a frequent one.
    #[must_use]
    pub fn weights(&self, columns: &[Column], a: usize, degrees: impl Iterator<Item = Option<usize>>) -> Vec<f64> {
        let one = |(field, (degree, column)): (usize, (Option<usize>, &Column))| {
            let Some(degree) = degree else { return 0.0 };
            let weight = self.degree_weight(field, degree);
            let count = column.cells.get(a).copied().flatten().and_then(|place| column.counts.get(place));
            match count.filter(|_| degree == 0 && self.parameters == Parameters::Estimated && column.u.is_none()) {
                Some(count) => {
                    let chance = (*count as f64 + 1.0) / (self.records as f64 + 10.0);
                    let exact = |table: &[[f64; 4]]| table.get(field).map_or(0.5, |[exact, ..]| *exact);
                    // Half way between this value and the average one.
                    0.5 * weight + 0.5 * (exact(&self.m) / chance).log2()
                }
                None => weight,
            }
        };
        degrees.zip(columns).enumerate().map(one).collect()
    }

    /// Probability of a match, given the sum of weights.
    #[must_use]
    pub fn probability(&self, weight: f64) -> f64 {
        let total = (weight + odds(self.prior)).clamp(-60.0, 60.0);
        1.0 / (1.0 + (-total).exp2())
    }

    fn degree_weight(&self, field: usize, degree: usize) -> f64 {
        let at = |table: &[[f64; 4]]| table.get(field).and_then(|row| row.get(degree)).copied().unwrap_or(0.5);
        (at(&self.m).max(1e-6) / at(&self.u).max(1e-6)).log2()
    }

    fn plain_weight(&self, degrees: impl Iterator<Item = Option<usize>>) -> f64 {
        let one =
            |(field, degree): (usize, Option<usize>)| degree.map_or(0.0, |degree| self.degree_weight(field, degree));
        degrees.enumerate().map(one).sum()
    }
}

/// Base-2 logarithm of the odds of a probability.
fn odds(probability: f64) -> f64 {
    (probability / (1.0 - probability)).log2()
}

/// The four probabilities with the first set, the others in their old proportion.
fn set_exact(table: [f64; 4], exact: Option<f64>) -> [f64; 4] {
    let Some(exact) = exact else { return table };
    let [old, close, partial, different] = table;
    let factor = (1.0 - exact) / (1.0 - old).max(1e-9);
    [exact, close * factor, partial * factor, different * factor]
}

/// Fixed u by type: exact agreement by chance, and half as much, twice as much for the next degrees.
fn fixed_u(kind: Kind) -> [f64; 4] {
    let exact = match kind {
        Kind::Name | Kind::Code => 0.01,
        Kind::Address | Kind::Text => 0.005,
        Kind::Date | Kind::Email | Kind::Phone => 0.001,
        Kind::Number => 0.02,
    };
    [exact, exact / 2.0, exact * 2.0, 1.0 - 3.5 * exact]
}

/// u from the lists: exact agreement from the counts of values, other degrees from pairs at fixed places.
fn chance(columns: &[Column], records: usize) -> Vec<[f64; 4]> {
    let mut counts = vec![[1.0, 0.5, 2.0, 100.0]; columns.len()];
    let mut a = 0usize;
    // Two strides without a common pattern visit pairs all over the lists.
    let stride = (records * 618 / 1_000).max(1);
    for round in 0..SAMPLED {
        a = (a + 1) % records.max(1);
        let b = (a + stride + round * 7) % records.max(1);
        if a == b {
            continue;
        }
        for (column, count) in columns.iter().zip(&mut counts) {
            let (Some(x), Some(y)) = (column.value(a), column.value(b)) else { continue };
            if let Some(count) = count.get_mut(degree(x.similarity(y, column.kind))) {
                *count += 1.0;
            }
        }
    }
    let share = |(counts, column): (&[f64; 4], &Column)| {
        let all: f64 = counts.iter().sum();
        let sampled = counts.map(|count| (count / all).max(1e-5));
        let filled = column.filled().max(1) as f64;
        let squares: f64 = column.counts.iter().map(|count| (*count as f64 / filled).powi(2)).sum();
        set_exact(sampled, Some(column.u.unwrap_or(squares.clamp(1e-5, 0.9))))
    };
    counts.iter().zip(columns).map(share).collect()
}
