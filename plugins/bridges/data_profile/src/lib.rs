//! Data profile: what a table is like, column by column, and what to look at before using it.
//!
//! Invariants: the same table gives the same answer; every number in the answer is finite; counts of a column add up to
//! the rows; no input panics.

mod column;
mod input;
mod issue;
mod key;
mod kind;
mod output;
mod table;

use bridge_common::Report;
use tollbridge_sdk::{Call, Error, bridge};

pub use input::Input;
pub use output::Output;

use crate::input::Format;
use crate::output::Profile;
use crate::table::{Cell, Table};

const METHOD: &str = "cells are typed one by one; a column has the type of at least 95 % of its values; quantiles are \
linear between neighbours; outliers lie outside Tukey's outer fences";
/// Rows with twins that are named.
const NAMED: usize = 20;

/// Profiles the table that the input names.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    if input.top.is_some_and(|top| top > 20) {
        return Err(Error::invalid("/top", "must lie between 0 and 20"));
    }
    let table = Table::read(call, &input)?;
    let top = input.top.unwrap_or(5) as usize;
    let columns = table.names.iter().enumerate().map(|(place, name)| {
        let cells: Vec<&Cell> = table.column(place).collect();
        column::profile(name, &cells, top)
    });
    let columns: Vec<output::Column> = columns.collect();
    let duplicates = key::duplicates(&table);
    let mut result = Profile {
        format: table.format.unwrap_or(Format::Csv),
        separator: table.separator,
        rows: table.rows.len(),
        duplicate_rows: duplicates.len(),
        duplicate_at: duplicates.into_iter().take(NAMED).collect(),
        candidate_keys: key::candidates(&table, &columns),
        columns,
        issues: Vec::new(),
    };
    result.issues = issue::find(&table, &result);
    let limitations = limitations(&table, &result);
    Ok(Report::new(result, METHOD, limitations))
}

fn limitations(table: &Table, profile: &Profile) -> Vec<String> {
    let mut notes = vec![
        "an issue is something to look at, not necessarily wrong; a candidate key tells these rows apart, others perhaps not".to_owned(),
    ];
    let mut note = |applies: bool, text: &str| {
        if applies {
            notes.push(text.to_owned());
        }
    };
    note(profile.rows < 30, "few rows: types, keys and outliers may be chance");
    note(
        table.format == Some(Format::Csv),
        "numbers need a point for decimals and no marks for thousands; others count as text",
    );
    note(
        profile.candidate_keys.is_empty() && table.names.len() > 2,
        "keys of three and more columns were not looked for, pairs only among the twelve columns with most different values",
    );
    note(
        profile.columns.iter().any(|column| column.dates.as_ref().is_some_and(|dates| dates.order == "ambiguous")),
        "dates that could be read either way were sorted with the day first",
    );
    notes
}

bridge! { handle: handle, examples: ["../cases/orders.json"] }

tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests;
