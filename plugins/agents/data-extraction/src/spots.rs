//! Where a text says the name of a field, and what stands there as its value.

use agent_common::columns::{fold, same_word};

/// A word of a text: its letters folded, and its place in bytes.
#[derive(Debug, Clone)]
pub(crate) struct Word {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) folded: String,
}

/// How the text ties a value to a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tie {
    /// The value stands right behind the name: `qty 3`, `SKU A-1`.
    Near,
    /// A verb of the sentence: `the deposit is 900`.
    Verb,
    /// Nothing but wide space: `Total      9.05`.
    Space,
    /// A sign: `Total: 9.05`, `total=9.05`, `<total>9.05</total>`.
    Sign,
}

/// A value that a text gives to a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) raw: String,
    pub(crate) tie: Tie,
    pub(crate) start: usize,
}

/// Verbs and signs that state a value in a sentence.
const VERBS: &[&str] = &[
    "will be",
    "has been",
    "comes to",
    "amounts to",
    "stands at",
    "is now",
    "is still",
    "is set at",
    "is set to",
    "is due on",
    "betragt",
    "lautet",
    "belauft sich auf",
    "liegt bei",
    "is",
    "was",
    "are",
    "were",
    "reads",
    "ist",
    "war",
    "sind",
    "est",
    "etait",
    "sont",
    "es",
    "era",
    "son",
    "e",
    "sono",
    "bedraagt",
    "of",
    "at",
    "on",
    "von",
    "am",
];

/// The words of a text; a capital behind a small letter begins another.
pub(crate) fn words(text: &str) -> Vec<Word> {
    let mut all = Vec::new();
    let mut open: Option<usize> = None;
    let mut small = false;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let parts = small && c.is_uppercase();
        if let Some(start) = open.filter(|_| !c.is_alphanumeric() || parts) {
            all.push(Word { start, end: at, folded: fold(text.get(start..at).unwrap_or_default()) });
            open = None;
        }
        if c.is_alphanumeric() && open.is_none() {
            open = Some(at);
        }
        small = c.is_lowercase();
    }
    all
}

/// The places where a way to say a name stands, as whole words.
pub(crate) fn hits(words: &[Word], way: &[&str]) -> Vec<(usize, usize)> {
    let fits = |own: &Word, word: &&str| own.folded == **word || (word.len() > 3 && same_word(&own.folded, word));
    words
        .windows(way.len().max(1))
        .filter(|window| window.iter().zip(way).all(|(own, word)| fits(own, word)))
        .filter_map(|window| Some((window.first()?.start, window.last()?.end)))
        .collect()
}

/// The values that a text gives to a way to say a name.
pub(crate) fn find(text: &str, words: &[Word], way: &str) -> Vec<Spot> {
    let parts: Vec<&str> = way.split(' ').collect();
    hits(words, &parts)
        .into_iter()
        .filter_map(|(start, end)| {
            labelled(text, start, end).or_else(|| defined(text, start, end)).or_else(|| stated(text, start, end))
        })
        .collect()
}

/// A value behind a label.
fn labelled(text: &str, start: usize, end: usize) -> Option<Spot> {
    let line_start = text.get(..start)?.rfind('\n').map_or(0, |at| at + 1);
    let before = text.get(line_start..start)?;
    let line_end = text.get(end..)?.find('\n').map_or(text.len(), |at| end + at);
    let after = text.get(end..line_end)?;
    let leads = leads_line(before);
    let tight = after.starts_with('=') && before.ends_with([' ', '\t', '&', '?', ',', ';', '{', '(', '[']);
    if !(leads || tight || behind_sign(before)) {
        return None;
    }
    let (skip, tie) = sign(after, leads)?;
    let rest = after.get(skip..)?;
    let quoted_key = after.starts_with('"');
    let mut raw = cut(rest, tight, before.contains('|') || after.trim_start().starts_with('|'));
    let mut from = end + skip;
    if raw.trim().is_empty() && leads {
        // The value of a label alone in its line stands in the next one.
        let next = text.get(line_end + 1..)?;
        raw = next.lines().next()?;
        let another = raw.trim_end().ends_with(':')
            || raw
                .split_once(':')
                .is_some_and(|(label, value)| label.split_whitespace().count() < 4 && value.starts_with(' '));
        if raw.trim().is_empty() || another {
            return None;
        }
        from = line_end + 1;
    }
    // A member of JSON in its line ends at the comma.
    if quoted_key && !rest.trim_start().starts_with('"') {
        raw = raw.split([',', '}', ']']).next().unwrap_or_default();
    }
    let clean = unquoted(raw);
    (!clean.is_empty()).then(|| Spot { raw: clean.to_owned(), tie, start: from })
}

