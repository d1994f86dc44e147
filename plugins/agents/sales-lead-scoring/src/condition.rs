//! Conditions in words: `title contains director`, `more than 50 employees`.

use agent_common::columns::fold;
use agent_common::lexer::{Kind, Token};
use agent_common::slots;
use agent_common::table::Table;
use serde_json::{Value, json};

use crate::input::Condition;

/// Comparisons with a number, longest first, and the member that each sets.
const COMPARISONS: [(&str, &str); 20] = [
    ("greater than", "above"),
    ("higher than", "above"),
    ("larger than", "above"),
    ("fewer than", "below"),
    ("lower than", "below"),
    ("more than", "above"),
    ("less than", "below"),
    ("at least", "at_least"),
    ("at most", "at_most"),
    ("> =", "at_least"),
    ("< =", "at_most"),
    ("exceeds", "above"),
    ("under", "below"),
    ("above", "above"),
    ("below", "below"),
    ("over", "above"),
    ("≥", "at_least"),
    ("≤", "at_most"),
    (">", "above"),
    ("<", "below"),
];
/// Tests of texts: the member that each sets, and whether the test is reversed.
const TESTS: [(&str, &str, bool); 12] = [
    ("does not contain", "contains", true),
    ("does not include", "contains", true),
    ("is one of", "is", false),
    ("is not", "is", true),
    ("contains", "contains", false),
    ("includes", "contains", false),
    ("contain", "contains", false),
    ("equals", "is", false),
    ("in", "is", false),
    ("is", "is", false),
    ("are", "is", false),
    ("=", "is", false),
];
/// Tests of whether there is a value.
const PRESENCE: [(&str, bool); 9] = [
    ("is not missing", true),
    ("is not empty", true),
    ("is missing", false),
    ("is empty", false),
    ("is blank", false),
    ("is unknown", false),
    ("is known", true),
    ("is given", true),
    ("is present", true),
];

/// Returns how many tokens a phrase takes at a place.
fn phrase(tokens: &[Token], words: &str) -> Option<usize> {
    let words: Vec<&str> = words.split(' ').collect();
    let same = tokens.len() >= words.len() && words.iter().zip(tokens).all(|(word, token)| token.lower == *word);
    same.then_some(words.len())
}

/// Reads a condition on a column of the table; the longest way comes first.
pub fn read(table: &Table, tokens: &[Token]) -> Vec<(usize, Value)> {
    let mut found: Vec<(usize, Condition)> = before(table, tokens).into_iter().collect();
    for (length, column) in slots::longest(&table.columns, tokens) {
        let field = column.as_str().unwrap_or_default();
        let rest = tokens.get(length..).unwrap_or_default();
        found.extend(behind(table, field, rest).into_iter().map(|(more, condition)| (length + more, condition)));
    }
    found.sort_by_key(|(length, _)| std::cmp::Reverse(*length));
    found.into_iter().map(|(length, condition)| (length, json!(condition))).collect()
}

/// Reads `more than 50 employees`.
fn before(table: &Table, tokens: &[Token]) -> Option<(usize, Condition)> {
    let (length, member) = COMPARISONS.iter().find_map(|(words, member)| Some((phrase(tokens, words)?, *member)))?;
    let (digits, limit) = slots::number(tokens.get(length..)?)?;
    let (name, column) = slots::longest(&table.columns, tokens.get(length + digits..)?).into_iter().next()?;
    Some((length + digits + name, compared(column.as_str()?, member, limit.parse().ok()?)))
}

fn compared(field: &str, member: &str, limit: f64) -> Condition {
    let of = |name: &str| (name == member).then_some(limit);
    Condition {
        field: field.to_owned(),
        above: of("above"),
        at_least: of("at_least"),
        below: of("below"),
        at_most: of("at_most"),
        ..Condition::default()
    }
}

