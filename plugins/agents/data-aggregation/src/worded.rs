//! Tasks in words: their outcome as it is told.

use agent_common::exact::Exact;
use agent_common::limits;
use agent_common::sheet::{Kind, Sheet, is_empty};
use tollbridge_sdk::Error;

use crate::merge::{Conflict, Group};
use crate::output::{Column, Output};
use crate::task;

/// Answers a task in words, without a bridge.
pub fn answer(task: &str, group_by: &[String]) -> Result<Output, Error> {
    let asked =
        if group_by.is_empty() { task.to_owned() } else { format!("Group by {}.\n{task}", group_by.join(", ")) };
    let outcome = task::answer(&asked)?;
    let table = outcome.reply.table;
    let sheet = Sheet::read(&table);
    let missing = |at: usize| table.cells(at).iter().filter(|cell| is_empty(cell)).count();
    let column = |(at, name): (usize, &String)| Column {
        name: name.clone(),
        kind: kind_name(&sheet, at).to_owned(),
        missing: missing(at),
    };
    let objects =
        table.rows.iter().take(1_000).map(|row| table.columns.iter().cloned().zip(row.iter().cloned()).collect());
    let groups = outcome.reply.groups.into_iter().map(|group| Group {
        of: group.of,
        rows: group.rows,
        sums: group
            .values
            .iter()
            .filter_map(|(name, value)| Some((name.strip_prefix("sum of ")?.to_owned(), value.as_f64()?)))
            .collect(),
        values: group.values,
    });
    let conflicts = outcome.differences.into_iter().map(|one| Conflict {
        key: one.key,
        column: one.column,
        kept: one.first,
        other: one.second,
        table: "table 2".into(),
    });
    Ok(Output {
        summary: outcome.reply.summary,
        answers: outcome.reply.answers,
        confidence: outcome.confidence,
        columns: table.columns.iter().enumerate().map(column).collect(),
        rows: objects.collect(),
        rows_total: table.rows.len(),
        duplicates_removed: outcome.removed,
        conflicts: conflicts.collect(),
        groups: groups.collect(),
        alike: Vec::new(),
        limitations: limits(
            &[
                "rows that are totals of the others by their name are left out",
                "cells without a number do not count in sums and averages",
                "the ratio of a group is that of its sums",
            ],
            &[],
        ),
    })
}

/// The name of a kind of column.
fn kind_name(sheet: &Sheet, column: usize) -> &'static str {
    match sheet.kind(column) {
        Kind::Number
            if (0..sheet.table.rows.len()).all(|row| sheet.number(row, column).is_none_or(Exact::is_whole)) =>
        {
            "integer"
        }
        Kind::Number => "decimal",
        Kind::Day => "date",
        Kind::Text => "text",
    }
}
