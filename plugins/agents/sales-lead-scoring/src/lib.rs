//! An agent that ranks leads, puts doubles together and explains every score.
//!
//! The bridge `entity_match` finds doubles, `email_verification` and
//! `lead_score` look at each lead that is left. At most 5 leads in one task,
//! because each is a paid call.

mod leads;

use agent_common::{Answer, figures, limits, table::Table, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tollbridge_sdk::{Call, Error, agent, bridges};

use crate::leads::Lead;

/// Most different leads in one task; the price covers as many scores.
const LEADS_MAX: usize = 5;

/// Leads, and the customer that is wanted.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The leads, at most 20, of which 5 may be different. Default: the task's table, or its `Label: value` lines.
    #[schemars(length(min = 1, max = 20))]
    leads: Option<Vec<Lead>>,
    /// The customer that is wanted; what it does not name is not scored.
    profile: Option<Profile>,
}

/// The customer that is wanted.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Job titles.
    #[serde(default)]
    #[schemars(length(max = 50))]
    titles: Vec<String>,
    /// Industries, as leads name them.
    #[serde(default)]
    #[schemars(length(max = 50))]
    industries: Vec<String>,
    /// Countries, as leads name them.
    #[serde(default)]
    #[schemars(length(max = 50))]
    countries: Vec<String>,
    /// Least employees.
    #[serde(skip_serializing_if = "Option::is_none")]
    employees_min: Option<u32>,
    /// Most employees.
    #[serde(skip_serializing_if = "Option::is_none")]
    employees_max: Option<u32>,
}

/// The leads in order.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    summary: String,
    /// The best first.
    ranking: Vec<Ranked>,
    /// Leads that are one and the same, by their places in the input, from 0; the first of each is ranked.
    doubles: Vec<Vec<usize>>,
    /// What the answer does not tell.
    limitations: Vec<String>,
}

/// A lead and its score.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Ranked {
    /// From 1.
    rank: usize,
    /// Its place in the input, from 0.
    index: usize,
    /// Name, company or e-mail address.
    lead: String,
    /// 0 to 100.
    score: f64,
    /// A to D.
    grade: String,
    /// Share of what is scored that is known of it, 0 to 1.
    known: f64,
    /// Where the points come from.
    contributions: Vec<Contribution>,
    /// What the e-mail address is worth: accept, risky and so on; null without one.
    email: Option<String>,
    /// An address that may be meant instead.
    email_suggestion: Option<String>,
}

/// A part of a score.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Contribution {
    /// Which part.
    part: String,
    /// Points that it brings.
    points: f64,
    /// Most that it could bring.
    most: f64,
    /// Why.
    reason: String,
}

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

/// Answers one task.
pub fn run(call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let text = words::of(task, input.as_ref());
    let input = input.unwrap_or_default();
    let leads = input
        .leads
        .unwrap_or_else(|| Table::read(text).map_or_else(|| leads::of_lines(text), |table| leads::of_table(&table)));
    if leads.iter().all(Lead::is_empty) {
        let fix =
            "give `leads`, or a table with columns such as name, email, title, company, industry, country, employees";
        return Err(Error::invalid("/leads", format!("no lead found; {fix}")));
    }
    if leads.len() > 20 {
        return Err(Error::invalid("/leads", format!("{} leads; at most 20 in one task", leads.len())));
    }
    let (doubles, mut more) = doubles(&leads)?;
    let left: Vec<usize> = (0..leads.len())
        .filter(|at| !doubles.iter().any(|group| group.iter().skip(1).any(|other| other == at)))
        .collect();
    if left.len() > LEADS_MAX {
        return Err(Error::invalid(
            "/leads",
            format!("{} different leads; at most {LEADS_MAX} in one task: send the rest in another", left.len()),
        ));
    }
    let mut ranking = Vec::new();
    for at in left {
        if let Some(lead) = leads.get(at) {
            let (ranked, limitations) = score(call, at, lead, input.profile.as_ref())?;
            ranking.push(ranked);
            more = limits(&[], &[&more, &limitations]);
        }
    }
    ranking.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.index.cmp(&b.index)));
    for (ranked, rank) in ranking.iter_mut().zip(1..) {
        ranked.rank = rank;
    }
    Ok(Output { summary: summary(&ranking, leads.len()), ranking, doubles, limitations: limits(&[], &[&more]) })
}

fn doubles(leads: &[Lead]) -> Result<(Vec<Vec<usize>>, Vec<String>), Error> {
    if leads.len() < 2 {
        return Ok((Vec::new(), Vec::new()));
    }
    let answer: Answer<Matches> = bridges::call("entity_match", &json!({ "records": leads }))?;
    Ok((answer.result.groups, answer.limitations))
}

fn score(call: &Call, index: usize, lead: &Lead, profile: Option<&Profile>) -> Result<(Ranked, Vec<String>), Error> {
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
    };
    Ok((ranked, answer.limitations))
}

fn summary(ranking: &[Ranked], given: usize) -> String {
    let mut text = format!("{} given, {} different", figures::count(given, "lead", "leads"), ranking.len());
    for ranked in ranking {
        let best = ranked.contributions.iter().max_by(|a, b| a.points.total_cmp(&b.points));
        let why = best.map_or_else(String::new, |best| format!(", most from {}: {}", best.part, best.reason));
        text.push_str(&format!(
            "; {}. {} {} ({}{why})",
            ranked.rank,
            ranked.lead,
            figures::figure(ranked.score),
            ranked.grade
        ));
    }
    text.push('.');
    text
}

agent! { run: run, examples: ["../cases/two.json"] }
tollbridge_sdk::test_cases!(agent run);
