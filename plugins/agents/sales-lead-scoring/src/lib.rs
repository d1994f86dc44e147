//! An agent that ranks leads, puts doubles together and explains every score.
//!
//! The bridge `entity_match` finds doubles, `email_verification` and
//! `lead_score` look at each lead that is left. At most 5 leads in one task,
//! because each is a paid call.
//!
//! Leads in words are judged by the signs that the words give (title, interest,
//! budget, size, timing), or by the rules that the task sets; the bridge adds
//! what the contact is worth.

mod criteria;
mod doubled;
mod leads;
mod people;
mod signals;

use agent_common::request::Request;
use agent_common::{Answer, figures, limits, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tollbridge_sdk::{Call, Error, agent, bridges};

use crate::leads::Lead;
use crate::people::Person;

/// Most different leads in one task; the price covers as many scores.
const LEADS_MAX: usize = 5;

/// Points that the bridge's score of the contact brings at most, where leads are judged by words.
const CONTACT: f64 = 0.1;
/// Confidence where leads are told by members or the task sets the rules, and scores lie apart.
const CLEAR: f64 = 0.9;
/// Confidence where leads stand in sentences.
const PLAIN: f64 = 0.8;
/// Confidence where neighbouring scores lie close.
const CLOSE: f64 = 0.6;
/// Scores this near are close.
const APART: f64 = 3.0;

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
    /// The direct answer in words.
    summary: String,
    /// How likely the order is right, 0 to 1; of answers that say 0.8 or more at least four in five were right on the frozen tasks.
    confidence: f64,
    /// `own rules`, `signs in words`, or `members`: what the scores rest on.
    based_on: &'static str,
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
    /// 0 to 100; the sum of points where the task sets the rules.
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
    /// What was put together as one with it, itself first; empty without doubles.
    merged: Vec<String>,
}

/// A part of a score.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
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
    match input.leads {
        Some(leads) => of_members(call, leads, input.profile.as_ref()),
        None => of_words(call, text, input.profile.as_ref()),
    }
}

fn of_members(call: &Call, leads: Vec<Lead>, profile: Option<&Profile>) -> Result<Output, Error> {
    if leads.iter().all(Lead::is_empty) {
        return Err(nothing());
    }
    let (doubles, mut more) = doubles(&leads)?;
    let left = left(leads.len(), &doubles)?;
    let mut ranking = Vec::new();
    for at in left {
        if let Some(lead) = leads.get(at) {
            let (ranked, limitations) = score(call, at, lead, profile)?;
            ranking.push(ranked);
            more = limits(&[], &[&more, &limitations]);
        }
    }
    let names: Vec<String> = leads.iter().enumerate().map(|(at, lead)| lead.shown(at)).collect();
    Ok(output(ranking, &names, doubles, more, "members", CLEAR))
}

fn nothing() -> Error {
    let fix = "give one lead a line with what is known of it (`Ann Bee, CFO, 200 employees, asked for a demo`), a table, or `leads`";
    Error::invalid("/leads", format!("no lead found; {fix}"))
}

/// The places that are left without doubles.
fn left(count: usize, doubles: &[Vec<usize>]) -> Result<Vec<usize>, Error> {
    if count > 20 {
        return Err(Error::invalid("/leads", format!("{count} leads; at most 20 in one task")));
    }
    let double = |at: &usize| doubles.iter().any(|group| group.iter().skip(1).any(|other| other == at));
    let left: Vec<usize> = (0..count).filter(|at| !double(at)).collect();
    if left.len() > LEADS_MAX {
        let text = format!("{} different leads; at most {LEADS_MAX} in one task: send the rest in another", left.len());
        return Err(Error::invalid("/leads", text));
    }
    Ok(left)
}

