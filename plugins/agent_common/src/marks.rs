//! The columns and cells of a table that a request names.

use std::collections::{BTreeMap, BTreeSet};

use crate::columns::{self, Strength, fold, name_words, same_word};
use crate::quantity;
use crate::table::Table;
use crate::tokens::{self, Sort, Token};

/// Words of everyday speech that name a column only when they are its whole name.
const EVERYDAY: &[&str] = &[
    "to", "from", "for", "in", "of", "note", "ca", "data", "land", "ore", "mes", "tag", "day", "days", "fin", "fine",
    "time", "end", "start", "sum", "value", "values", "total", "rate", "points", "mark", "marks", "order", "item",
    "items", "name", "cell", "pay", "sold", "von", "bis", "eta", "ort", "data", "valor", "units", "until", "begin",
    "note", "nombre", "team", "ano", "mail", "or", "and", "the", "a", "is", "are", "no", "yes", "on", "at", "by",
    "per", "all", "each", "i", "we", "it", "this", "that", "with", "not", "how", "many", "much", "what", "which",
    "mean", "count", "number", "max", "min", "list", "top", "average", "one", "two", "der", "die", "das", "und", "le",
    "la", "les", "el", "e", "y", "o", "as", "de", "do", "pro",
];

/// What a piece of a request is.
#[derive(Debug, Clone, PartialEq)]
pub enum Mark {
    /// The name of a column, by its index.
    Column(usize, Strength),
    /// A cell: the indices of the columns that have it, and the cell as written.
    Cell(Vec<usize>, String),
    /// Anything else.
    Other,
}

/// A piece of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// What it is.
    pub mark: Mark,
    /// Its first token.
    pub token: Token,
    /// Its text, folded where it is words.
    pub text: String,
    /// Place of its first byte in the request.
    pub start: usize,
    /// Place behind its last byte.
    pub end: usize,
}

impl Piece {
    /// The column that it names.
    #[must_use]
    pub fn column(&self) -> Option<usize> {
        if let Mark::Column(at, _) = self.mark { Some(at) } else { None }
    }

    /// Whether it is one of these words or signs, and no column or cell.
    #[must_use]
    pub fn is_one(&self, texts: &[&str]) -> bool {
        self.mark == Mark::Other && texts.contains(&self.text.as_str())
    }

    /// Whether its first word is one of these, column or not.
    #[must_use]
    pub fn says(&self, texts: &[&str]) -> bool {
        texts.contains(&self.token.text.as_str())
    }

    /// Whether it is a plain word.
    #[must_use]
    pub fn is_word(&self) -> bool {
        self.mark == Mark::Other && self.token.sort == Sort::Word
    }
}

/// Takes a request apart by the columns and cells of a table.
#[must_use]
pub fn read(request: &str, table: &Table) -> Vec<Piece> {
    let tokens = tokens::read(request);
    let names: Vec<Vec<String>> = table.columns.iter().map(|name| name_words(name)).collect();
    let cells = cells(table);
    let texts: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let rest = texts.get(at..).unwrap_or_default();
        let column = (matches!(token.sort, Sort::Word | Sort::Number(_)))
            .then(|| columns::find(&names, rest))
            .flatten()
            .filter(|(_, len, strength)| {
                *strength == Strength::Name && (token.sort == Sort::Word || *len > 0)
                    || (token.sort == Sort::Word && !EVERYDAY.contains(&token.text.as_str()))
            });
        let cell = cell_at(&cells, rest, &tokens, at);
        let (mark, len) = match (column, cell) {
            (Some((_, len, Strength::Part | Strength::Concept | Strength::Typo)), Some((columns, cell, own)))
                if own >= len =>
            {
                (Mark::Cell(columns, cell), own)
            }
            (Some((_, len, _)), Some((columns, cell, own))) if own > len => (Mark::Cell(columns, cell), own),
            (Some((column, len, strength)), _) => (Mark::Column(column, strength), len),
            (None, Some((columns, cell, own))) => (Mark::Cell(columns, cell), own),
            (None, None) => (Mark::Other, 1),
        };
        let end = tokens.get(at + len.max(1) - 1).map_or(token.end, |last| last.end);
        let text = texts.get(at..at + len.max(1)).unwrap_or_default().join(" ");
        pieces.push(Piece { mark, token: token.clone(), text, start: token.start, end });
        at += len.max(1);
    }
    pieces
}

