//! The skills, what they cost this agent, and what asks for them.

use crate::ask::Ask;
use crate::{asks_data, asks_figures, asks_text};

/// A skill and what points to it.
pub struct Skill {
    /// Its id.
    pub id: &'static str,
    /// Whether this agent may spend its price.
    pub affordable: bool,
    /// What points to it.
    pub asks: &'static [Ask],
}

const fn skill(id: &'static str, asks: &'static [Ask]) -> Skill {
    Skill { id, affordable: true, asks }
}

const fn dear(id: &'static str, asks: &'static [Ask]) -> Skill {
    Skill { id, affordable: false, asks }
}

/// All skills but this one's own.
pub const SKILLS: [Skill; 16] = [
    skill("code:review", asks_figures::REVIEW),
    skill("coding", asks_figures::CODING),
    skill("translation", asks_text::TRANSLATION),
    skill("summarization", asks_text::SUMMARIZATION),
    skill("sentiment", asks_text::SENTIMENT),
    skill("analytics:forecast", asks_figures::FORECAST),
    skill("analytics:anomaly-detection", asks_figures::ANOMALY),
    dear("pricing:optimization", asks_figures::PRICING),
    dear("sales:lead-scoring", asks_figures::LEADS_ASKS),
    skill("research:citation", asks_text::CITATION),
    skill("compliance:audit", asks_text::COMPLIANCE),
    skill("video:evaluation", asks_figures::VIDEO),
    skill("data:validation", asks_data::VALIDATION),
    skill("data:aggregation", asks_data::AGGREGATION),
    skill("data:extraction", asks_data::EXTRACTION),
    skill("classification", asks_text::CLASSIFICATION),
];
