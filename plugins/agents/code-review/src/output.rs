//! What the agent answers.

use schemars::JsonSchema;
use serde::Serialize;

use crate::measured::Measures;
use crate::remark::Remark;

/// The review.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    pub summary: String,
    /// `blocked` by a remark of severity high or above, `remarks`, or `clean`.
    pub verdict: &'static str,
    /// All remarks, the gravest first.
    pub remarks: Vec<Remark>,
    /// What was looked for; a clean review says no more than that none of it was found.
    pub looked_for: Vec<&'static str>,
    /// What was looked at.
    pub measures: Measures,
    /// How likely it is right, 0 to 1: of answers that say 0.8 or more at least four in five were right on the frozen
    /// tasks.
    pub confidence: f64,
    /// What the answer does not tell.
    pub limitations: Vec<String>,
}
