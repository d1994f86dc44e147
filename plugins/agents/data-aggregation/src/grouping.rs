//! What a request groups by.

use agent_common::marks::Mark;
use agent_common::sheet::Kind;
use agent_common::tokens::Sort;
use tollbridge_sdk::Error;

use crate::calendar::unit_of;
use crate::query::{Key, Query};
use crate::reader::Reader;
use crate::refusal::no_column;
use crate::words;

const ADVERBS: &[&str] = &["yearly", "annual", "annually", "quarterly", "monthly", "weekly", "jahrlich", "monatlich"];

/// Words whose `by` names no group: `sorted by`, `paid by`.
const OTHER_THAN_KEYS: &[&str] = &[
    "sorted",
    "sort",
    "ordered",
    "ranked",
    "multiplied",
    "divided",
    "followed",
    "going",
    "paid",
    "made",
    "sold",
    "done",
    "written",
    "placed",
    "driven",
    "weighted",
    "gewichtet",
];

/// Words between `by` and the column.
const BEFORE_KEYS: &[&str] = &[
    "the",
    "`",
    "\"",
    "'",
    "“",
    "«",
    "der",
    "die",
    "das",
    "each",
    "every",
    "of",
    "different",
    "single",
    "calendar",
    "le",
    "la",
    "jeden",
    "jede",
    "individual",
    "day",
    "our",
    "by",
];

/// What stands behind `by`, `per`, `for each`; `monthly` and `yearly`.
pub fn keys(reader: &mut Reader<'_>, query: &mut Query) -> Result<(), Error> {
    for at in 0..reader.pieces.len() {
        if reader.is_used(at) {
            continue;
        }
        if labels_repeat(reader)
            && reader.is(
                at,
                &[
                    "which", "who", "whom", "welcher", "welche", "wer", "qui", "quel", "each", "every", "chaque",
                    "jeder",
                ],
            )
            && query.keys.is_empty()
        {
            push(query, Key { column: 0, unit: None });
        }
        if reader.is(at, ADVERBS) {
            if let Some(key) = unit(reader, at) {
                push(query, key);
                reader.mark(at, at + 1);
            }
            continue;
        }
        let cent = reader.is(at + 1, &["cent"]);
        let sorting = at > 0 && reader.is(at - 1, OTHER_THAN_KEYS);
        if !reader.is(at, words::BY) || cent || sorting || reader.is(at, &["group", "grouped"]) {
            continue;
        }
        behind(reader, query, at)?;
    }
    if query.top.is_some() && query.keys.is_empty() {
        ranked(reader, query);
    }
    Ok(())
}

/// `top 3 reps by value`: the column behind the count, where its values repeat.
fn ranked(reader: &mut Reader<'_>, query: &mut Query) {
    let place = (1..reader.pieces.len()).find(|at| {
        reader
            .column(*at)
            .is_some_and(|column| !reader.sheet.measures().contains(&column) && !reader.sheet.is_unique(column))
            && (at.saturating_sub(3)..*at).any(|at| reader.is_used(at))
    });
    if let Some((at, column)) = place.and_then(|at| Some((at, reader.column(at)?))) {
        push(query, Key { column, unit: None });
        reader.mark(at, at + 1);
    }
}

/// Whether values of the same labels stand several times in a list without names, so that `each` is a label.
fn labels_repeat(reader: &Reader<'_>) -> bool {
    let sheet = reader.sheet;
    let named = if sheet.table.columns.len() == 1 {
        reader.says_any(&["often", "many", "count", "tally", "oft", "number"])
    } else {
        true
    };
    sheet.table.headless
        && sheet.table.columns.len() <= 2
        && named
        && !sheet.is_unique(0)
        && sheet.kind(0) == Kind::Text
}

fn push(query: &mut Query, key: Key) {
    if !query.keys.contains(&key) {
        query.keys.push(key);
    }
}

/// The keys behind a word such as `by`.
fn behind(reader: &mut Reader<'_>, query: &mut Query, by: usize) -> Result<(), Error> {
    let mut at = first_key(reader, by);
    while key(reader, query, by, at)? && another_follows(reader, at) {
        at += 2;
    }
    Ok(())
}

/// Where the first key behind `by` stands.
fn first_key(reader: &Reader<'_>, by: usize) -> usize {
    let mut at = by + 1;
    while reader.is(at, BEFORE_KEYS)
        && reader.column(at).is_none()
        && !(reader.is(at, &["day"]) && reader.sheet.of_kind(Kind::Day).len() == 1)
    {
        at += 1;
    }
    at
}

/// Reads the key that stands there; whether another one can follow it.
fn key(reader: &mut Reader<'_>, query: &mut Query, by: usize, at: usize) -> Result<bool, Error> {
    if let Some(column) = reader.column(at) {
        return Ok(column_key(reader, query, by, at, column));
    }
    let days = reader.sheet.of_kind(Kind::Day);
    let strict = reader.is(by, &["by", "per", "je", "pro", "nach", "par"]);
    if let Some(key) = unit(reader, at) {
        push(query, key);
    } else if let [column] = days.as_slice()
        && reader.is(at, &["day", "date", "tag"])
    {
        push(query, Key { column: *column, unit: None });
    } else if strict && reader.is_unknown(at) && query.keys.is_empty() {
        let word = reader.piece(at).map(|piece| piece.text.clone()).unwrap_or_default();
        if !(reader.sheet.table.headless && reader.sheet.table.columns.len() == 2) {
            return Err(no_column(reader.sheet, &word));
        }
        push(query, Key { column: 0, unit: None });
        reader.mark(by, at + 1);
        return Ok(false);
    } else {
        return Ok(false);
    }
    reader.mark(by, at + 1);
    Ok(true)
}

/// Groups by a column, unless it holds what is ranked; whether it does.
fn column_key(reader: &mut Reader<'_>, query: &mut Query, by: usize, at: usize, column: usize) -> bool {
    let ranked = query.top.is_some()
        || query.sort_by.is_some()
        || query.descending.is_some()
        || reader.says_any(&["rank", "ranking", "top"]);
    if reader.sheet.measures().contains(&column) && (ranked || reader.sheet.is_unique(column)) {
        if ranked {
            query.sort_by = Some(column);
        }
        return false;
    }
    // `month` where there is a column of days and none of months.
    let own = reader.piece(at).map(|piece| piece.text.clone()).unwrap_or_default();
    let calendar = unit_of(&own).filter(|_| reader.sheet.kind(column) == Kind::Day);
    push(query, Key { column, unit: calendar });
    reader.mark(by, at + 1);
    true
}

/// `by region and month`.
fn another_follows(reader: &Reader<'_>, at: usize) -> bool {
    reader.is(at + 1, &["and", "und", "et", ",", "y", "e", "&", "+", "/", "x"])
        && (reader.column(at + 2).is_some_and(|column| !reader.sheet.measures().contains(&column))
            || unit(reader, at + 2).is_some())
}

/// A span of the calendar that a column of days can be grouped by.
fn unit(reader: &Reader<'_>, at: usize) -> Option<Key> {
    let piece = reader.piece(at)?;
    if piece.mark != Mark::Other || piece.token.sort != Sort::Word {
        return None;
    }
    let unit = unit_of(&piece.text)?;
    let day = reader.sheet.of_kind(Kind::Day).first().copied()?;
    Some(Key { column: day, unit: Some(unit) })
}
