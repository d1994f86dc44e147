//! Assignments: which names they bind, and to what, once their value has been read.

use crate::calls::names::Bound;
use crate::calls::token::{Piece, Token};
use crate::calls::value;
use crate::calls::walk::{MOST_ARGUMENTS, Site, Walk};

/// An assignment whose value is being read.
pub(super) struct Pending {
    pub(super) targets: Vec<(String, String)>,
    pub(super) depth: usize,
    pub(super) from: usize,
}

impl<F: FnMut(&Site<'_>)> Walk<'_, F> {
    /// `name=` of an argument, or an assignment.
    pub(super) fn equals(&mut self, at: usize) {
        self.chain = None;
        let touches = |a: Option<&Piece>, b: Option<&Piece>| matches!((a, b), (Some(a), Some(b)) if a.end() == b.at());
        let this = self.pieces.get(at);
        let (last, next) = (at.checked_sub(1).and_then(|at| self.pieces.get(at)), self.pieces.get(at + 1));
        let compares = matches!(next.map(|next| next.token), Some(Token::Mark(b'=' | b'>'))) && touches(this, next);
        let changes =
            matches!(last.map(|last| last.token), Some(Token::Mark(mark)) if b"=!<>+-*/%&|^~:?@".contains(&mark));
        if compares || (changes && touches(last, this)) || self.deeper > 0 {
            return;
        }
        let is_python = self.is_python();
        if let Some(frame) = self.frames.last_mut().filter(|frame| frame.open == b'(' || is_python) {
            if frame.begin + 1 == at && frame.open == b'(' {
                (frame.key, frame.begin) = (last.copied(), at + 1);
            }
            return;
        }
        let targets = self.targets(at);
        let depth = self.depth();
        self.pending.retain(|pending| pending.depth < depth || pending.from == at.saturating_sub(1));
        self.pending.push(Pending { targets, depth, from: at + 1 });
    }

    /// What stands before an `=`: a name, or the members of `{a, b: c}` with the names that they get.
    fn targets(&self, at: usize) -> Vec<(String, String)> {
        let Some(name) = at.checked_sub(1) else { return Vec::new() };
        match self.token(name) {
            Some(Token::Word) if !matches!(self.before(name), Some(Token::Mark(b'.' | b':'))) => {
                vec![(self.text(name).to_owned(), String::new())]
            }
            Some(Token::Mark(b'}')) if !self.is_python() => self.members(self.closed.0, self.closed.1),
            _ => Vec::new(),
        }
    }

    fn members(&self, from: usize, to: usize) -> Vec<(String, String)> {
        let words = self.pieces.get(from..to.min(from + MOST_ARGUMENTS)).unwrap_or_default();
        let member = |part: &[Piece]| {
            let mut names = part.iter().filter(|piece| piece.token == Token::Word).map(|piece| piece.text(self.source));
            let name = names.next()?;
            Some((names.next().unwrap_or(name).to_owned(), format!(".{name}")))
        };
        words.split(|piece| piece.token == Token::Mark(b',')).filter_map(member).collect()
    }

    /// Assignments at this depth or deeper end here: their names get what was read.
    pub(super) fn finish(&mut self, depth: usize, at: usize) {
        while let Some(pending) = self.pending.pop_if(|pending| pending.depth >= depth) {
            let begins = |word: &str| matches!(word, "await" | "new");
            let from = if begins(self.text(pending.from)) { pending.from + 1 } else { pending.from };
            let value = match &self.chain {
                Some(chain) if chain.first == from && !self.names.is_constant(&chain.name) => {
                    Bound::Name(self.names.resolve(&chain.name))
                }
                _ if value::is_constant(self.source, self.pieces, from..at, &self.names) => Bound::Constant,
                _ => Bound::Other,
            };
            for (name, member) in pending.targets {
                let bound = match &value {
                    Bound::Name(full) if full.starts_with('?') => Bound::Other,
                    Bound::Name(full) => Bound::Name(format!("{full}{member}")),
                    other => other.clone(),
                };
                self.names.bind(&name, bound);
            }
        }
    }
}
