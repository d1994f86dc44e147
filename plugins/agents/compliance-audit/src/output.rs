//! The answer of the agent.

use schemars::JsonSchema;
use serde::Serialize;

use crate::item::Item;

/// The audit.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    pub summary: String,
    /// Every item of the checklist.
    pub items: Vec<Item>,
    /// Items that need someone to look at them.
    pub open: usize,
    /// How likely the answer is right, 0 to 1; of answers that say 0.8 or more at least four in five were right.
    pub confidence: f64,
    /// What the answer does not tell.
    pub limitations: Vec<String>,
}
