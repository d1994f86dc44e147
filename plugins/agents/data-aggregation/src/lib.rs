//! An agent that computes figures of tables: sums by group, rows by condition, joins,
//! comparisons, cross tables; and that merges tables and reports where they disagree.
//!
//! Figures are exact, as the decimals are written. Only merging calls bridges:
//! `data_profile` describes the merged table, `entity_match` finds rows that are alike.

mod answer;
mod commands;
mod input;
mod merge;

use std::collections::BTreeMap;

use agent_common::cells::{DecimalSign, Notation};
use agent_common::merging::{Conflict, Named};
use agent_common::table::Table;
use agent_common::{cells, form, table_slots};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollbridge_sdk::{Call, Error, agent};

pub use crate::input::{Given, Input};
use crate::merge::Group;

/// Most rows of all tables together.
const ROWS_MAX: usize = 20_000;

/// The resulting table, and figures of it.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    pub(crate) summary: String,
    /// Figures of all rows, each with the rows that it is based on.
    pub(crate) answers: Vec<Answer>,
    /// Columns of the resulting table, with their types.
    pub(crate) columns: Vec<Column>,
    /// Its rows, at most 1,000: merged, joined, sorted or pivoted rows, or a row for each group.
    pub(crate) rows: Vec<BTreeMap<String, String>>,
    /// Number of all its rows.
    pub(crate) rows_total: usize,
    /// Rows that were left out because an equal one is there.
    pub(crate) duplicates_removed: usize,
    /// Records whose sources disagree.
    pub(crate) conflicts: Vec<Conflict>,
    /// Groups with their figures; of merged tables, with the sums of every numeric column.
    pub(crate) groups: Vec<Group>,
    /// Rows that may mean the same, by their places in `rows`, from 0.
    pub(crate) alike: Vec<Alike>,
    /// What the answer does not cover.
    pub(crate) limitations: Vec<String>,
}

/// A figure of all rows.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Answer {
    /// What it is: `sum of amount`, `count of rows where status = paid`.
    pub(crate) what: String,
    /// Its value: a number or a date; null if no row has one.
    pub(crate) value: Value,
    /// The rows of the table that it is based on, from 1, at most 200.
    pub(crate) rows: Vec<usize>,
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
}

/// Two rows that may mean the same.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Alike {
    /// The first row.
    pub(crate) a: usize,
    /// The second.
    pub(crate) b: usize,
    /// How likely, 0 to 1: an order rather than a chance.
    pub(crate) probability: f64,
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let mut input = input.unwrap_or_default();
    let given = input.tables.take();
    let (command, mut tables) = match &given {
        Some(given) => (task.to_owned(), read(given)?),
        None => {
            let split = table_slots::split(task, commands::is_complete)?;
            (split.command, split.tables.into_iter().enumerate().map(titled).collect())
        }
    };
    let in_json = |given: &Given| given.rows.iter().flatten().any(|row| row.values().any(Value::is_number));
    let typed = input != Input::default();
    if given.iter().flatten().any(in_json) && input.notation.is_none() {
        // Numbers of JSON have decimal points.
        input.notation = Some(Notation { decimal: Some(DecimalSign::Point), dates: None });
    }
    if typed || (given.is_some() && command.trim().is_empty()) {
        return answer::answer(&tables, &input);
    }
    let mut draft = commands::draft(&command, &tables);
    draft.form.tables = given.or_else(|| (!tables.is_empty()).then(|| tables.iter().map(proposed).collect()));
    let of = |form: &Input| match &form.tables {
        Some(given) if tables.is_empty() => read(given),
        _ => Ok(tables.clone()),
    };
    let check = |form: &Input| if form.is_query() { answer::answer(&of(form)?, form).map(drop) } else { Ok(()) };
    let filled = form::fill(task, draft, check)?;
    tables = of(&filled.form)?;
    let mut output = answer::answer(&tables, &filled.form)?;
    output.limitations.extend(filled.note);
    Ok(output)
}

/// Reads the tables that a call gives.
fn read(given: &[Given]) -> Result<Vec<Named>, Error> {
    let table = |(at, given): (usize, &Given)| {
        let name = given.name.clone().unwrap_or_else(|| format!("table {}", at + 1));
        let table = match (&given.data, &given.rows) {
            (Some(data), None) => cells::table(data),
            (None, Some(rows)) if !rows.is_empty() => Ok(Table::of_objects(rows)),
            _ => return Err(Error::invalid(format!("/tables/{at}"), "give `data` or `rows`, one of them")),
        };
        table.map(|table| (name, table)).map_err(|error| Error::invalid(format!("/tables/{at}/data"), error))
    };
    let tables: Vec<Named> = given.iter().enumerate().map(table).collect::<Result<_, _>>()?;
    if tables.iter().map(|(_, table)| table.rows.len()).sum::<usize>() > ROWS_MAX {
        return Err(Error::invalid("/tables", format!("at most {ROWS_MAX} rows in all")));
    }
    Ok(tables)
}

fn titled((at, table): (usize, Table)) -> Named {
    (table.title.clone().unwrap_or_else(|| format!("table {}", at + 1)), table)
}

fn proposed((name, table): &Named) -> Given {
    Given { name: Some(name.clone()), data: None, rows: Some(table.objects()) }
}

agent! { run: run, examples: ["../cases/regions.json"] }
tollbridge_sdk::test_cases!(agent run);
