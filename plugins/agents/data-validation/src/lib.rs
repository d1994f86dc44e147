//! An agent that checks records and says how to repair what is wrong.
//!
//! The bridge `data_profile` looks at the table as a whole, `validation` holds
//! each record against a schema if there is one; this agent adds what to do
//! about each finding.

mod defaults;
mod form;
mod reading;
mod rule;
mod task;

use agent_common::dates::Date;
use agent_common::{Answer, figures, limits, sheet, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tollbridge_sdk::{Call, Error, agent, bridges};

/// Problems that an answer lists at most.
const PROBLEMS_MAX: usize = 1_000;
/// Records and schema are given as members: nothing is read out of words.
const TYPED: f64 = 0.95;

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
    /// How likely this is what was asked and right, 0 to 1: of answers that say 0.8 or more at least four in five were
    /// right on the frozen tasks.
    confidence: f64,
    /// The rules that were checked, in words; empty where the table was looked at as a whole.
    rules: Vec<String>,
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
    /// The rows, from 1 without the header; empty where the column as a whole is meant.
    rows: Vec<usize>,
    /// The column, or `row` where a whole row is meant; null where the finding names none.
    field: Option<String>,
    /// missing, duplicate, type, format, range or inconsistent; null for other remarks about a column.
    kind: Option<String>,
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
pub fn run(call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let text = words::of(task, input.as_ref());
    let input = input.unwrap_or_default();
    if input.records.is_none() && input.data.is_none() {
        if input.schema.is_some() {
            return Err(Error::invalid("/records", "a `schema` needs the records as JSON in `records`"));
        }
        return answer(text, i64::try_from(call.now_ms).unwrap_or_default());
    }
    let asked = match (&input.records, input.data) {
        (Some(_), Some(_)) => return Err(Error::invalid("/data", "give `data` or `records`, not both")),
        (Some(records), None) => json!({ "rows": records }),
        (None, Some(data)) => json!({ "data": data }),
        (None, None) => return Err(Error::invalid("/data", "give `data` or `records`")),
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
        confidence: TYPED,
        rules: Vec::new(),
        summary: summary(valid, profile.result.rows, &problems),
        valid,
        rows: profile.result.rows,
        columns: profile.result.columns,
        problems,
        limitations: limits(&[], &[&profile.limitations, &more]),
    })
}

/// Answers a task in words, without a bridge; `now` is the time in milliseconds, for ages and the future.
pub fn answer(task: &str, now: i64) -> Result<Output, Error> {
    const DAY: i64 = 86_400_000;
    let today = (now > DAY).then(|| Date::of_days(now / DAY));
    let outcome = task::answer(task, today)?;
    let sheet = outcome.sheet;
    let column = |at: usize| {
        let cells = sheet.table.cells(at);
        let different: std::collections::BTreeSet<&&str> = cells.iter().filter(|cell| !sheet::is_empty(cell)).collect();
        Column {
            name: sheet.name(at).to_owned(),
            kind: match sheet.kind(at) {
                sheet::Kind::Number => "number",
                sheet::Kind::Day => "date",
                sheet::Kind::Text => "text",
            }
            .to_owned(),
            missing: cells.iter().filter(|cell| sheet::is_empty(cell)).count(),
            distinct: different.len(),
        }
    };
    let problems: Vec<Problem> = outcome.findings.into_iter().take(PROBLEMS_MAX).map(of_finding).collect();
    Ok(Output {
        summary: told(sheet.table.rows.len(), &problems, &outcome.rules),
        confidence: outcome.confidence,
        rules: outcome.rules,
        valid: problems.is_empty(),
        rows: sheet.table.rows.len(),
        columns: (0..sheet.table.columns.len()).map(column).collect(),
        problems,
        limitations: limits(
            &[
                "only the rules listed were checked; a value can keep to them and still be untrue",
                "an empty cell breaks no other rule than that it must be filled",
            ],
            &[],
        ),
    })
}

fn of_finding(finding: rule::Finding) -> Problem {
    let rows = finding.rows.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    Problem {
        severity: "high".into(),
        place: format!("{} {rows}, {}", if finding.rows.len() == 1 { "row" } else { "rows" }, finding.field),
        message: finding.message,
        repair: finding.repair,
        rows: finding.rows,
        field: Some(finding.field),
        kind: Some(finding.kind.to_owned()),
    }
}

/// The result in words.
fn told(rows: usize, problems: &[Problem], rules: &[String]) -> String {
    let checked = rules.join("; ");
    if problems.is_empty() {
        return format!("All {} in order. Checked: {checked}.", figures::count(rows, "row is", "rows are"));
    }
    let listed: Vec<String> = problems.iter().take(10).map(|one| format!("{}: {}", one.place, one.message)).collect();
    let more = problems.len().saturating_sub(10);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    format!(
        "{} in {}. {}{more}. Checked: {checked}.",
        figures::count(problems.len(), "problem", "problems"),
        figures::count(rows, "row", "rows"),
        listed.join("; ")
    )
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
