//! Columns that a sentence wants to be numbers or whole numbers.

use agent_common::sheet::Kind;

use crate::rule::Rule;
use crate::sentence::Sentence;

const WHOLE: &[&str] = &[
    "whole number",
    "whole numbers",
    "integer",
    "integers",
    "no decimals",
    "ganze zahl",
    "ganze zahlen",
    "ganzzahlig",
    "no fractions",
    "half grades not exist",
    "no half",
    "no halves",
    "nombre entier",
    "nombres entiers",
];
const NUMERIC: &[&str] = &[
    "numeric",
    "a number",
    "be numbers",
    "are numbers",
    "only numbers",
    "not a number",
    "not numbers",
    "must be number",
    "zahl sein",
    "no number",
];

pub(crate) fn whole(sentence: &Sentence<'_>, topic: Option<usize>) -> Vec<Rule> {
    let wants = sentence.has(WHOLE)
        || (sentence.says(&["half", "halves", "fractions"]) && sentence.says(&["no", "not", "never", "without"]));
    let numeric = sentence.has(NUMERIC);
    if !wants && !numeric {
        return Vec::new();
    }
    // `a name and a numeric weight`: the word says it of the column behind it.
    let behind = (0..sentence.pieces.len())
        .filter(|at| sentence.is(*at, &["numeric", "integer", "numerical", "numerische", "numerique"]))
        .find_map(|at| sentence.column(at + 1));
    if let Some(column) = behind {
        return vec![if wants { Rule::Whole(column) } else { Rule::Numeric(column) }];
    }
    let named: Vec<usize> = sentence
        .columns()
        .into_iter()
        .filter(|column| numeric || sentence.sheet.kind(*column) == Kind::Number)
        .collect();
    let columns = if named.is_empty() {
        topic.into_iter().chain(sentence.sheet.measures().first().copied()).take(1).collect()
    } else {
        named
    };
    columns.into_iter().map(|column| if wants { Rule::Whole(column) } else { Rule::Numeric(column) }).collect()
}
