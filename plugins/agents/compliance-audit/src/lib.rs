//! An agent that goes through documents by a checklist, with evidence for each item.
//!
//! Personal data come from the bridge `pii_redaction`, tax numbers and accounts
//! are checked by `vat_number_check` and `iban_validation`, names against a
//! given list by `sanctions_screen`; clauses are looked for by their words. No
//! personal data are repeated in the answer. This is no legal advice.

mod checklist;
mod numbers;

use agent_common::{Answer, figures, limits, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tollbridge_sdk::{Call, Error, agent, bridges};

use crate::checklist::{Item, Status};

const VERBS: [&str; 5] = ["audit", "check", "review", "go", "inspect"];
/// Numbers of one kind that are checked; the price covers as many.
const NUMBERS_MAX: usize = 5;

/// Documents, and what to hold them against.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The documents, at most 20 and 90,000 bytes in all. The task's own text unless given.
    #[schemars(length(min = 1, max = 20))]
    documents: Option<Vec<Document>>,
    /// Persons and companies to look for on the list, at most 20.
    #[schemars(length(min = 1, max = 20))]
    parties: Option<Vec<String>>,
    /// The sanctions list: objects with `name` and, if wanted, `aliases`, `births`, `countries`. None is shipped.
    #[schemars(length(min = 1, max = 5_000))]
    sanctions_list: Option<Vec<Map<String, Value>>>,
}

/// A document.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// What to call it.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// Its text.
    #[schemars(length(min = 1, max = 90_000))]
    pub text: String,
}

/// The audit.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    summary: String,
    /// Every item of the checklist.
    items: Vec<Item>,
    /// Items that need someone to look at them.
    open: usize,
    /// What the answer does not tell.
    limitations: Vec<String>,
}

#[derive(Deserialize)]
struct Personal {
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct Span {
    #[serde(rename = "type")]
    kind: String,
    start_char: usize,
}

#[derive(Deserialize)]
struct Checked {
    valid: bool,
    #[serde(default)]
    faults: Vec<Value>,
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

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let (_, body) = words::request(words::of(task, input.as_ref()), &VERBS);
    let input = input.unwrap_or_default();
    let documents = input.documents.unwrap_or_else(|| vec![Document { name: "task".into(), text: body.to_owned() }]);
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
    let mut items = vec![personal_data(&documents)?];
    let tax = |number: &str| bridges::call::<Answer<Checked>>("vat_number_check", &json!({ "vat_number": number }));
    items.push(numbers_of(&documents, "tax numbers", numbers::vat, tax)?);
    let account = |number: &str| bridges::call::<Answer<Checked>>("iban_validation", &json!({ "iban": number }));
    items.push(numbers_of(&documents, "bank accounts", numbers::iban, account)?);
    items.push(sanctions(input.parties, input.sanctions_list)?);
    items.extend(checklist::clauses(&documents));
    let open =
        items.iter().filter(|item| item.status != Status::InOrder && item.status != Status::NotApplicable).count();
    Ok(Output {
        summary: summary(&items, open),
        items,
        open,
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

fn personal_data(documents: &[Document]) -> Result<Item, Error> {
    let joined: String = documents.iter().map(|document| format!("{}\n\n", document.text)).collect();
    let answer: Answer<Personal> = bridges::call("pii_redaction", &json!({ "text": joined, "mode": "replace" }))?;
    let mut evidence = Vec::new();
    for span in &answer.result.spans {
        let mut first = 0;
        for document in documents {
            let next = first + document.text.chars().count() + 2;
            if (first..next).contains(&span.start_char) {
                evidence.push(format!(
                    "{} in {} at character {}",
                    span.kind.replace('_', " "),
                    document.name,
                    span.start_char - first
                ));
            }
            first = next;
        }
    }
    let status = if evidence.is_empty() { Status::InOrder } else { Status::Look };
    let message = match evidence.len() {
        0 => "none of the known forms was found".to_owned(),
        n => format!(
            "{} found: make sure there is a ground to hold them, or redact them",
            figures::count(n, "piece", "pieces")
        ),
    };
    evidence.truncate(100);
    Ok(Item { name: "personal data".into(), status, message, evidence })
}

fn numbers_of(
    documents: &[Document],
    name: &str,
    find: impl Fn(&str) -> Vec<String>,
    check: impl Fn(&str) -> Result<Answer<Checked>, bridges::Error>,
) -> Result<Item, Error> {
    let numbers: Vec<(&str, String)> =
        documents.iter().flat_map(|d| find(&d.text).into_iter().map(move |n| (d.name.as_str(), n))).collect();
    if numbers.is_empty() {
        let message = "none was found".to_owned();
        return Ok(Item { name: name.into(), status: Status::NotApplicable, message, evidence: Vec::new() });
    }
    let (mut evidence, mut wrong) = (Vec::new(), 0);
    for (document, number) in numbers.iter().take(NUMBERS_MAX) {
        let result = check(number)?.result;
        wrong += usize::from(!result.valid);
        let verdict = if result.valid { "right in form" } else { "WRONG" };
        let faults: Vec<String> =
            result.faults.iter().map(|fault| fault.as_str().map_or_else(|| fault.to_string(), str::to_owned)).collect();
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
    Ok(Item { name: name.into(), status, message, evidence })
}

fn sanctions(parties: Option<Vec<String>>, list: Option<Vec<Map<String, Value>>>) -> Result<Item, Error> {
    let name = "sanctions".to_owned();
    let (Some(parties), Some(list)) = (parties, list) else {
        let message = "not checked: give `parties` and the `sanctions_list` to hold them against".to_owned();
        return Ok(Item { name, status: Status::NotChecked, message, evidence: Vec::new() });
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
    Ok(Item { name, status, message, evidence })
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

agent! { run: run, examples: ["../cases/policy.json"] }
tollbridge_sdk::test_cases!(agent run);