/// Whether only signs of a list, a quote or a tag stand before a label in its line.
fn leads_line(before: &str) -> bool {
    let bare = before
        .trim()
        .trim_start_matches("export ")
        .trim_matches(|c: char| c.is_whitespace() || "-*•·>|#\"'`<{[(_–+✓☐".contains(c));
    let numbered = bare.trim_end_matches(['.', ')']);
    bare.is_empty()
        || (numbered.len() < 3 && numbered.len() < bare.len() && numbered.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether the text before a label ends another value: two spaces, a bar, a comma.
fn behind_sign(before: &str) -> bool {
    if before.ends_with("</") {
        return false;
    }
    let trimmed = before.trim_end_matches(['"', '\'', '*', '`', '<']);
    trimmed.ends_with("  ")
        || trimmed.ends_with(['\t', '|', ';', ',', '(', '{', '&', '·', '•'])
        || trimmed.trim_end().ends_with(['|', ';', ',', '·', '•', '{', '.', '/', '–', '>'])
        || trimmed.ends_with("> ")
}

/// How many bytes the sign between a label and its value takes, and how sure it ties them.
fn sign(after: &str, leads: bool) -> Option<(usize, Tie)> {
    let unit = after.trim_start();
    let wide = after.len() - unit.len();
    let mut at = 0;
    // `Weight (kg): 3`, `Amount [EUR]: 5`
    for (open, close) in [('(', ')'), ('[', ']')] {
        if unit.starts_with(open)
            && let Some(len) = unit.find(close).filter(|len| *len < 25)
        {
            at = wide + len + close.len_utf8();
        }
    }
    let rest = after.get(at..)?;
    let quoted = rest.trim_start_matches(['"', '\'', '*', '`', '_']);
    let marks = rest.len() - quoted.len();
    let gap = quoted.len() - quoted.trim_start().len();
    let body = quoted.trim_start();
    let taken = at + marks + gap;
    for mark in [":=", "=>", "->", "→", "::", ":", "=", "|", ">", "：", "–", "—"] {
        if body.starts_with(mark) {
            return Some((taken + mark.len(), Tie::Sign));
        }
    }
    // `TEL;TYPE=work:+46 8`
    if quoted.starts_with(';')
        && let Some(len) = quoted.find(':').filter(|_| quoted.contains('='))
    {
        return Some((at + marks + len + 1, Tie::Sign));
    }
    if body.starts_with("- ") && gap > 0 && leads {
        return Some((taken + 2, Tie::Sign));
    }
    let leader = body.len() - body.trim_start_matches(['.', '_', '…', ' ']).len();
    if leader > 1 && body.starts_with(['.', '_', '…']) && leads {
        return Some((taken + leader, Tie::Sign));
    }
    if (gap > 1 || quoted.starts_with('\t')) && !body.is_empty() && marks == 0 {
        return Some((taken, Tie::Space));
    }
    (rest.trim().is_empty() && leads).then_some((after.len(), Tie::Space))
}

/// What belongs to the value: another label, a bar or a closing tag ends it.
fn cut(rest: &str, tight: bool, barred: bool) -> &str {
    let lead = rest.len() - rest.trim_start().len();
    let body = rest.trim_start();
    let mut end = body.len();
    if let Some(quote) = body.chars().next().filter(|c| ['"', '\''].contains(c))
        && let Some(close) = body.get(1..).and_then(|text| text.find(quote))
    {
        return rest.get(lead + 1..lead + 1 + close).unwrap_or(rest);
    }
    if tight {
        let stops = if body.contains('=') { &[' ', '\t', '&', ',', ';'][..] } else { &['&', ';'][..] };
        end = end.min(body.find(stops).unwrap_or(end));
    }
    for stop in ["</", "\t", " | ", " ·", " • "] {
        end = end.min(body.find(stop).unwrap_or(end));
    }
    if barred {
        end = end.min(body.find('|').unwrap_or(end));
    }
    if body.split_whitespace().count() > 11 {
        end = end.min(sentence_end(body).unwrap_or(end));
    }
    for (at, c) in body.char_indices().filter(|(_, c)| [',', ';', ' ', '.', '/'].contains(c)) {
        if at >= end {
            break;
        }
        let next = body.get(at + c.len_utf8()..).unwrap_or_default();
        let wide = c == ' ' && next.starts_with(' ');
        let apart = wide || (c != ' ' && next.starts_with(' '));
        if apart && opens_label(next.trim_start()) {
            end = at;
            break;
        }
    }
    rest.get(lead..lead + end).unwrap_or(rest)
}

/// Where a sentence ends; `J. Dunn` and `Dr. Amin` are no ends.
pub(crate) fn sentence_stop(text: &str) -> Option<usize> {
    text.match_indices(". ").map(|(at, _)| at).find(|at| {
        let word = text.get(..*at).unwrap_or_default().rsplit([' ', '.', '\n']).next().unwrap_or_default();
        let title = ["Dr", "Mr", "Mrs", "Ms", "St", "Prof", "No", "Nr"].contains(&word);
        !(title || (word.chars().count() == 1 && word.chars().all(char::is_uppercase)))
    })
}

/// Where the first sentence ends, if another follows.
fn sentence_end(text: &str) -> Option<usize> {
    text.match_indices(". ").map(|(at, _)| at).find(|at| {
        let word = text.get(..*at).unwrap_or_default().rsplit([' ', '.']).next().unwrap_or_default();
        let next = text.get(at + 2..).unwrap_or_default();
        word.chars().count() > 2 && next.starts_with(char::is_uppercase)
    })
}

/// Whether a label of its own begins here: up to four words and a colon or an equals sign.
fn opens_label(text: &str) -> bool {
    let Some(at) = text.find([':', '=']) else { return false };
    let label = text.get(..at).unwrap_or_default();
    let count = label.split_whitespace().count();
    (1..=4).contains(&count)
        && label.starts_with(char::is_alphabetic)
        && !label.contains([',', '.', ';', '/'])
        && !text.get(at + 1..).is_some_and(|rest| rest.starts_with("//"))
}

fn unquoted(raw: &str) -> &str {
    let bare = raw.trim().trim_end_matches([',', ';', '\\']).trim();
    let bare = bare.trim_matches(|c: char| "\"“”„*`".contains(c)).trim();
    let bare = if bare.contains('(') { bare } else { bare.trim_end_matches(')') };
    bare.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')).unwrap_or(bare)
}

/// A value that a sentence states of a name.
fn stated(text: &str, start: usize, end: usize) -> Option<Spot> {
    let glued = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || "_-/@".contains(c));
    if glued(text.get(..start)?.chars().next_back()) || glued(text.get(end..)?.chars().next()) {
        return None;
    }
    let rest = text.get(end..)?;
    let trimmed = rest.trim_start_matches([' ', '\n']);
    let folded = fold(trimmed);
    let Some(verb) =
        VERBS.iter().find(|verb| folded.strip_prefix(**verb).is_some_and(|rest| rest.starts_with([' ', ':', '\n'])))
    else {
        return near(text, end);
    };
    // Folding keeps the count of characters, not of bytes.
    let skip: usize = trimmed.chars().take(verb.chars().count()).map(char::len_utf8).sum();
    let behind = trimmed.get(skip..)?;
    let lead = behind.len() - behind.trim_start_matches([' ', ':', '\n']).len();
    let clause = clause(behind.get(lead..)?);
    // `two months for either side`: what is measured ends before the next preposition.
    let measured = clause.starts_with(|c: char| c.is_ascii_digit() || "€$£".contains(c))
        || agent_common::number_words::cardinal(&fold(clause.split(' ').next()?)).is_some();
    let clause = if measured {
        [" for ", " from ", " with ", " when ", " if ", " because ", " until ", " as ", " für ", " pour "]
            .iter()
            .filter_map(|stop| clause.find(stop))
            .min()
            .and_then(|end| clause.get(..end))
            .unwrap_or(clause)
    } else {
        clause
    };
    let from = text.len() - behind.len() + lead;
    let few = clause.split_whitespace().count() <= 8;
    let weak = ["of", "at", "on", "e", "es", "am", "von"].contains(verb);
    let first = clause.split_whitespace().next().unwrap_or_default();
    let counted = agent_common::quantity::read(first, None).is_some() && !weak;
    let valued = counted || clause.starts_with(|c: char| c.is_ascii_digit() || "€$£+-".contains(c));
    let proper = clause.starts_with(char::is_uppercase);
    (few && !clause.is_empty() && (valued || (proper && !weak)) && from < text.len()).then(|| Spot {
        raw: clause.to_owned(),
        tie: Tie::Verb,
        start: from,
    })
}

/// `Brookfield Estates LLP ("the Landlord")`: a name for a party stands in brackets behind it.
fn defined(text: &str, start: usize, end: usize) -> Option<Spot> {
    let before = text.get(..start)?;
    let open = before.rfind('(').filter(|open| {
        let words = before.get(open + 1..).unwrap_or_default();
        words.split_whitespace().count() <= 4 && words.contains(['"', '“', '„', '\'', '‘', '«']) && !words.contains(')')
    })?;
    if !text.get(end..)?.starts_with(['"', '”', '“', '\'', '’', '»']) {
        return None;
    }
    let head = before.get(..open)?.trim_end();
    let mut from = head.len();
    for word in head.rsplit(' ') {
        let joins = ["of", "&", "de", "van", "von"].contains(&word) && from < head.len();
        let proper = word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
        let ends = word.ends_with([',', ';', ':', '.']) && from < head.len() && !word.ends_with("S.") && word.len() > 3;
        if ends || !(proper || joins) || word.contains(['\n', '"', '(', ')', '”']) {
            break;
        }
        from = head.len().min(from.saturating_sub(word.len() + usize::from(from < head.len())));
    }
    let raw = head.get(from..)?.trim().trim_start_matches("and ");
    (!raw.is_empty()).then(|| Spot { raw: raw.to_owned(), tie: Tie::Verb, start: from })
}

/// `qty 3`, `SKU A-1`, `Order #77`: a value with a digit right behind a name.
fn near(text: &str, end: usize) -> Option<Spot> {
    let rest = text.get(end..)?;
    let body = rest.trim_start_matches(['.', ' ', '#', '(']);
    let raw = clause(body.split('\n').next()?);
    let digits = |word: &str| word.bytes().any(|byte| byte.is_ascii_digit());
    let first = raw.split_whitespace().next()?;
    // `#A-10047 arrived`: words without a digit are no part of it.
    let end = raw
        .match_indices(' ')
        .map(|(at, _)| at)
        .find(|at| !digits(raw.get(at + 1..).unwrap_or_default().split(' ').next().unwrap_or_default()));
    let raw = end.and_then(|end| raw.get(..end)).unwrap_or(raw);
    let coded = digits(first) && !first.contains('@');
    let fits =
        coded && rest.starts_with([' ', '.']) && rest.len() - body.len() < 4 && raw.split_whitespace().count() <= 4;
    fits.then(|| Spot { raw: raw.to_owned(), tie: Tie::Near, start: text.len() - body.len() })
}

/// Up to the end of the clause: `Halifax, the salary is …` gives `Halifax`.
fn clause(text: &str) -> &str {
    let mut end = sentence_stop(text).unwrap_or(text.len());
    for stop in
        [", ", "; ", ".\n", "\n\n", ",\n", " and ", " und ", " et ", " y ", " but ", " which ", " (", "! ", "? "]
    {
        end = end.min(text.find(stop).unwrap_or(end));
    }
    let own = text.get(..end).unwrap_or(text).trim().trim_end_matches(['.', ',', ';', '!']);
    if own.contains('(') { own } else { own.trim_end_matches(')') }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_its_value_in_many_layouts() {
        let cases = [
            ("Total: 9.05", "total", "9.05"),
            ("Total due ...... 9.05", "total due", "9.05"),
            ("TOTAL      9.05", "total", "9.05"),
            ("- **Total:** 9.05", "total", "9.05"),
            ("level=warn request_id=9f-77 status=504", "request id", "9f-77"),
            ("<total>9.05</total>", "total", "9.05"),
            ("Name: Jo, total: 9.05, paid: yes", "total", "9.05"),
            ("From: CPH   To: OSL", "from", "CPH"),
            ("| Total | 9.05 | x |", "total", "9.05"),
            ("{\"unitPrice\": 9.05, \"a\": 1}", "unit price", "9.05"),
            ("TEL;TYPE=work:+46 8 555", "tel", "+46 8 555"),
            ("Weight (kg): 3", "weight", "3"),
            ("Total:\n9.05", "total", "9.05"),
            ("1. Total = 9.05", "total", "9.05"),
            ("The total is 9.05 and was paid.", "total", "9.05"),
            ("Die Kaution beträgt 900 EUR.", "kaution", "900 EUR"),
            ("The location is Halifax, the rest is open.", "location", "Halifax"),
            ("a?total=9.05&page=2", "total", "9.05"),
            ("In total we are fine.", "total", ""),
            ("subtotal: 3", "total", ""),
        ];
        for (text, way, expect) in cases {
            let found = find(text, &words(text), way);
            assert_eq!(found.first().map_or("", |spot| spot.raw.as_str()), expect, "{text}");
        }
    }
}
