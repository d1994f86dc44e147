//! Requests in words: the table, the rules that are said, and what breaks them.

use std::collections::BTreeSet;

use agent_common::columns::fold;
use agent_common::dates::Date;
use agent_common::request::Request;
use agent_common::rows;
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
    if let Some(rows) = rows::records(task) {
        return of(&rows.rest, &[rows.table], today);
    }
    let request = Request::read(task);
    let mut tables = request.tables();
    tables.retain(|table| !table.rows.is_empty());
    let instruction = request.instruction_or_prose();
    let first = of(&instruction, &tables, today);
    // The rule may stand where a request is not looked for: in a subject, behind a greeting.
    first.or_else(|error| {
        let around = tables.first().map(|table| around(task, table)).filter(|text| fold(text) != fold(&instruction));
        around.and_then(|text| of(&text, &tables, today).ok()).ok_or(error)
    })
}

/// The lines of a task that are no rows of its table.
fn around(task: &str, table: &Table) -> String {
    let cells =
        |row: &[String]| row.iter().map(|cell| fold(cell.trim())).filter(|cell| !cell.is_empty()).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = std::iter::once(&table.columns).chain(&table.rows).map(|row| cells(row)).collect();
    let is_row = |line: &str| {
        let plain = fold(line);
        rows.iter().any(|row| {
            !row.is_empty()
                && row.iter().all(|cell| plain.contains(cell.as_str()))
                && plain.len() < row.iter().map(String::len).sum::<usize>() + row.len() * 4 + 6
        })
    };
    let kept: Vec<&str> =
        task.lines().map(str::trim).filter(|line| line.contains(char::is_alphanumeric) && !is_row(line)).collect();
    kept.iter().map(|line| line.strip_prefix("Subject: ").unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

/// Answers about tables by what is said of them.
fn of(instruction: &str, tables: &[Table], today: Option<Date>) -> Result<Outcome, Error> {
    let instruction = spans(instruction.trim());
    let instruction = instruction.as_str();
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

/// `-90..90` is a span as `-90 to 90` is.
fn spans(instruction: &str) -> String {
    let mut out = String::with_capacity(instruction.len());
    let mut rest = instruction;
    while let Some(at) = rest.find("..").filter(|_| !rest.is_empty()).or_else(|| rest.find('…')) {
        let len = if rest.get(at..).is_some_and(|text| text.starts_with('…')) { '…'.len_utf8() } else { 2 };
        let (head, tail) = (rest.get(..at).unwrap_or_default(), rest.get(at + len..).unwrap_or_default());
        let numbers = head.ends_with(|c: char| c.is_ascii_digit() || c == ' ')
            && head.trim_end().ends_with(|c: char| c.is_ascii_digit())
            && tail.trim_start().trim_start_matches(['-', '−', '+']).starts_with(|c: char| c.is_ascii_digit());
        out.push_str(head);
        out.push_str(if numbers { " to " } else { rest.get(at..at + len).unwrap_or_default() });
        rest = tail;
    }
    out.push_str(rest);
    out
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
