//! An agent that ranks leads by the caller's own rules, columns or profile.
//!
//! Rules, orders and products are computed here. With a profile, the bridges
//! `lead_score` and `email_verification` examine at most 5 leads, because each is a paid
//! call; `entity_match` finds doubles.

mod bridged;
mod commands;
mod condition;
mod input;
mod output;
mod rules;

use std::cmp::Ordering;

use agent_common::columns::fold;
use agent_common::overlay::overlay;
use agent_common::{form, limits};
use tollbridge_sdk::{Call, Error, agent};

use crate::input::{Input, Lead};
use crate::output::{Output, Ranked, summary};
use crate::rules::Sheet;

/// Most leads with a profile, doubles included.
const GIVEN_MAX: usize = 20;

/// Answers one task.
pub fn run(call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let filled = match input {
        Some(input) if task.trim().is_empty() || input.leads.is_some() => form::Filled { form: input, note: None },
        input => {
            let mut draft = commands::draft(task)?;
            if let Some(typed) = &input {
                draft.form = overlay(draft.form, typed);
            }
            form::fill(task, draft, check)?
        }
    };
    let mut output = answer(call, &filled.form).map_err(|error| error.with_input(&filled.form))?;
    output.limitations.extend(filled.note);
    Ok(output)
}

/// Checks that an input has leads and one way to score them.
fn check(input: &Input) -> Result<(), Error> {
    let leads = input.leads.as_deref().unwrap_or_default();
    if leads.iter().all(Lead::is_empty) {
        let text = "no lead found; give a table with one lead in each row, or `leads` with their members and `fields`";
        return Err(Error::invalid("/leads", text));
    }
    let ways = [input.rules.is_some(), input.multiply.is_some(), input.profile.is_some()];
    let ways = ways.into_iter().filter(|given| *given).count();
    if ways > 1 {
        return Err(Error::invalid("/rules", "give only one of `rules`, `multiply` and `profile`"));
    }
    if ways == 0 && input.order_by.is_none() {
        let text = "what makes a lead good? Give `rules` with points, `order_by` with a column, or a `profile` of the wanted customer";
        return Err(Error::invalid("/rules", text));
    }
    if input.profile.is_some() && leads.len() > GIVEN_MAX {
        let text = format!("{} leads; at most {GIVEN_MAX} in one task with a profile", leads.len());
        return Err(Error::invalid("/leads", text));
    }
    Sheet::new(leads, input).map(drop)
}

fn answer(call: &Call, input: &Input) -> Result<Output, Error> {
    check(input)?;
    let given = input.leads.as_deref().unwrap_or_default();
    let mut notes = Vec::new();
    let doubles = doubles(given, input, &mut notes)?;
    let mut leads = given.to_vec();
    for group in &doubles {
        let lead = group.first().and_then(|at| leads.get_mut(*at));
        let others = group.iter().skip(1).filter_map(|at| given.get(*at));
        lead.into_iter().for_each(|lead| others.clone().for_each(|other| lead.learn(other)));
    }
    let is_double = |at: &usize| doubles.iter().any(|group| group.iter().skip(1).any(|other| other == at));
    let different: Vec<usize> = (0..leads.len()).filter(|at| !is_double(at)).collect();
    let sheet = Sheet::new(&leads, input)?;
    let is_kept = |at: &&usize| {
        let meets = |condition| sheet.meets(**at, condition) == Some(true);
        input.only.iter().flatten().all(meets) && !input.except.iter().flatten().any(meets)
    };
    let kept: Vec<usize> = different.iter().filter(is_kept).copied().collect();
    let mut ranking = match &input.profile {
        Some(profile) => bridged::by_profile(call, &leads, &kept, profile, &mut notes)?,
        None => kept.iter().map(|at| sheet.score(*at)).collect(),
    };
    if input.profile.is_none() && ranking.iter().any(|ranked| ranked.known < 1.0) {
        let text = "a rule about a value that is not known gives no points, and such a lead comes last in an order";
        notes.push(text.to_owned());
    }
    sort(&mut ranking, &sheet, input);
    for ranked in &mut ranking {
        let group = doubles.iter().find(|group| group.first() == Some(&ranked.index));
        let name = |at: &usize| given.get(*at).map(|lead| lead.shown(*at));
        ranked.merged = group.into_iter().flatten().filter_map(name).collect();
    }
    ranking.truncate(input.top.map_or(usize::MAX, |top| top as usize));
    let based_on = match (&input.profile, &input.rules) {
        (Some(_), _) => "members",
        (None, Some(_)) => "own rules",
        (None, None) => "columns",
    };
    let summary = summary(&ranking, given.len(), different.len());
    Ok(Output { summary, based_on, ranking, doubles, limitations: limits(&[], &[&notes]) })
}

