//! The whole audit, where no items are named: personal data, numbers, sanctions. It does
//! not repeat personal data.

use agent_common::{Answer, figures};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tollbridge_sdk::{Error, bridges};

use crate::input::Document;
use crate::output::{Item, Status};
use crate::scan::{self, NUMBERS_MAX, Span};

/// Returns the items of all documents.
pub fn items(documents: &[Document]) -> Result<Vec<Item>, Error> {
    let joined: String = documents.iter().map(|document| format!("{}\n\n", document.text)).collect();
    let spans = scan::personal(&joined)?;
    Ok(vec![
        personal(documents, &spans),
        numbers(documents, "tax numbers", true)?,
        numbers(documents, "bank accounts", false)?,
    ])
}

fn personal(documents: &[Document], spans: &[Span]) -> Item {
    let mut evidence = Vec::new();
    for span in spans {
        let mut first = 0;
        for document in documents {
            let next = first + document.text.chars().count() + 2;
            if (first..next).contains(&span.start_char) {
                let (kind, place) = (span.kind.replace('_', " "), span.start_char - first);
                evidence.push(format!("{kind} in {} at character {place}", document.name));
            }
            first = next;
        }
    }
    if evidence.is_empty() {
        return Item::open("personal data", Status::InOrder, "none of the known forms was found".to_owned(), evidence);
    }
    let pieces = figures::count(evidence.len(), "piece", "pieces");
    let message = format!("{pieces} found: make sure there is a ground to hold them, or redact them");
    evidence.truncate(100);
    Item::open("personal data", Status::Look, message, evidence)
}

fn numbers(documents: &[Document], name: &str, is_vat: bool) -> Result<Item, Error> {
    let mut all: Vec<(&str, String)> = Vec::new();
    for Document { name, text } in documents {
        let numbers = if is_vat { scan::vat(text) } else { scan::iban(text, &[]) };
        all.extend(numbers.into_iter().map(|(number, _)| (name.as_str(), number)));
    }
    let (mut evidence, mut wrong) = (Vec::new(), 0);
    for (document, number) in all.iter().take(NUMBERS_MAX) {
        let Some(result) = scan::check(number, is_vat)? else { continue };
        wrong += usize::from(!result.valid);
        let verdict = if result.valid { "right in form" } else { "WRONG" };
        evidence.push(format!("{} in {document}: {verdict}{}", masked(number), result.faults));
    }
    if evidence.is_empty() {
        return Ok(Item::open(name, Status::NotApplicable, "none was found".to_owned(), evidence));
    }
    let unchecked = all.len().saturating_sub(NUMBERS_MAX);
    let mut message = format!("{} checked, {wrong} wrong", figures::count(evidence.len(), "number", "numbers"));
    if unchecked > 0 {
        message.push_str(&format!("; {unchecked} more were not checked, send them in another task"));
    }
    let status = match (wrong, unchecked) {
        (0, 0) => Status::InOrder,
        (0, _) => Status::Look,
        _ => Status::Fails,
    };
    Ok(Item::open(name, status, message, evidence))
}

/// Returns a number with only its first four and last two signs.
fn masked(number: &str) -> String {
    let length = number.chars().count();
    let show = |(at, c): (usize, char)| if at < 4 || at + 2 >= length { c } else { '*' };
    number.chars().enumerate().map(show).collect()
}

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

/// Returns the result of screening parties against the caller's list.
pub fn sanctions(parties: Option<&[String]>, list: Option<&[Map<String, Value>]>) -> Result<Item, Error> {
    let (Some(parties), Some(list)) = (parties, list) else {
        let message = "not checked: give `parties` and the `sanctions_list` to hold them against";
        return Ok(Item::open("sanctions", Status::NotChecked, message.to_owned(), Vec::new()));
    };
    let subjects: Vec<Value> = parties.iter().map(|party| json!({ "name": party })).collect();
    let answer: Answer<Screened> = bridges::call("sanctions_screen", &json!({ "list": list, "subjects": subjects }))?;
    let hits: Vec<&Subject> = answer.result.subjects.iter().filter(|subject| subject.matches_count > 0).collect();
    let shown = |subject: &&Subject| {
        let entries = figures::count(subject.matches_count, "entry", "entries");
        format!("{}: {} match, {entries}", subject.name, subject.outcome)
    };
    let evidence: Vec<String> = hits.iter().map(shown).collect();
    let count = figures::count(parties.len(), "party", "parties");
    let message = format!("{} of {count} resemble an entry of the list given", hits.len());
    let status = if hits.is_empty() { Status::InOrder } else { Status::Fails };
    Ok(Item::open("sanctions", status, message, evidence))
}
