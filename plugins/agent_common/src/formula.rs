//! Arithmetic between columns, in signs or in words: `qty * unit_price`, `Preis mal Menge`, `debit minus credit`.

use crate::exact::Exact;
use crate::marks::Piece;

/// What to compute for a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Formula {
    /// The cell of a column.
    Column(usize),
    /// A number.
    Number(Exact),
    /// The sum of several columns.
    Sum(Vec<usize>),
    /// Two parts and what is done to them.
    Both(Box<Formula>, Step, Box<Formula>),
}

/// What is done to two parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Added.
    Plus,
    /// Taken away.
    Minus,
    /// Multiplied.
    Times,
    /// Divided.
    Over,
}

impl Formula {
    /// Its value, given the value of each column; none where one is missing or the divisor is zero.
    pub fn value(&self, cell: &dyn Fn(usize) -> Option<Exact>) -> Option<Exact> {
        match self {
            Self::Column(at) => cell(*at),
            Self::Number(number) => Some(*number),
            Self::Sum(columns) => {
                let mut known = columns.iter().filter_map(|at| cell(*at)).peekable();
                known.peek()?;
                known.try_fold(Exact::default(), Exact::plus)
            }
            Self::Both(a, step, b) => {
                let (a, b) = (a.value(cell)?, b.value(cell)?);
                match step {
                    Step::Plus => a.plus(b),
                    Step::Minus => a.minus(b),
                    Step::Times => a.times(b),
                    Step::Over => a.over(b),
                }
            }
        }
    }

    /// The columns that it reads.
    #[must_use]
    pub fn columns(&self) -> Vec<usize> {
        match self {
            Self::Column(at) => vec![*at],
            Self::Number(_) => Vec::new(),
            Self::Sum(columns) => columns.clone(),
            Self::Both(a, _, b) => a.columns().into_iter().chain(b.columns()).collect(),
        }
    }

    /// As text, with the names of columns.
    #[must_use]
    pub fn text(&self, names: &[String]) -> String {
        let name = |at: &usize| names.get(*at).cloned().unwrap_or_default();
        match self {
            Self::Column(at) => name(at),
            Self::Number(number) => number.text(),
            Self::Sum(columns) => columns.iter().map(name).collect::<Vec<_>>().join(" + "),
            Self::Both(a, step, b) => {
                let sign = match step {
                    Step::Plus => "+",
                    Step::Minus => "−",
                    Step::Times => "×",
                    Step::Over => "÷",
                };
                let side = |part: &Self| match part {
                    Self::Both(..) => format!("({})", part.text(names)),
                    _ => part.text(names),
                };
                format!("{} {sign} {}", side(a), side(b))
            }
        }
    }
}

/// The longest formula in a request, with the indices of its first piece and the one behind its last.
#[must_use]
pub fn find(pieces: &[Piece]) -> Option<(Formula, usize, usize)> {
    (0..pieces.len())
        .filter_map(|from| at(pieces, from))
        .reduce(|best, next| if next.2 - next.1 > best.2 - best.1 { next } else { best })
}

/// The formula that begins at a piece: two columns or more, or a column and a number.
#[must_use]
pub fn at(pieces: &[Piece], from: usize) -> Option<(Formula, usize, usize)> {
    let mut reader = Reader { pieces, at: from };
    let formula = reader.sum()?;
    let compound = matches!(formula, Formula::Both(..)) && !formula.columns().is_empty();
    compound.then_some((formula, from, reader.at))
}

struct Reader<'p> {
    pieces: &'p [Piece],
    at: usize,
}

