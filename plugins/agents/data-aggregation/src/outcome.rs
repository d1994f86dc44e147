//! What a task in words gives, and how sure it is.

use crate::query::Query;
use crate::reply::Reply;
use crate::tables::Difference;

/// Every word of the request was understood.
pub const CLEAR: f64 = 0.92;

/// The column was taken because there is no other.
pub const ASSUMED: f64 = 0.85;

/// A word or two of the request were not understood.
pub const LOOSE: f64 = 0.7;

/// Below this, no answer is given.
pub const FLOOR: f64 = 0.6;

/// What a task in words gives.
#[derive(Debug)]
pub struct Outcome {
    pub reply: Reply,
    pub removed: usize,
    pub differences: Vec<Difference>,
    pub confidence: f64,
}

/// How likely the query is what was asked.
pub fn confidence(query: &Query) -> f64 {
    if query.lost {
        return FLOOR / 2.0;
    }
    match (query.unknown.len(), query.assumed) {
        (0, false) => CLEAR,
        (0, true) => ASSUMED,
        (1, _) => LOOSE,
        (2, false) if !query.asks.is_empty() && (!query.keys.is_empty() || !query.filters.is_empty()) => LOOSE,
        _ => FLOOR / 2.0,
    }
}
