//! An agent that checks tables against rules and names row, column and repair of each
//! problem.
//!
//! Rules are checked here. Without rules, the bridge `data_profile` describes the table;
//! the bridge `validation` checks records against a JSON Schema.

mod bridges;
mod commands;

use std::collections::BTreeSet;

use agent_common::cells::{self, Cells, DecimalSign, Notation};
use agent_common::rules::{self, Finding, Rule};
use agent_common::table::Table;
use agent_common::{Answer, figures, form, limits, table_slots};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use serde_with::skip_serializing_none;
use tollbridge_sdk::{Call, Error, agent};

use crate::bridges::{Profile, Verdict, of_fault, of_issue};

/// Most problems that are listed.
const PROBLEMS_MAX: usize = 1_000;

/// Records, and what should hold of them.
#[skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("| data | records"))]
pub struct Input {
    /// The records as text: CSV with a header, JSON lines or a JSON array. Default: the table of the task.
    #[schemars(length(min = 1, max = 500_000))]
    data: Option<String>,
    /// The records as JSON objects instead, at most 10,000.
    #[schemars(length(min = 1, max = 10_000))]
    records: Option<Vec<Map<String, Value>>>,
    /// A JSON Schema (draft 2020-12) of one record. Needs `records`, because cells of a text have no types.
    schema: Option<Map<String, Value>>,
    /// The rules to check. Default: the table is described as a whole, with its gaps, repeats and outliers.
    #[schemars(length(min = 1, max = 50))]
    rules: Option<Vec<Rule>>,
    /// How numbers and dates are written, if the cells do not show it.
    notation: Option<Notation>,
}

/// The problems of the records.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    pub(crate) summary: String,
    /// The rules that were checked, in words; empty if the table was described as a whole.
    pub(crate) rules: Vec<String>,
    /// Whether there is no problem of severity medium or above and the schema holds.
    pub(crate) valid: bool,
    /// Number of rows.
    pub(crate) rows: usize,
    /// Columns and their types.
    pub(crate) columns: Vec<Column>,
    /// The problems, the gravest first, then by rule; at most 1,000.
    pub(crate) problems: Vec<Problem>,
    /// What the answer does not cover.
    pub(crate) limitations: Vec<String>,
}

/// A column.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Column {
    /// Its name.
    pub(crate) name: String,
    /// The type of its values.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// Cells without a value.
    pub(crate) missing: usize,
    /// Different values.
    pub(crate) distinct: usize,
}

/// A problem.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Problem {
    /// `high`, `medium` or `low`.
    pub(crate) severity: String,
    /// A row and column, a column, or the JSON pointer of a value.
    pub(crate) place: String,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do.
    pub(crate) repair: String,
    /// The rows, from 1 without the header; empty if the column as a whole is meant.
    pub(crate) rows: Vec<usize>,
    /// The column or columns, or `row` for a whole row; null if the problem names none.
    pub(crate) field: Option<String>,
    /// `missing`, `duplicate`, `type`, `format`, `range` or `inconsistent`; null for other remarks about a column.
    pub(crate) kind: Option<String>,
}

impl Problem {
    /// Returns the problem of a finding.
    fn of(found: Finding) -> Self {
        let repair = match found.kind {
            "missing" => "Ask for the value at its source and fill it in.",
            "duplicate" => "Remove the repeated row, or correct the value.",
            "type" => "Write a value of the required type.",
            "format" => "Correct how the value is written.",
            "range" => "Compare the value with its source, or with the rule.",
            _ => "Compare the values with their source and correct the wrong one.",
        };
        let field = &found.field;
        Self {
            severity: "high".into(),
            place: found.row.map_or_else(|| format!("column {field}"), |row| format!("row {row}, {field}")),
            message: found.message,
            repair: repair.into(),
            rows: found.row.into_iter().collect(),
            field: Some(found.field),
            kind: Some(found.kind.to_owned()),
        }
    }
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let input = input.unwrap_or_default();
    if input.data.is_some() && input.records.is_some() {
        return Err(Error::invalid("/data", "give `data` or `records`, not both"));
    }
    if input.schema.is_some() && input.records.is_none() {
        return Err(Error::invalid("/records", "a `schema` needs the records as JSON in `records`"));
    }
    let given = input.data.is_some() || input.records.is_some();
    let (command, table) = if given { (task.to_owned(), Some(table_of(&input)?)) } else { split(task)? };
    if let (Some(rules), Some(table)) = (&input.rules, &table)
        && input.schema.is_none()
    {
        return checked(table, rules, &input);
    }
    if given && (command.trim().is_empty() || input.schema.is_some()) {
        return profiled(&input);
    }
    let mut draft = commands::draft(&command, table.as_ref());
    draft.form.data.clone_from(&input.data);
    draft.form.records = input.records.clone().or_else(|| table.as_ref().filter(|_| !given).map(Table::objects));
    let of = |form: &Input| table.clone().map_or_else(|| table_of(form), Ok);
    let of_form = |form: &Input| checked(&of(form)?, form.rules.as_deref().unwrap_or_default(), form);
    let filled = form::fill(task, draft, |form| of_form(form).map(drop))?;
    let mut output = of_form(&filled.form)?;
    output.limitations.extend(filled.note);
    Ok(output)
}

/// Splits a task into a command and its table.
fn split(task: &str) -> Result<(String, Option<Table>), Error> {
    let mut split = table_slots::split(task, commands::is_complete)?;
    if split.tables.len() > 1 {
        return Err(Error::invalid("/task", "the task has several tables; which one should be checked?"));
    }
    Ok((split.command, split.tables.pop()))
}

