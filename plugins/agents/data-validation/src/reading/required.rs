//! Columns that must have a value.

use crate::rule::Rule;
use crate::sentence::Sentence;

const REQUIRED: &[&str] = &[
    "must have",
    "required",
    "mandatory",
    "missing",
    "empty",
    "blank",
    "blanks",
    "holes",
    "filled",
    "filled in",
    "incomplete",
    "complete",
    "fehlt",
    "fehlen",
    "fehlende",
    "leer",
    "leere",
    "pflicht",
    "pflichtfeld",
    "obligatoire",
    "obligatoires",
    "null",
    "no value",
    "manque",
    "manquantes",
    "obligatorio",
    "obligatorios",
    "must not be empty",
    "needs a",
    "need a",
    "has to have",
    "without a",
    "without an",
    "lacks",
    "lack",
    "vide",
    "faltan",
    "falta",
    "vacios",
    "every order must have",
    "unvollstandig",
    "ausgefullt",
    "lacking",
    "have no",
    "has no",
    "needs an",
    "manquent",
    "manquante",
    "manquant",
    "vides",
    "sin valor",
    "mancano",
    "manca",
    "vuoti",
    "vuote",
    "ontbreekt",
    "ontbreken",
    "leeg",
    "lege",
    "gaps",
    "unfilled",
    "left out",
    "not filled",
    "nothing in",
    "no entry",
    "luecken",
    "lucken",
    "trous",
    "must be there",
    "must be present",
    "must not be missing",
    "compulsory",
];
const EVERY: &[&str] = &["every", "each", "jede", "jeder", "all", "chaque", "which", "any"];
const HAVING: &[&str] = &[
    "must have",
    "needs a",
    "needs an",
    "need a",
    "has to have",
    "without a",
    "without an",
    "lacks",
    "lack",
    "have no",
    "has no",
];

pub(crate) fn required(sentence: &Sentence<'_>) -> Vec<Rule> {
    let wants = sentence.has(REQUIRED);
    if !wants || sentence.has(&["optional"]) && !sentence.has(&["mandatory", "required"]) {
        return Vec::new();
    }
    let sheet = sentence.sheet;
    let mut columns = sentence.columns();
    // `every order must have a customer`: the first column only says whose.
    let every = sentence.pieces.iter().position(|piece| piece.says(EVERY));
    if let Some(at) = every.filter(|_| columns.len() > 1 && sentence.has(HAVING))
        && let Some(column) = sentence.column(at + 1)
    {
        columns.retain(|own| *own != column);
    }
    if columns.is_empty() {
        columns = (0..sheet.table.columns.len()).collect();
    }
    columns.into_iter().map(Rule::Required).collect()
}
