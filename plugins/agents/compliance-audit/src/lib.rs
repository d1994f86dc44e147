//! An agent that checks documents by their form, with evidence for each item: personal
//! data, numbers with check digits, labels, exact words. This is no legal advice.
//!
//! Personal data come from the bridge `pii_redaction`; tax numbers and accounts are checked
//! by `vat_number_check` and `iban_validation`, names against the caller's list by
//! `sanctions_screen`. Items that need meaning are judged by a model with quotes, or refused.

mod by_model;
mod commands;
mod input;
mod output;
mod redaction;
mod scan;
mod whole;

use agent_common::{figures, limits};
pub use input::{Document, Input};
pub use output::{Item, Output, Status};
use tollbridge_sdk::{Call, Error, agent};

use crate::scan::Scan;

/// Most bytes of all documents.
const BYTES_MAX: usize = 90_000;

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let task = task.trim();
    if let Some(input) = input {
        let given = input.documents.is_some() || input.document.is_some();
        let text = Some(task.to_owned()).filter(|task| !given && !task.is_empty() && !task.starts_with('{'));
        return answer(&Input { document: input.document.clone().or(text), ..input }, None);
    }
    let draft = commands::draft(task);
    let Some(question) = draft.question else {
        let output = answer(&draft.form, Some(task));
        return output.map_err(|error| match error {
            Error::InvalidInput { .. } => error.with_input(&draft.form),
            other => other,
        });
    };
    let refusal = Error::invalid("/task", question).with_input(&draft.form);
    let text = commands::split(task).text;
    let command = task.find(&text).filter(|_| !text.is_empty()).and_then(|at| task.get(..at)).unwrap_or_default();
    let (items, note) = by_model::judge(command, &text, &[], refusal)?;
    Ok(output(items, None, vec![note], false))
}

fn answer(input: &Input, task: Option<&str>) -> Result<Output, Error> {
    let documents = documents(input)?;
    let mut items = Vec::new();
    let mut notes = Vec::new();
    let mut redacted = None;
    if let Some(redact) = &input.redact {
        let (own, texts, limits) = redaction::redact(&documents, redact, task.is_some())?;
        items.extend(own);
        notes.extend(limits);
        redacted = Some(texts);
    }
    let (mut open, mut reason) = (Vec::new(), String::new());
    for document in &documents {
        if input.checklist.is_none() && input.labels.is_none() && input.phrases.is_none() {
            break;
        }
        let scan = Scan::of(&document.text, input.checklist.as_deref().unwrap_or_default())?;
        let mut add = |name: &str, decision: Result<Item, String>, needs_meaning: bool| {
            let several = documents.len() > 1;
            let named = |item: Item| {
                if several { Item { name: format!("{} ({})", item.name, document.name), ..item } } else { item }
            };
            match decision {
                Ok(item) => items.push(named(item)),
                Err(why) if needs_meaning => {
                    reason = format!("`{name}`: {why}");
                    open.push((name.to_owned(), document, items.len()));
                }
                Err(why) => return Err(Error::invalid("/checklist", format!("`{name}`: {why}"))),
            }
            Ok(())
        };
        for name in input.checklist.iter().flatten() {
            add(name, scan.item(name)?, !name.starts_with('"'))?;
        }
        for name in input.labels.iter().flatten() {
            add(name, scan.label(name, input.accept_blank == Some(true)), false)?;
        }
        for phrase in input.phrases.iter().flatten() {
            add(phrase, scan.phrase(phrase, phrase), false)?;
        }
    }
    if !open.is_empty() {
        let fix = "ask for labels (`are the fields A and B filled in`) or for exact words in quotation marks";
        let refusal = Error::invalid("/checklist", format!("{reason}; {fix}"));
        judge(&open, &mut items, &mut notes, task, &refusal)?;
    }
    let named = input.checklist.is_some() || input.labels.is_some() || input.phrases.is_some() || redacted.is_some();
    if !named {
        items.extend(whole::items(&documents)?);
    }
    if !named || input.parties.is_some() {
        items.push(whole::sanctions(input.parties.as_deref(), input.sanctions_list.as_deref())?);
    }
    Ok(output(items, redacted, notes, !named))
}

