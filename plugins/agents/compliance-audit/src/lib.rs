//! An agent that goes through documents by a checklist, with evidence for each item.
//!
//! Personal data come from the bridge `pii_redaction`, tax numbers and accounts
//! are checked by `vat_number_check` and `iban_validation`, names against a
//! given list by `sanctions_screen`; clauses are looked for by several cues each.
//! Where a request names items, just these are answered, with the words of the
//! document as evidence; without items no personal data are repeated. This is no
//! legal advice.

mod asked;
mod checklist;
mod clause;
mod datum;
mod fields;
mod numbers;
mod wants;

use agent_common::{Answer, asking, figures, limits, request::Request, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tollbridge_sdk::{Call, Error, agent, bridges};

use crate::checklist::{Item, Status};

/// An answer less sure than this is not given.
const CONFIDENCE_FLOOR: f64 = 0.75;
/// The whole checklist, by single words of its clauses.
const GENERAL: f64 = 0.75;
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
    /// One document instead, as its text.
    #[schemars(length(min = 1, max = 90_000))]
    document: Option<String>,
    /// What to look for, at most 40 items such as `governing law` or `IBAN`. Default: those of the task, else all that is known.
    #[schemars(length(max = 40), inner(length(min = 1, max = 200)))]
    checklist: Option<Vec<String>>,
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
    /// How likely the answer is right, 0 to 1; of answers that say 0.8 or more at least four in five were right.
    confidence: f64,
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
    let text = words::of(task, input.as_ref());
    let (_, body) = words::request(text, &VERBS);
    let input = input.unwrap_or_default();
    let typed = input.documents.is_some() || input.document.is_some();
    let given = input.document.map(|text| vec![Document { name: "document".into(), text }]);
    let request = Request::read(text);
    let checklist = input.checklist.unwrap_or_default();
    if !typed && input.parties.is_none() && !text.is_empty() {
        return in_words(text, &request, checklist);
    }
    let documents =
        input.documents.or(given).unwrap_or_else(|| vec![Document { name: "task".into(), text: body.to_owned() }]);
    if typed && (!checklist.is_empty() || !wants::items(text).is_empty()) {
        let items = if checklist.is_empty() { wants::items(text) } else { checklist };
        return answer_items(&items, &documents, text);
    }
    general(documents, input.parties, input.sanctions_list)
}

/// A task in words: the items that it names, else the whole checklist.
fn in_words(text: &str, request: &Request, checklist: Vec<String>) -> Result<Output, Error> {
    let refused = |message: &str| Err(Error::invalid("/documents", message));
    let material = request.text();
    // `Checklist: a, b` above the document asks, though no verb does.
    let first = text.lines().next().unwrap_or_default();
    let heads = request.instruction.is_empty() && text.lines().count() > 1 && wants::names_items(first);
    let rest = text.get(first.len()..).unwrap_or_default().trim();
    let asked = if heads { first } else { request.instruction.as_str() };
    if let Some(reason) = wants::out_of_reach(if asked.is_empty() { "" } else { asked }, !material.trim().is_empty()) {
        return refused(reason);
    }
    let named = if heads { wants::items(asked) } else { asked::items(request) };
    let items = if checklist.is_empty() { named } else { checklist };
    if items.is_empty() {
        let audits = asked.is_empty()
            || asking::wants_work(asked)
            || VERBS.iter().any(|verb| asked.to_lowercase().contains(verb));
        let question = asked.contains('?');
        if !audits || question {
            return refused(
                "the items to look for are not clear; name them behind `Items:`, such as `Items: governing law, termination, IBAN`",
            );
        }
        let text = if asked.is_empty() { text.to_owned() } else { material };
        return general(vec![Document { name: "task".into(), text }], None, None);
    }
    let documents = if heads {
        vec![Document { name: "document".into(), text: rest.to_owned() }]
    } else {
        asked::documents(request)
    };
    answer_items(&items, &documents, asked)
}

/// Just the items that were named.
fn answer_items(names: &[String], documents: &[Document], request: &str) -> Result<Output, Error> {
    let mut items = Vec::new();
    let mut confidence: f64 = 1.0;
    for name in names {
        let found = asked::answer(name, documents, request)?;
        confidence = confidence.min(found.confidence);
        items.push(found.item);
    }
    if confidence < CONFIDENCE_FLOOR {
        return Err(Error::invalid(
            "/documents",
            "whether the items are there cannot be told by their words; name them as the document does",
        ));
    }
    let line = |item: &Item| match (item.present, item.evidence.first()) {
        (Some(true), Some(words)) => format!("{}: yes, \"{words}\"", item.name),
        (Some(true), None) => format!("{}: yes", item.name),
        _ => format!("{}: no", item.name),
    };
    let open = items.iter().filter(|item| item.present != Some(true)).count();
    Ok(Output {
        summary: items.iter().map(line).collect::<Vec<_>>().join("\n"),
        items,
        open,
        confidence,
        limitations: limits(
            &[
                "no legal advice: whether a clause is there says nothing of whether it is sound",
                "clauses are found by several cues each; where they leave a doubt the task is refused",
                "no register was asked: a number of the right form may not be registered",
            ],
            &[],
        ),
    })
}

/// The whole checklist, without repeating personal data.
fn general(
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
    let mut items = vec![personal_data(&documents)?];
    let tax = |number: &str| bridges::call::<Answer<Checked>>("vat_number_check", &json!({ "vat_number": number }));
    items.push(numbers_of(&documents, "tax numbers", numbers::vat, tax)?);
    let account = |number: &str| bridges::call::<Answer<Checked>>("iban_validation", &json!({ "iban": number }));
    items.push(numbers_of(&documents, "bank accounts", numbers::iban, account)?);
    items.push(sanctions(parties, list)?);
    items.extend(checklist::clauses(&documents));
    let open =
        items.iter().filter(|item| item.status != Status::InOrder && item.status != Status::NotApplicable).count();
    Ok(Output {
        summary: summary(&items, open),
        items,
        open,
        confidence: GENERAL,
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
    Ok(Item { name: "personal data".into(), present: None, status, message, evidence })
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
    Ok(Item { name: name.into(), present: None, status, message, evidence })
}

fn sanctions(parties: Option<Vec<String>>, list: Option<Vec<Map<String, Value>>>) -> Result<Item, Error> {
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

/// Small letters and digits, single spaces between.
pub(crate) fn plain(text: &str) -> String {
    let letters: String = text.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    letters.split_whitespace().collect::<Vec<_>>().join(" ").replace('é', "e").replace('ó', "o")
}

agent! { run: run, examples: ["../cases/policy.json"] }
tollbridge_sdk::test_cases!(agent run);
