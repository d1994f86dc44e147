//! Texts beside their translations.

use agent_common::request::{PieceKind, Request};

use crate::languages;

/// Words of a request to compare two texts.
const CHECKS: &[&str] = &[
    "check",
    "compare",
    "qa",
    "different",
    "difference",
    "missing",
    "lost",
    "misspell",
    "misspelt",
    "verify",
    "mismatch",
    "consistent",
    "wrong",
    "same numbers",
    "correct",
    "proof",
    "prüf",
    "vergleich",
    "vérifi",
    "stimmen",
    "did the translator",
    "match",
    "agree",
    "identical",
    "versions",
    "review the translation",
];

/// Names of the two texts.
const SIDES: &[&str] = &[
    "source",
    "target",
    "original",
    "translation",
    "traduction",
    "übersetzung",
    "traducción",
    "traduzione",
    "quelle",
    "ziel",
    "src",
    "tgt",
    "en",
    "de",
    "fr",
    "es",
    "it",
    "pt",
    "nl",
    "pl",
    "sv",
    "da",
    "fi",
    "tr",
    "cs",
];

/// Source and translation of a check: two labelled texts, lines or quotations.
pub(crate) fn pairs(request: &Request, lower: &str) -> Vec<(String, String)> {
    if !CHECKS.iter().any(|cue| lower.contains(cue)) {
        return Vec::new();
    }
    let quoted: Vec<String> = request
        .material
        .iter()
        .filter(|piece| matches!(piece.kind, PieceKind::Quoted | PieceKind::ListItem))
        .map(|piece| piece.text.clone())
        .collect();
    let labelled: Vec<String> =
        request.labelled().into_iter().filter(|(name, _)| is_side(name)).map(|(_, text)| text).collect();
    let tables = request.tables();
    let rows: Vec<String> = tables
        .iter()
        .filter(|table| table.columns.len() >= 2 && !table.rows.is_empty())
        .flat_map(|table| table.rows.iter().flat_map(move |row| row.iter().skip(table.columns.len() - 2).cloned()))
        .collect();
    let lines: Vec<String> = request.items().into_iter().map(|item| item.text).collect();
    let texts = [labelled, quoted, rows, lines]
        .into_iter()
        .find(|texts| texts.len() > 1 && texts.len() % 2 == 0)
        .unwrap_or_default();
    texts
        .chunks(2)
        .filter_map(
            |pair| if let [source, translation] = pair { Some((source.clone(), translation.clone())) } else { None },
        )
        .collect()
}

fn is_side(name: &str) -> bool {
    let name = name.to_lowercase();
    SIDES.contains(&name.trim()) || languages::code(name.trim()).is_some()
}
