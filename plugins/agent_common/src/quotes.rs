//! Quoted parts of a text.

/// Marks that open and close a quotation.
const PAIRS: &[(char, char)] = &[
    ('"', '"'),
    ('“', '”'),
    ('„', '“'),
    ('„', '”'),
    ('«', '»'),
    ('»', '«'),
    ('‹', '›'),
    ('「', '」'),
    ('『', '』'),
    ('‘', '’'),
    ('\'', '\''),
    ('`', '`'),
];

/// A quotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quoted<'t> {
    /// What stands between the marks, without space around it.
    pub text: &'t str,
    /// Place of the opening mark, in bytes.
    pub start: usize,
    /// Place behind the closing mark.
    pub end: usize,
}

/// The quotations of a text in order, the outer ones only. A quotation does not go over a blank line, and an
/// apostrophe is no mark.
#[must_use]
pub fn find(text: &str) -> Vec<Quoted<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut before = ' ';
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let opens = PAIRS.iter().filter(|(open, _)| *open == c);
        let one = opens.filter(|_| !before.is_alphanumeric()).find_map(|(open, close)| closed(text, at, *open, *close));
        match one {
            Some(quoted) => {
                at = quoted.end;
                before = '"';
                found.push(quoted);
            }
            None => {
                at += c.len_utf8();
                before = c;
            }
        }
    }
    found
}

fn closed(text: &str, start: usize, open: char, close: char) -> Option<Quoted<'_>> {
    let from = start + open.len_utf8();
    let rest = text.get(from..)?;
    let single = matches!(open, '\'' | '‘' | '`');
    let limit = rest.find("\n\n").unwrap_or(rest.len());
    let limit = if single { rest.find('\n').unwrap_or(limit).min(limit) } else { limit };
    let body = rest.get(..limit)?;
    if single && body.starts_with(char::is_whitespace) {
        return None;
    }
    let ends = |(at, _): &(usize, &str)| {
        let after = body.get(at + close.len_utf8()..).and_then(|rest| rest.chars().next());
        *at > 0
            && !(after.is_some_and(char::is_alphanumeric) && (single || open == close))
            && !(single && body.get(..*at).is_some_and(|text| text.ends_with(char::is_whitespace)))
    };
    let (at, _) = body.match_indices(close).find(ends)?;
    let inner = body.get(..at)?;
    (!inner.trim().is_empty()).then(|| Quoted { text: inner.trim(), start, end: from + at + close.len_utf8() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_of_all_kinds() {
        let cases = [
            ("say \"one two\" and “three”", "one two|three"),
            ("« Très déçu, l'avis. » ?", "Très déçu, l'avis."),
            ("„Guten Tag“, 「今日は」", "Guten Tag|今日は"),
            ("it's 'not bad' and the dogs' bones", "not bad"),
            ("isn't it John's?", ""),
            ("a 5\" screen and a 6\" one", ""),
            ("\"He said 'go' now\"", "He said 'go' now"),
            ("the column `kwh`", "kwh"),
            ("\"a\n\nb\"", ""),
        ];
        for (text, expect) in cases {
            let all: Vec<&str> = find(text).iter().map(|quoted| quoted.text).collect();
            assert_eq!(all.join("|"), expect, "{text}");
        }
    }
}
