//! What follows from a request as a whole: which one, listings, figures that only a group asks for.

use agent_common::formula::Formula;
use tollbridge_sdk::Error;

use crate::measures::{add, default_measure};
use crate::query::{Key, Measure, Op, Query};
use crate::reader::Reader;
use crate::refusal::missing;
use crate::words;

/// What follows from the whole: which one, listings, figures that only a group asks for.
pub fn shape(reader: &Reader<'_>, query: &mut Query) -> Result<(), Error> {
    if let Some(column) = most_frequent(reader) {
        query.keys = vec![Key { column, unit: None }];
        query.asks.clear();
        add(reader, query, Op::Max, Measure::Rows);
        query.which = Some(!reader.says_any(words::MIN));
        return Ok(());
    }
    let asks_which = reader.says_any(&[
        "which", "who", "what's", "welche", "welcher", "welches", "wer", "quel", "quelle", "top", "rank", "ranking",
        "cual", "where", "when", "busiest",
    ]) || reader.says_any(words::SORT);
    let extreme = query.asks.iter().position(|ask| matches!(ask.op, Op::Max | Op::Min));
    // `the average, and who has the most`: of rows with a name each, the figures and the name are all told.
    let several = query.asks.len() > 1 && query.keys.is_empty() && reader.sheet.is_unique(reader.sheet.label());
    if let Some(at) = extreme.filter(|_| asks_which && query.descending.is_none() && !several) {
        query.which = query.asks.get(at).map(|ask| ask.op == Op::Max);
    }
    if query.asks.is_empty() {
        let mentioned: Vec<Measure> = (0..reader.pieces.len())
            .filter(|at| !reader.is_used(*at))
            .filter_map(|at| reader.column(at))
            .filter(|column| reader.sheet.measures().contains(column))
            .map(|column| Measure::Of(Formula::Column(column)))
            .collect();
        if let Some((formula, ..)) = &reader.formula {
            add(reader, query, Op::Sum, Measure::Of(formula.clone()));
        } else if !query.keys.is_empty() {
            let found = if mentioned.is_empty() { default_measure(reader, query, Op::Sum, &[])? } else { mentioned };
            found.into_iter().for_each(|measure| add(reader, query, Op::Sum, measure));
        } else if query.sort_by.is_some()
            || query.descending.is_some()
            || query.top.is_some()
            || !query.filters.is_empty()
        {
            query.listing = true;
            query.sort_by = query.sort_by.or_else(|| match mentioned.as_slice() {
                [Measure::Of(Formula::Column(column)), ..] => Some(*column),
                _ => query.descending.and_then(|_| match reader.sheet.measures().as_slice() {
                    [one] => Some(*one),
                    _ => None,
                }),
            });
        } else {
            return Err(missing(
                "say which figure is wanted: a sum, average, count, share, the highest or lowest, by which column"
                    .into(),
            ));
        }
    }
    Ok(())
}

/// `the most common colour`: the column that is counted.
fn most_frequent(reader: &Reader<'_>) -> Option<usize> {
    let at = (1..reader.pieces.len()).find(|at| {
        reader.is(*at, &["common", "frequent", "frequently", "often", "haufigste", "haufigsten", "frequente"])
            && (reader.is(at - 1, words::MAX)
                || reader.is(at - 1, words::MIN)
                || reader.is(*at, &["haufigste", "haufigsten"]))
    })?;
    let behind = (at + 1..at + 5).find_map(|at| reader.column(at));
    behind.or_else(|| (0..at).rev().find_map(|at| reader.column(at)))
}
