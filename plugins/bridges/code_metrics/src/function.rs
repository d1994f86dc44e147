//! Functions in a list of tokens: where each begins and ends, its name and how many parameters it has.
//!
//! Ranges of functions nest or lie apart. Closures without a name belong to the function around them.

use crate::language::Language;
use crate::token::{Kind, Token};

/// Tokens between the parameters and the block that are looked through.
const LONGEST_HEAD: usize = 60;
/// Brackets that were never closed are given up to this depth.
const DEEPEST_LOST: usize = 50;
/// Words before parentheses and a block that are no functions.
const NO_FUNCTIONS: [&str; 22] = [
    "if",
    "for",
    "while",
    "switch",
    "catch",
    "return",
    "function",
    "synchronized",
    "try",
    "using",
    "lock",
    "fixed",
    "foreach",
    "sizeof",
    "typeof",
    "do",
    "else",
    "with",
    "await",
    "new",
    "throw",
    "when",
];

/// A function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    pub name: String,
    /// First token, and the one after the last.
    pub start: usize,
    pub end: usize,
    /// First token of the block.
    pub body: usize,
    pub parameters: usize,
}

/// For each opening bracket the place of the closing one; for all others 0.
#[must_use]
pub fn brackets(tokens: &[Token<'_>]) -> Vec<usize> {
    let mut partners = vec![0; tokens.len()];
    let mut open: Vec<(usize, &str)> = Vec::new();
    for (place, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Mark) {
        let opens = match token.text {
            "(" | "[" | "{" => {
                open.push((place, token.text));
                continue;
            }
            ")" => "(",
            "]" => "[",
            "}" => "{",
            _ => continue,
        };
        // A bracket that was never closed is given up when an outer one closes.
        let near = open.len().saturating_sub(DEEPEST_LOST);
        let opening = open.get(near..).and_then(|open| open.iter().rposition(|(_, text)| *text == opens));
        if let Some(depth) = opening.map(|depth| near + depth) {
            if let Some(partner) = open.get(depth).and_then(|(at, _)| partners.get_mut(*at)) {
                *partner = place;
            }
            open.truncate(depth);
        }
    }
    partners
}

/// The functions of a file, in order of their first token.
#[must_use]
pub fn find(tokens: &[Token<'_>], language: Language) -> Vec<Span> {
    let mut finder = Finder { tokens, partners: brackets(tokens), language, lines: Vec::new() };
    finder.lines = finder.line_starts();
    let mut spans: Vec<Span> = (0..tokens.len()).filter_map(|at| finder.at(at)).collect();
    spans.sort_by(|a, b| a.start.cmp(&b.start).then(b.end.cmp(&a.end)));
    spans.dedup_by(|next, kept| next.body == kept.body);
    spans
}

struct Finder<'a> {
    tokens: &'a [Token<'a>],
    partners: Vec<usize>,
    language: Language,
    /// First tokens of lines that begin outside brackets, for languages that indent.
    lines: Vec<usize>,
}

