//! Bounds of numbers that a sentence says: `between 18 and 99`, `at least 3`, `never negative`.

use agent_common::exact::Exact;
use agent_common::marks::Mark;
use agent_common::sheet::Kind;

use crate::bound::Bound;
use crate::rule::Rule;
use crate::sentence::{DENIES, FLAGS, Sentence};

const NEGATIVE: &[&str] = &["negative", "negativ", "negatif", "negativen", "negatives"];
const JOINS: &[&str] = &["and", "to", "-", "–", "bis", "und", "through", "a", "et", "until", "y", "…", ".."];
const UNITS: &[&str] = &["%", "percent", "years", "°", "c", "kg", "eur", "€", "hours", "cm"];
const BETWEEN: &[&str] = &["between", "zwischen", "from", "von", "entre", "within"];
const MORE: &[&str] = &[
    "more",
    "over",
    "above",
    "greater",
    ">",
    "exceed",
    "exceeds",
    "exceeding",
    "older",
    "higher",
    "larger",
    "uber",
    "mehr",
    "longer",
    "grosser",
    "bigger",
    "heavier",
    "superieur",
    "superieure",
    "superieurs",
    "mayor",
    "mayores",
    "maggiore",
    "plus",
    "groter",
    "hoger",
];
const LESS: &[&str] = &[
    "less",
    "under",
    "below",
    "fewer",
    "<",
    "younger",
    "lower",
    "smaller",
    "unter",
    "weniger",
    "shorter",
    "kleiner",
    "inferieur",
    "inferieure",
    "menor",
    "menores",
    "minore",
    "moins",
    "lager",
    "minder",
];

/// `between 18 and 99`, `1 to 5`, `at least 3`, `nobody works more than 24 hours`, `never negative`.
pub(crate) fn ranges(sentence: &Sentence<'_>, topic: Option<usize>) -> Vec<Rule> {
    let mut bounds: Vec<(usize, Bound, Bound)> = Vec::new();
    let mut at = 0;
    while at < sentence.pieces.len() {
        if let Some((low, high, len)) = bound(sentence, at) {
            bounds.push((at, low, high));
            at += len;
        } else {
            at += 1;
        }
    }
    let numeric = |column: usize| sentence.sheet.kind(column) == Kind::Number;
    let only = match sentence.sheet.measures().as_slice() {
        [one] => Some(*one),
        _ => None,
    };
    let mut found: Vec<Rule> = Vec::new();
    for (at, low, high) in bounds {
        let column = sentence.column_near(at, &numeric).or(topic.filter(|column| numeric(*column))).or(only);
        let Some(column) = column else {
            found.extend(of_all(sentence, low, high));
            continue;
        };
        let merged = found.iter_mut().find_map(|rule| match rule {
            Rule::Range(own, a, b) if *own == column => Some((a, b)),
            _ => None,
        });
        match merged {
            Some((a, b)) => {
                *a = a.or(low);
                *b = b.or(high);
            }
            None => found.push(Rule::Range(column, low, high)),
        }
    }
    found
}

/// `marks from 1 to 6`, where each column of numbers has marks: most of their cells keep to it.
fn of_all(sentence: &Sentence<'_>, low: Bound, high: Bound) -> Vec<Rule> {
    let sheet = sentence.sheet;
    let rules: Vec<Rule> = sheet.measures().into_iter().map(|column| Rule::Range(column, low, high)).collect();
    let broken: usize = rules.iter().map(|rule| rule.check(sheet).len()).sum();
    let fits = sentence.columns().is_empty() && broken * 5 <= rules.len() * sheet.table.rows.len() * 2;
    if fits { rules } else { Vec::new() }
}

/// The bounds that a number gives, and how many pieces they take.
fn bound(sentence: &Sentence<'_>, at: usize) -> Option<(Bound, Bound, usize)> {
    if sentence.is(at, NEGATIVE) {
        return Some((Some((Exact::default(), true)), None, 1));
    }
    if sentence.is(at, &["positive", "positiv"]) {
        return Some((Some((Exact::default(), sentence.has(&["or zero", "non negative"]))), None, 1));
    }
    let number = number(sentence, at)?;
    // `the price can't be zero`: the other prices are above it.
    if number == Exact::default() && back(sentence, at, 1, &["be", "is", "sein", "etre"]) && is_denied(sentence, at) {
        return Some((Some((number, false)), None, 1));
    }
    if let Some(found) = span(sentence, at, number) {
        return Some(found);
    }
    let (low, high) = one_side(sentence, at, number)?;
    Some((low, high, 1))
}

