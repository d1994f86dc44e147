//! What the bridges `data_profile` and `validation` find, and what to do about it.

use serde::Deserialize;
use serde_json::Value;

use crate::{Column, Problem};

#[derive(Deserialize)]
pub(crate) struct Profile {
    pub(crate) rows: usize,
    pub(crate) columns: Vec<Column>,
    pub(crate) issues: Vec<Issue>,
}

#[derive(Deserialize)]
pub(crate) struct Issue {
    pub(crate) kind: String,
    pub(crate) severity: String,
    pub(crate) message: String,
    pub(crate) column: Option<String>,
}

pub(crate) fn of_issue(issue: Issue) -> Problem {
    let repair = match issue.kind.as_str() {
        "duplicate_rows" => "Remove the repeated rows, or add the column that tells them apart.",
        "padded_text" => "Trim the texts.",
        "missing" | "many_missing" | "mostly_missing" => {
            "Ask for the values at their source, or mark the column as optional."
        }
        "constant" => "Drop the column if it says nothing.",
        "outliers" => "Compare the values with their source; a shifted decimal point is common.",
        kind if kind.contains("mixed") || kind.contains("type") => {
            "Bring all values of the column into one type and one way of writing."
        }
        kind if kind.contains("case") || kind.contains("spelling") => "Write the same value in one way.",
        kind if kind.contains("date") => "Write all dates as YYYY-MM-DD.",
        _ => "Look at the values and correct them at their source.",
    };
    let field = issue.column.clone();
    let place = issue.column.map_or_else(|| "the table".to_owned(), |column| format!("column {column}"));
    let kind = match issue.kind.as_str() {
        kind if kind.contains("missing") => Some("missing"),
        kind if kind.contains("duplicate") => Some("duplicate"),
        kind if kind.contains("mixed") || kind.contains("type") => Some("type"),
        kind if kind.contains("date") || kind.contains("padded") => Some("format"),
        kind if kind.contains("outlier") => Some("range"),
        kind if kind.contains("case") || kind.contains("spelling") => Some("inconsistent"),
        _ => None,
    };
    Problem {
        severity: issue.severity,
        place,
        message: issue.message,
        repair: repair.into(),
        rows: Vec::new(),
        field,
        kind: kind.map(str::to_owned),
    }
}

#[derive(Deserialize)]
pub(crate) struct Verdict {
    pub(crate) errors: Vec<Fault>,
}

#[derive(Deserialize)]
pub(crate) struct Fault {
    pub(crate) path: String,
    pub(crate) keyword: String,
    pub(crate) message: String,
    pub(crate) expected: Option<Value>,
}

pub(crate) fn of_fault(fault: Fault) -> Problem {
    let expected = fault.expected.map(|value| value.to_string()).unwrap_or_default();
    let repair = match fault.keyword.as_str() {
        "required" => "Add the member.".to_owned(),
        "type" => format!("Give a value of type {expected}."),
        "enum" | "const" => format!("Take one of {expected}."),
        "minimum" | "exclusiveMinimum" | "maximum" | "exclusiveMaximum" => format!("Keep to the bound {expected}."),
        "format" => format!("Write it in the format {expected}."),
        "pattern" => format!("Write it so that it matches {expected}."),
        "additionalProperties" | "unevaluatedProperties" => "Remove the member, or name it in the schema.".to_owned(),
        _ => "Change the value until the rule holds.".to_owned(),
    };
    let mut parts = fault.path.split('/').skip(1);
    let row = parts.next().and_then(|part| part.parse::<usize>().ok()).map(|row| row + 1);
    let field = parts.next().map(str::to_owned);
    let kind = match fault.keyword.as_str() {
        "required" => "missing",
        "type" => "type",
        "format" | "pattern" => "format",
        "uniqueItems" => "duplicate",
        _ => "range",
    };
    Problem {
        severity: "high".into(),
        place: fault.path,
        message: fault.message,
        repair,
        rows: row.into_iter().collect(),
        field,
        kind: Some(kind.into()),
    }
}
