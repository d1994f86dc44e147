//! What the agent answers.

use agent_common::model::Answered;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The leads in order.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The direct answer in words.
    pub summary: String,
    /// How likely the order is right, 0 to 1; of answers that say 0.8 or more at least four in five were right on the frozen tasks.
    pub confidence: f64,
    /// `own rules`, `signs in words`, or `members`: what the scores rest on.
    pub based_on: &'static str,
    /// The best first.
    pub ranking: Vec<Ranked>,
    /// Leads that are one and the same, by their places in the input, from 0; the first of each is ranked.
    pub doubles: Vec<Vec<usize>>,
    /// What the answer does not tell.
    pub limitations: Vec<String>,
}

impl Answered for Output {
    fn confidence(&mut self) -> &mut f64 {
        &mut self.confidence
    }

    fn limitations(&mut self) -> &mut Vec<String> {
        &mut self.limitations
    }
}

/// A lead and its score.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Ranked {
    /// From 1.
    pub rank: usize,
    /// Its place in the input, from 0.
    pub index: usize,
    /// Name, company or e-mail address.
    pub lead: String,
    /// 0 to 100; the sum of points where the task sets the rules.
    pub score: f64,
    /// A to D.
    pub grade: String,
    /// Share of what is scored that is known of it, 0 to 1.
    pub known: f64,
    /// Where the points come from.
    pub contributions: Vec<Contribution>,
    /// What the e-mail address is worth: accept, risky and so on; null without one.
    pub email: Option<String>,
    /// An address that may be meant instead.
    pub email_suggestion: Option<String>,
    /// What was put together as one with it, itself first; empty without doubles.
    pub merged: Vec<String>,
}

/// A part of a score.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Contribution {
    /// Which part.
    pub part: String,
    /// Points that it brings.
    pub points: f64,
    /// Most that it could bring.
    pub most: f64,
    /// Why.
    pub reason: String,
}
