//! What the bridges say of leads: which are doubles, and how well a lead fits a profile.

use agent_common::Answer;
use serde::Deserialize;
use serde_json::json;
use tollbridge_sdk::{Call, Error, bridges};

use crate::input::{Lead, Profile};
use crate::output::{Contribution, Ranked};

/// Most different leads with a profile; the price covers as many scores.
const LEADS_MAX: usize = 5;

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

/// Returns leads that are probably the same, and adds the limitations of that.
pub fn doubles(leads: &[Lead], notes: &mut Vec<String>) -> Result<Vec<Vec<usize>>, Error> {
    let records: Vec<Lead> = leads.iter().map(Lead::contact).collect();
    if records.len() < 2 || records.iter().all(Lead::is_empty) {
        return Ok(Vec::new());
    }
    let answer: Answer<Matches> = bridges::call("entity_match", &json!({ "records": records }))?;
    notes.extend(answer.limitations);
    Ok(answer.result.groups)
}

/// Returns the scores of leads against a profile, and adds the limitations of that.
pub fn by_profile(
    call: &Call,
    leads: &[Lead],
    kept: &[usize],
    profile: &Profile,
    notes: &mut Vec<String>,
) -> Result<Vec<Ranked>, Error> {
    if kept.len() > LEADS_MAX {
        let text = format!("{} different leads; at most {LEADS_MAX} in one task with a profile", kept.len());
        return Err(Error::invalid("/leads", format!("{text}: send the rest in another")));
    }
    // The day decides, so that the same task gets the same answer all day.
    let as_of = call.now_ms / 86_400_000 * 86_400;
    let score = |(index, lead): (usize, &Lead)| {
        let input = json!({ "lead": lead.contact(), "as_of": as_of, "profile": profile });
        let answer: Answer<Scored> = bridges::call("lead_score", &input)?;
        notes.extend(answer.limitations);
        let Scored { score, grade, known, contributions } = answer.result;
        let mut ranked = Ranked { index, score, grade: Some(grade), known, contributions, ..Ranked::default() };
        ranked.lead = lead.shown(index);
        if let Some(email) = &lead.email {
            let answer: Answer<Address> = bridges::call("email_verification", &json!({ "email": email }))?;
            ranked.email = Some(answer.result.verdict);
            ranked.email_suggestion = answer.result.suggestion.map(|suggestion| suggestion.email);
        }
        Ok(ranked)
    };
    kept.iter().filter_map(|at| Some((*at, leads.get(*at)?))).map(score).collect()
}
