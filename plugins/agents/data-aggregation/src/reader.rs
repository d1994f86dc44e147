//! A request against a sheet: its pieces, and which of them are understood.

use agent_common::formula::Formula;
use agent_common::marks::{self, Piece};
use agent_common::sheet::Sheet;

use crate::{calendar, units, words};

/// A request against a sheet: its pieces and which of them are understood.
pub struct Reader<'s> {
    pub sheet: &'s Sheet,
    pub pieces: Vec<Piece>,
    pub used: Vec<bool>,
    /// The formula, and where it stands; at the end where the request gives only its name.
    pub formula: Option<(Formula, usize, usize)>,
}

impl<'s> Reader<'s> {
    pub fn new(request: &str, sheet: &'s Sheet) -> Self {
        let pieces = marks::read(request, &sheet.table);
        let used = vec![false; pieces.len()];
        Self { sheet, pieces, used, formula: None }
    }

    pub fn piece(&self, at: usize) -> Option<&Piece> {
        self.pieces.get(at)
    }

    pub fn is(&self, at: usize, texts: &[&str]) -> bool {
        self.pieces.get(at).is_some_and(|piece| piece.is_one(texts))
    }

    pub fn is_used(&self, at: usize) -> bool {
        self.used.get(at).copied().unwrap_or(true)
    }

    pub fn mark(&mut self, from: usize, to: usize) {
        for at in from..to {
            if let Some(slot) = self.used.get_mut(at) {
                *slot = true;
            }
        }
    }

    pub fn column(&self, at: usize) -> Option<usize> {
        self.pieces.get(at).and_then(Piece::column)
    }

    pub fn says_any(&self, texts: &[&str]) -> bool {
        self.pieces.iter().any(|piece| piece.says(texts))
    }

    /// Whether a piece ends a clause.
    pub fn is_stop(&self, at: usize) -> bool {
        self.is(at, &[",", ";", ".", "?", "!", ":"])
    }

    /// Whether months or weekdays are the columns.
    fn has_wide_periods(&self) -> bool {
        self.sheet.measures().iter().filter(|column| calendar::is_period(self.sheet.name(**column))).count() > 1
    }

    /// `status code`: the noun behind the name of a column belongs to it; `the time` is a column of seconds.
    fn is_of_column(&self, at: usize) -> bool {
        let Some(piece) = self.pieces.get(at) else { return false };
        let noun = [
            "code", "codes", "name", "names", "number", "id", "ids", "column", "field", "type", "category", "group",
            "level",
        ];
        let behind =
            noun.contains(&piece.text.as_str()) && at.checked_sub(1).is_some_and(|at| self.column(at).is_some());
        behind || self.sheet.measures().iter().any(|column| units::measures(&piece.text, self.sheet.name(*column)))
    }

    /// Whether a word is used, a part of a column, or a span that the columns are.
    fn is_named(&self, at: usize, word: &str) -> bool {
        self.is_used(at) || self.is_of_column(at) || (self.has_wide_periods() && calendar::is_unit(word))
    }

    /// A word that no list knows.
    pub fn is_unknown(&self, at: usize) -> bool {
        self.pieces.get(at).is_some_and(|piece| {
            piece.is_word()
                && !self.is_named(at, &piece.text)
                && piece.text.len() > 1
                && !words::is_plain(&piece.text)
                && words::op(&piece.text).is_none()
                && ![words::BY, words::NOT, words::DOWN, words::UP, words::SORT, words::DISTINCT]
                    .iter()
                    .any(|list| list.contains(&piece.text.as_str()))
        })
    }
}
