//! Rows that stand twice: whether they shall go, which of them, and by which columns.

use agent_common::columns::fold;
use agent_common::sheet::Sheet;
use agent_common::table::Table;

use crate::phrases::says;
use crate::reader::Reader;
use crate::tables;

const REPEATS: &[&str] = &[
    "duplicates",
    "duplicate",
    "dedupe",
    "deduplicate",
    "dedup",
    "deduplicated",
    "doppelte",
    "dubletten",
    "duplikate",
    "doublons",
    "duplicados",
    "doppelten",
    "repeated rows",
    "repeats",
    "twice",
    "identical rows",
    "same row",
    "double entries",
    "doubles",
    "written more than once",
    "appear more than once",
    "listed more than once",
    "in double",
    "double rows",
    "double lines",
    "repeated lines",
    "duplicated",
    "dups",
    "dupes",
    "doppelt",
    "en double",
    "duplicati",
];

const LAST: &[&str] = &[
    "keep the last",
    "keep last",
    "the last one",
    "keep the latest",
    "keep latest",
    "keep the newest",
    "most recent",
    "last occurrence",
    "latest row",
];

const REPEAT_CUES: &[&str] =
    &["by", "same", "on", "per", "each", "every", "one", "nach", "duplicate", "unique", "equal", "identical"];

/// Whether rows that stand twice shall go.
pub fn are_unwanted(instruction: &str) -> bool {
    says(instruction, REPEATS)
}

/// Whether it is asked how many rows went or stayed.
pub fn are_counted(instruction: &str) -> bool {
    let plain = fold(instruction);
    let gone = [
        "drop",
        "dropped",
        "remove",
        "removed",
        "left",
        "remain",
        "remaining",
        "gone",
        "throw",
        "thrown",
        "threw",
        "delete",
        "deleted",
        "kept",
        "keep",
        "stay",
        "were there",
        "are there",
        "in twice",
        "cut",
        "rid of",
        "end up",
        "ended up",
    ];
    plain.match_indices("how many").any(|(at, _)| {
        let clause = plain.get(at..).unwrap_or_default().split(['.', '?', '!', ';', '\n']).next().unwrap_or_default();
        says(clause, &gone)
    })
}

/// The table without the rows that stand there already, and how many those were.
pub fn removed(instruction: &str, table: &Table) -> (Table, usize) {
    let by = columns(instruction, &Sheet::read(table));
    tables::without_repeats(table, &by, says(instruction, LAST))
}

/// Columns that decide what is a repeat: `by email`, `same id`.
fn columns(instruction: &str, sheet: &Sheet) -> Vec<usize> {
    let reader = Reader::new(instruction, sheet);
    let mut found = Vec::new();
    for at in 0..reader.pieces.len() {
        let cue = reader.is(at, REPEAT_CUES);
        if !cue {
            continue;
        }
        let mut place = at + 1;
        while reader.is(place, &["the", "same", "a", "an", "der", "die", "das", "row", "per", "each", "of"]) {
            place += 1;
        }
        while let Some(column) = reader.column(place) {
            if !found.contains(&column) {
                found.push(column);
            }
            place += 1 + usize::from(reader.is(place + 1, &["and", "+", ",", "und", "&"]));
        }
    }
    found
}
