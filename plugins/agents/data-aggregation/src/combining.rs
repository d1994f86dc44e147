//! Several tables as one, the way the instruction says.

use std::collections::BTreeSet;

use agent_common::columns;
use agent_common::sheet::Sheet;
use agent_common::table::Table;
use tollbridge_sdk::Error;

use crate::phrases::says;
use crate::reader::Reader;
use crate::refusal::missing;
use crate::repeats;
use crate::tables::{self, Combined};

/// Appends tables of the same columns and joins others.
pub fn combine(instruction: &str, given: &[Table]) -> Result<Combined, Error> {
    if tables::same_columns(given) {
        let mut combined = tables::append(given);
        if repeats::are_unwanted(instruction)
            || (says(instruction, &["merge", "union"])
                && !says(instruction, &["all rows", "keep all", "keep duplicates"]))
        {
            let (table, removed) = repeats::removed(instruction, &combined.table);
            combined = Combined { table, removed, ..combined };
        }
        return Ok(combined);
    }
    let mut all = given.iter();
    let mut whole = Combined { table: all.next().cloned().unwrap_or_default(), ..Combined::default() };
    for next in all {
        let named = named_columns(instruction, &whole.table).into_iter().next();
        let key = tables::shared_key(&whole.table, next, named.as_deref());
        let Some(key) = key else {
            return Err(missing(
                "the tables have no column in common to join them by: name the column, or add it to both".into(),
            ));
        };
        let inner = says(
            instruction,
            &["inner", "only matching", "only those", "in both", "matching rows", "only rows", "with a match"],
        );
        let unique = |table: &Table, at: usize| {
            let all: BTreeSet<String> = table.cells(at).into_iter().map(columns::fold).collect();
            all.len() == table.rows.len()
        };
        let swaps = unique(&whole.table, key.0) && !unique(next, key.1);
        let (first, second, key) = if swaps { (next, &whole.table, (key.1, key.0)) } else { (&whole.table, next, key) };
        whole = tables::join(first, second, key, inner);
    }
    Ok(whole)
}

/// Columns named behind `by` or `on`, for joins.
fn named_columns(instruction: &str, table: &Table) -> Vec<String> {
    let sheet = Sheet::read(table);
    let reader = Reader::new(instruction, &sheet);
    (0..reader.pieces.len())
        .filter(|at| reader.is(*at, &["by", "on", "via", "using", "over", "uber", "par", "por"]))
        .filter_map(|at| (at + 1..at + 4).find_map(|at| reader.column(at)))
        .map(|column| sheet.name(column).to_owned())
        .collect()
}
