//! Formulas between columns that a sentence says: `total = qty * price`.

use agent_common::formula::{self, Formula};

use crate::rule::Rule;
use crate::sentence::Sentence;

const EQUAL: &[&str] = &[
    "=",
    "==",
    "equals",
    "equal",
    "gives",
    "makes",
    "ergibt",
    "ergeben",
    "gleich",
    "egal",
    "is",
    "be",
    "as",
    "ist",
    "to",
    "match",
    "matches",
    "entspricht",
    "sein",
];
const SUMS: &[&str] =
    &["sum of", "add up", "adds up", "summe aus", "summe von", "added together", "sum to", "together", "sums to"];
const WHOLES: &[&str] = &["up to", "sum to", "equal", "equals", "sum of", "sums to", "ergeben"];
const GIVES: &[&str] = &["=", "equal", "equals", "to", "gives", "make", "ergeben", "ist", "is"];

/// `total = qty * price`, `netto + mwst = brutto`, `the sum of a and b is c`.
pub(crate) fn equation(sentence: &Sentence<'_>) -> Option<Rule> {
    let equal = |at: usize| sentence.is(at, EQUAL);
    if let Some((found, from, to)) = formula::find(&sentence.pieces) {
        let own = found.columns();
        let before = (0..from).rev().take(8).find_map(|at| sentence.column(at).filter(|column| !own.contains(column)));
        let after = (to..to + 6).find_map(|at| sentence.column(at).filter(|column| !own.contains(column)));
        let joined = (from.saturating_sub(6)..from).any(equal);
        let target = if joined { before.or(after) } else { after.filter(|_| (to..to + 5).any(equal)).or(before) };
        return target.map(|target| Rule::Equals(target, found));
    }
    let sums = sentence.has(SUMS);
    let columns: Vec<usize> =
        sentence.columns().into_iter().filter(|column| sentence.sheet.measures().contains(column)).collect();
    if let ([target], true) = (columns.as_slice(), sums) {
        let parts: Vec<usize> = sentence.sheet.measures().into_iter().filter(|column| column != target).collect();
        let whole = sentence.sheet.measures().contains(target) && parts.len() > 1 && sentence.has(WHOLES);
        return whole.then_some(Rule::Equals(*target, Formula::Sum(parts)));
    }
    if !sums || columns.len() < 3 {
        return None;
    }
    let target = (1..sentence.pieces.len()).find_map(|at| {
        let behind = (at.saturating_sub(4)..at).any(|at| sentence.is(at, GIVES));
        sentence.column(at).filter(|_| behind)
    });
    let first = columns.first().copied();
    let starts = (0..sentence.pieces.len()).find(|at| sentence.is(*at, &["sum", "summe"]));
    let leads = starts.is_some_and(|at| (0..at).any(|at| sentence.column(at).is_some()));
    let target =
        if leads { first } else { target.filter(|target| Some(*target) != first).or(columns.last().copied()) }?;
    Some(Rule::Equals(target, Formula::Sum(columns.into_iter().filter(|column| *column != target).collect())))
}
