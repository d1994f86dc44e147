//! Cuts text into the pieces that tokens never cross, as the regular expressions of tiktoken do.
//!
//! Invariants: the pieces put together are the text, none is empty. `split` follows these expressions, whose
//! alternatives are tried in order (`openai_public.py` of tiktoken):
//!
//! cl100k_base: `'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s`
//!
//! o200k_base: `[^\r\n\p{L}\p{N}]?[U]*[W]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[U]+[W]*(same)?|\p{N}{1,3}|
//! ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+` with U = Lu Lt Lm Lo M and W = Ll Lm Lo M.

use unicode_general_category::{GeneralCategory as Category, get_general_category};

/// A way to cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    O200k,
    Cl100k,
}

/// What a pattern asks of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Lu, Lt: letters that only begin a word.
    Upper,
    /// Ll: letters that only end one.
    Lower,
    /// Lm, Lo: both.
    Letter,
    /// M: both, but no letter.
    Mark,
    Number,
    /// Line ends, which are white space.
    Line,
    Space,
    Other,
}

impl Class {
    fn of(sign: char) -> Self {
        match sign {
            '\r' | '\n' => return Self::Line,
            'a'..='z' => return Self::Lower,
            'A'..='Z' => return Self::Upper,
            _ if sign.is_whitespace() => return Self::Space,
            _ => {}
        }
        match get_general_category(sign) {
            Category::UppercaseLetter | Category::TitlecaseLetter => Self::Upper,
            Category::LowercaseLetter => Self::Lower,
            Category::ModifierLetter | Category::OtherLetter => Self::Letter,
            Category::NonspacingMark | Category::SpacingMark | Category::EnclosingMark => Self::Mark,
            Category::DecimalNumber | Category::LetterNumber | Category::OtherNumber => Self::Number,
            _ => Self::Other,
        }
    }

    fn is_letter(self) -> bool {
        matches!(self, Self::Upper | Self::Lower | Self::Letter)
    }

    fn is_space(self) -> bool {
        matches!(self, Self::Line | Self::Space)
    }

    /// `[U]`: may stand at the beginning of a word.
    fn begins(self) -> bool {
        matches!(self, Self::Upper | Self::Letter | Self::Mark)
    }

    /// `[W]`: may stand at its end.
    fn ends(self) -> bool {
        matches!(self, Self::Lower | Self::Letter | Self::Mark)
    }

    /// `[^\r\n\p{L}\p{N}]`: may stand before a word.
    fn leads(self) -> bool {
        !(self.is_letter() || matches!(self, Self::Number | Self::Line))
    }

    /// `[^\s\p{L}\p{N}]`.
    fn is_sign(self) -> bool {
        matches!(self, Self::Mark | Self::Other)
    }
}

/// The pieces of a text.
pub fn split(pattern: Pattern, text: &str) -> Vec<&str> {
    let mut signs: Vec<(usize, char, Class)> =
        text.char_indices().map(|(at, sign)| (at, sign, Class::of(sign))).collect();
    signs.push((text.len(), '\0', Class::Other));
    let cutter = Splitter { pattern, signs: &signs, count: signs.len().saturating_sub(1) };
    let mut pieces = Vec::new();
    let mut from = 0;
    while from < cutter.count {
        let to = cutter.end(from).clamp(from.saturating_add(1), cutter.count);
        pieces.extend(text.get(cutter.byte(from)..cutter.byte(to)));
        from = to;
    }
    pieces
}

struct Splitter<'t> {
    pattern: Pattern,
    /// Byte position, character, class; one more than there are, to end the last.
    signs: &'t [(usize, char, Class)],
    count: usize,
}

