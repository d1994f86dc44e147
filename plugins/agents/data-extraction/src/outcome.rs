//! What a request in words gives, and how sure that is.

use serde_json::Value;
use tollbridge_sdk::Error;

/// Every value stands behind a label, in a member or in a column.
pub const LABELLED: f64 = 0.93;
/// Words of the sentence say what a value is, or its form does.
pub const WORDED: f64 = 0.82;
/// A value is taken because there is no other of its kind.
pub const ALONE: f64 = 0.7;
/// Below this, no answer is given.
pub const FLOOR: f64 = 0.6;

/// What a task in words gives.
#[derive(Debug, Default)]
pub struct Outcome {
    pub values: Vec<(String, Value)>,
    /// Name and raw text of each value, in order.
    pub raws: Vec<(String, String, String)>,
    pub text: String,
    pub confidence: f64,
}

/// What is missing to answer.
pub(crate) fn missing(message: String) -> Error {
    Error::invalid("/text", message)
}
