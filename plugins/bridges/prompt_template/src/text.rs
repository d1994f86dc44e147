//! Sentences, words and sizes of a text, and the parts of it that must stay as they are.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;

/// How long a text is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Size {
    /// Unicode characters.
    pub characters: usize,
    /// Bytes of UTF-8.
    pub bytes: usize,
    /// Runs without white space.
    pub words: usize,
    /// A quarter of the characters: what English texts come to in many models. An estimate, no count.
    pub tokens_estimate: usize,
}

impl Size {
    /// Adds a text.
    pub fn add(&mut self, text: &str) {
        self.characters += text.chars().count();
        self.bytes += text.len();
        self.words += text.split_whitespace().count();
        self.tokens_estimate = self.characters.div_ceil(4);
    }
}

/// Which bytes of a line stay: those of `code`, "quotes" and tags of the template.
pub fn protected(line: &str) -> Vec<bool> {
    let mut mask = vec![false; line.len()];
    // Without a closing mark after one place there is none after a later one, so nothing is searched twice.
    let mut open_ended = [false; 4];
    let mut free_from = 0usize;
    for (at, letter) in line.char_indices() {
        let kind = match letter {
            _ if at < free_from => continue,
            '`' => 0usize,
            '"' => 1,
            '“' => 2,
            '{' if line.get(at..).is_some_and(|rest| rest.starts_with("{{")) => 3,
            _ => continue,
        };
        let close = ["`", "\"", "”", "}}"].get(kind).copied().unwrap_or("`");
        let inner = at + letter.len_utf8();
        let known = open_ended.get(kind).copied().unwrap_or(true);
        match line.get(inner..).filter(|_| !known).and_then(|rest| rest.find(close)) {
            Some(length) => {
                free_from = inner + length + close.len();
                mask.get_mut(at..free_from).into_iter().flatten().for_each(|byte| *byte = true);
            }
            None => open_ended.iter_mut().skip(kind).take(1).for_each(|known| *known = true),
        }
    }
    mask
}

/// Sentences of a line, with the white space after them; a line without an end mark is one sentence.
pub fn sentences(line: &str) -> Vec<Range<usize>> {
    let protected_spans = protected(line);
    let mut sentences = Vec::new();
    let mut start = 0usize;
    for (at, mark) in line.match_indices(['.', '!', '?']) {
        let after = at + mark.len();
        let rest = line.get(after..).unwrap_or_default();
        let gap = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let inside = protected_spans.get(at) == Some(&true);
        // `e.g.` and `1.` end no sentence.
        let word = line.get(start..at).and_then(|head| head.rsplit([' ', '(']).next()).unwrap_or_default();
        let short =
            mark == "." && (word.chars().count() < 2 || word.contains('.') || word.bytes().all(|b| b.is_ascii_digit()));
        if gap > 0 && !inside && !short {
            sentences.push(start..after + gap);
            start = after + gap;
        }
    }
    if start < line.len() {
        sentences.push(start..line.len());
    }
    sentences
}

/// Words in small letters, for comparing.
pub fn words(text: &str) -> Vec<String> {
    let word = |c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’' | '_' | '{' | '}');
    text.split(word).filter(|w| !w.is_empty()).map(|w| w.replace('’', "'").to_lowercase()).collect()
}

/// At most `most` characters, with … for the rest.
pub fn cut(text: &str, most: usize) -> String {
    let mut short: String = text.chars().take(most).collect();
    if text.chars().count() > most {
        short.push('…');
    }
    short
}

/// Is this line the beginning or end of a block of code?
pub fn fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}
