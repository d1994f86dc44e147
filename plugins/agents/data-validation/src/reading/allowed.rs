//! Values that a column may have: `may only be open, pending or closed`.

use agent_common::columns::{self, Strength, fold};
use agent_common::phrases;

use crate::rule::Rule;
use crate::sentence::Sentence;

const CUES: &[&str] = &[
    "one of",
    "only be",
    "may be",
    "must be",
    "either",
    "can be",
    "allowed values",
    "allowed are",
    "valid values",
    "permitted values",
    "has to be",
    "should be",
    "allowed:",
    "valid:",
    "are allowed",
    "darf nur",
    "nur",
    "erlaubt sind",
    "valid statuses",
    "are valid",
    "can only be",
    "only allow",
    "allowed",
    "are only",
    "in the set",
    "only",
    "is in",
    "be in",
    "are:",
    "values:",
];
const NO_VALUES: &[&str] = &[
    "number",
    "date",
    "text",
    "string",
    "boolean",
    "email",
    "future",
    "past",
    "missing",
    "duplicate",
    "duplicated",
    "null",
    "a number",
    "unique",
    "filled",
    "empty",
    "positive",
    "negative",
    "valid",
    "numeric",
    "present",
    "between",
    "whole",
    "integer",
    "numbers",
    "given",
    "digits",
    "after",
    "before",
    "at least",
    "greater",
    "less",
    "more",
    "in the",
    "higher",
    "lower",
    "later",
    "earlier",
    "under",
    "above",
    "below",
    "distinct",
];
const STOPS: &[&str] = &[
    " - ",
    " – ",
    ")",
    "]",
    "}",
    ". ",
    "?",
    "; ",
    ": ",
    " nothing else",
    " and nothing",
    ", flag",
    ", find",
    ", which",
    ", where",
    ", say",
    " in the ",
];

const ALLOWING: &[&str] =
    &["valid", "allowed", "permitted", "possible", "legal", "accepted", "erlaubte", "gultige", "only", "options"];

/// `may only be open, pending or closed`.
pub(crate) fn one_of(sentence: &Sentence<'_>, topic: Option<usize>) -> Vec<Rule> {
    let lower = sentence.text.to_lowercase();
    let cued = CUES.iter().find_map(|cue| {
        let at = lower
            .find(&format!("{cue} "))
            .map(|at| at + cue.len())
            .or_else(|| lower.find(cue).filter(|_| cue.ends_with(':')).map(|at| at + cue.len()))?;
        let values = phrases::list(&list_text(sentence, &lower, cue, at)?);
        if !are_values(&values) {
            return None;
        }
        let column = column_of(sentence, topic, at, &values)?;
        (!are_columns(sentence, &values)).then_some(Rule::OneOf(column, values))
    });
    cued.map_or_else(|| listed(sentence), |rule| vec![rule])
}

/// The text of the list that a cue opens, or closes; `at` is the end of the cue.
fn list_text(sentence: &Sentence<'_>, lower: &str, cue: &str, at: usize) -> Option<String> {
    let rest = sentence.text.get(at..)?;
    let rest = rest.trim_start_matches([':', ' ', '(', '[', '{', '=']);
    let rest = rest.strip_prefix("one of").unwrap_or(rest).trim_start_matches([':', ' ', '(', '[', '{']);
    let cut = STOPS.iter().filter_map(|stop| rest.find(stop)).min().unwrap_or(rest.len());
    let list = if ["are allowed", "are valid"].contains(&cue) {
        lower
            .get(..at - cue.len())
            .and_then(|head| head.rsplit([':', '.']).next().map(str::to_owned))
            .unwrap_or_default()
    } else {
        rest.get(..cut).unwrap_or(rest).trim_end_matches(['.', '!']).to_owned()
    };
    Some(list.replace(" / ", ", ").replace(['/', '|'], ", "))
}

/// Whether a list is one of values, not of rules such as `unique` or of two bounds.
fn are_values(values: &[String]) -> bool {
    let numbers = values.iter().all(|value| value.parse::<f64>().is_ok());
    let words = |value: &String| value.split_whitespace().count() <= 3 && !value.is_empty();
    let rule = values
        .iter()
        .any(|value| NO_VALUES.iter().any(|no| fold(value) == *no || fold(value).starts_with(&format!("{no} "))));
    !(values.len() < 2 || !values.iter().all(words) || rule || (numbers && values.len() < 3))
}

/// The column that a list is about: named before it, else one that holds its values.
fn column_of(sentence: &Sentence<'_>, topic: Option<usize>, at: usize, values: &[String]) -> Option<usize> {
    let place = sentence.pieces.iter().position(|piece| piece.start >= at).unwrap_or(sentence.pieces.len());
    let named = (0..place).rev().find_map(|at| sentence.column(at));
    let holding = |column: usize| {
        (0..sentence.sheet.table.rows.len())
            .any(|row| values.iter().any(|value| fold(value) == fold(sentence.sheet.cell(row, column))))
    };
    named
        .or(topic.filter(|column| holding(*column)))
        .or_else(|| (0..sentence.sheet.table.columns.len()).find(|column| holding(*column)))
}

/// The list may name columns instead: `must have a customer and an amount`.
fn are_columns(sentence: &Sentence<'_>, values: &[String]) -> bool {
    let names: Vec<Vec<String>> = sentence.sheet.table.columns.iter().map(|name| columns::name_words(name)).collect();
    values.iter().all(|value| {
        let words = columns::name_words(value);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        columns::find(&names, &words).is_some_and(|(_, _, strength)| strength >= Strength::Part)
    })
}

/// `valid statuses: new, paid`, `active yes or no`.
fn listed(sentence: &Sentence<'_>) -> Vec<Rule> {
    let sheet = sentence.sheet;
    let colon = sentence.text.find(':');
    let head = colon.and_then(|at| sentence.text.get(..at)).unwrap_or_default();
    let allows = sentence.pieces.iter().take_while(|piece| piece.end <= head.len()).any(|piece| piece.says(ALLOWING));
    let (column, list) =
        if let Some(at) = colon.filter(|_| allows) {
            (sentence.columns().first().copied(), sentence.text.get(at + 1..).unwrap_or_default())
        } else {
            let Some(first) = sentence.pieces.first().filter(|piece| {
                piece.column().is_some() && sentence.pieces.len() <= 8 && sentence.says(&["or", "oder"])
            }) else {
                return Vec::new();
            };
            (first.column(), sentence.text.get(first.end..).unwrap_or_default())
        };
    let values = phrases::list(list.trim_end_matches(['.', '!']));
    let holds = |column: usize| {
        values.iter().any(|value| sheet.table.cells(column).iter().any(|cell| fold(cell) == fold(value)))
    };
    match column {
        Some(column)
            if values.len() > 1
                && values.iter().all(|value| value.split_whitespace().count() <= 2)
                && holds(column) =>
        {
            vec![Rule::OneOf(column, values)]
        }
        _ => Vec::new(),
    }
}
