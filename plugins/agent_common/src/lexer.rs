//! The words, numbers, quotes and marks of an instruction.

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Letters, with digits, apostrophes, hyphens and underscores between them.
    Word,
    /// Begins with a digit: `1,200.50`, `2024-05-01`, `20:15`, `3rd`.
    Number,
    /// A text in quotation marks, without the marks.
    Quoted,
    /// Any other character.
    Mark,
}

/// A token of an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The text, as written.
    pub text: String,
    /// The text in small letters.
    pub lower: String,
    /// The kind.
    pub kind: Kind,
}

impl Token {
    /// Returns whether a token may lie between clauses without a meaning.
    pub fn is_glue(&self) -> bool {
        match self.kind {
            Kind::Mark => matches!(self.text.as_str(), "," | ";" | "." | ":" | "?" | "!" | "-" | "–" | "—" | "*" | "#"),
            Kind::Word => matches!(self.lower.as_str(), "and" | "then"),
            Kind::Number | Kind::Quoted => false,
        }
    }
}

/// The quotation marks that open a text, with those that close it.
const QUOTES: [(char, char); 7] =
    [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('‘', '’'), ('`', '`'), ('\'', '\'')];

/// Returns the tokens of an instruction.
pub fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = chars.get(at).copied() {
        let (kind, text, end) = if c.is_whitespace() {
            at += 1;
            continue;
        } else if let Some((quoted, end)) = quoted(&chars, at) {
            (Kind::Quoted, quoted, end)
        } else if c.is_alphabetic() || c.is_ascii_digit() {
            let end = word_end(&chars, at);
            let kind = if c.is_ascii_digit() { Kind::Number } else { Kind::Word };
            (kind, chars.get(at..end).unwrap_or_default().iter().collect(), end)
        } else {
            (Kind::Mark, c.to_string(), at + 1)
        };
        tokens.push(Token { lower: text.to_lowercase(), text, kind });
        at = end;
    }
    tokens
}

fn quoted(chars: &[char], at: usize) -> Option<(String, usize)> {
    let open = chars.get(at)?;
    let before = at.checked_sub(1).and_then(|at| chars.get(at));
    if before.is_some_and(|c| c.is_alphanumeric()) {
        return None;
    }
    let closing: Vec<char> = QUOTES.iter().filter(|(mark, _)| mark == open).map(|(_, close)| *close).collect();
    let rest = chars.get(at + 1..)?;
    let length = rest.iter().enumerate().position(|(place, c)| {
        let inside = rest.get(place + 1).is_some_and(|next| next.is_alphanumeric());
        closing.contains(c) && !(inside && matches!(c, '\'' | '’'))
    })?;
    let text: String = rest.get(..length)?.iter().collect();
    (!text.trim().is_empty()).then(|| (text.trim().to_owned(), at + length + 2))
}

/// Returns where a word or number ends: marks inside it belong to it only between two
/// letters or digits.
fn word_end(chars: &[char], at: usize) -> usize {
    let mut end = at + 1;
    while let Some(c) = chars.get(end).copied() {
        let next = chars.get(end + 1).is_some_and(|next| next.is_alphanumeric());
        let digits = chars.get(end - 1).is_some_and(char::is_ascii_digit)
            && chars.get(end + 1).is_some_and(char::is_ascii_digit);
        let joins = match c {
            '\'' | '’' | '-' | '_' | '@' => next,
            '.' | ',' | ':' | '/' => digits,
            _ => false,
        };
        if !(c.is_alphanumeric() || joins) {
            break;
        }
        end += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;

    #[test]
    fn tokens_of_an_instruction() {
        let shown = |text: &str| tokens(text).iter().map(|token| token.text.clone()).collect::<Vec<_>>().join("|");
        for (text, expect) in rows::<(String, String)>(include_str!("../cases/lexer.json")) {
            assert_eq!(shown(&text), expect, "{text}");
        }
        assert_eq!(tokens("a \"b c\"").last().map(|token| token.kind), Some(Kind::Quoted));
    }
}
