//! Requests in words: the table, the rules that are said, and what breaks them.

use std::collections::BTreeSet;

use agent_common::columns::fold;
use agent_common::dates::Date;
use agent_common::request::Request;
use agent_common::sheet::{Kind, Sheet};
use agent_common::table::Table;
use tollbridge_sdk::Error;

use crate::beyond::beyond;
use crate::confidence::{FLOOR, USUAL};
use crate::finding::Finding;
use crate::refusal::missing;
use crate::rule::Rule;
use crate::said;

/// What a task in words gives.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) sheet: Sheet,
    pub(crate) rules: Vec<String>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) confidence: f64,
}

/// Answers a task in words.
pub(crate) fn answer(task: &str, today: Option<Date>) -> Result<Outcome, Error> {
    let request = Request::read(task);
    let mut tables = request.tables();
    tables.retain(|table| !table.rows.is_empty());
    let instruction = request.instruction_or_prose();
    let instruction = instruction.trim();
    let Some(table) = tables.first().cloned() else {
        return Err(missing(
            "put the table with a header into the task itself (CSV, Markdown or JSON), or give `data` or `records`: the text has none to check",
        ));
    };
    let sheet = Sheet::of(table);
    if let Some(word) = beyond(instruction, &sheet, tables.len()) {
        return Err(missing(&format!(
            "the table alone does not tell what \"{word}\" means here: write the rule itself, such as bounds, allowed values or a formula between its columns ({}), or add what it is compared with",
            sheet.table.columns.join(", ")
        )));
    }
    let known = tables.get(1).map(|other| references(&sheet, other)).unwrap_or_default();
    let (mut rules, confidence) = match said::read(instruction, &sheet, today) {
        Ok(found) => found,
        Err(_) if !known.is_empty() => (Vec::new(), USUAL),
        Err(error) => return Err(error),
    };
    rules.extend(known);
    let mut findings: Vec<Finding> = Vec::new();
    for rule in &rules {
        for finding in rule.check(&sheet) {
            let known = findings.iter().any(|own| {
                own.rows == finding.rows
                    && (own.field == finding.field || (own.kind == "duplicate" && finding.kind == "duplicate"))
            });
            if !known {
                findings.push(finding);
            }
        }
    }
    findings.sort_by_key(|finding| finding.rows.clone());
    if confidence < FLOOR {
        return Err(missing(
            "a rule of the request was not understood: write it as bounds, allowed values, a form or a formula between columns",
        ));
    }
    Ok(Outcome { rules: rules.iter().map(|rule| rule.text(&sheet)).collect(), sheet, findings, confidence })
}

/// Values that have to stand in another table.
fn references(sheet: &Sheet, other: &Table) -> Vec<Rule> {
    let mut found = Vec::new();
    for (at, name) in sheet.table.columns.iter().enumerate() {
        let Some(place) = other.columns.iter().position(|own| fold(own) == fold(name)) else { continue };
        let all: BTreeSet<String> = other.cells(place).into_iter().map(fold).collect();
        let overlap = sheet.table.cells(at).iter().filter(|cell| all.contains(&fold(cell))).count();
        if overlap > 0 && (sheet.kind(at) == Kind::Text || sheet.is_label(at)) && all.len() == other.rows.len() {
            found.push(Rule::Known(at, all, other.title.clone().unwrap_or_else(|| "the other table".into())));
            break;
        }
    }
    found
}