/// Returns groups of leads that are the same, and adds the limitations of that.
fn doubles(leads: &[Lead], input: &Input, notes: &mut Vec<String>) -> Result<Vec<Vec<usize>>, Error> {
    let Some(fields) = &input.same else {
        let is_wanted = input.duplicates.unwrap_or(input.profile.is_some());
        return if is_wanted { bridged::doubles(leads, notes) } else { Ok(Vec::new()) };
    };
    let plain = |text: String| fold(&text).chars().filter(|c| !c.is_whitespace()).collect();
    let mut groups: Vec<(Vec<String>, Vec<usize>)> = Vec::new();
    for (at, lead) in leads.iter().enumerate() {
        let key: Option<Vec<String>> = fields.iter().map(|field| lead.value(field).map(plain)).collect();
        let Some(key) = key else { continue };
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(at),
            None => groups.push((key, vec![at])),
        }
    }
    Ok(groups.into_iter().map(|(_, group)| group).filter(|group| group.len() > 1).collect())
}

/// Orders the leads, and sets ranks, grades and, for an order alone, scores.
fn sort(ranking: &mut [Ranked], sheet: &Sheet<'_>, input: &Input) {
    ranking.sort_by(|a, b| sheet.compare(a, b).then(a.index.cmp(&b.index)));
    let is_order = input.rules.is_none() && input.multiply.is_none() && input.profile.is_none();
    let mut grades = input.grades.clone().unwrap_or_default();
    grades.sort_by(|a, b| b.at_least.total_cmp(&a.at_least));
    let all = ranking.to_vec();
    for ranked in ranking.iter_mut() {
        let count = |is: fn(Ordering) -> bool| all.iter().filter(|other| is(sheet.compare(other, ranked))).count();
        let (before, behind) = (count(Ordering::is_lt), count(Ordering::is_gt));
        ranked.rank = before + 1;
        if is_order {
            ranked.score = f64::from(u32::try_from(behind).unwrap_or(u32::MAX));
        }
        if !grades.is_empty() {
            let grade = grades.iter().find(|grade| ranked.score >= grade.at_least);
            ranked.grade = grade.map(|grade| grade.name.clone());
        }
    }
}

agent! { run: run, examples: ["../cases/two.json"] }
tollbridge_sdk::test_cases!(agent run);

#[cfg(test)]
mod tests {
    use agent_common::testing;
    use tollbridge_sdk::testing::Doubles;

    use super::*;

    /// Tasks and typed inputs, each with a part of its answer or refusal. No bridge answers.
    #[test]
    fn tasks_are_answered_or_refused() {
        testing::typed_outcomes_are_expected(include_str!("../tasks.json"), |task, input| {
            let input = input.map(|input| serde_json::from_value(input).unwrap());
            let doubles = Doubles::new();
            let (answer, _) = doubles.run(|| run(&Call::default(), task, input));
            answer.map_or_else(|error| error.message().to_owned(), |output| output.summary)
        });
    }

    #[test]
    fn published_examples_are_understood() {
        testing::examples_are_understood(commands::COMMANDS, |task| commands::draft(task).unwrap().question);
    }
}