fn of_words(call: &Call, text: &str, profile: Option<&Profile>) -> Result<Output, Error> {
    refuse(text)?;
    let people = people::read(text, &Request::read(text));
    if people.is_empty() {
        return Err(nothing());
    }
    let leads: Vec<Lead> = people.iter().map(|person| person.lead.clone()).collect();
    let (found, mut more) = doubles(&leads)?;
    let doubles = doubled::joined(&people, found);
    let left = left(leads.len(), &doubles)?;
    let merged: Vec<Person> =
        people.iter().enumerate().map(|(at, one)| doubled::merged(at, one, &people, &doubles)).collect();
    let rules = criteria::read(text, &people);
    if let Some(unclear) = criteria::unknown(&merged, &rules) {
        let text = format!("it is not clear which leads have \"{unclear}\"; say so for each lead in the same words");
        return Err(Error::invalid("/leads", text));
    }
    let mut ranking = Vec::new();
    let mut known = false;
    for at in left {
        let Some(person) = merged.get(at) else { continue };
        let (mut ranked, limitations) = score(call, at, &person.lead, profile)?;
        more = limits(&[], &[&more, &limitations]);
        known |= !rules.is_empty() || profile.is_some() || signals::any(&signals::points(person));
        judge(&mut ranked, person, &rules);
        ranking.push(ranked);
    }
    let alone = ranking.len() == 1;
    let contact = merged.iter().any(|person| person.lead.email.is_some());
    known |= alone && contact;
    if !known {
        let text = "only names are known; say for each lead what is known about it: title, company, employees, budget, what it asked for";
        return Err(Error::invalid("/leads", text));
    }
    let told = people.iter().any(|person| !person.fields.is_empty());
    let confidence = if told || !rules.is_empty() { CLEAR } else { PLAIN };
    let based_on = if rules.is_empty() { "signs in words" } else { "own rules" };
    let names: Vec<String> = people.iter().map(doubled::shown).collect();
    Ok(output(ranking, &names, doubles, more, based_on, confidence))
}

/// Sets the score by signs in words, or by the task's own rules.
fn judge(ranked: &mut Ranked, person: &Person, rules: &[criteria::Group]) {
    ranked.lead.clone_from(&person.name);
    if !rules.is_empty() {
        let counted = criteria::score(person, rules);
        ranked.score = figures::round(counted.iter().map(|(_, points)| points).sum());
        ranked.contributions = counted
            .into_iter()
            .map(|(part, points)| Contribution { part, points, most: points.max(0.0), reason: "your rule".to_owned() })
            .collect();
    } else {
        let contact = figures::round(ranked.score * CONTACT);
        let mut contributions = signals::points(person);
        let reason = format!("the contact scores {} of 100", figures::figure(ranked.score));
        contributions.push(Contribution { part: "contact".to_owned(), points: contact, most: 100.0 * CONTACT, reason });
        let sum: f64 = contributions.iter().map(|one| one.points).sum();
        ranked.score = figures::round(sum.clamp(0.0, 100.0));
        ranked.contributions = contributions;
    }
    ranked.grade = match ranked.score {
        score if score >= 75.0 => "A",
        score if score >= 55.0 => "B",
        score if score >= 35.0 => "C",
        _ => "D",
    }
    .to_owned();
}

fn refuse(text: &str) -> Result<(), Error> {
    let lower = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(&["salesmen", "salesman", "salespeople", "sales rep should", "bonus for", "the bonus", "commission"]) {
        let text = "this agent scores people who may buy, not sellers; give leads with what is known about each";
        return Err(Error::invalid("/leads", text));
    }
    if has(&["look it up", "look them up", "google them", "find out what", "search the web", "check linkedin"]) {
        let text = "what is not in the task cannot be found out here; write what is known about each lead";
        return Err(Error::invalid("/leads", text));
    }
    Ok(())
}

fn output(
    mut ranking: Vec<Ranked>,
    names: &[String],
    doubles: Vec<Vec<usize>>,
    more: Vec<String>,
    based_on: &'static str,
    sure: f64,
) -> Output {
    ranking.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.index.cmp(&b.index)));
    for (ranked, rank) in ranking.iter_mut().zip(1..) {
        ranked.rank = rank;
        let group = doubles.iter().find(|group| group.first() == Some(&ranked.index));
        ranked.merged = group.into_iter().flatten().filter_map(|at| names.get(*at).cloned()).collect();
    }
    let close = based_on == "signs in words"
        && ranking.iter().zip(ranking.iter().skip(1)).any(|(a, b)| a.score - b.score < APART);
    Output {
        summary: summary(&ranking, names.len()),
        confidence: if close { CLOSE } else { sure },
        based_on,
        ranking,
        doubles,
        limitations: limits(&[], &[&more]),
    }
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
        merged: Vec::new(),
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
