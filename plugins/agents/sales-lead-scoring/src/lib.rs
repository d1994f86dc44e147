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

use agent_common::columns::fold;
use agent_common::overlay::overlay;
use agent_common::{form, limits};
use tollbridge_sdk::{Call, Error, agent};

use crate::input::{Input, Lead, Profile};
use crate::output::{Output, Ranked, summary};
use crate::rules::Sheet;

/// Most different leads with a profile; the price covers as many scores.
const LEADS_MAX: usize = 5;
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
    let (doubles, mut notes) = doubles(given, input)?;
    let mut leads = given.to_vec();
    for group in &doubles {
        let others: Vec<Lead> = group.iter().skip(1).filter_map(|at| given.get(*at).cloned()).collect();
        if let Some(lead) = group.first().and_then(|at| leads.get_mut(*at)) {
            others.iter().for_each(|other| lead.learn(other));
        }
    }
    let double = |at: usize| doubles.iter().any(|group| group.iter().skip(1).any(|other| *other == at));
    let different: Vec<usize> = (0..leads.len()).filter(|at| !double(*at)).collect();
    let sheet = Sheet::new(&leads, input)?;
    let met = |at: &usize| {
        let meets = |condition| sheet.meets(*at, condition) == Some(true);
        input.only.iter().flatten().all(meets) && !input.except.iter().flatten().any(meets)
    };
    let kept: Vec<usize> = different.iter().copied().filter(met).collect();
    let (mut ranking, more) = match &input.profile {
        Some(profile) => by_profile(call, &leads, &kept, profile)?,
        None => (kept.iter().map(|at| sheet.score(*at, input)).collect(), Vec::new()),
    };
    notes.extend(more);
    if input.profile.is_none() && ranking.iter().any(|ranked| ranked.known < 1.0) {
        notes.push(
            "a rule about a value that is not known gives no points, and such a lead comes last in an order".to_owned(),
        );
    }
    sort(&mut ranking, &sheet, input);
    for ranked in &mut ranking {
        let group = doubles.iter().find(|group| group.first() == Some(&ranked.index));
        let name = |at: &usize| given.get(*at).map(|lead| lead.shown(*at));
        ranked.merged = group.into_iter().flatten().filter_map(name).collect();
    }
    ranking.truncate(input.top.map_or(usize::MAX, |top| top as usize));
    let scored = input.rules.is_some();
    let based_on = if input.profile.is_some() {
        "members"
    } else if scored {
        "own rules"
    } else {
        "columns"
    };
    let summary = summary(&ranking, given.len(), different.len());
    Ok(Output { summary, based_on, ranking, doubles, limitations: limits(&[], &[&notes]) })
}

/// Returns groups of leads that are the same.
fn doubles(leads: &[Lead], input: &Input) -> Result<(Vec<Vec<usize>>, Vec<String>), Error> {
    if let Some(fields) = &input.same {
        let key = |lead: &Lead| -> Option<Vec<String>> {
            let plain = |text: String| fold(&text).chars().filter(|c| !c.is_whitespace()).collect();
            fields.iter().map(|field| lead.value(field).map(plain)).collect()
        };
        let mut groups: Vec<(Vec<String>, Vec<usize>)> = Vec::new();
        for (at, key) in leads.iter().enumerate().filter_map(|(at, lead)| Some((at, key(lead)?))) {
            match groups.iter_mut().find(|(known, _)| *known == key) {
                Some((_, group)) => group.push(at),
                None => groups.push((key, vec![at])),
            }
        }
        let groups: Vec<Vec<usize>> =
            groups.into_iter().map(|(_, group)| group).filter(|group| group.len() > 1).collect();
        return Ok((groups, Vec::new()));
    }
    let wanted = input.duplicates.unwrap_or(input.profile.is_some());
    if wanted { bridged::doubles(leads) } else { Ok((Vec::new(), Vec::new())) }
}

fn by_profile(
    call: &Call,
    leads: &[Lead],
    kept: &[usize],
    profile: &Profile,
) -> Result<(Vec<Ranked>, Vec<String>), Error> {
    if kept.len() > LEADS_MAX {
        let text = format!(
            "{} different leads; at most {LEADS_MAX} in one task with a profile: send the rest in another",
            kept.len()
        );
        return Err(Error::invalid("/leads", text));
    }
    let mut ranking = Vec::new();
    let mut notes = Vec::new();
    for (at, lead) in kept.iter().filter_map(|at| Some((*at, leads.get(*at)?))) {
        let (ranked, more) = bridged::score(call, at, lead, profile)?;
        ranking.push(ranked);
        notes.extend(more);
    }
    Ok((ranking, notes))
}

