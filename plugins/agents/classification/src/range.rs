//! A range of numbers in words.

use agent_common::quantity;

/// A range of numbers with its label.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Range {
    pub low: f64,
    pub high: f64,
    pub low_in: bool,
    pub high_in: bool,
    pub label: String,
}

/// Words of two limits the upper of which is out.
const WITHOUT_THE_UPPER: &[&str] = &[
    "up to but",
    "to under",
    "to below",
    "to less than",
    "but less than",
    "but under",
    "but below",
    "and below",
    "and less than",
    "and under",
    "exclusive",
];

/// Words of two limits the lower of which is out.
const WITHOUT_THE_LOWER: &[&str] = &[
    "more than",
    "over ",
    "above",
    "greater than",
    "heavier than",
    "older than",
    "longer than",
    "larger than",
    "higher than",
];

/// Words of a lower limit that is in.
const FROM: &[&str] = &[
    "or more",
    "at least",
    "and above",
    "and up",
    "or above",
    "or higher",
    "and more",
    "and over",
    "or over",
    "minimum",
    "from ",
    "≥",
    ">=",
    "or older",
    "and older",
    "upwards",
];

/// Words of an upper limit that is in.
const UP_TO: &[&str] = &[
    "or less",
    "at most",
    "up to",
    "and below",
    "or below",
    "or lower",
    "or fewer",
    "maximum",
    "no more than",
    "not more than",
    "≤",
    "<=",
    "or younger",
];

/// Words of an upper limit that is out.
const BELOW: &[&str] = &[
    "under",
    "below",
    "less than",
    "fewer than",
    "<",
    "younger than",
    "lighter than",
    "shorter than",
    "lower than",
    "smaller than",
    "cheaper than",
    "before",
];

/// Words of a lower limit that is out.
const ABOVE: &[&str] = &[
    "over",
    "above",
    "more than",
    "greater than",
    ">",
    "older than",
    "heavier than",
    "longer than",
    "higher than",
    "larger than",
    "exceeding",
    "beyond",
    "after",
];

/// The range of a clause; none where it has no number or no word that says which side.
pub(crate) fn range(clause: &str, label: String) -> Option<Range> {
    let numbers: Vec<f64> = numbers(clause);
    let has = |words: &[&str]| words.iter().any(|word| clause.contains(word));
    let (first, second) = (numbers.first().copied()?, numbers.get(1).copied());
    let all = |low: f64, high: f64, low_in: bool, high_in: bool| {
        Some(Range { low, high, low_in, high_in, label: label.clone() })
    };
    if let Some(second) = second {
        let high_in = !has(WITHOUT_THE_UPPER) || has(&["including", "inclusive"]);
        let low_in = !has(WITHOUT_THE_LOWER);
        return all(first.min(second), first.max(second), low_in, high_in);
    }
    if has(FROM) || clause.contains(&format!("{first}+")) {
        return all(first, f64::INFINITY, true, true);
    }
    if has(UP_TO) {
        return all(f64::NEG_INFINITY, first, true, true);
    }
    if has(BELOW) {
        return all(f64::NEG_INFINITY, first, true, false);
    }
    if has(ABOVE) {
        return all(first, f64::INFINITY, false, true);
    }
    None
}

fn numbers(clause: &str) -> Vec<f64> {
    let apart: String = clause.chars().map(|c| if matches!(c, '-' | '–' | '+') { ' ' } else { c }).collect();
    quantity::scan(&apart).into_iter().filter(|quantity| !quantity.ordinal).map(|quantity| quantity.value).collect()
}