/// Whether one of the texts stands so many pieces before a place.
fn back(sentence: &Sentence<'_>, at: usize, n: usize, texts: &[&str]) -> bool {
    at.checked_sub(n).is_some_and(|at| sentence.is(at, texts))
}

/// The number at a place, with its sign.
fn number(sentence: &Sentence<'_>, at: usize) -> Option<Exact> {
    let zero = sentence.is(at, &["zero", "null"]);
    let number = sentence
        .pieces
        .get(at)
        .filter(|piece| piece.mark == Mark::Other)
        .and_then(|piece| piece.token.number())
        .or(zero.then(Exact::default))?;
    let negative = back(sentence, at, 1, &["-", "−"])
        && at
            .checked_sub(2)
            .is_none_or(|at| sentence.pieces.get(at).is_none_or(|piece| piece.token.number().is_none()));
    if negative { Exact::default().minus(number) } else { Some(number) }
}

/// Two bounds: `between 18 and 99`, `1 to 5`.
fn span(sentence: &Sentence<'_>, at: usize, number: Exact) -> Option<(Bound, Bound, usize)> {
    let unit = usize::from(sentence.is(at + 1, UNITS));
    let joined = sentence.is(at + 1 + unit, JOINS);
    let minus = usize::from(sentence.is(at + 2 + unit, &["-", "−"]));
    let second = joined.then(|| sentence.pieces.get(at + 2 + unit + minus)?.token.number()).flatten();
    let second = if minus > 0 { second.and_then(|high| Exact::default().minus(high)) } else { second };
    let only_range =
        back(sentence, at, 1, BETWEEN) || sentence.is(at + 1, &["to", "-", "–", "bis", "through", "until", "a"]);
    let high = second.filter(|high| only_range && *high >= number)?;
    Some((Some((number, true)), Some((high, true)), 3 + unit + minus))
}

/// One bound: `at least 3`, `never more than 24`.
fn one_side(sentence: &Sentence<'_>, at: usize, number: Exact) -> Option<(Bound, Bound)> {
    let back = |n: usize, texts: &[&str]| back(sentence, at, n, texts);
    let than = usize::from(back(1, &["than", "als", "que", "to", "of", "is", "a", "de", "di", "dan"]));
    let near = |texts: &[&str]| back(1 + than, texts) || back(1, texts);
    let denied = is_denied(sentence, at.saturating_sub(1 + than) + 1);
    let asks_bad = sentence.says(FLAGS)
        && !sentence.says(&["must", "should", "may", "has", "muss", "soll", "darf", "need", "needs"]);
    let out = denied || near(&["exceed", "exceeds"]) || asks_bad;
    if near(&["least", "minimum", ">=", "≥", "mindestens", "min"])
        || sentence.is(at + 1, &["+"])
        || (sentence.is(at + 1, &["or"]) && sentence.is(at + 2, &["more", "older", "above", "higher", "over"]))
    {
        return Some((Some((number, true)), None));
    }
    if near(&["most", "maximum", "<=", "≤", "hochstens", "max", "maximal"])
        || (sentence.is(at + 1, &["or"])
            && sentence.is(at + 2, &["less", "below", "under", "fewer", "younger", "lower"]))
        || (back(1, &["to"]) && back(2, &["up"]))
    {
        return Some((None, Some((number, true))));
    }
    match (near(MORE), near(LESS)) {
        (true, _) if out => Some((None, Some((number, true)))),
        (true, _) => Some((Some((number, false)), None)),
        (_, true) if out => Some((Some((number, true)), None)),
        (_, true) => Some((None, Some((number, false)))),
        _ => None,
    }
}

/// Whether a word that denies stands before a place, in the same part of the sentence.
fn is_denied(sentence: &Sentence<'_>, from: usize) -> bool {
    (from.saturating_sub(8)..from)
        .rev()
        .take_while(|at| !sentence.is(*at, &[",", "and", "und"]) || sentence.is(at + 1, DENIES))
        .any(|at| sentence.is(at, DENIES))
}
