//! An agent that goes through documents by a checklist, with evidence for each item.
//!
//! Personal data come from the bridge `pii_redaction`, tax numbers and accounts
//! are checked by `vat_number_check` and `iban_validation`, names against a
//! given list by `sanctions_screen`; clauses are looked for by several cues each.
//! Where a request names items, just these are answered, with the words of the
//! document as evidence; without items no personal data are repeated. This is no
//! legal advice.

mod asked;
mod by_model;
mod checklist;
mod clause;
mod contract_clauses;
mod cued_values;
mod datum;
mod document;
mod employment_clauses;
mod fields;
mod input;
mod item;
mod known_clauses;
mod needs;
mod notice_clauses;
mod number_check;
mod numbers;
mod output;
mod personal_data;
mod plain_text;
mod qualified;
mod reach;
mod sanctions;
mod sensitive_data;
mod tenancy_clauses;
mod trade_clauses;
mod value_forms;
mod wants;
mod whole_audit;

use agent_common::{chat, limits, request::Request, words};
use tollbridge_sdk::{Call, Error, agent};

use crate::document::Document;
use crate::input::Input;
use crate::item::Item;
use crate::output::Output;

/// An answer less sure than this is not given.
const CONFIDENCE_FLOOR: f64 = 0.75;
const VERBS: [&str; 5] = ["audit", "check", "review", "go", "inspect"];

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let text = words::of(task, input.as_ref());
    let (_, body) = words::request(text, &VERBS);
    let input = input.unwrap_or_default();
    let typed = input.documents.is_some() || input.document.is_some();
    let given = input.document.map(|text| vec![Document { name: "document".into(), text }]);
    let checklist = input.checklist.unwrap_or_default();
    if !typed && input.parties.is_none() && !text.is_empty() {
        let said = chat::of_one_speaker(text);
        let text = said.as_deref().unwrap_or(text);
        let worded = checklist.is_empty();
        return in_words(text, checklist).or_else(
            |refusal| {
                if worded { by_model::answer(text, refusal) } else { Err(refusal) }
            },
        );
    }
    let documents =
        input.documents.or(given).unwrap_or_else(|| vec![Document { name: "task".into(), text: body.to_owned() }]);
    if typed && (!checklist.is_empty() || !wants::items(text).is_empty()) {
        let items = if checklist.is_empty() { wants::items(text) } else { checklist };
        return answer_items(&items, &documents, text);
    }
    whole_audit::audit(documents, input.parties, input.sanctions_list)
}

/// A task in words: the items that it names, else the whole checklist.
fn in_words(text: &str, checklist: Vec<String>) -> Result<Output, Error> {
    let refused = |message: &str| Err(Error::invalid("/documents", message));
    let request = Request::read(text);
    let material = request.text();
    // `Checklist: a, b` above the document asks, though no verb does.
    let first = text.lines().next().unwrap_or_default();
    let heads = request.instruction.is_empty() && text.lines().count() > 1 && wants::names_items(first);
    let rest = text.get(first.len()..).unwrap_or_default().trim();
    let asked = if heads { first } else { request.instruction.as_str() };
    let needs = if heads || !checklist.is_empty() { None } else { needs::find(text) };
    let away = reach::out_of_reach(asked, !material.trim().is_empty() || needs.is_some());
    if let Some(reason) = away {
        return refused(reason);
    }
    let named = if heads { wants::items(asked) } else { asked::items(&request) };
    if let Some(needs) = needs.filter(|needs| needs.overrules(asked, &named)) {
        let documents = needs.documents();
        if documents.iter().all(|document| document.text.trim().is_empty()) {
            return refused("the document to audit is missing; paste its text below the items");
        }
        return answer_items(&needs.items, &documents, &format!("{asked}\n{}", needs.said));
    }
    let items = if checklist.is_empty() { named } else { checklist };
    if items.is_empty() {
        if !reach::everything(asked) {
            return refused(
                "the items to look for are not clear; name them behind `Items:`, such as `Items: governing law, termination, IBAN`",
            );
        }
        let text = if asked.is_empty() { text.to_owned() } else { material };
        return whole_audit::audit(vec![Document { name: "task".into(), text }], None, None);
    }
    let documents = if heads {
        vec![Document { name: "document".into(), text: rest.to_owned() }]
    } else {
        asked::documents(&request)
    };
    answer_items(&items, &documents, asked)
}

/// Just the items that were named.
fn answer_items(names: &[String], documents: &[Document], request: &str) -> Result<Output, Error> {
    let found: Vec<asked::Found> =
        names.iter().map(|name| asked::answer(name, documents, request)).collect::<Result<_, _>>()?;
    // A document that names the other items in the words of the request would name this one, too.
    let told = found.iter().filter(|one| one.item.present == Some(true)).count();
    let unknown = found.iter().filter(|one| one.is_unknown).count();
    let speaks_alike = told > 0 && told >= unknown;
    if let Some(one) = found.iter().find(|one| one.is_unknown && !speaks_alike) {
        return Err(Error::invalid("/checklist", asked::not_known(&one.item.name)));
    }
    let confidence = found.iter().map(|one| one.confidence).fold(1.0, f64::min);
    let items: Vec<Item> = found.into_iter().map(|one| one.item).collect();
    if confidence < CONFIDENCE_FLOOR {
        return Err(Error::invalid(
            "/documents",
            "whether the items are there cannot be told by their words; name them as the document does",
        ));
    }
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

/// An item in words.
fn line(item: &Item) -> String {
    match (item.present, item.evidence.first()) {
        (Some(true), Some(words)) => format!("{}: yes, \"{words}\"", item.name),
        (Some(true), None) => format!("{}: yes", item.name),
        _ => format!("{}: no", item.name),
    }
}

agent! { run: run, examples: ["../cases/policy.json"] }
tollbridge_sdk::test_cases!(agent run);
