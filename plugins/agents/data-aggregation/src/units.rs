//! Columns that are called by their unit: the times are in `seconds`, the weight is `kg`.

use agent_common::columns::{name_words, same_word};

/// What is measured, and the units that columns of it are called by.
const UNITS: &[(&[&str], &[&str])] = &[
    (
        &["time", "duration", "zeit", "dauer", "temps", "duree", "tiempo", "runtime"],
        &[
            "seconds", "second", "sec", "s", "minutes", "minute", "min", "mins", "hours", "hour", "h", "hrs", "ms",
            "sekunden", "minuten", "stunden", "heures",
        ],
    ),
    (
        &["weight", "gewicht", "poids", "peso", "mass"],
        &["kg", "g", "lb", "lbs", "tonnes", "tons", "t", "kilos", "grams", "gramm"],
    ),
    (
        &["distance", "length", "height", "strecke", "entfernung", "lange"],
        &["km", "m", "mi", "miles", "cm", "mm", "metres", "meters", "kilometres", "ft"],
    ),
    (&["temperature", "temp", "temperatur", "temperatures"], &["c", "f", "celsius", "degrees", "grad", "deg"]),
    (&["volume", "milk", "fuel", "water", "menge"], &["l", "litres", "liters", "liter", "ml", "gallons", "m3"]),
    (
        &[
            "amount", "money", "price", "cost", "value", "fee", "betrag", "preis", "kosten", "montant", "prix",
            "importe",
        ],
        &["eur", "usd", "gbp", "chf", "euro", "euros", "dollars", "pounds"],
    ),
    (&["energy", "power", "electricity", "strom", "consumption", "verbrauch"], &["kwh", "mwh", "kw", "watt", "wh"]),
];

/// Whether a word says what a column of this name measures.
pub fn measures(word: &str, column: &str) -> bool {
    let names = name_words(column);
    UNITS.iter().any(|(nouns, units)| {
        nouns.iter().any(|noun| same_word(noun, word)) && names.iter().any(|name| units.contains(&name.as_str()))
    })
}
