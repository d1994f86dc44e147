//! Words for forms of cells: e-mail, phone, date and the like.

use crate::column_names;
use crate::form::Form;
use crate::sentence::Sentence;

const FORMS: &[(&[&str], &str, Form)] = &[
    (&["email", "emails", "mail", "mails", "mailadressen", "courriel", "correo"], "email", Form::Email),
    (
        &["phone", "phones", "telephone", "telefon", "telefonnummer", "telefonnummern", "mobile", "tel", "handynummer"],
        "phone",
        Form::Phone,
    ),
    (
        &["postcode", "postcodes", "zip", "zips", "plz", "postleitzahl", "postleitzahlen", "zipcode", "zipcodes"],
        "postcode",
        Form::Postcode(None),
    ),
    (&["iban", "ibans"], "iban", Form::Iban),
    (&["url", "urls", "website", "websites", "link", "links"], "url", Form::Url),
    (&["hex", "colour", "colours", "color", "colors"], "hex", Form::Hex),
    (&["isbn", "isbns"], "isbn", Form::Isbn),
    (&["ean", "eans", "gtin", "barcode", "barcodes"], "ean", Form::Ean),
    (&["card", "cards", "kreditkarte", "luhn"], "card", Form::Card),
    (&["ip", "ips"], "ip", Form::Ip),
    (&["uhrzeiten", "uhrzeit", "times", "clock"], "time", Form::Time),
    (&["dates", "datum", "daten", "date", "calendar", "datumsangaben", "fechas"], "date", Form::Day),
];

const CUES: &[&str] = &[
    "valid",
    "typos",
    "incorrect",
    "mistyped",
    "gultig",
    "gultige",
    "format",
    "malformed",
    "wrong",
    "check",
    "validate",
    "correct",
    "like",
    "look",
    "looks",
    "well",
    "formed",
    "invalid",
    "prufen",
    "prufe",
    "real",
    "exist",
    "broken",
    "must",
    "be",
    "impossible",
    "right",
    "proper",
    "verify",
    "bad",
    "checksum",
    "typo",
    "syntax",
    "korrekt",
    "falsch",
    "possible",
    "not",
    "ungultig",
    "valide",
    "valides",
    "which",
    "any",
    "faulty",
    "validos",
];

const STRONG: &[&str] = &[
    "valid",
    "typo",
    "typos",
    "format",
    "malformed",
    "wrong",
    "check",
    "validate",
    "correct",
    "invalid",
    "syntax",
    "faulty",
    "gultig",
    "prufen",
    "prufe",
    "ok",
    "okay",
    "well",
];

/// Words for forms that a sentence says, with the columns meant; none where there is no such column.
pub(crate) fn form_words(sentence: &Sentence<'_>) -> Vec<(&'static str, Form)> {
    if !sentence.says(CUES) {
        return Vec::new();
    }
    let strong = sentence.says(STRONG);
    let about = |name: &str| {
        strong
            && ["email", "phone", "postcode", "iban", "url", "isbn"].contains(&name)
            && names_column_of(sentence, name)
    };
    FORMS
        .iter()
        .filter(|(words, name, _)| sentence.says(words) || about(name))
        .map(|(_, name, form)| (*name, form.clone()))
        .collect()
}

/// Whether a sentence names a column of a kind.
fn names_column_of(sentence: &Sentence<'_>, name: &str) -> bool {
    let own = column_names::columns_of(sentence.sheet, name);
    sentence.columns().iter().any(|column| own.contains(column))
}
