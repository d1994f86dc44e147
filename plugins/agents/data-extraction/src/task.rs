//! Requests in words: the fields that are named, the material, and the values.

use agent_common::request::{Piece, PieceKind, Request};
use tollbridge_sdk::Error;

use crate::ingredients::ingredients;
use crate::material::Material;
use crate::outcome::{FLOOR, Outcome, missing};
use crate::record_fields::{of_items, of_text};
use crate::scope::{beyond, everything};
use crate::sort::Sort;
use crate::table_fields::{of_table, table};
use crate::wanted::{self, Wanted};
use crate::{direct, fill};

/// Answers a task that names its fields; none where it names no fields and everything is wanted.
pub fn answer(task: &str) -> Result<Option<Outcome>, Error> {
    if let Some(outcome) = direct::answer(task)? {
        return Ok(Some(outcome));
    }
    let request = taken_apart(task);
    let instruction = request.instruction.trim();
    let text = request.text();
    if text.trim().is_empty() {
        let asked = "put the text itself below the request, or give it as `text` or `html`: there is nothing to read in the task";
        return Err(missing(asked.into()));
    }
    if let Some(word) = beyond(instruction) {
        return Err(missing(format!(
            "\"{word}\" refers to something that is not here: name the fields themselves and put the text below them"
        )));
    }
    let fields = wanted::read(instruction);
    if fields.is_empty() {
        let bare = instruction.is_empty() && !Material::read(&text).is_form();
        return (everything(instruction) && !bare).then_some(None).ok_or_else(|| missing("name the fields that are wanted, such as `invoice number, due date, total`, and put the text below them".into()));
    }
    if let Some(found) = ingredients(instruction, &text) {
        return Ok(Some(found));
    }
    let many = records(&request);
    let outcome = if let Some(table) = table(&request, &fields) {
        of_table(&table, &fields, &text)
    } else if many.len() > 1 {
        of_items(&many, &fields, &text)?
    } else {
        of_text(&request, &fields, &text)?
    };
    if outcome.values.iter().all(|(_, value)| value.is_null()) && !certain_absence(&fields, &outcome.text) {
        return Err(missing(format!(
            "none of the fields ({}) is labelled in the text: use the words that stand in it",
            names(&fields)
        )));
    }
    if outcome.confidence < FLOOR {
        return Err(missing(format!(
            "not all of the fields ({}) are labelled in the text: use the words that stand in it",
            names(&fields)
        )));
    }
    Ok(Some(outcome))
}

/// The request; a first paragraph that names fields asks, whatever stands below it.
fn taken_apart(task: &str) -> Request {
    let request = Request::read(task);
    let Some((head, tail)) = task.trim().split_once("\n\n").filter(|(_, tail)| !tail.trim().is_empty()) else {
        return request;
    };
    let asks = request
        .instruction
        .contains(head.trim().trim_end_matches(['.', ':', '?', ' ']).split('\n').next_back().unwrap_or_default());
    let fields = wanted::read(head);
    let short = head.split_whitespace().count() <= 40 && head.lines().count() <= 3 && !head.contains(": ");
    let named = fields.iter().any(|field| field.sort != Sort::Text) && fields.iter().all(|field| field.words.len() < 5);
    if asks || !short || !named {
        return request;
    }
    let material = Request::read(&format!("Please extract the fields from the text below:\n\n{tail}"));
    let lost = material.instruction.len() > 60;
    if lost {
        let piece = Piece { kind: PieceKind::Prose, text: tail.trim().to_owned(), start: 0, label: None };
        return Request { instruction: head.to_owned(), material: vec![piece] };
    }
    Request { instruction: head.to_owned(), material: material.material }
}

fn names(fields: &[Wanted]) -> String {
    fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Fields whose form alone tells whether they are there.
fn certain_absence(fields: &[Wanted], text: &str) -> bool {
    let dated = |field: &Wanted| field.sort == Sort::Day && fill::has_none(text, field);
    fields.iter().all(|field| {
        dated(field) || {
            matches!(field.sort, Sort::Email | Sort::Iban | Sort::Url | Sort::Hashtag | Sort::Mention | Sort::Phone)
        }
    })
}

/// Texts that are each a record.
fn records(request: &Request) -> Vec<String> {
    let listed: Vec<String> = request
        .material
        .iter()
        .filter(|piece| matches!(piece.kind, PieceKind::ListItem | PieceKind::Email { .. }))
        .map(|piece| piece.text.clone())
        .collect();
    let labelled = listed
        .iter()
        .filter(|text| text.split_once(": ").is_some_and(|(label, _)| label.split_whitespace().count() < 4))
        .count();
    // `- Name: Ann` lines are the labels of one record.
    if listed.len() > 1 && listed.len() * 2 > request.material.len() && labelled * 2 <= listed.len() {
        return listed;
    }
    let titled: Vec<String> = request
        .material
        .iter()
        .filter(|piece| piece.label.is_some() && matches!(piece.kind, PieceKind::Prose))
        .map(|piece| piece.text.clone())
        .collect();
    if titled.len() > 1 && titled.len() == request.material.len() { titled } else { Vec::new() }
}
