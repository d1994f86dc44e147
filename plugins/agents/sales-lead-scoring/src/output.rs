//! The answer.

use agent_common::figures;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The leads in order.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The answer in words.
    pub summary: String,
    /// What the scores rest on: `own rules`, `columns` (an order or a product), or `members` (compared with the profile).
    pub based_on: &'static str,
    /// The leads, the best first.
    pub ranking: Vec<Ranked>,
    /// Leads that are the same, by their positions in the input, from 0; the first of each is ranked.
    pub doubles: Vec<Vec<usize>>,
    /// What the answer does not cover.
    pub limitations: Vec<String>,
}

/// A lead and its score.
#[derive(Debug, Default, Clone, Serialize, JsonSchema)]
pub struct Ranked {
    /// From 1; leads with equal scores have the same rank.
    pub rank: usize,
    /// Its position in the input, from 0.
    pub index: usize,
    /// Name, company or e-mail address.
    pub lead: String,
    /// The sum of points; 0 to 100 with a profile; the number of leads behind it if only an order is given.
    pub score: f64,
    /// The grade; null if none are defined.
    pub grade: Option<String>,
    /// Share of the scored values that are known, 0 to 1.
    pub known: f64,
    /// Where the points come from.
    pub contributions: Vec<Contribution>,
    /// What the e-mail address is worth: accept, risky and so on; null unless it was checked.
    pub email: Option<String>,
    /// An address that may be meant instead.
    pub email_suggestion: Option<String>,
    /// What was merged with it, itself first; empty without doubles.
    pub merged: Vec<String>,
}

/// A part of a score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
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

/// Returns the answer in words.
pub fn summary(ranking: &[Ranked], given: usize, different: usize) -> String {
    let mut text = format!("{} given, {different} different", figures::count(given, "lead", "leads"));
    if ranking.len() < different {
        text.push_str(&format!(", {} listed", ranking.len()));
    }
    for ranked in ranking {
        let best = ranked.contributions.iter().max_by(|a, b| a.points.total_cmp(&b.points));
        let why = best.filter(|best| best.points > 0.0).map(|best| format!("most from {}: {}", best.part, best.reason));
        let parts: Vec<String> = ranked.grade.clone().into_iter().chain(why).collect();
        let behind = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
        text.push_str(&format!("; {}. {} {}{behind}", ranked.rank, ranked.lead, figures::figure(ranked.score)));
    }
    text.push('.');
    text
}
