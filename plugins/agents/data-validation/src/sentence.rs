//! A sentence of a request, with its columns and numbers marked.

use agent_common::columns::fold;
use agent_common::marks::{self, Piece};
use agent_common::sheet::Sheet;

const RULING: &[&str] = &["must", "should", "may", "is", "are", "between", "only", "darf", "muss", "can", "has"];

/// Words that a rule says of its column.
const PREDICATES: &[&str] = &[
    "must", "should", "may", "shall", "can", "can't", "cannot", "has", "have", "needs", "need", "is", "are", "isn't",
    "muss", "darf", "soll", "mussen", "sollen", "durfen", "doit", "doivent", "peut", "debe", "deben", "puede", "deve",
    "never", "always", "cant",
];

pub(crate) const DENIES: &[&str] = &[
    "not",
    "no",
    "nobody",
    "never",
    "cannot",
    "can't",
    "none",
    "nicht",
    "kein",
    "keine",
    "without",
    "don't",
    "mustn't",
    "nor",
    "niemand",
    "aucun",
    "ne",
    "shouldn't",
    "nothing",
    "isn't",
    "exceed",
    "exceeds",
];

pub(crate) const FLAGS: &[&str] = &[
    "flag",
    "find",
    "which",
    "where",
    "any",
    "mark",
    "wrong",
    "show",
    "list",
    "look",
    "impossible",
    "invalid",
    "welche",
    "finde",
    "suspicious",
    "report",
    "spot",
    "bad",
    "error",
    "reject",
    "outside",
];

/// A sentence of a request.
pub(crate) struct Sentence<'s> {
    pub(crate) sheet: &'s Sheet,
    pub(crate) text: String,
    pub(crate) pieces: Vec<Piece>,
}

impl Sentence<'_> {
    pub(crate) fn is(&self, at: usize, texts: &[&str]) -> bool {
        self.pieces.get(at).is_some_and(|piece| piece.is_one(texts))
    }

    pub(crate) fn says(&self, texts: &[&str]) -> bool {
        self.pieces.iter().any(|piece| piece.says(texts))
    }

    /// Whether the words of a phrase stand in it.
    pub(crate) fn has(&self, phrases: &[&str]) -> bool {
        let folded = format!(
            " {} ",
            fold(&self.text)
                .replace(|c: char| !(c.is_alphanumeric() || c == '@'), " ")
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        );
        phrases.iter().any(|phrase| folded.contains(&format!(" {phrase} ")))
    }

    pub(crate) fn column(&self, at: usize) -> Option<usize> {
        self.pieces.get(at).and_then(Piece::column)
    }

    /// The columns that it names, each once.
    pub(crate) fn columns(&self) -> Vec<usize> {
        let mut all = Vec::new();
        for column in self.pieces.iter().filter_map(Piece::column) {
            if !all.contains(&column) {
                all.push(column);
            }
        }
        all
    }

    /// The column of a number or rule: named before it, else after it, else the only one that fits.
    pub(crate) fn column_near(&self, at: usize, fits: &dyn Fn(usize) -> bool) -> Option<usize> {
        let before = (0..at).rev().find_map(|at| self.column(at).filter(|column| fits(*column)));
        let after = (at..self.pieces.len()).find_map(|at| self.column(at).filter(|column| fits(*column)));
        before.or(after)
    }
}

/// The sentences of a request, marked.
pub(crate) fn sentences<'s>(request: &str, sheet: &'s Sheet) -> Vec<Sentence<'s>> {
    let pieces = marks::read(request, &sheet.table);
    let mut all = Vec::new();
    let mut own: Vec<Piece> = Vec::new();
    for piece in pieces {
        let line = own
            .last()
            .is_some_and(|last: &Piece| request.get(last.end..piece.start).is_some_and(|gap| gap.contains('\n')));
        if line && !own.is_empty() {
            all.push(std::mem::take(&mut own));
        }
        // `age is a number, active yes or no`: a rule of its own behind the comma.
        let comma = own.last().is_some_and(|last| last.is_one(&[","]));
        let ruled = own.iter().any(|piece| piece.says(RULING)) && own.iter().any(|piece| piece.column().is_some());
        if comma && ruled && piece.column().is_some() {
            let next = request.get(piece.end..).unwrap_or_default().trim_start();
            if !next.starts_with([',', '.', ')', '?'])
                && !["and ", "or ", "und ", "oder "].iter().any(|word| next.starts_with(word))
            {
                all.push(std::mem::take(&mut own));
            }
        }
        // `rent is a number and the end must not be before the start`: two rules.
        let joined = own.last().is_some_and(|last| last.is_one(&["and", "und", "et", "y", "but", "while"]));
        let predicate =
            own.iter().any(|piece| piece.says(PREDICATES)) && own.iter().any(|piece| piece.column().is_some());
        if joined && predicate && piece.column().is_some() {
            let next = request.get(piece.end..).unwrap_or_default();
            let clause = next.split([',', '.', ';', '?', '!', '\n']).next().unwrap_or_default();
            let clause = fold(clause.split(" and ").next().unwrap_or_default());
            let ruled =
                clause.split_whitespace().next().is_some_and(|word| PREDICATES.contains(&word.trim_matches(',')));
            let name =
                request.get(piece.start..piece.end).is_some_and(|name| name.contains('_') || !name.contains(' '))
                    || piece.column().is_some();
            if ruled && name {
                own.pop();
                all.push(std::mem::take(&mut own));
            }
        }
        let ends = piece.is_one(&[".", "?", "!", ";"]);
        own.push(piece);
        if ends {
            all.push(std::mem::take(&mut own));
        }
    }
    all.push(own);
    all.into_iter()
        .filter(|own| !own.is_empty())
        .map(|pieces| {
            let text = pieces
                .first()
                .zip(pieces.last())
                .and_then(|(first, last)| request.get(first.start..last.end))
                .unwrap_or_default()
                .to_owned();
            let shift = pieces.first().map_or(0, |first| first.start);
            let moved =
                pieces.into_iter().map(|piece| Piece { start: piece.start - shift, end: piece.end - shift, ..piece });
            Sentence { sheet, pieces: moved.collect(), text }
        })
        .collect()
}
