//! What columns are by their names: keys, days, or of a concept.

use agent_common::columns::{self, name_words};
use agent_common::sheet::Sheet;

const KEYS: &[&str] = &[
    "id",
    "ids",
    "uuid",
    "sku",
    "nr",
    "no",
    "number",
    "nummer",
    "code",
    "key",
    "isbn",
    "ean",
    "iban",
    "email",
    "mail",
    "ref",
    "beleg",
    "ticket",
    "username",
    "matrikelnummer",
    "serial",
];

const DAYS: &[&str] = &[
    "date",
    "datum",
    "born",
    "birthdate",
    "dob",
    "birthday",
    "geburtsdatum",
    "geboren",
    "deadline",
    "fecha",
    "due",
    "created",
    "updated",
    "joined",
    "hired",
    "shipped",
    "delivered",
];

/// Columns whose name is of a concept.
pub(crate) fn columns_of(sheet: &Sheet, word: &str) -> Vec<usize> {
    let concept = columns::concept(word);
    let fits = |at: &usize| {
        let own = name_words(sheet.name(*at));
        own.iter().any(|name| name == word || (concept.is_some() && columns::concept(name) == concept))
            || own.concat() == word
    };
    (0..sheet.table.columns.len()).filter(fits).collect()
}

pub(crate) fn named(sheet: &Sheet, at: usize, words: &[&str]) -> bool {
    let own = name_words(sheet.name(at));
    own.iter().any(|name| words.contains(&name.as_str())) || words.contains(&own.concat().as_str())
}

/// Columns that name the rows: ids and numbers of things.
pub(crate) fn keys(sheet: &Sheet) -> Vec<usize> {
    let own = |at: usize| {
        let words = name_words(sheet.name(at));
        words.last().is_some_and(|word| KEYS.contains(&word.as_str()))
            || sheet.name(at).ends_with("ID")
            || sheet.name(at).ends_with("Id")
    };
    let first = (0..sheet.table.columns.len()).find(|at| own(*at) && *at == 0);
    let other = (0..sheet.table.columns.len())
        .filter(|at| named(sheet, *at, &["id", "sku", "email", "uuid", "isbn"]) && Some(*at) != first);
    let others: Vec<usize> = other.filter(|at| first.is_none() || named(sheet, *at, &["email"])).take(2).collect();
    first.into_iter().chain(others).collect()
}

/// Whether a name is one of days.
pub(crate) fn is_day_name(name: &str) -> bool {
    name_words(name).iter().any(|word| DAYS.contains(&word.as_str()))
}