impl Splitter<'_> {
    fn byte(&self, at: usize) -> usize {
        self.signs.get(at).map_or(0, |sign| sign.0)
    }

    fn class(&self, at: usize) -> Option<Class> {
        if at < self.count { self.signs.get(at).map(|sign| sign.2) } else { None }
    }

    fn sign(&self, at: usize) -> Option<char> {
        if at < self.count { self.signs.get(at).map(|sign| sign.1) } else { None }
    }

    fn is(&self, at: usize, test: impl Fn(Class) -> bool) -> bool {
        self.class(at).is_some_and(test)
    }

    /// The end of a run of what passes the test.
    fn run(&self, from: usize, test: impl Fn(Class) -> bool) -> usize {
        let mut at = from;
        while self.is(at, &test) {
            at = at.saturating_add(1);
        }
        at
    }

    /// Where the piece that begins here ends.
    fn end(&self, from: usize) -> usize {
        let word = match self.pattern {
            Pattern::O200k => self.word_o200k(from),
            Pattern::Cl100k => self.word_cl100k(from),
        };
        word.or_else(|| self.number(from)).or_else(|| self.signs_run(from)).unwrap_or_else(|| self.space(from))
    }

    fn word_cl100k(&self, from: usize) -> Option<usize> {
        if let Some(end) = self.contraction(from) {
            return Some(end);
        }
        let start = if self.is(from, Class::leads) { from.saturating_add(1) } else { from };
        let end = self.run(start, Class::is_letter);
        (end > start).then_some(end)
    }

    fn word_o200k(&self, from: usize) -> Option<usize> {
        let after = from.saturating_add(1);
        let starts = if self.is(from, Class::leads) { [Some(after), Some(from)] } else { [Some(from), None] };
        let lower = starts.into_iter().flatten().find_map(|start| self.ends_lower(start));
        let end = lower.or_else(|| {
            starts.into_iter().flatten().find_map(|start| {
                let end = self.run(start, Class::begins);
                (end > start).then(|| self.run(end, Class::ends))
            })
        })?;
        Some(self.contraction(end).unwrap_or(end))
    }

    /// `[U]*[W]+`, with the steps back that the expression would take.
    fn ends_lower(&self, start: usize) -> Option<usize> {
        let upper = self.run(start, Class::begins);
        let lower = self.run(upper, Class::ends);
        if lower > upper {
            return Some(lower);
        }
        (start..upper).rev().find(|at| self.is(*at, Class::ends)).map(|at| at.saturating_add(1))
    }

    /// `'(?i:s|d|m|t|ll|ve|re)`; regardless of case, ſ is an s.
    fn contraction(&self, from: usize) -> Option<usize> {
        if self.sign(from) != Some('\'') {
            return None;
        }
        let at = |step: usize| self.sign(from.saturating_add(step)).map(|sign| sign.to_ascii_lowercase());
        match (at(1), at(2)) {
            (Some('s' | 'ſ' | 'd' | 'm' | 't'), _) => Some(from.saturating_add(2)),
            (Some('l'), Some('l')) | (Some('v' | 'r'), Some('e')) => Some(from.saturating_add(3)),
            _ => None,
        }
    }

    /// `\p{N}{1,3}`
    fn number(&self, from: usize) -> Option<usize> {
        let end = self.run(from, |class| class == Class::Number);
        (end > from).then(|| end.min(from.saturating_add(3)))
    }

    /// ` ?[^\s\p{L}\p{N}]+` and line ends (o200k_base: slashes too).
    fn signs_run(&self, from: usize) -> Option<usize> {
        let start = if self.sign(from) == Some(' ') { from.saturating_add(1) } else { from };
        let mut end = self.run(start, Class::is_sign);
        if end == start {
            return None;
        }
        while matches!(self.sign(end), Some('\r' | '\n'))
            || (self.pattern == Pattern::O200k && self.sign(end) == Some('/'))
        {
            end = end.saturating_add(1);
        }
        Some(end)
    }

    /// White space: up to its last line end; else all of it at the end of the text, or all but the last before a word.
    fn space(&self, from: usize) -> usize {
        let end = self.run(from, Class::is_space);
        if self.pattern == Pattern::Cl100k && end == self.count {
            return end;
        }
        if let Some(last) = (from..end).rev().find(|at| self.is(*at, |class| class == Class::Line)) {
            return last.saturating_add(1);
        }
        if end < self.count && end > from.saturating_add(1) { end.saturating_sub(1) } else { end }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pieces_as_tiktoken_cuts_them() {
        let check = |pattern, text: &str, expect: &[&str]| assert_eq!(split(pattern, text), expect, "{text:?}");
        check(Pattern::Cl100k, "I've 12345  cats!\n\n x", &["I", "'ve", " ", "123", "45", " ", " cats", "!\n\n", " x"]);
        check(Pattern::O200k, "I've 12345  cats!\n\n x", &["I've", " ", "123", "45", " ", " cats", "!\n\n", " x"]);
        check(Pattern::O200k, "HelloWorld ABCdef", &["Hello", "World", " ABCdef"]);
        check(Pattern::O200k, "a//\n/b", &["a", "//\n/", "b"]);
        check(Pattern::Cl100k, "a  \n  ", &["a", "  \n  "]);
        check(Pattern::O200k, "a  \n  ", &["a", "  \n", "  "]);
        check(Pattern::O200k, "日本ABC", &["日本", "ABC"]);
        check(Pattern::Cl100k, "", &[]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in "(\\PC|[ \r\n\t'/A-Za-z0-9]|\\p{M}|\\p{Lt}|\\p{Lm}){0,60}") {
            for pattern in [Pattern::O200k, Pattern::Cl100k] {
                let pieces = split(pattern, &text);
                prop_assert!(pieces.iter().all(|piece| !piece.is_empty()));
                prop_assert_eq!(pieces.concat(), text.clone());
            }
        }
    }
}
