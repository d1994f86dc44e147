//! What the bridges say of leads: which are doubles, and how well a lead fits a profile.

use agent_common::Answer;
use serde::Deserialize;
use serde_json::json;
use tollbridge_sdk::{Call, Error, bridges};

use crate::input::{Lead, Profile};
use crate::output::{Contribution, Ranked};

#[derive(Deserialize)]
struct Matches {
    groups: Vec<Vec<usize>>,
}

#[derive(Deserialize)]
struct Scored {
    score: f64,
    grade: String,
    known: f64,
    contributions: Vec<Contribution>,
}

#[derive(Deserialize)]
struct Address {
    verdict: String,
    suggestion: Option<Suggestion>,
}

#[derive(Deserialize)]
struct Suggestion {
    email: String,
}

/// Returns leads that are probably the same, and the limitations of that.
pub fn doubles(leads: &[Lead]) -> Result<(Vec<Vec<usize>>, Vec<String>), Error> {
    let records: Vec<Lead> = leads.iter().map(Lead::contact).collect();
    if records.len() < 2 || records.iter().all(Lead::is_empty) {
        return Ok((Vec::new(), Vec::new()));
    }
    let answer: Answer<Matches> = bridges::call("entity_match", &json!({ "records": records }))?;
    Ok((answer.result.groups, answer.limitations))
}

/// Returns the score of one lead against a profile, and the limitations of that.
pub fn score(call: &Call, index: usize, lead: &Lead, profile: &Profile) -> Result<(Ranked, Vec<String>), Error> {
    // The day decides, so that the same task gets the same answer all day.
    let as_of = call.now_ms / 86_400_000 * 86_400;
    let input = json!({ "lead": lead.contact(), "as_of": as_of, "profile": profile });
    let answer: Answer<Scored> = bridges::call("lead_score", &input)?;
    let verify = |email: &String| bridges::call::<Answer<Address>>("email_verification", &json!({ "email": email }));
    let address = lead.email.as_ref().map(verify).transpose()?.map(|answer| answer.result);
    let scored = answer.result;
    let suggestion = address.as_ref().and_then(|address| address.suggestion.as_ref());
    let ranked = Ranked {
        rank: 0,
        index,
        lead: lead.shown(index),
        score: scored.score,
        grade: Some(scored.grade),
        known: scored.known,
        contributions: scored.contributions,
        email_suggestion: suggestion.map(|meant| meant.email.clone()),
        email: address.map(|address| address.verdict),
        merged: Vec::new(),
    };
    Ok((ranked, answer.limitations))
}
