//! Faults that the bridge `validation` finds, and what to do about them.

use serde::Deserialize;
use serde_json::Value;

use crate::output::Problem;

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
