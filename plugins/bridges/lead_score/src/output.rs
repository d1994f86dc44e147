//! The answer.

use bridge_common::Report;
use schemars::JsonSchema;
use serde::Serialize;

/// The answer of this bridge.
pub type Output = Report<Scored, MethodUsed>;

/// The score, with the part that each member of the lead has in it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Scored {
    /// 0 to 100: the sum of the contributions.
    pub score: f64,
    /// A, B, C or D.
    pub grade: &'static str,
    /// Everything that was scored, in a fixed order.
    pub contributions: Vec<Contribution>,
    /// Share of the weight for which something is known about the lead, 0 to 1.
    pub known: f64,
    /// The score that the known part alone would give, scaled to 100; null when nothing is known.
    pub score_of_known: Option<f64>,
    /// What speaks against contact, whatever the score: disposable_email, invalid_email, unsubscribed, bounced.
    pub flags: Vec<&'static str>,
    /// Events that count most, the strongest first; at most ten.
    pub strongest_events: Vec<Counted>,
}

/// One part of the score.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Contribution {
    /// title, industry, country, size, email, completeness or engagement.
    pub part: &'static str,
    /// Points added to the score.
    pub points: f64,
    /// Points that a full value would have added.
    pub most: f64,
    /// How good this part is, 0 to 1; null when nothing is known, which adds nothing.
    pub value: Option<f64>,
    /// Why, in words.
    pub reason: String,
}

/// An event and what is left of it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Counted {
    /// Place in `events`, from 0.
    pub index: usize,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Days between the event and the time that ages are counted from.
    pub age_days: f64,
    /// Points when fresh.
    pub points: f64,
    /// Points left after decay.
    pub decayed: f64,
}

/// How it was scored.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MethodUsed {
    /// The method, in words.
    pub name: &'static str,
    /// Days after which an event counts half.
    pub half_life_days: f64,
    /// Decayed points of events at which engagement is full.
    pub full_engagement: f64,
    /// Unix milliseconds that ages are counted from; null when no events were given.
    pub as_of_ms: Option<i64>,
    /// call or input: where that time comes from.
    pub as_of_from: &'static str,
}
