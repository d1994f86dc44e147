//! Conditions in words: `title contains director`, `more than 50 employees`.

use agent_common::columns::fold;
use agent_common::lexer::{self, Kind, Token};
use agent_common::slots;
use agent_common::table::Table;
use serde_json::{Value, json};

/// Comparisons with a number, and the member that they set.
const COMPARISONS: [(&str, &str); 4] = [
    ("above", "greater than|higher than|larger than|more than|exceeds|above|over|>"),
    ("below", "fewer than|lower than|less than|under|below|<"),
    ("at_least", "at least|> =|≥"),
    ("at_most", "at most|< =|≤"),
];
/// Tests of texts: the member that they set, and whether they are reversed.
const TESTS: [(&str, bool, &str); 4] = [
    ("contains", true, "does not contain|does not include"),
    ("contains", false, "contains|includes|contain"),
    ("is", true, "is not"),
    ("is", false, "is one of|equals|in|is|are|="),
];
/// Tests of whether there is a value.
const PRESENCE: [(bool, &str); 2] = [
    (true, "is not missing|is not empty|is known|is given|is present"),
    (false, "is missing|is empty|is blank|is unknown"),
];

/// Reads a condition on a column of the table; the longest reading comes first.
pub fn read(table: &Table, tokens: &[Token]) -> Vec<(usize, Value)> {
    let mut found = Vec::new();
    for (length, member, limit) in compared(tokens, 0) {
        let name = slots::longest(&table.columns, rest(tokens, length)).into_iter().next();
        found.extend(name.map(|(more, field)| (length + more, json!({ "field": field, (member): limit }))));
    }
    for (length, column) in slots::longest(&table.columns, tokens) {
        let field = column.as_str().unwrap_or_default();
        let tests = tests(table, field, rest(tokens, length));
        found.extend(tests.into_iter().map(|(more, condition)| (length + more, condition)));
    }
    found.sort_by_key(|(length, _)| std::cmp::Reverse(*length));
    found
}

fn rest(tokens: &[Token], from: usize) -> &[Token] {
    tokens.get(from..).unwrap_or_default()
}

/// Returns how many tokens the phrases take that the tokens begin with.
fn phrases<'a>(all: &'a str, tokens: &'a [Token]) -> impl Iterator<Item = usize> + 'a {
    all.split('|').filter_map(|phrase| {
        let words: Vec<&str> = phrase.split(' ').collect();
        let own = tokens.get(..words.len())?;
        words.iter().zip(own).all(|(word, token)| token.lower == **word).then_some(words.len())
    })
}

/// Reads a number from a token on, and where it ends.
fn number(tokens: &[Token], from: usize) -> Option<(usize, f64)> {
    let (length, text) = slots::number(rest(tokens, from))?;
    Some((from + length, text.parse().ok()?))
}

/// Reads comparisons with a number: where they end, the member that they set, and the number.
fn compared(tokens: &[Token], from: usize) -> Vec<(usize, &'static str, f64)> {
    let mut found = Vec::new();
    for (member, words) in COMPARISONS {
        for length in phrases(words, rest(tokens, from)) {
            found.extend(number(tokens, from + length).map(|(end, limit)| (end, member, limit)));
        }
    }
    found
}

/// Reads what follows a column.
fn tests(table: &Table, field: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
    let mut found = Vec::new();
    for (known, words) in PRESENCE {
        found.extend(phrases(words, tokens).map(|length| (length, json!({ "field": field, "known": known }))));
    }
    let link = phrases("is|are", tokens).next().unwrap_or(0);
    let limits = compared(tokens, link).into_iter();
    found.extend(limits.map(|(end, member, limit)| (end, json!({ "field": field, (member): limit }))));
    for start in phrases("between", rest(tokens, link)) {
        if let Some((and, low)) = number(tokens, link + start)
            && let Some((end, high)) = number(tokens, and + 1)
            && tokens.get(and).is_some_and(|token| token.lower == "and")
        {
            found.push((end, json!({ "field": field, "at_least": low, "at_most": high })));
        }
    }
    for (member, not, words) in TESTS {
        for mut at in phrases(words, tokens) {
            let mut values = Vec::new();
            while let Some((length, value)) = value(table, field, member, rest(tokens, at)) {
                values.push(value);
                at += length;
                found.push((at, json!({ "field": field, (member): values, "not": not })));
                if tokens.get(at).is_none_or(|token| token.lower != "or") {
                    break;
                }
                at += 1;
            }
        }
    }
    found
}

/// Reads a value: a text in quotation marks, a cell of the column, or for `contains` a word of a cell.
fn value(table: &Table, field: &str, member: &str, tokens: &[Token]) -> Option<(usize, String)> {
    let first = tokens.first()?;
    if first.kind == Kind::Quoted {
        return Some((1, first.text.clone()));
    }
    let cells = table.column(field).map(|at| table.cells(at)).unwrap_or_default();
    let named = |cell: &&str| -> Option<(usize, String)> {
        let words = lexer::tokens(cell);
        let own = tokens.get(..words.len()).filter(|own| !own.is_empty())?;
        let is_same = words.iter().zip(own).all(|(word, token)| fold(&word.text) == fold(&token.text));
        is_same.then(|| (words.len(), (*cell).to_owned()))
    };
    let whole = cells.iter().filter_map(named).max_by_key(|(length, _)| *length);
    let is_word = matches!(first.kind, Kind::Word | Kind::Number) && member == "contains";
    let has_word = |cell: &&str| fold(cell).split(|c: char| !c.is_alphanumeric()).any(|word| word == fold(&first.text));
    whole.or_else(|| (is_word && cells.iter().any(has_word)).then(|| (1, first.text.clone())))
}
