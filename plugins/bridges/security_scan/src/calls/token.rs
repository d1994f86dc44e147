//! Words, texts and marks of code: what is needed to see calls and assignments, and no more.

use crate::lexer::Kind;
use crate::source::Source;

/// What a piece of code is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// A name, a keyword or a number.
    Word,
    /// A string with its delimiters and, in Python, the letters before it; part of one around `${…}`.
    Text,
    Mark(u8),
    /// The end of a line outside comments and strings.
    Line,
}

/// A piece and its place in the text. Offsets are small, as a file has a million pieces at most.
#[derive(Debug, Clone, Copy)]
pub struct Piece {
    pub token: Token,
    from: u32,
    to: u32,
}

impl Piece {
    /// The byte at which it begins.
    #[must_use]
    pub fn at(self) -> usize {
        self.from as usize
    }

    /// The byte after it.
    #[must_use]
    pub fn end(self) -> usize {
        self.to as usize
    }

    /// What is written there.
    #[must_use]
    pub fn text(self, source: &Source) -> &str {
        source.code.get(self.at()..self.end()).unwrap_or_default()
    }
}

/// The pieces of a file in order.
#[must_use]
pub fn pieces(source: &Source) -> Vec<Piece> {
    let bytes = source.code.as_bytes();
    let mut pieces = Vec::new();
    let mut at = 0;
    while let (Some(byte), Some(kind)) = (bytes.get(at), source.kinds.get(at)) {
        let run = |more: &dyn Fn(u8, Kind) -> bool| {
            let bytes = bytes.get(at + 1..).unwrap_or_default();
            let kinds = source.kinds.get(at + 1..).unwrap_or_default();
            at + 1 + bytes.iter().zip(kinds).take_while(|(byte, kind)| more(**byte, **kind)).count()
        };
        let (token, end) = match (kind, byte) {
            (Kind::Comment, _) => (None, at + 1),
            (Kind::Text, _) => (Some(Token::Text), run(&|_, kind| kind == Kind::Text)),
            (Kind::Code, b'\n') => (Some(Token::Line), at + 1),
            (Kind::Code, byte) if is_word(*byte) => {
                (Some(Token::Word), run(&|byte, kind| kind == Kind::Code && is_word(byte)))
            }
            (Kind::Code, byte) if byte.is_ascii_whitespace() => (None, at + 1),
            (Kind::Code, byte) => (Some(Token::Mark(*byte)), at + 1),
        };
        if let (Some(token), Ok(from), Ok(to)) = (token, u32::try_from(at), u32::try_from(end)) {
            add(&mut pieces, Piece { token, from, to }, source);
        }
        at = end;
    }
    pieces
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// Adds a piece; letters right before a string (`rb'…'`) are part of it.
fn add(pieces: &mut Vec<Piece>, piece: Piece, source: &Source) {
    if piece.token == Token::Text
        && piece.text(source).starts_with(['"', '\''])
        && let Some(last) = pieces.last_mut()
        && last.token == Token::Word
        && last.to == piece.from
        && last.text(source).len() <= 2
    {
        *last = Piece { from: last.from, ..piece };
        return;
    }
    pieces.push(piece);
}

/// Whether a text has no values put in: no f-string with braces, no template with `${`.
#[must_use]
pub fn is_plain(text: &str) -> bool {
    let letters = text.find(['"', '\'', '`']).and_then(|end| text.get(..end)).unwrap_or_default();
    let is_format = letters.contains(['f', 'F', 't']) && text.contains('{');
    let is_part = text.ends_with("${") || text.starts_with('}');
    !is_format && !is_part
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    fn check(language: Language, text: &str, expect: &[&str]) {
        let source = Source::new(String::new(), text.to_owned(), Some(language));
        let got: Vec<&str> = pieces(&source).into_iter().map(|piece| piece.text(&source)).collect();
        assert_eq!(got, expect, "{text}");
    }

    #[test]
    fn words_texts_and_marks() {
        check(Language::Python, "a.b(rb'x)', 0o7) # c\n", &["a", ".", "b", "(", "rb'x)'", ",", "0o7", ")", "\n"]);
        check(Language::Javascript, "é(`a${b}c`)", &["é", "(", "`a${", "b", "}c`", ")"]);
        assert!(is_plain("'{}'") && is_plain("r'{'") && is_plain("`a`"));
        assert!(!is_plain("f'{x}'") && !is_plain("`a${") && !is_plain("}b`"));
    }
}
