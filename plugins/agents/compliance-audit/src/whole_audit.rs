//! The whole checklist, where a request names no items.

use agent_common::{figures, limits};
use serde_json::{Map, Value};
use tollbridge_sdk::{Error, bridges};

use crate::document::Document;
use crate::item::{Item, Status};
use crate::number_check::{self, Checked};
use crate::output::Output;
use crate::{checklist, numbers, personal_data, sanctions};

/// The whole checklist, by single words of its clauses.
const CONFIDENCE: f64 = 0.75;
/// Numbers of one kind that are checked; the price covers as many.
const NUMBERS_MAX: usize = 5;

/// The whole checklist, without repeating personal data.
pub fn audit(
    documents: Vec<Document>,
    parties: Option<Vec<String>>,
    list: Option<Vec<Map<String, Value>>>,
) -> Result<Output, Error> {
    let size: usize = documents.iter().map(|document| document.text.len()).sum();
    if documents.iter().all(|document| document.text.trim().is_empty()) {
        return Err(Error::invalid(
            "/documents",
            "write the document as the task, or give `documents` with `name` and `text`",
        ));
    }
    if size > 90_000 {
        return Err(Error::invalid("/documents", format!("{size} bytes; at most 90,000 in one task")));
    }
    let mut items = vec![personal_data::item(&documents)?];
    items.push(numbers_of(&documents, "tax numbers", numbers::vat, number_check::tax)?);
    items.push(numbers_of(&documents, "bank accounts", numbers::iban, number_check::account)?);
    items.push(sanctions::item(parties, list)?);
    items.extend(checklist::clauses(&documents));
    let open =
        items.iter().filter(|item| item.status != Status::InOrder && item.status != Status::NotApplicable).count();
    Ok(Output {
        summary: summary(&items, open),
        items,
        open,
        confidence: CONFIDENCE,
        limitations: limits(
            &[
                "no legal advice: a checklist of common clauses and forms, not the law of any country",
                "clauses are found by their words: one said otherwise counts as missing, and a clause that is there may still be wrong",
                "no register was asked: a number of the right form may not be registered",
            ],
            &[],
        ),
    })
}

fn numbers_of(
    documents: &[Document],
    name: &str,
    find: impl Fn(&str) -> Vec<String>,
    check: impl Fn(&str) -> Result<Checked, bridges::Error>,
) -> Result<Item, Error> {
    let numbers: Vec<(&str, String)> =
        documents.iter().flat_map(|d| find(&d.text).into_iter().map(move |n| (d.name.as_str(), n))).collect();
    if numbers.is_empty() {
        let message = "none was found".to_owned();
        return Ok(Item {
            name: name.into(),
            present: None,
            status: Status::NotApplicable,
            message,
            evidence: Vec::new(),
        });
    }
    let (mut evidence, mut wrong) = (Vec::new(), 0);
    for (document, number) in numbers.iter().take(NUMBERS_MAX) {
        let result = check(number)?;
        wrong += usize::from(!result.valid);
        let verdict = if result.valid { "right in form" } else { "WRONG" };
        let faults = result.faults();
        let why = if faults.is_empty() { String::new() } else { format!(" ({})", faults.join("; ")) };
        evidence.push(format!("{} in {document}: {verdict}{why}", numbers::masked(number)));
    }
    let unchecked = numbers.len().saturating_sub(NUMBERS_MAX);
    let mut message = format!("{} checked, {wrong} wrong", figures::count(evidence.len(), "number", "numbers"));
    if unchecked > 0 {
        message.push_str(&format!("; {unchecked} more were not checked, send them in another task"));
    }
    let status = if wrong > 0 {
        Status::Fails
    } else if unchecked > 0 {
        Status::Look
    } else {
        Status::InOrder
    };
    Ok(Item { name: name.into(), present: None, status, message, evidence })
}

fn summary(items: &[Item], open: usize) -> String {
    let fails: Vec<&str> =
        items.iter().filter(|item| item.status == Status::Fails).map(|item| item.name.as_str()).collect();
    let missing: Vec<&str> =
        items.iter().filter(|item| item.status == Status::Missing).map(|item| item.name.as_str()).collect();
    let mut text = format!("{open} of {} need a look", figures::count(items.len(), "item", "items"));
    if !fails.is_empty() {
        text.push_str(&format!("; failing: {}", fails.join(", ")));
    }
    if !missing.is_empty() {
        text.push_str(&format!("; missing: {}", missing.join(", ")));
    }
    text.push_str(". No legal advice.");
    text
}