/// Orders the leads, and sets ranks, grades and, for an order alone, scores.
fn sort(ranking: &mut [Ranked], sheet: &Sheet<'_>, input: &Input) {
    let orders = input.order_by.as_deref().unwrap_or_default();
    ranking.sort_by(|a, b| sheet.compare(a, b, orders).then(a.index.cmp(&b.index)));
    let alone = input.rules.is_none() && input.multiply.is_none() && input.profile.is_none();
    let copy = ranking.to_vec();
    for (at, ranked) in ranking.iter_mut().enumerate() {
        let first = copy.iter().position(|other| sheet.compare(other, ranked, orders).is_eq()).unwrap_or(at);
        let behind = copy.iter().filter(|other| sheet.compare(ranked, other, orders).is_lt()).count();
        ranked.rank = first + 1;
        if alone {
            ranked.score = f64::from(u32::try_from(behind).unwrap_or(u32::MAX));
        }
    }
    let mut grades = input.grades.clone().unwrap_or_default();
    grades.sort_by(|a, b| b.at_least.total_cmp(&a.at_least));
    for ranked in ranking.iter_mut().filter(|_| !grades.is_empty()) {
        ranked.grade = grades.iter().find(|grade| ranked.score >= grade.at_least).map(|grade| grade.name.clone());
    }
}

agent! { run: run, examples: ["../cases/two.json"] }
tollbridge_sdk::test_cases!(agent run);

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tollbridge_sdk::testing::Doubles;

    use super::*;

    fn ranked(input: Value) -> Result<String, String> {
        let input: Input = serde_json::from_value(input).map_err(|error| error.to_string())?;
        let answer = Doubles::new().run(|| run(&Call::default(), "", Some(input))).0;
        let answer = answer.map_err(|error| error.message().to_owned())?;
        let one = |ranked: &Ranked| format!("{} {} {}", ranked.rank, ranked.lead, ranked.score);
        Ok(answer.ranking.iter().map(one).collect::<Vec<_>>().join(", "))
    }

    fn leads() -> Value {
        json!([
            {"name": "Nadia", "title": "COO", "employees": 240, "fields": {"demo": true, "budget": "50,000"}},
            {"name": "Felix", "title": "developer", "employees": 500, "fields": {"demo": false, "budget": "n/a"}},
            {"name": "Carol", "title": "office assistant", "employees": 4, "email": "c@gmail.com", "fields": {"demo": true}}
        ])
    }

    #[test]
    fn rules_give_points() {
        let rules = json!([
            {"points": 30, "when": [{"field": "demo", "is": ["yes"]}]},
            {"points": 25, "when": [{"field": "title", "contains": ["director", "COO", "CFO"]}]},
            {"points": 20, "when": [{"field": "employees", "above": 100}]},
            {"points": 15, "when": [{"field": "budget", "known": true}]},
            {"points": -20, "when": [{"field": "email", "contains": ["gmail"]}]}
        ]);
        let all = ranked(json!({"leads": leads(), "rules": rules.clone()}));
        assert_eq!(all.as_deref(), Ok("1 Nadia 90, 2 Felix 20, 3 Carol 10"));
        let only = json!([{"field": "employees", "at_least": 100}]);
        let some = ranked(json!({"leads": leads(), "rules": rules, "only": only, "top": 1}));
        assert_eq!(some.as_deref(), Ok("1 Nadia 90"));
    }

    #[test]
    fn orders_products_and_doubles() {
        let by = ranked(
            json!({"leads": leads(), "order_by": [{"field": "demo", "values": ["yes", "no"]}, {"field": "employees", "ascending": true}]}),
        );
        assert_eq!(by.as_deref(), Ok("1 Carol 2, 2 Nadia 1, 3 Felix 0"));
        let product = ranked(json!({"leads": leads(), "multiply": ["employees", "budget"]}));
        assert_eq!(product.as_deref(), Ok("1 Nadia 12000000, 2 Felix 0, 2 Carol 0"));
        let same = json!({"leads": [{"name": "I. Falk", "phone": "1 2"}, {"name": "Ingrid", "phone": "12", "fields": {"visits": 3}}, {"name": "Nils", "fields": {"visits": 1}}],
            "same": ["phone"], "order_by": [{"field": "visits"}]});
        assert_eq!(ranked(same).as_deref(), Ok("1 I. Falk 1, 2 Nils 0"));
    }

    #[test]
    fn inputs_that_are_not_clear_are_refused() {
        for (input, expect) in [
            (json!({"leads": leads()}), "what makes a lead good"),
            (json!({"leads": [], "order_by": [{"field": "demo"}]}), "no lead found"),
            (json!({"leads": leads(), "order_by": [{"field": "title"}]}), "is no number"),
            (json!({"leads": leads(), "order_by": [{"field": "visits"}]}), "no lead has a value for `visits`"),
            (json!({"leads": leads(), "rules": [{"points": 1, "when": [{"field": "title"}]}]}), "has no test"),
        ] {
            let found = ranked(input).unwrap_err();
            assert!(found.contains(expect), "{found}");
        }
    }
}
