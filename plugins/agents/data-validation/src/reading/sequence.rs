//! Columns that go on from row to row: without gaps, or up or down.

use agent_common::exact::Exact;
use agent_common::marks::Mark;
use agent_common::sheet::Kind;

use crate::clock;
use crate::rule::Rule;
use crate::sentence::Sentence;

const SEQUENCE: &[&str] = &[
    "sequence",
    "consecutive",
    "gap",
    "gaps",
    "numbering",
    "fortlaufend",
    "luckenlos",
    "skipped",
    "without gaps",
    "running number",
    "running numbers",
    "continuous",
    "missing number",
    "missing numbers",
    "lucken",
    "lucke",
];

const UP: &[&str] = &[
    "go up",
    "goes up",
    "ascending",
    "increase",
    "increases",
    "increasing",
    "rise",
    "rises",
    "rising",
    "chronological",
    "chronologically",
    "in order",
    "never back",
    "jump back",
    "jumps back",
    "backwards",
    "aufsteigend",
    "monotonic",
    "never decrease",
    "sorted",
    "steigen",
    "go back",
    "goes back",
    "never go down",
    "never drop",
    "only grow",
    "only grows",
];
const DOWN: &[&str] = &["descending", "go down only", "absteigend", "only decrease", "only fall"];

pub(crate) fn sequence(sentence: &Sentence<'_>) -> Vec<Rule> {
    let wants = sentence.has(SEQUENCE);
    if !wants {
        return Vec::new();
    }
    let sheet = sentence.sheet;
    let numbered = |column: &usize| {
        sheet.kind(*column) == Kind::Number
            || sheet.table.cells(*column).iter().all(|cell| cell.ends_with(|c: char| c.is_ascii_digit()))
    };
    let column = sentence
        .columns()
        .into_iter()
        .find(|column| numbered(column))
        .or_else(|| (0..sheet.table.columns.len()).find(numbered));
    let numbers: Vec<Exact> = sentence
        .pieces
        .iter()
        .filter(|piece| piece.mark == Mark::Other)
        .filter_map(|piece| piece.token.number())
        .collect();
    let range = match numbers.as_slice() {
        [low, high] if low < high => Some((*low, *high)),
        _ => None,
    };
    column.map(|column| Rule::Sequence(column, range)).into_iter().collect()
}

pub(crate) fn rising(sentence: &Sentence<'_>) -> Vec<Rule> {
    let up = sentence.has(UP);
    let down = sentence.has(DOWN);
    if !up && !down {
        return Vec::new();
    }
    let sheet = sentence.sheet;
    let named = sentence.columns().into_iter().find(|column| {
        sheet.kind(*column) != Kind::Text
            || sheet.table.cells(*column).iter().all(|cell| clock::minutes(cell).is_some())
    });
    named
        .or_else(|| sheet.of_kind(Kind::Day).first().copied())
        .map(|column| Rule::Rising(column, !down))
        .into_iter()
        .collect()
}
