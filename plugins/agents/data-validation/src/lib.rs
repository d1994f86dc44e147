//! An agent that checks records and says how to repair what is wrong.
//!
//! The bridge `data_profile` looks at the table as a whole, `validation` holds
//! each record against a schema if there is one; this agent adds what to do
//! about each finding.

mod absent;
mod beyond;
mod bound;
mod check_digit;
mod clock;
mod column_names;
mod confidence;
mod country;
mod covered;
mod defaults;
mod fault;
mod finding;
mod form;
mod forms;
mod iban;
mod issue;
mod output;
mod postcode;
mod reading;
mod refusal;
#[cfg(test)]
mod requests;
mod rule;
mod said;
mod scope;
mod sentence;
mod shape;
mod spoken;
mod task;

use agent_common::{Answer, figures, limits, model, words};
pub use output::{Column, Output, Problem};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
pub use spoken::answer;
use tollbridge_sdk::{Call, Error, agent, bridges};

use crate::confidence::TYPED;
use crate::fault::{Verdict, of_fault};
use crate::issue::{Profile, of_issue};

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

/// Answers one task.
pub fn run(call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let text = words::of(task, input.as_ref());
    let input = input.unwrap_or_default();
    if input.records.is_none() && input.data.is_none() {
        if input.schema.is_some() {
            return Err(Error::invalid("/records", "a `schema` needs the records as JSON in `records`"));
        }
        let now = i64::try_from(call.now_ms).unwrap_or_default();
        return model::reread(text, forms::FORMS, |text| answer(text, now));
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

fn rank(severity: &str) -> usize {
    ["high", "medium", "low"].iter().position(|name| *name == severity).unwrap_or(3)
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
