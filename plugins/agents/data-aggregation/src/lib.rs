//! An agent that computes figures of tables: sums by group, rows by condition, joins,
//! comparisons, cross tables; and that merges tables and reports where they disagree.
//!
//! Figures are exact, as the decimals are written. Only merging calls bridges:
//! `data_profile` describes the merged table, `entity_match` finds rows that are alike.

mod answer;
mod commands;
mod input;
mod merge;
mod output;

use agent_common::cells::{DecimalSign, Notation};
use agent_common::merging::Named;
use agent_common::table::Table;
use agent_common::{cells, form, table_slots};
use serde_json::Value;
use tollbridge_sdk::{Call, Error, agent};

pub use crate::input::{Given, Input};
pub use crate::output::{Alike, Answer, Column, Output};

/// Most rows of all tables together.
const ROWS_MAX: usize = 20_000;

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

#[cfg(test)]
mod tests {
    use agent_common::{command, testing};
    use tollbridge_sdk::testing::Doubles;

    use super::*;

    /// Returns the question or the summary of a task.
    fn answered(task: &str) -> String {
        let (answer, _) = Doubles::new().run(|| run(&Call::default(), task, None));
        answer.map_or_else(|error| error.message().to_owned(), |output| output.summary)
    }

    #[test]
    fn published_examples_are_answered() {
        for example in command::examples(commands::COMMANDS) {
            let text = answered(example);
            assert!(text.ends_with('.') && text.chars().any(|c| c.is_ascii_digit()), "{example}\n{text}");
        }
    }

    /// Tasks of a user who knows only the list, checked by hand: a part of the answer or the question.
    #[test]
    fn tasks_are_answered_or_refused() {
        testing::outcomes_are_expected(include_str!("../tasks.json"), answered);
    }
}
