//! Sentences of a text.

/// A sentence of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sentence<'t> {
    /// The sentence without white space around it.
    pub text: &'t str,
    /// Place of its first character in the text, from 0, in characters.
    pub start: usize,
}

/// Returns the sentences of a text, which end with `.`, `!` or `?` before white space, or with a line.
pub fn split(text: &str) -> Vec<Sentence<'_>> {
    let mut sentences = Vec::new();
    let mut rest = text;
    let mut start = 0;
    while !rest.is_empty() {
        let (piece, left) = rest.split_at(end(rest));
        let indent = piece.chars().take_while(|c| c.is_whitespace()).count();
        if !piece.trim().is_empty() {
            sentences.push(Sentence { text: piece.trim(), start: start + indent });
        }
        start += piece.chars().count();
        rest = left;
    }
    sentences
}

/// Returns the end of the first sentence, in bytes.
fn end(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let stops = c == '\n' || (".!?".contains(c) && next.is_none_or(char::is_whitespace));
        if stops {
            return at + c.len_utf8();
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_know_their_place() {
        let sentences = split("Né en 1.5 s. Yes!\nNo end");
        let expect = [("Né en 1.5 s.", 0), ("Yes!", 13), ("No end", 18)];
        assert_eq!(sentences.iter().map(|s| (s.text, s.start)).collect::<Vec<_>>(), expect);
        assert!(split(" \n ").is_empty());
    }
}
