//! Answers a query: by rows, by groups, or with figures of the whole.

use agent_common::sheet::Sheet;

use crate::query::{Key, Op, Query};
use crate::reply::Reply;
use crate::{groups, listing, totals};

/// Answers a query; none where nothing is left to answer with.
pub fn make(sheet: &Sheet, query: &Query) -> Option<Reply> {
    let all: Vec<usize> = (0..sheet.table.rows.len()).collect();
    let mut query = query.clone();
    let rows: Vec<usize> =
        all.iter().copied().filter(|row| query.filters.iter().all(|filter| filter.holds(sheet, *row))).collect();
    if rows.is_empty() && !query.filters.is_empty() && !query.asks.iter().all(|ask| ask.op == Op::Count) {
        return None;
    }
    if query.listing {
        return Some(listing::rows(sheet, &query, &rows));
    }
    if let Some(greatest) = query.which {
        return groups::which(sheet, &query, &rows, greatest);
    }
    if query.top.is_some() && query.keys.is_empty() {
        return Some(listing::sorted(sheet, &query, &rows));
    }
    if query.keys.is_empty()
        && query.descending.is_some()
        && query.asks.iter().all(|ask| matches!(ask.op, Op::Max | Op::Min | Op::Sum))
        && sheet.is_unique(sheet.label())
        && query.asks.len() == 1
    {
        query.keys = vec![Key { column: sheet.label(), unit: None }];
    }
    if query.keys.is_empty() {
        return Some(totals::totals(sheet, &query, &rows, &all));
    }
    Some(groups::grouped(sheet, &query, &rows))
}
