//! Lines of a text with their places, and what a line is by its looks.

/// A line without its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line<'t> {
    pub(crate) text: &'t str,
    /// Place of its first byte in the text.
    pub(crate) start: usize,
}

impl Line<'_> {
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

pub(crate) fn split(text: &str) -> Vec<Line<'_>> {
    let mut start = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        lines.push(Line { text: line.trim_end_matches(['\n', '\r']), start });
        start += line.len();
    }
    lines
}

/// The mark of a list item: its label and where the text behind it begins, in bytes of the line.
pub(crate) fn marker(line: &str) -> Option<(Option<&str>, usize)> {
    let trimmed = line.trim_start();
    let indent = line.len() - trimmed.len();
    let first = trimmed.chars().next()?;
    let rest = trimmed.get(first.len_utf8()..)?;
    if "-*•·–—‣◦▪".contains(first) {
        let spaced = rest.starts_with([' ', '\t']) && !rest.trim().is_empty() && !rest.trim_start().starts_with(first);
        let body = rest.trim_start();
        return spaced.then_some((None, indent + trimmed.len() - body.len()));
    }
    let at = |label: &'_ str, len: usize| -> Option<usize> {
        let body = trimmed.get(len..)?;
        let spaced = body.starts_with([' ', '\t']) && !label.is_empty() && !body.trim().is_empty();
        spaced.then_some(indent + trimmed.len() - body.trim_start().len())
    };
    let short = |label: &str| {
        let digits = label.len() <= 3 && label.bytes().all(|byte| byte.is_ascii_digit());
        let letter = label.len() == 1 && label.bytes().all(|byte| byte.is_ascii_alphabetic());
        let roman = label.len() <= 4 && label.bytes().all(|byte| b"ivx".contains(&byte));
        !label.is_empty() && (digits || letter || roman)
    };
    if let Some(close) = matches!(first, '[' | '(').then(|| trimmed.find([']', ')'])).flatten() {
        let label = trimmed.get(1..close)?;
        return short(label).then(|| at(label, close + 1).map(|body| (Some(label), body)))?;
    }
    if first == '#' {
        let label = rest.split_whitespace().next().filter(|label| label.bytes().all(|byte| byte.is_ascii_digit()))?;
        return at(label, 1 + label.len()).map(|body| (trimmed.get(..1 + label.len()), body));
    }
    let len = trimmed.find(|c: char| !c.is_ascii_alphanumeric())?;
    let label = trimmed.get(..len)?;
    let sign = trimmed.get(len..)?.chars().next()?;
    let dotted_letter = sign == '.' && !label.bytes().all(|byte| byte.is_ascii_digit()) && label.len() > 1;
    if matches!(sign, '.' | ')') && short(label) && !dotted_letter {
        return at(label, len + 1).map(|body| (Some(label), body));
    }
    None
}

/// `Review 1: text`, `comment_1: text`, `Post 1 (Mon, 07:50)  text`, `Line A: …`: a word, its count, and where the text begins.
pub(crate) fn counted(line: &str) -> Option<(&str, usize)> {
    let trimmed = line.trim_start();
    let indent = line.len() - trimmed.len();
    let cut = trimmed.find(": ").map(|at| (at, 2)).or_else(|| trimmed.ends_with(':').then(|| (trimmed.len() - 1, 1)));
    let wide = trimmed.find("  ").map(|at| (at, 2));
    let dash = trimmed.find(" - ").or_else(|| trimmed.find(" – ")).map(|at| (at, 3));
    let mut cuts: Vec<(usize, usize)> = [cut, wide, dash].into_iter().flatten().collect();
    cuts.sort_unstable();
    for (at, len) in cuts {
        let label = trimmed.get(..at)?;
        if is_count(label.split(" (").next().unwrap_or(label)) {
            let body = trimmed.get(at + len..).unwrap_or_default();
            return Some((label, indent + trimmed.len() - body.trim_start().len()));
        }
    }
    None
}

/// `Review 1`, `TEXT A`, `comment_2`, `Source II`.
pub(crate) fn is_count(label: &str) -> bool {
    let label = label.trim().trim_matches(['*', '#', '[', ']', ' ']);
    let Some((word, count)) = label.rsplit_once([' ', '_', '#', '.']).or_else(|| {
        let digits = label.trim_start_matches(|c: char| c.is_alphabetic());
        label.split_at_checked(label.len() - digits.len())
    }) else {
        return false;
    };
    let word = word.trim().trim_end_matches('#').trim();
    let count = count.trim_start_matches('#');
    let digits = !count.is_empty() && count.len() <= 3 && count.bytes().all(|byte| byte.is_ascii_digit());
    let letter = count.len() == 1 && count.bytes().all(|byte| byte.is_ascii_uppercase());
    let roman = !count.is_empty() && count.len() <= 3 && count.bytes().all(|byte| b"IVX".contains(&byte));
    let month = crate::dates::month(word).is_some() || crate::dates::weekday(word).is_some();
    let plain = !word.is_empty()
        && word.split_whitespace().count() <= 2
        && word.chars().all(|c| c.is_alphabetic() || " -".contains(c));
    plain && word.len() > 2 && !month && (digits || letter || roman)
}

const HEADERS: &[&str] = &[
    "from",
    "to",
    "cc",
    "bcc",
    "subject",
    "date",
    "sent",
    "reply-to",
    "von",
    "an",
    "betreff",
    "datum",
    "gesendet",
    "de",
    "à",
    "objet",
    "asunto",
    "para",
    "fecha",
    "oggetto",
    "da",
    "onderwerp",
    "aan",
    "van",
    "re",
    "fwd",
];

/// The name and the value of an e-mail header.
pub(crate) fn header(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.trim().split_once(':')?;
    let known = HEADERS.contains(&name.trim().to_lowercase().as_str()) && name == name.trim();
    (known && value.starts_with([' ', '\t']) && !value.trim().is_empty()).then(|| (name, value.trim()))
}

/// A line of dashes or equals signs alone.
pub(crate) fn rule(line: &str) -> bool {
    let line = line.trim();
    line.len() > 1 && ["-", "=", "*", "_", "~", "#"].iter().any(|sign| line.replace(sign, "").is_empty())
}

/// The title within `--- memo_1.txt ---` or `=== 2 ===`.
pub(crate) fn divider(line: &str) -> Option<&str> {
    let line = line.trim();
    ["--", "==", "**", "##", "__"].iter().find_map(|sign| {
        let mark = sign.chars().next()?;
        let inner = line.strip_prefix(sign)?.strip_suffix(sign)?.trim_matches([mark, ' ']);
        (!inner.is_empty() && inner.split_whitespace().count() <= 6 && line.contains(' ')).then_some(inner)
    })
}
