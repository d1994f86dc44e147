//! Columns and rows that must not stand twice.

use crate::column_names;
use crate::rule::Rule;
use crate::sentence::Sentence;

const UNIQUE: &[&str] = &[
    "duplicate",
    "duplicates",
    "duplicated",
    "unique",
    "twice",
    "repeated",
    "double",
    "doubles",
    "doppelt",
    "doppelte",
    "doppelten",
    "more than once",
    "dubletten",
    "duplikate",
    "eindeutig",
    "en double",
    "doublons",
    "duplicados",
    "repeats",
    "several times",
    "only once",
    "appear once",
    "distinct",
    "duplicadas",
    "mehrfach",
    "same id",
    "dupes",
    "dupe",
    "no two",
    "share the same",
    "shares the same",
    "have the same",
    "has the same",
    "used once",
    "occur once",
    "occurs once",
    "only exist once",
    "doublon",
    "duplicado",
    "duplicada",
    "dublette",
    "duplikat",
    "doppelter",
    "doppelt vorkommen",
    "entered twice",
    "listed twice",
    "repeat",
    "repetido",
    "repetidos",
    "repetidas",
    "ripetuti",
    "doppioni",
    "dubbele",
    "dubbel",
    "same number twice",
    "reused",
    "used again",
    "must differ",
    "more than one time",
];
const ALIKE: &[&str] = &["spelling", "similar", "slightly", "fuzzy", "look alike", "almost the same"];
const ROWS: &[&str] = &[
    "whole row",
    "row",
    "rows",
    "line",
    "lines",
    "entire",
    "every column",
    "all columns",
    "zeilen",
    "zeile",
    "identical",
    "records",
    "exact duplicates",
    "entries",
];
const TOGETHER: &[&str] = &["combination", "same", "together", "combined", "pair", "pairs", "kombination"];

pub(crate) fn unique(sentence: &Sentence<'_>) -> Vec<Rule> {
    let wants = sentence.has(UNIQUE);
    if !wants || sentence.has(ALIKE) {
        return Vec::new();
    }
    let whole = sentence.has(ROWS);
    let sheet = sentence.sheet;
    let columns: Vec<usize> = sentence.columns();
    if columns.is_empty() || sentence.has(&["every column", "all columns", "whole row", "entire row"]) {
        if whole {
            return vec![Rule::Unique(Vec::new())];
        }
        let ids: Vec<usize> = column_names::keys(sheet);
        return ids.into_iter().map(|column| Rule::Unique(vec![column])).chain([Rule::Unique(Vec::new())]).collect();
    }
    let shared = sentence.has(&["share the same", "shares the same", "have the same", "has the same"]);
    let together = sentence.has(TOGETHER) && columns.len() > 1 && !shared;
    if together {
        vec![Rule::Unique(columns)]
    } else {
        columns.into_iter().map(|column| Rule::Unique(vec![column])).collect()
    }
}