impl Finder<'_> {
    fn text(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| if token.kind == Kind::Text { "\"" } else { token.text })
    }

    fn is_word(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == Kind::Word)
    }

    fn close(&self, at: usize) -> Option<usize> {
        self.partners.get(at).copied().filter(|close| *close > at)
    }

    fn at(&self, at: usize) -> Option<Span> {
        let word = self.text(at);
        if self.is_word(at) && self.language.begins_function(word) {
            return self.by_word(at);
        }
        if word == "=>" && matches!(self.language, Language::Javascript | Language::Typescript) {
            return self.arrow(at);
        }
        if self.is_word(at) && self.language.has_bare_functions() && self.text(at + 1) == "(" {
            return self.bare(at);
        }
        None
    }

    fn by_word(&self, at: usize) -> Option<Span> {
        let mut name = at + 1;
        // Go: a method's receiver; PHP: a reference; JavaScript: a generator.
        if self.language == Language::Go && self.text(name) == "(" {
            name = self.close(name)? + 1;
        }
        if ["&", "*"].contains(&self.text(name)) {
            name += 1;
        }
        if !self.is_word(name) {
            return None;
        }
        let open = (name + 1..name + LONGEST_HEAD).find(|place| self.text(*place) == "(")?;
        let close = self.close(open)?;
        if self.language.is_indented() {
            return self.indented(at, name, open, close);
        }
        let body = self.block_after(close, true)?;
        self.span(at, name, open, body)
    }

    fn bare(&self, at: usize) -> Option<Span> {
        let before = at.checked_sub(1).map_or("", |before| self.text(before));
        if NO_FUNCTIONS.contains(&self.text(at)) || [".", "new", "->", "=", "=>", "return", "?."].contains(&before) {
            return None;
        }
        let close = self.close(at + 1)?;
        let body = self.block_after(close, false)?;
        self.span(at, at, at + 1, body)
    }

    fn arrow(&self, at: usize) -> Option<Span> {
        if self.text(at + 1) != "{" {
            return None;
        }
        // Backwards over the parameters to `name =` or `name:`.
        let from = at.saturating_sub(LONGEST_HEAD);
        let open = (from..at).rev().find(|place| {
            self.close(*place).is_some_and(|close| close < at && at - close < 12) && self.text(*place) == "("
        });
        let single = at.checked_sub(1).filter(|before| self.is_word(*before));
        let first = if at.checked_sub(1).is_some_and(|before| self.is_word(before)) && open.is_none() {
            single?
        } else {
            open?
        };
        let mut before = first.checked_sub(1)?;
        if self.text(before) == "async" {
            before = before.checked_sub(1)?;
        }
        let name = before.checked_sub(1).filter(|_| ["=", ":"].contains(&self.text(before)))?;
        self.is_word(name).then(|| self.span(name, name, first, at + 1)).flatten()
    }

    /// The block that follows a head; none when something else comes first.
    fn block_after(&self, close: usize, by_word: bool) -> Option<usize> {
        let mut place = close + 1;
        let mut listed = false;
        for _ in 0..LONGEST_HEAD {
            match self.text(place) {
                "{" => return Some(place),
                ";" | "}" | "=>" | "" => return None,
                "=" if !by_word => return None,
                // Bounds, initialisers and results may have brackets; calls have none before a block.
                "(" | "[" if by_word || listed => place = self.close(place)?,
                ":" => listed = true,
                "(" | "\"" | "+" | "-" | "&&" | "||" | "==" | "?" if !by_word && !listed => return None,
                "," if !by_word && !listed && self.language != Language::Java => return None,
                "." if !by_word && !listed && self.language != Language::Java => return None,
                _ => {}
            }
            place += 1;
        }
        None
    }

    fn span(&self, start: usize, name: usize, open: usize, body: usize) -> Option<Span> {
        let end = self.close(body).map_or(self.tokens.len(), |close| close + 1);
        Some(Span { name: self.text(name).to_owned(), start, end, body, parameters: self.parameters(open) })
    }

    fn line_starts(&self) -> Vec<usize> {
        let (mut starts, mut at) = (Vec::new(), 0);
        while let Some(token) = self.tokens.get(at).filter(|_| self.language.is_indented()) {
            if token.indent.is_some() {
                starts.push(at);
            }
            // Lines inside brackets may begin anywhere.
            at = self.close(at).unwrap_or(at) + 1;
        }
        starts
    }

    /// Python: up to the next line that is not indented farther than the line of `def`, which begins the line but for
    /// an `async`. Lines are passed over one by one: inside `n` functions a line has at least `n` spaces, so all
    /// functions together pass over no more lines than the text has characters.
    fn indented(&self, at: usize, name: usize, open: usize, close: usize) -> Option<Span> {
        let indent = |at: usize| self.tokens.get(at).and_then(|token| token.indent);
        let column =
            indent(at).or_else(|| at.checked_sub(1).filter(|at| self.text(*at) == "async").and_then(indent))?;
        let body = (close + 1..close + LONGEST_HEAD).find(|place| self.text(*place) == ":")? + 1;
        let later = self.lines.partition_point(|start| *start < body);
        let mut later = self.lines.get(later..).unwrap_or_default().iter().copied();
        let end =
            later.find(|start| indent(*start).is_some_and(|indent| indent <= column)).unwrap_or(self.tokens.len());
        Some(Span { name: self.text(name).to_owned(), start: at, end, body, parameters: self.parameters(open) })
    }

    fn parameters(&self, open: usize) -> usize {
        let Some(close) = self.close(open) else { return usize::from(self.is_word(open)) };
        if open + 1 == close {
            return 0;
        }
        let (mut depth, mut count) = (0usize, 1usize);
        let mut place = open + 1;
        while place < close {
            match self.text(place) {
                // Over what is in brackets, so that functions inside parameters of functions are not read again.
                "(" | "[" | "{" => place = self.close(place).unwrap_or(place),
                "<" => depth += 1,
                ">" => depth = depth.saturating_sub(1),
                "," if depth == 0 && place + 1 < close => count += 1,
                _ => {}
            }
            place += 1;
        }
        let first_line = (open + 1..close.min(open + 5))
            .take_while(|place| self.text(*place) != ",")
            .any(|place| self.text(place) == "self");
        let none = self.text(open + 1) == "void" && open + 2 == close;
        count - usize::from(first_line || none)
    }
}
