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

use agent_common::{figures, labels, limits};
pub use input::{Document, Input};
pub use output::{Item, Output, Status};
use tollbridge_sdk::{Call, Error, agent};

use crate::scan::Scan;

/// Most bytes of all documents.
const BYTES_MAX: usize = 90_000;

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let task = task.trim();
    if let Some(mut input) = input {
        if input.documents.is_none() && !task.is_empty() && !task.starts_with('{') {
            input.document.get_or_insert_with(|| task.to_owned());
        }
        return answer(&input, None);
    }
    let draft = commands::draft(task);
    let Some(question) = draft.question else {
        return answer(&draft.form, Some(task)).map_err(|error| error.with_input(&draft.form));
    };
    let refusal = Error::invalid("/task", question).with_input(&draft.form);
    let text = draft.form.document.unwrap_or_default();
    let command = task.find(&text).and_then(|at| task.get(..at)).unwrap_or_default();
    let (items, note) = by_model::judge(command, &text, &[], refusal)?;
    Ok(output(items, None, vec![note], false))
}

/// Answers an input; `task` is given if its words filled it.
fn answer(input: &Input, task: Option<&str>) -> Result<Output, Error> {
    let documents = documents(input)?;
    let (mut items, mut notes, mut redacted) = (Vec::new(), Vec::new(), None);
    if let Some(redact) = &input.redact {
        let (own, texts, limits) = redaction::redact(&documents, redact, task.is_some())?;
        items.extend(own);
        notes.extend(limits);
        redacted = Some(texts);
    }
    let listed = input.checklist.is_some() || input.labels.is_some() || input.phrases.is_some();
    if listed {
        items.extend(listed_items(input, &documents, task, &mut notes)?);
    }
    let whole = !listed && redacted.is_none();
    if whole {
        items.extend(whole::items(&documents)?);
    }
    if whole || input.parties.is_some() {
        items.push(whole::sanctions(input.parties.as_deref(), input.sanctions_list.as_deref())?);
    }
    Ok(output(items, redacted, notes, whole))
}

/// Decides the listed items. A model judges those that the form of one document leaves open.
fn listed_items(
    input: &Input,
    documents: &[Document],
    task: Option<&str>,
    notes: &mut Vec<String>,
) -> Result<Vec<Item>, Error> {
    let checklist = input.checklist.as_deref().unwrap_or_default();
    let undecided = |name: &str, why: &str| Error::invalid("/checklist", format!("`{name}`: {why}"));
    let mut decisions = Vec::new();
    for document in documents {
        let scan = Scan::of(&document.text, checklist)?;
        for name in checklist {
            decisions.push((document, name, scan.item(name)?));
        }
        let labels =
            input.labels.iter().flatten().map(|name| (name, scan.label(name, input.accept_blank == Some(true))));
        let phrases = input.phrases.iter().flatten().map(|phrase| (phrase, scan.phrase(phrase, phrase)));
        for (name, decision) in labels.chain(phrases) {
            decisions.push((document, name, Ok(decision.map_err(|why| undecided(name, &why))?)));
        }
    }
    let (mut open, mut refusal) = (Vec::new(), None);
    for (document, name, decision) in &decisions {
        let Err(why) = decision else { continue };
        if name.starts_with('"') {
            return Err(undecided(name, why));
        }
        let fix = "ask for labels (`are the fields A and B filled in`) or for exact words in quotation marks";
        let first = refusal.get_or_insert_with(|| (*document, undecided(name, &format!("{why}; {fix}"))));
        if first.0.name != document.name {
            return Err(first.1.clone());
        }
        open.push((*name).clone());
    }
    let mut judged = Vec::new();
    if let Some((Document { text, .. }, refusal)) = refusal {
        let words = task.and_then(|task| task.get(..task.find(text)?)).map(str::to_owned);
        let command = words.unwrap_or_else(|| format!("Items: {}", open.join("; ")));
        let (items, note) = by_model::judge(&command, text, &open, refusal)?;
        judged = items;
        notes.push(note);
    }
    let item = |(document, name, decision): (&Document, &String, Result<Item, String>)| match decision {
        Ok(item) if documents.len() > 1 => Ok(Item { name: format!("{} ({})", item.name, document.name), ..item }),
        Ok(item) => Ok(item),
        Err(why) => {
            let own = judged.iter().find(|item| labels::same_name(name, &item.name));
            own.cloned().ok_or_else(|| undecided(name, &why))
        }
    };
    decisions.into_iter().map(item).collect()
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
    let summary = if whole {
        let fails: Vec<&str> =
            items.iter().filter(|item| item.status == Status::Fails).map(|item| item.name.as_str()).collect();
        let failing = if fails.is_empty() { String::new() } else { format!("; failing: {}", fails.join(", ")) };
        format!("{open} of {} need a look{failing}. No legal advice.", figures::count(items.len(), "item", "items"))
    } else {
        items.iter().map(line).collect::<Vec<_>>().join("\n")
    };
    let own = [
        "no legal advice: whether a text is there does not show whether it is sound",
        "no register was asked: a number of the right form may not be registered",
    ];
    Output { summary, items, open, redacted, limitations: limits(&own, &[&notes]) }
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