impl Reader<'_> {
    fn sum(&mut self) -> Option<Formula> {
        let mut left = self.product()?;
        while let Some((step, len)) = self.step(&[Step::Plus, Step::Minus]) {
            let before = self.at;
            self.at += len;
            let Some(right) = self.product() else {
                self.at = before;
                break;
            };
            left = Formula::Both(Box::new(left), step, Box::new(right));
        }
        Some(left)
    }

    fn product(&mut self) -> Option<Formula> {
        let mut left = self.atom()?;
        while let Some((step, len)) = self.step(&[Step::Times, Step::Over]) {
            let before = self.at;
            self.at += len;
            let Some(right) = self.atom() else {
                self.at = before;
                break;
            };
            left = Formula::Both(Box::new(left), step, Box::new(right));
        }
        Some(left)
    }

    fn atom(&mut self) -> Option<Formula> {
        let start = self.at;
        while self
            .pieces
            .get(self.at)
            .is_some_and(|piece| piece.is_one(&["the", "der", "die", "das", "its", "le", "la", "el"]))
        {
            self.at += 1;
        }
        let piece = self.pieces.get(self.at)?;
        if piece.is_one(&["("]) {
            self.at += 1;
            let inner = self.sum();
            let closed = self.pieces.get(self.at).is_some_and(|piece| piece.is_one(&[")"]));
            if let Some(inner) = inner.filter(|_| closed) {
                self.at += 1;
                return Some(inner);
            }
            self.at = start;
            return None;
        }
        let found = match (piece.column(), piece.token.number()) {
            (Some(column), _) => Some(Formula::Column(column)),
            (None, Some(number)) => Some(Formula::Number(number)),
            (None, None) => None,
        };
        match found {
            Some(found) => {
                self.at += 1;
                Some(found)
            }
            None => {
                self.at = start;
                None
            }
        }
    }

    /// The step that stands here, if it is one of those wanted, and the pieces it takes.
    fn step(&self, wanted: &[Step]) -> Option<(Step, usize)> {
        let piece = self.pieces.get(self.at)?;
        let next = |texts: &[&str]| self.pieces.get(self.at + 1).is_some_and(|piece| piece.is_one(texts));
        let found = if piece.is_one(&["*", "×", "x", "times", "mal", "fois", "por", "per", "·", "•", "keer", "vezes"])
            && !piece.is_one(&["por", "per"])
        {
            (Step::Times, 1)
        } else if piece.is_one(&["multiplied", "multipliziert", "multiplie", "multiplicado"]) {
            (Step::Times, 1 + usize::from(next(&["by", "mit", "par", "por"])))
        } else if piece.is_one(&["/", "÷"]) {
            (Step::Over, 1)
        } else if piece.is_one(&["divided", "geteilt", "divise", "dividido"]) {
            (Step::Over, 1 + usize::from(next(&["by", "durch", "par", "por", "entre"])))
        } else if piece.is_one(&["durch"]) {
            (Step::Over, 1)
        } else if piece.is_one(&["+", "plus", "mas"]) {
            (Step::Plus, 1)
        } else if piece.is_one(&[
            "-",
            "−",
            "–",
            "minus",
            "less",
            "moins",
            "menos",
            "meno",
            "min",
            "abzueglich",
            "abzuglich",
        ]) {
            (Step::Minus, 1)
        } else {
            return None;
        };
        wanted.contains(&found.0).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{marks, table::Table};

    #[test]
    fn formulas_in_words_and_signs() {
        let table = Table::read("qty,unit_price,discount,gross\n2,1.5,0.5,4\n3,2,1,6").unwrap();
        let cases = [
            ("total = qty * unit_price", Some(("qty × unit_price", "3"))),
            ("revenue (quantity times price) please", Some(("qty × unit_price", "3"))),
            ("gross minus discount", Some(("gross − discount", "3.5"))),
            ("(gross - discount) / qty", Some(("(gross − discount) ÷ qty", "1.75"))),
            ("gross + discount * 2", Some(("gross + (discount × 2)", "5"))),
            ("sum of qty by gross", None),
        ];
        for (text, expect) in cases {
            let found = find(&marks::read(text, &table)).map(|(formula, ..)| {
                let row = ["2", "1.5", "0.5", "4"];
                let value = formula.value(&|at| row.get(at).and_then(|cell| Exact::read(cell)));
                (formula.text(&table.columns), value.map(Exact::text).unwrap_or_default())
            });
            assert_eq!(found.as_ref().map(|(a, b)| (a.as_str(), b.as_str())), expect, "{text}");
        }
    }
}
