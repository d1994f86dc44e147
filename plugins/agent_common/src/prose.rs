//! Sentences and clauses of running text, where abbreviations do not end a sentence.

/// A sentence and its place in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sentence<'t> {
    /// Without white space around it.
    pub text: &'t str,
    /// Place of its first character.
    pub start: usize,
}

const SHORT: &[&str] = &[
    "al", "p", "pp", "no", "vol", "ed", "eds", "dr", "mr", "mrs", "ms", "prof", "st", "fig", "ca", "cf", "e.g", "i.e",
    "vs", "approx", "z.b", "bzw", "nr", "ch", "jan", "feb", "mar", "apr", "aug", "sept", "sep", "oct", "nov", "dec",
    "inc", "ltd", "co", "u.s", "art", "sr", "jr", "m", "etc",
];

/// The sentences of a text.
#[must_use]
pub fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let mut found = Vec::new();
    let mut from = 0;
    let mut ends: Vec<usize> = Vec::new();
    for (at, c) in text.char_indices() {
        let after = text.get(at + c.len_utf8()..).unwrap_or_default();
        let rest = after.trim_start_matches(['"', '”', '’', ')', '»', '“']);
        let stop = matches!(c, '.' | '!' | '?' | '…')
            && (rest.is_empty() || rest.starts_with(char::is_whitespace))
            && !(c == '.' && short(text, at, rest));
        if c == '\n' {
            ends.push(at + 1);
        } else if stop {
            ends.push(text.len() - rest.len());
        }
    }
    ends.push(text.len());
    for end in ends {
        if end <= from {
            continue;
        }
        let piece = text.get(from..end).unwrap_or_default();
        let body = piece.trim();
        if body.chars().any(char::is_alphanumeric) {
            let start = text.get(..from + piece.find(body).unwrap_or(0)).unwrap_or_default().chars().count();
            found.push(Sentence { text: body, start });
        }
        from = end;
    }
    found
}

fn short(text: &str, at: usize, rest: &str) -> bool {
    let word =
        text.get(..at).unwrap_or_default().rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    let lower = word.to_lowercase();
    let initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    let next = rest.trim_start().chars().next();
    let small = next.is_some_and(|c| c.is_lowercase() || c.is_ascii_digit());
    initial
        || (SHORT.contains(&lower.as_str()) && (small || lower != "no"))
        || (word.chars().all(|c| c.is_ascii_digit()) && !word.is_empty() && next.is_some_and(char::is_lowercase))
}

/// The clauses of a sentence: parts between semicolons, dashes and joining words.
#[must_use]
pub fn clauses(sentence: &str) -> Vec<&str> {
    let mut parts = vec![sentence];
    for mark in [
        "; ",
        " — ",
        " – ",
        ", but ",
        ", and ",
        ", after ",
        ", following ",
        ", although ",
        " although ",
        ", while ",
        " whereas ",
        ", aber ",
        ", mais ",
        ", pero ",
    ] {
        parts = parts.into_iter().flat_map(|part| part.split(mark)).collect();
    }
    parts
}

/// A text without the quotation marks around it, a citation behind it and a name that says it.
#[must_use]
pub fn bare(text: &str) -> &str {
    let text = text.trim();
    let text = match crate::quotes::find(text).as_slice() {
        [one] if one.start == 0 => {
            let tail = text.get(one.end..).unwrap_or_default().trim();
            if tail.is_empty() || tail.starts_with('(') || tail.len() <= 1 { one.text } else { text }
        }
        _ => text,
    };
    text.trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_and_clauses() {
        let cases = [
            ("Ito et al. say so. Yes.", "Ito et al. say so.|Yes."),
            ("On p. 12 it is. Then 3. May came!", "On p. 12 it is.|Then 3.|May came!"),
            ("\"One.\" Two.\nThree", "\"One.\"|Two.|Three"),
            ("J. R. Cole wrote it. End", "J. R. Cole wrote it.|End"),
        ];
        for (text, expect) in cases {
            let told: Vec<&str> = sentences(text).iter().map(|one| one.text).collect();
            assert_eq!(told.join("|"), expect);
        }
        assert_eq!(clauses("A is b; c is d, but e is f"), ["A is b", "c is d", "e is f"]);
        assert_eq!((bare("\"A b.\" (Cole 2001: 4)"), bare("say \"x\" now")), ("A b.", "say \"x\" now"));
    }
}
