//! What the bridges say of leads: which are doubles, and what a lead and its address are worth.

use agent_common::Answer;
use serde::Deserialize;
use serde_json::json;
use tollbridge_sdk::{Call, Error, bridges};

use crate::input::Profile;
use crate::leads::Lead;
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

/// Leads that are one and the same by their members, and what that does not tell.
pub fn doubles(leads: &[Lead]) -> Result<(Vec<Vec<usize>>, Vec<String>), Error> {
    if leads.len() < 2 || leads.iter().all(Lead::is_empty) {
        return Ok((Vec::new(), Vec::new()));
    }
    let answer: Answer<Matches> = bridges::call("entity_match", &json!({ "records": leads }))?;
    Ok((answer.result.groups, answer.limitations))
}

/// The score of one lead by its members, and what that does not tell.
pub fn score(
    call: &Call,
    index: usize,
    lead: &Lead,
    profile: Option<&Profile>,
) -> Result<(Ranked, Vec<String>), Error> {
    // The day decides, so that the same task gets the same answer all day.
    let mut asked = json!({ "lead": lead, "as_of": call.now_ms / 86_400_000 * 86_400 });
    if let (Some(profile), Some(asked)) = (profile, asked.as_object_mut()) {
        asked.insert("profile".into(), json!(profile));
    }
    let answer: Answer<Scored> = bridges::call("lead_score", &asked)?;
    let address = lead
        .email
        .as_ref()
        .map(|email| bridges::call::<Answer<Address>>("email_verification", &json!({ "email": email })));
    let address = address.transpose()?.map(|answer| answer.result);
    let scored = answer.result;
    let ranked = Ranked {
        rank: 0,
        index,
        lead: lead.shown(index),
        score: scored.score,
        grade: scored.grade,
        known: scored.known,
        contributions: scored.contributions,
        email_suggestion: address
            .as_ref()
            .and_then(|address| address.suggestion.as_ref())
            .map(|meant| meant.email.clone()),
        email: address.map(|address| address.verdict),
        merged: Vec::new(),
    };
    Ok((ranked, answer.limitations))
}
