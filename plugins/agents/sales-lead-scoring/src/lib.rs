//! An agent that ranks leads, puts doubles together and explains every score.
//!
//! The bridge `entity_match` finds doubles, `email_verification` and
//! `lead_score` look at each lead that is left. At most 5 leads in one task,
//! because each is a paid call.
//!
//! Leads in words are judged by the signs that the words give (title, interest,
//! budget, size, timing), or by the rules that the task sets; the bridge adds
//! what the contact is worth.

mod bridged;
mod compared;
mod complete;
mod criteria;
mod doubled;
mod forms;
mod ideal;
mod input;
mod judged;
mod leads;
mod output;
mod people;
mod person;
mod ranking;
mod records;
mod sign_words;
mod signals;

use agent_common::request::Request;
use agent_common::{limits, model, tagless, words};
use tollbridge_sdk::{Call, Error, agent};

use crate::bridged::{doubles, score};
use crate::input::{Input, Profile};
use crate::judged::judge;
use crate::leads::Lead;
use crate::output::Output;
use crate::person::Person;
use crate::ranking::output;

/// Most different leads in one task; the price covers as many scores.
const LEADS_MAX: usize = 5;

/// Confidence where leads are told by members or the task sets the rules, and scores lie apart.
const CLEAR: f64 = 0.9;
/// Confidence where leads stand in sentences.
const PLAIN: f64 = 0.8;

/// Answers one task.
pub fn run(call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let text = words::of(task, input.as_ref());
    let input = input.unwrap_or_default();
    if let Some(leads) = input.leads {
        return of_members(call, leads, input.profile.as_ref());
    }
    // What is no work of this agent is not asked in other words.
    refuse(text)?;
    model::reread(text, forms::FORMS, |text| of_words(call, text, input.profile.as_ref()))
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
    let tagless = tagless::read(text);
    let text = tagless.as_str();
    let people = people::read(text, &Request::read(text));
    if people.is_empty() {
        return Err(nothing());
    }
    let leads: Vec<Lead> = people.iter().map(|person| person.lead.clone()).collect();
    let (found, mut more) = doubles(&leads)?;
    let doubles = doubled::joined(&people, found);
    let left = left(leads.len(), &doubles)?;
    complete::check_count(text, &people, left.len())?;
    complete::check_lines(text, &people)?;
    let merged: Vec<Person> =
        people.iter().enumerate().map(|(at, one)| doubled::merged(at, one, &people, &doubles)).collect();
    let rules = criteria::read(text, &people);
    if let Some(unclear) = criteria::unknown(&merged, &rules) {
        let text = format!("it is not clear which leads have \"{unclear}\"; say so for each lead in the same words");
        return Err(Error::invalid("/leads", text));
    }
    let mut ranking = Vec::new();
    let mut known = false;
    let kept: Vec<Person> = left.iter().filter_map(|at| merged.get(*at).cloned()).collect();
    let mut beside = compared::points(&kept).into_iter().zip(ideal::points(text, &kept));
    for at in left {
        let Some(person) = merged.get(at) else { continue };
        let extra: Vec<_> =
            beside.next().map_or_else(Vec::new, |(columns, ideal)| columns.into_iter().chain(ideal).collect());
        let (mut ranked, limitations) = score(call, at, &person.lead, profile)?;
        more = limits(&[], &[&more, &limitations]);
        known |=
            !rules.is_empty() || profile.is_some() || signals::any(&signals::points(person)) || signals::any(&extra);
        judge(&mut ranked, person, &rules, extra);
        ranking.push(ranked);
    }
    let alone = ranking.len() == 1;
    let contact = merged.iter().any(|person| person.lead.email.is_some());
    known |= alone && contact;
    if !known {
        let text = "only names are known; say for each lead what is known about it: title, company, employees, budget, what it asked for";
        return Err(Error::invalid("/leads", text));
    }
    if rules.is_empty() && profile.is_none() {
        complete::check_known(&ranking, &merged)?;
    }
    let told = people.iter().any(|person| !person.fields.is_empty());
    let confidence = if told || !rules.is_empty() { CLEAR } else { PLAIN };
    let based_on = if rules.is_empty() { "signs in words" } else { "own rules" };
    let names: Vec<String> = people.iter().map(doubled::shown).collect();
    Ok(output(ranking, &names, doubles, more, based_on, confidence))
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

agent! { run: run, examples: ["../cases/two.json"] }
tollbridge_sdk::test_cases!(agent run);
