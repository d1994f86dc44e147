//! Columns of which one is not before the other.

use agent_common::columns;
use agent_common::sheet::Kind;
use agent_common::tokens::Sort;

use crate::rule::Rule;
use crate::sentence::{FLAGS, Sentence};

const LATER: &[&str] = &[
    "after", "later", "nach", "greater", "larger", "more", "above", "exceed", "exceeds", ">", ">=", "higher", "apres",
    "bigger", "spater",
];
const EARLIER: &[&str] = &[
    "before", "earlier", "vor", "less", "smaller", "below", "under", "<", "<=", "lower", "avant", "precede",
    "precedes", "fruher",
];
const LATE: &[&str] = &[
    "due",
    "delivered",
    "delivery",
    "returned",
    "return",
    "shipped",
    "paid",
    "closed",
    "left",
    "expires",
    "expiry",
    "completed",
    "checkout",
    "death",
    "died",
];
const SOON: &[&str] = &[
    "invoice",
    "ordered",
    "order",
    "issued",
    "created",
    "opened",
    "joined",
    "rented",
    "borrowed",
    "hired",
    "started",
    "checkin",
    "birth",
    "born",
    "manufactured",
];

const RULING: &[&str] =
    &["must", "should", "always", "may", "muss", "shall", "cannot", "can't", "never", "only", "need", "needs"];
const DENYING: &[&str] = &["not", "never", "cannot", "can't", "no", "nicht", "nie", "mustn't"];

/// `end after start`, `start must not be later than end`.
pub(crate) fn order(sentence: &Sentence<'_>) -> Option<Rule> {
    let cue = (1..sentence.pieces.len()).find(|at| {
        let word = sentence.is(*at, LATER) || sentence.is(*at, EARLIER);
        word && !sentence
            .pieces
            .get(at + 1)
            .is_some_and(|piece| matches!(piece.token.sort, Sort::Number(_) | Sort::Day(_)))
    })?;
    let sheet = sentence.sheet;
    let left = (0..cue).rev().find_map(|at| sentence.column(at))?;
    let right = (cue + 1..(cue + 6).min(sentence.pieces.len())).find_map(|at| sentence.column(at))?;
    if left == right || (sheet.kind(left) != sheet.kind(right)) {
        return None;
    }
    let later = sentence.is(cue, LATER);
    let named = |column: usize, words: &[&str]| {
        columns::name_words(sheet.name(column)).iter().any(|own| words.contains(&own.as_str()))
    };
    if sheet.kind(left) != Kind::Text
        && named(left, LATE) != named(right, LATE)
        && named(left, SOON) != named(right, SOON)
    {
        return Some(if named(left, LATE) { Rule::NotBefore(left, right) } else { Rule::NotBefore(right, left) });
    }
    let is = |column: usize, word: &str| {
        columns::name_words(sheet.name(column))
            .iter()
            .any(|own| columns::concept(own).is_some() && columns::concept(own) == columns::concept(word))
    };
    // An end is after a start however it is said.
    if is(left, "end") && is(right, "start") {
        return Some(Rule::NotBefore(left, right));
    }
    if is(left, "start") && is(right, "end") {
        return Some(Rule::NotBefore(right, left));
    }
    let rule = sentence.says(RULING) || sentence.has(&["has to", "have to", "can not"]);
    let denied = sentence.pieces.iter().take(cue).any(|piece| piece.is_one(DENYING));
    let flags = !rule
        && (sentence.says(FLAGS)
            || sentence.text.trim_end().ends_with('?')
            || sentence.says(&["anyone", "anybody", "anything", "somebody"]));
    let holds = later != (denied || flags);
    if sheet.kind(left) == Kind::Number && rule && !denied && !sentence.has(&["or equal", "at least", "equal or"]) {
        return Some(if holds { Rule::Above(left, right) } else { Rule::Above(right, left) });
    }
    Some(if holds { Rule::NotBefore(left, right) } else { Rule::NotBefore(right, left) })
}