type Cells = BTreeMap<String, Vec<(usize, Vec<String>, String)>>;

/// Cells of columns of texts, by their first word.
fn cells(table: &Table) -> Cells {
    let mut all: Cells = BTreeMap::new();
    for column in 0..table.columns.len() {
        let own = table.cells(column);
        let style = quantity::style(&own);
        let different: BTreeSet<&str> = own.into_iter().collect();
        for cell in different.into_iter().take(2_000) {
            let words: Vec<String> = fold(cell)
                .split(|c: char| !(c.is_alphanumeric() || c == '_'))
                .filter(|word| !word.is_empty())
                .map(str::to_owned)
                .collect();
            let number = quantity::read(cell, style).is_some_and(|q| !q.in_words);
            if number || words.len() > 6 {
                continue;
            }
            if let Some(first) = words.first().cloned() {
                all.entry(first).or_default().push((column, words, cell.to_owned()));
            }
        }
    }
    all
}

/// The longest cell that begins here, and how many tokens it takes.
fn cell_at(cells: &Cells, rest: &[&str], tokens: &[Token], at: usize) -> Option<(Vec<usize>, String, usize)> {
    let first = rest.first()?;
    let exact = cells.get(*first).into_iter().flatten();
    let similar = cells.iter().filter(|(word, _)| first.len() > 3 && *word != first && same_word(word, first));
    let mut best: Option<(Vec<usize>, String, usize)> = None;
    for (column, words, cell) in exact.chain(similar.flat_map(|(_, list)| list)) {
        let Some(len) = taken(words, tokens, at) else { continue };
        let everyday =
            words.len() == 1 && EVERYDAY.contains(first) && !tokens.get(at).is_some_and(|token| token.quoted);
        let short = words.len() == 1 && first.len() == 1;
        if everyday || short {
            continue;
        }
        match &mut best {
            Some((columns, own, size)) if *size == len && fold(own) == fold(cell) => columns.push(*column),
            Some((_, _, size)) if *size >= len => {}
            _ => best = Some((vec![*column], cell.clone(), len)),
        }
    }
    best
}

/// How many tokens the words of a cell take, signs between them left out.
fn taken(words: &[String], tokens: &[Token], at: usize) -> Option<usize> {
    let mut place = at;
    for (number, word) in words.iter().enumerate() {
        while number > 0
            && tokens
                .get(place)
                .is_some_and(|token| token.sort == Sort::Sign && token.is_one(&["-", "/", "&", ".", "'"]))
        {
            place += 1;
        }
        let token = tokens.get(place)?;
        let own = fold(&token.text);
        let fits = own == *word || (words.len() == 1 && word.len() > 3 && same_word(&own, word));
        if !fits {
            return None;
        }
        place += 1;
    }
    Some(place - at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_cells_in_a_request() {
        let table = Table::read("hub,parcels,unit_price,state\nNew York,5,1.5,paid\nHull,6,2.5,open").unwrap();
        let told: Vec<String> = read("Sum of parcels × price in new york where status is paid, per hub", &table)
            .iter()
            .map(|piece| match &piece.mark {
                Mark::Column(at, _) => format!("C{at}"),
                Mark::Cell(columns, cell) => format!("V{columns:?}{cell}"),
                Mark::Other => piece.text.clone(),
            })
            .collect();
        assert_eq!(told.join(" "), "sum of C1 × C2 in V[0]New York where status is V[3]paid , per C0");
    }
}
