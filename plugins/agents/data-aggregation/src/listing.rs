//! Rows themselves as the answer.

use agent_common::exact::Exact;
use agent_common::sheet::Sheet;
use agent_common::table::Table;
use serde_json::json;

use crate::figure::{Figure, basis};
use crate::query::{Measure, Query};
use crate::reply::Reply;

/// Rows that fit, sorted by what the figures are of where nothing else says.
pub fn sorted(sheet: &Sheet, query: &Query, fitting: &[usize]) -> Reply {
    rows(sheet, &with_sort(sheet, query), fitting)
}

fn with_sort(sheet: &Sheet, query: &Query) -> Query {
    let mut query = query.clone();
    if query.sort_by.is_none() {
        query.sort_by = query
            .asks
            .iter()
            .find_map(|ask| match &ask.measure {
                Measure::Of(formula) => formula.columns().first().copied(),
                Measure::Rows => None,
            })
            .or_else(|| sheet.measures().first().copied());
    }
    query
}

/// Rows that fit, sorted.
pub fn rows(sheet: &Sheet, query: &Query, fitting: &[usize]) -> Reply {
    let mut rows = fitting.to_vec();
    if let Some(column) = query.sort_by {
        let key = |row: &usize| {
            (
                sheet.number(*row, column).or_else(|| sheet.day(*row, column).map(|day| Exact::whole(day.days()))),
                sheet.cell(*row, column).to_lowercase(),
            )
        };
        rows.sort_by_key(key);
        if query.descending == Some(true) {
            rows.reverse();
            // Rows of one value keep their order.
            rows.sort_by_key(|row| std::cmp::Reverse(key(row)));
        }
    }
    if let Some(top) = query.top {
        rows.truncate(top);
    }
    let cells = rows.iter().filter_map(|row| sheet.table.rows.get(*row).cloned()).collect();
    let names: Vec<&str> = rows.iter().take(10).map(|row| sheet.cell(*row, sheet.label())).collect();
    let summary = if rows.is_empty() {
        "No row fits.".to_owned()
    } else {
        format!("{}: {}.", agent_common::figures::count(rows.len(), "row", "rows"), names.join(", "))
    };
    let answers = vec![Figure { what: "rows".into(), value: json!(rows.len()), rows: basis(&rows) }];
    Reply { answers, groups: Vec::new(), table: Table::new(sheet.table.columns.clone(), cells), summary }
}