/// Reads what follows a column.
fn behind(table: &Table, field: &str, tokens: &[Token]) -> Vec<(usize, Condition)> {
    let of = |member: &str, values: Vec<String>, not: bool| {
        let (contains, is) = if member == "contains" { (values, Vec::new()) } else { (Vec::new(), values) };
        Condition { field: field.to_owned(), contains, is, not, ..Condition::default() }
    };
    let mut found = Vec::new();
    for (words, known) in PRESENCE {
        let condition = Condition { field: field.to_owned(), known: Some(known), ..Condition::default() };
        found.extend(phrase(tokens, words).map(|length| (length, condition)));
    }
    let link = usize::from(phrase(tokens, "is").or_else(|| phrase(tokens, "are")).is_some());
    let numeric = tokens.get(link..).unwrap_or_default();
    let comparison = COMPARISONS.iter().find_map(|(words, member)| Some((link + phrase(numeric, words)?, *member)));
    if let Some((length, member)) = comparison
        && let Some((digits, limit)) = slots::number(tokens.get(length..).unwrap_or_default())
        && let Ok(limit) = limit.parse()
    {
        found.push((length + digits, compared(field, member, limit)));
    }
    if let Some(start) = phrase(numeric, "between").map(|length| link + length)
        && let Some((first, low)) = slots::number(tokens.get(start..).unwrap_or_default())
        && let Some((second, high)) = slots::number(tokens.get(start + first + 1..).unwrap_or_default())
        && tokens.get(start + first).is_some_and(|token| token.lower == "and")
    {
        let range = Condition { at_least: low.parse().ok(), at_most: high.parse().ok(), ..compared(field, "", 0.0) };
        found.push((start + first + 1 + second, range));
    }
    for (words, member, not) in TESTS {
        let Some(start) = phrase(tokens, words) else { continue };
        let mut values = Vec::new();
        let mut at = start;
        while let Some((length, value)) = value(table, field, member, tokens.get(at..).unwrap_or_default()) {
            values.push(value);
            at += length;
            found.push((at, of(member, values.clone(), not)));
            if tokens.get(at).is_none_or(|token| token.lower != "or") {
                break;
            }
            at += 1;
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
    let words = |text: &str| -> Vec<String> {
        agent_common::lexer::tokens(text).iter().map(|token| fold(&token.text)).collect()
    };
    let spoken = |cell: &&&str| {
        let own = words(cell);
        !own.is_empty() && own.len() <= tokens.len() && own.iter().zip(tokens).all(|(a, b)| *a == fold(&b.text))
    };
    let whole = cells.iter().filter(spoken).max_by_key(|cell| words(cell).len());
    if let Some(cell) = whole {
        return Some((words(cell).len(), (*cell).to_owned()));
    }
    let word = matches!(first.kind, Kind::Word | Kind::Number) && member == "contains";
    let wanted = fold(&first.text);
    let known = cells.iter().any(|cell| fold(cell).split(|c: char| !c.is_alphanumeric()).any(|word| word == wanted));
    (word && known).then(|| (1, first.text.clone()))
}

#[cfg(test)]
mod tests {
    use agent_common::{lexer, material};

    use super::*;

    #[test]
    fn conditions_on_a_table() {
        let text = "name,job title,employees,country\nA,Sales Director,60,UK\nB,CFO,20,New Zealand";
        let table = material::tables(text).unwrap().tables.remove(0);
        let read = |text: &str| {
            let tokens = lexer::tokens(text);
            let found = read(&table, &tokens).into_iter().next();
            found.filter(|(length, _)| *length == tokens.len()).map(|(_, condition)| condition)
        };
        let cases = [
            ("job title contains director or CFO", json!({"field": "job title", "contains": ["director", "CFO"]})),
            ("more than 50 employees", json!({"field": "employees", "above": 50.0})),
            ("employees is between 10 and 1,000", json!({"field": "employees", "at_least": 10.0, "at_most": 1000.0})),
            ("country is not New Zealand", json!({"field": "country", "is": ["New Zealand"], "not": true})),
            ("country is \"France\"", json!({"field": "country", "is": ["France"]})),
            ("employees > = 20", json!({"field": "employees", "at_least": 20.0})),
            ("job title is missing", json!({"field": "job title", "known": false})),
        ];
        for (text, expect) in cases {
            assert_eq!(read(text), Some(expect), "{text}");
        }
        for text in ["country is France", "job title contains direktor", "turnover above 5", "employees above 5k"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
