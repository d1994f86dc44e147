//! Characters that make source read otherwise than it runs, in code, texts and comments alike: direction marks that
//! reorder what is shown, and letters that show nothing.

use crate::hit::Hit;
use crate::rule::{Confidence, Severity};
use crate::source::Source;

/// Ids of the rules here.
pub const IDS: &[&str] = &["text.direction", "text.invisible"];

/// Most findings of each.
const MOST: usize = 20;

/// The first hidden character of each line; nothing for files in no known language.
#[must_use]
pub fn find(source: &Source) -> Vec<Hit> {
    if source.text.is_ascii() || source.language == crate::language::Language::Text {
        return Vec::new();
    }
    let mut hits = Vec::new();
    for (kind, wanted) in [(0, is_direction as fn(char) -> bool), (1, is_invisible)] {
        let mut last = None;
        for (at, sign) in source.text.char_indices().filter(|(_, sign)| wanted(*sign)) {
            let line = source.line_of(at);
            if last != Some(line) {
                hits.push(hit(kind, at, sign));
                last = Some(line);
            }
            if hits.len() >= MOST * (kind + 1) {
                break;
            }
        }
    }
    hits
}

/// Embeddings, overrides and isolates of the bidirectional algorithm (CVE-2021-42574).
fn is_direction(sign: char) -> bool {
    matches!(sign, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Letters by class, so allowed in names, that show nothing: the Hangul fillers.
fn is_invisible(sign: char) -> bool {
    matches!(sign, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')
}

fn hit(kind: usize, at: usize, sign: char) -> Hit {
    let sign = u32::from(sign);
    let (rule, message) = match kind {
        0 => (
            "text.direction",
            format!("U+{sign:04X} changes the order in which the line is shown, not in which it runs"),
        ),
        _ => (
            "text.invisible",
            format!("U+{sign:04X} is a letter that shows nothing; a name with it looks like another"),
        ),
    };
    Hit {
        rule,
        severity: Severity::High,
        confidence: Confidence::High,
        cwe: "CWE-1007",
        at,
        message,
        remedy: "Remove it, or write it as an escape.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    #[test]
    fn one_of_a_line_in_code_texts_and_comments() {
        let find = |text: &str| -> Vec<(&str, usize)> {
            let source = Source::new(String::new(), text.to_owned(), Some(Language::Javascript));
            find(&source).iter().map(|note| (note.rule, source.line_of(note.at))).collect()
        };
        assert_eq!(find("a = 'é' // ü\n"), []);
        assert_eq!(
            find("x\n// \u{202e}\u{2066} if\nb\u{3164}c = '\u{202a}'"),
            [("text.direction", 1), ("text.direction", 2), ("text.invisible", 2)]
        );
    }
}
