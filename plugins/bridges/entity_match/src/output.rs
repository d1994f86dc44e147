//! The answer. All numbers in it are finite and rounded, so that it is the same on every machine.

use bridge_common::Report;
use schemars::JsonSchema;
use serde::Serialize;

use crate::input::{Kind, Parameters};

/// The answer of this bridge.
pub type Output = Report<Findings, MethodUsed>;

/// Pairs of records that match or need a review.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Findings {
    /// Matches and pairs to review, the likeliest first.
    pub pairs: Vec<Pair>,
    /// With one list: groups of two or more records (places in it, from 0) that matches join, also by way of others.
    pub groups: Vec<Vec<usize>>,
    /// Matches, listed or not.
    pub matches: usize,
    /// Pairs to review, listed or not.
    pub to_review: usize,
    /// Pairs that were compared field by field.
    pub compared: usize,
    /// Pairs that there are.
    pub possible: usize,
}

/// Two records that may be the same.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Pair {
    /// Place in the first list, from 0.
    pub a: usize,
    /// Place in the second list (with one list: in the same), from 0.
    pub b: usize,
    /// Its `id_field`, cut to 40 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a_id: Option<String>,
    /// The same of the other record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b_id: Option<String>,
    /// Probability that both are the same entity, by the model, 0 to 1.
    pub probability: f64,
    /// Sum of the fields' weights: base-2 logarithm of the likelihood ratio.
    pub weight: f64,
    /// match or review.
    pub decision: &'static str,
    /// Empty when `details` is false.
    pub fields: Vec<Part>,
}

/// How one field of a pair compares.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Part {
    /// Name of the field.
    pub name: String,
    /// exact, close, partial, different, or missing (in either record; weight 0).
    pub agreement: &'static str,
    /// How alike the values are, 0 to 1; 0 where missing.
    pub similarity: f64,
    /// Its share of the pair's weight, in bits; below 0 where it speaks against a match.
    pub weight: f64,
}

/// How pairs were found and judged.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MethodUsed {
    /// How pairs are judged, in words.
    pub name: &'static str,
    /// Pairs are compared when they share one of these keys.
    pub blocking: Vec<String>,
    /// Where the probabilities come from.
    pub parameters: Parameters,
    /// Share of the possible pairs taken to be the same entity before looking at fields, 0 to 1.
    pub prior: f64,
    /// Probability from which a pair is a match.
    pub threshold: f64,
    /// Probability from which a pair is listed for review.
    pub review: f64,
    /// The fields compared, each with its probabilities.
    pub fields: Vec<Weighed>,
}

/// A field's probabilities, in the order exact, close, partial, different.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Weighed {
    /// Name of the field.
    pub name: String,
    /// How it is compared.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Among records of the same entity.
    pub m: [f64; 4],
    /// Among records of different entities; with estimated parameters exact agreement on a frequent value counts less.
    pub u: [f64; 4],
}
