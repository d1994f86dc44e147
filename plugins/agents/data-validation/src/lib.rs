//! An agent that checks records and says how to repair what is wrong.
//!
//! The bridge `data_profile` looks at the table as a whole, `validation` holds
//! each record against a schema if there is one; this agent adds what to do
//! about each finding.

use agent_common::{Answer, figures, limits, table::Table, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tollbridge_sdk::{Call, Error, agent, bridges};

/// Records, and what should hold of them.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("| data | records"))]
pub struct Input {
    /// The records as text: CSV with a header, JSON lines or a JSON array. The task's own table unless given.
    #[schemars(length(min = 1, max = 500_000))]
    data: Option<String>,
    /// The records as JSON objects instead, at most 10,000.
    #[schemars(length(min = 1, max = 10_000))]
    records: Option<Vec<Map<String, Value>>>,
    /// A JSON Schema (draft 2020-12) of one record. Needs `records`, because cells of a text have no types.
    schema: Option<Map<String, Value>>,
}

/// What is wrong.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    summary: String,
    /// Whether nothing of severity medium or above was found and the schema holds.
    valid: bool,
    /// Rows that were looked at.
    rows: usize,
    /// Columns and their types.
    columns: Vec<Column>,
    /// What was found, the gravest first.
    problems: Vec<Problem>,
    /// What the answer does not tell.
    limitations: Vec<String>,
}

/// A column.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Column {
    /// Its name.
    name: String,
    /// The type of nearly all of its values.
    #[serde(rename = "type")]
    kind: String,
    /// Cells without a value.
    missing: usize,
    /// Different values.
    distinct: usize,
}

/// A finding.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Problem {
    /// high, medium or low.
    severity: String,
    /// Where: a column, or the JSON pointer of a value.
    place: String,
    /// What is wrong.
    message: String,
    /// What to do.
    repair: String,
}

#[derive(Deserialize)]
struct Profile {
    rows: usize,
    columns: Vec<Column>,
    issues: Vec<Issue>,
}

#[derive(Deserialize)]
struct Issue {
    kind: String,
    severity: String,
    message: String,
    column: Option<String>,
}

#[derive(Deserialize)]
struct Verdict {
    errors: Vec<Fault>,
}

#[derive(Deserialize)]
struct Fault {
    path: String,
    keyword: String,
    message: String,
    expected: Option<Value>,
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let text = words::of(task, input.as_ref());
    let input = input.unwrap_or_default();
    let asked = match (&input.records, input.data) {
        (Some(_), Some(_)) => return Err(Error::invalid("/data", "give `data` or `records`, not both")),
        (Some(records), None) => json!({ "rows": records }),
        (None, Some(data)) => json!({ "data": data }),
        (None, None) => json!({ "data": Table::read(text).ok_or_else(no_table)?.csv() }),
    };
    let profile: Answer<Profile> = bridges::call("data_profile", &asked)?;
    let mut problems: Vec<Problem> = profile.result.issues.into_iter().map(of_issue).collect();
    let mut more = Vec::new();
    match (input.schema, input.records) {
        (Some(schema), Some(records)) => {
            let asked =
                json!({ "output": records, "schema": { "type": "array", "items": schema }, "assert_formats": true });
            let checked: Answer<Verdict> = bridges::call("validation", &asked)?;
            problems.extend(checked.result.errors.into_iter().map(of_fault));
            more = checked.limitations;
        }
        (Some(_), None) => return Err(Error::invalid("/records", "a `schema` needs the records as JSON in `records`")),
        (None, _) => {}
    }
    problems.sort_by_key(|problem| rank(&problem.severity));
    let valid = !problems.iter().any(|problem| rank(&problem.severity) < 2);
    Ok(Output {
        summary: summary(valid, profile.result.rows, &problems),
        valid,
        rows: profile.result.rows,
        columns: profile.result.columns,
        problems,
        limitations: limits(&[], &[&profile.limitations, &more]),
    })
}

fn no_table() -> Error {
    Error::invalid("/data", "put a table with a header into the task (CSV), or give `data` or `records`")
}

fn rank(severity: &str) -> usize {
    ["high", "medium", "low"].iter().position(|name| *name == severity).unwrap_or(3)
}

fn of_issue(issue: Issue) -> Problem {
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
    let place = issue.column.map_or_else(|| "the table".to_owned(), |column| format!("column {column}"));
    Problem { severity: issue.severity, place, message: issue.message, repair: repair.into() }
}

fn of_fault(fault: Fault) -> Problem {
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
    Problem { severity: "high".into(), place: fault.path, message: fault.message, repair }
}

fn summary(valid: bool, rows: usize, problems: &[Problem]) -> String {
    let verdict = if valid { "Usable" } else { "Not in order" };
    let mut text = format!(
        "{verdict}: {}, {}",
        figures::count(rows, "row", "rows"),
        figures::count(problems.len(), "finding", "findings")
    );
    if let Some(worst) = problems.first() {
        text.push_str(&format!("; first: {} ({}). {}", worst.message, worst.place, worst.repair));
    } else {
        text.push('.');
    }
    text
}

agent! { run: run, examples: ["../cases/orders.json"] }
tollbridge_sdk::test_cases!(agent run);