/// Has a model judge the items that the form leaves open, and puts them in their places.
fn judge(
    open: &[(String, &Document, usize)],
    items: &mut Vec<Item>,
    notes: &mut Vec<String>,
    task: Option<&str>,
    refusal: &Error,
) -> Result<(), Error> {
    let [(_, document, _), ..] = open else { return Ok(()) };
    if open.iter().any(|(_, other, _)| other.name != document.name) {
        return Err(refusal.clone());
    }
    let names: Vec<String> = open.iter().map(|(name, _, _)| name.clone()).collect();
    let command = task
        .and_then(|task| task.get(..task.find(&document.text)?))
        .map_or_else(|| format!("Items: {}", names.join("; ")), str::to_owned);
    let (judged, note) = by_model::judge(&command, &document.text, &names, refusal.clone())?;
    notes.push(note);
    for (at, (name, _, place)) in open.iter().enumerate() {
        let item = judged.iter().find(|item| agent_common::labels::same_name(name, &item.name));
        items.insert((place + at).min(items.len()), item.cloned().ok_or_else(|| refusal.clone())?);
    }
    Ok(())
}

fn documents(input: &Input) -> Result<Vec<Document>, Error> {
    let one = input.document.clone().map(|text| vec![Document { name: "document".into(), text }]);
    let documents = input.documents.clone().or(one).unwrap_or_default();
    let screens = input.parties.is_some() && input.sanctions_list.is_some();
    if documents.iter().all(|document| document.text.trim().is_empty()) && !screens {
        let fix = "write the document as the task, or give `documents` with `name` and `text`";
        return Err(Error::invalid("/documents", fix));
    }
    let size: usize = documents.iter().map(|document| document.text.len()).sum();
    if size > BYTES_MAX {
        return Err(Error::invalid("/documents", format!("{size} bytes; at most 90,000 in one task")));
    }
    Ok(documents)
}

fn output(items: Vec<Item>, redacted: Option<Vec<Document>>, notes: Vec<String>, whole: bool) -> Output {
    let closed =
        |item: &Item| matches!(item.status, Status::InOrder | Status::NotApplicable) && item.present != Some(false);
    let open = items.iter().filter(|item| !closed(item)).count();
    let summary =
        if whole { whole_summary(&items, open) } else { items.iter().map(line).collect::<Vec<_>>().join("\n") };
    let own = [
        "no legal advice: whether a text is there does not show whether it is sound",
        "no register was asked: a number of the right form may not be registered",
    ];
    Output { summary, items, open, redacted, limitations: limits(&own, &[&notes]) }
}

fn whole_summary(items: &[Item], open: usize) -> String {
    let fails: Vec<&str> =
        items.iter().filter(|item| item.status == Status::Fails).map(|item| item.name.as_str()).collect();
    let failing = if fails.is_empty() { String::new() } else { format!("; failing: {}", fails.join(", ")) };
    format!("{open} of {} need a look{failing}. No legal advice.", figures::count(items.len(), "item", "items"))
}

/// Returns an item in words.
fn line(item: &Item) -> String {
    match (item.present, item.evidence.first()) {
        (Some(true), Some(words)) => format!("{}: yes, \"{words}\"", item.name),
        (Some(true), None) => format!("{}: yes, {}", item.name, item.message),
        (Some(false), _) => format!("{}: no, {}", item.name, item.message),
        (None, _) => format!("{}: {}", item.name, item.message),
    }
}

agent! { run: run, examples: ["../cases/policy.json"] }
tollbridge_sdk::test_cases!(agent run);

#[cfg(test)]
mod tests;
