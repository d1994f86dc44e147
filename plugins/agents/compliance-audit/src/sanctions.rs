//! Parties held against a sanctions list that the caller gives.

use agent_common::{Answer, figures};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tollbridge_sdk::{Error, bridges};

use crate::item::{Item, Status};

#[derive(Deserialize)]
struct Screened {
    subjects: Vec<Subject>,
}

#[derive(Deserialize)]
struct Subject {
    name: String,
    outcome: String,
    matches_count: usize,
}

/// The item of sanctions.
pub fn item(parties: Option<Vec<String>>, list: Option<Vec<Map<String, Value>>>) -> Result<Item, Error> {
    let name = "sanctions".to_owned();
    let (Some(parties), Some(list)) = (parties, list) else {
        let message = "not checked: give `parties` and the `sanctions_list` to hold them against".to_owned();
        return Ok(Item { name, present: None, status: Status::NotChecked, message, evidence: Vec::new() });
    };
    let subjects: Vec<Value> = parties.iter().map(|party| json!({ "name": party })).collect();
    let answer: Answer<Screened> = bridges::call("sanctions_screen", &json!({ "list": list, "subjects": subjects }))?;
    let hits: Vec<&Subject> = answer.result.subjects.iter().filter(|subject| subject.matches_count > 0).collect();
    let shown = |subject: &&Subject| {
        format!(
            "{}: {} match, {}",
            subject.name,
            subject.outcome,
            figures::count(subject.matches_count, "entry", "entries")
        )
    };
    let evidence = hits.iter().map(shown).collect();
    let message = format!(
        "{} of {} resemble an entry of the list given",
        hits.len(),
        figures::count(parties.len(), "party", "parties")
    );
    let status = if hits.is_empty() { Status::InOrder } else { Status::Fails };
    Ok(Item { name, present: None, status, message, evidence })
}