/// Returns the table that a call gives.
fn table_of(input: &Input) -> Result<Table, Error> {
    match (&input.data, &input.records) {
        (Some(data), _) => cells::table(data).map_err(|error| Error::invalid("/data", error)),
        (None, Some(records)) => Ok(Table::of_objects(records)),
        (None, None) => Err(Error::invalid("/data", "give a table with a header")),
    }
}

/// Checks a table against rules.
fn checked(table: &Table, rules: &[Rule], input: &Input) -> Result<Output, Error> {
    if rules.is_empty() {
        return Err(Error::invalid("/rules", "give at least one rule"));
    }
    let in_json = input.records.iter().flatten().any(|record| record.values().any(Value::is_number));
    let point = Notation { decimal: in_json.then_some(DecimalSign::Point), dates: None };
    let cells = Cells::new(table, input.notation.unwrap_or(point));
    let mut problems = Vec::new();
    for (at, rule) in rules.iter().enumerate() {
        let found = rules::check(rule, &cells).map_err(|error| Error::invalid(format!("/rules/{at}"), error))?;
        problems.extend(found.into_iter().map(Problem::of));
    }
    let column = |(at, name): (usize, &String)| {
        let filled: Vec<&str> = table.cells(at).into_iter().filter(|cell| !cell.is_empty()).collect();
        let distinct = filled.iter().collect::<BTreeSet<_>>().len();
        let missing = table.rows.len() - filled.len();
        Column { name: name.clone(), kind: cells.kind(at).to_owned(), missing, distinct }
    };
    let rules: Vec<String> = rules.iter().map(rules::text).collect();
    let count = figures::count(problems.len(), "problem", "problems");
    let first: Vec<String> =
        problems.iter().take(5).map(|problem| format!("{}: {}", problem.place, problem.message)).collect();
    let listed = if first.is_empty() { String::new() } else { format!(" {}.", first.join("; ")) };
    let rows = figures::count(table.rows.len(), "row", "rows");
    let valid = problems.is_empty();
    problems.truncate(PROBLEMS_MAX);
    Ok(Output {
        summary: format!("{count} in {rows}.{listed} Checked: {}.", rules.join("; ")),
        rules,
        valid,
        rows: table.rows.len(),
        columns: table.columns.iter().enumerate().map(column).collect(),
        problems,
        limitations: limits(
            &[
                "only the rules listed were checked; a value can keep to them and still be untrue",
                "an empty cell breaks no rule but that it must be filled",
            ],
            &[],
        ),
    })
}

/// Describes the records as a whole, and checks them against a schema and rules.
fn profiled(input: &Input) -> Result<Output, Error> {
    let call = match &input.records {
        Some(records) => json!({ "rows": records }),
        None => json!({ "data": input.data }),
    };
    let profile: Answer<Profile> = tollbridge_sdk::bridges::call("data_profile", &call)?;
    let mut problems: Vec<Problem> = profile.result.issues.into_iter().map(of_issue).collect();
    let (mut more, mut rules) = (Vec::new(), Vec::new());
    if let (Some(schema), Some(records)) = (&input.schema, &input.records) {
        let call = json!({ "output": records, "schema": { "type": "array", "items": schema }, "assert_formats": true });
        let verdict: Answer<Verdict> = tollbridge_sdk::bridges::call("validation", &call)?;
        problems.extend(verdict.result.errors.into_iter().map(of_fault));
        more = verdict.limitations;
    }
    if let Some(own) = &input.rules {
        let output = checked(&table_of(input)?, own, input)?;
        problems.extend(output.problems);
        rules = output.rules;
    }
    problems.sort_by_key(|problem| rank(&problem.severity));
    let valid = !problems.iter().any(|problem| rank(&problem.severity) < 2);
    Ok(Output {
        rules,
        summary: summary(valid, profile.result.rows, &problems),
        valid,
        rows: profile.result.rows,
        columns: profile.result.columns,
        problems,
        limitations: limits(&[], &[&profile.limitations, &more]),
    })
}

fn rank(severity: &str) -> usize {
    ["high", "medium", "low"].iter().position(|name| *name == severity).unwrap_or(3)
}

fn summary(valid: bool, rows: usize, problems: &[Problem]) -> String {
    let verdict = if valid { "Usable" } else { "Not in order" };
    let (rows, count) = (figures::count(rows, "row", "rows"), figures::count(problems.len(), "finding", "findings"));
    match problems.first() {
        Some(worst) => {
            format!("{verdict}: {rows}, {count}; first: {} ({}). {}", worst.message, worst.place, worst.repair)
        }
        None => format!("{verdict}: {rows}, {count}."),
    }
}

agent! { run: run, examples: ["../cases/orders.json"] }
tollbridge_sdk::test_cases!(agent run);

#[cfg(test)]
mod tests {
    use agent_common::{command, testing};
    use tollbridge_sdk::testing::Doubles;

    use super::*;

    /// Returns the question, or the places of all problems.
    fn answered(task: &str) -> String {
        let (answer, _) = Doubles::new().run(|| run(&Call::default(), task, None));
        let places = |output: Output| output.problems.into_iter().map(|one| one.place).collect::<Vec<_>>().join("; ");
        answer.map_or_else(|error| error.message().to_owned(), places)
    }

    #[test]
    fn published_examples_are_answered() {
        for example in command::examples(commands::COMMANDS) {
            let text = answered(example);
            assert!(text.starts_with("row ") || text.starts_with("column "), "{example}\n{text}");
        }
    }

    /// Tasks of a user who knows only the list, checked by hand: a part of the answer or the question.
    #[test]
    fn tasks_are_answered_or_refused() {
        testing::outcomes_are_expected(include_str!("../tasks.json"), answered);
    }
}
