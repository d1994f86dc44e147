//! Who writes a text and who is written to.

use agent_common::columns::fold;
use serde_json::json;

use crate::fill::{Evidence, Found};
use crate::wanted::Wanted;

/// How letters close.
const CLOSES: &[&str] = &[
    "regards",
    "best",
    "kind regards",
    "yours",
    "sincerely",
    "mit freundlichen grussen",
    "viele grusse",
    "cordialement",
    "saludos",
    "thanks",
    "cheers",
    "best regards",
    "yours sincerely",
];

/// Words before who paid.
const PAID_BY: &[&str] =
    &["received from ", "recebemos de ", "erhalten von ", "recu de ", "reçu de ", "recibimos de ", "Received from "];

/// Who writes and who is written to, by salutation and close.
pub(crate) fn party(text: &str, field: &Wanted) -> Option<Found> {
    let has = |words: &[&str]| field.words.iter().any(|word| words.contains(&word.as_str()));
    let name = |raw: &str| {
        let raw = raw.trim().trim_end_matches([',', '.', '!', ':']).to_owned();
        let fits = !raw.is_empty()
            && raw.split_whitespace().count() <= 4
            && raw.split_whitespace().all(|word| word.chars().next().is_some_and(char::is_uppercase));
        fits.then(|| Found { value: json!(raw.clone()), raw, evidence: Evidence::Word })
    };
    if has(&["sender", "signatory", "author", "absender", "writer"]) {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let close = lines.position(|line| {
            let lower = fold(line);
            CLOSES.iter().any(|word| lower.trim_end_matches([',', '.', '!']) == *word)
        });
        return close.and_then(|_| lines.next()).and_then(name);
    }
    if has(&["recipient", "addressee", "empfanger"]) {
        let line = text.lines().find_map(|line| {
            ["Dear ", "Hello ", "Hi ", "Liebe ", "Lieber "].iter().find_map(|word| line.trim().strip_prefix(word))
        })?;
        return name(line.split(',').next()?);
    }
    if has(&["customer", "cliente", "client", "payer", "tenant", "kunde", "kunden"]) {
        for cue in PAID_BY {
            if let Some(rest) = text.find(cue).and_then(|at| text.get(at + cue.len()..)) {
                return name(rest.split([',', '\n', ';', '(']).next()?);
            }
        }
    }
    None
}
