//! Finds identifiers in a text.
//!
//! Invariants: what is found does not overlap; each finder goes over the text once; offsets lie on characters.

use crate::{
    arxiv, kinds,
    output::{Identifier, Kind},
};

/// Something that looks like an identifier: where it is and what its value is.
#[derive(Debug)]
pub struct Candidate {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
    pub value: String,
}

/// All identifiers of a text, in order.
pub fn identifiers(text: &str) -> Vec<Identifier> {
    // Case is folded in ASCII only, so offsets stay.
    let lower = text.to_ascii_lowercase();
    let mut distinct: Vec<Candidate> = Vec::new();
    let finders = [dois, arxiv::all, pubmeds, orcids, isbns, issns, urls];
    for candidate in finders.iter().flat_map(|find| find(text, &lower)) {
        if distinct.iter().all(|other| candidate.end <= other.start || other.end <= candidate.start) {
            distinct.push(candidate);
        }
    }
    distinct.sort_by_key(|candidate| candidate.start);
    distinct.iter().map(|candidate| kinds::judge(text, candidate)).collect()
}

fn candidate(kind: Kind, text: &str, start: usize, end: usize) -> Option<Candidate> {
    Some(Candidate { kind, start, end, value: text.get(start..end)?.to_owned() })
}

/// Does a word begin here?
fn word_start(text: &str, at: usize) -> bool {
    text.get(..at).and_then(|head| head.chars().next_back()).is_none_or(|c| !c.is_alphanumeric())
}

/// Where a run of wanted characters that begins at `at` ends.
pub fn run(text: &str, at: usize, wanted: impl Fn(char) -> bool) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.find(|c| !wanted(c)).unwrap_or(rest.len())
}

fn digits(text: &str, at: usize) -> usize {
    run(text, at, |c| c.is_ascii_digit())
}

/// The end without punctuation that belongs to the sentence, and without brackets opened outside.
pub fn trimmed(text: &str, start: usize, end: usize) -> usize {
    let mut body = text.get(start..end).unwrap_or_default();
    // How many of each closing bracket have no partner in the body.
    let surplus = |open, close| body.matches(close).count().saturating_sub(body.matches(open).count());
    let (mut round, mut square) = (surplus('(', ')'), surplus('[', ']'));
    while let Some(last) = body.chars().next_back() {
        match last {
            '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*' | '’' => {}
            ')' if round > 0 => round -= 1,
            ']' if square > 0 => square -= 1,
            _ => break,
        }
        body = body.strip_suffix(last).unwrap_or_default();
    }
    start + body.len()
}

/// A letter of a host name.
pub fn in_host(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '-')
}

fn in_address(c: char) -> bool {
    !c.is_whitespace()
        && !c.is_control()
        && !matches!(c, '"' | '<' | '>' | '{' | '}' | '“' | '”' | '|' | '\\' | '^' | '`')
}

fn dois(text: &str, lower: &str) -> Vec<Candidate> {
    let doi = |(at, _): (usize, &str)| {
        let mut slash = digits(text, at + 3);
        if !(4..=9).contains(&(slash - at - 3)) || !word_start(text, at) {
            return None;
        }
        while text.get(slash..)?.starts_with('.') && digits(text, slash + 1) > slash + 1 {
            slash = digits(text, slash + 1);
        }
        // Addresses may have the slash escaped.
        let rest = lower.get(slash..)?;
        let body = if rest.starts_with("%2f") { slash + 3 } else { slash + usize::from(rest.starts_with('/')) };
        let mut end = run(text, body, in_address);
        if let Some(query) = text.get(body..end)?.find('&') {
            end = body + query;
        }
        let end = trimmed(text, at, end);
        if body == slash || end <= body {
            return None;
        }
        let value = text.get(at..end)?.to_owned();
        // The address around it is part of the find.
        let head = lower.get(..at)?;
        let start =
            ["https://doi.org/", "http://doi.org/", "https://dx.doi.org/", "http://dx.doi.org/", "doi:", "doi: "]
                .iter()
                .find_map(|prefix| head.strip_suffix(prefix).map(str::len));
        Some(Candidate { kind: Kind::Doi, start: start.unwrap_or(at), end, value })
    };
    lower.match_indices("10.").filter_map(doi).collect()
}

fn pubmeds(text: &str, lower: &str) -> Vec<Candidate> {
    let mut all = Vec::new();
    for label in ["pmid", "pubmed.ncbi.nlm.nih.gov/", "ncbi.nlm.nih.gov/pubmed/"] {
        for (at, _) in lower.match_indices(label).filter(|(at, _)| word_start(text, *at)) {
            let begin = run(text, at + label.len(), |c| matches!(c, ':' | ' '));
            let end = digits(text, begin);
            let head = lower.get(..at).unwrap_or_default();
            let start = ["https://www.", "https://", "http://"].iter().find_map(|p| head.strip_suffix(p).map(str::len));
            if end > begin {
                let number = text.get(begin..end).unwrap_or_default().to_owned();
                all.push(Candidate { kind: Kind::Pmid, start: start.unwrap_or(at), end, value: number });
            }
        }
    }
    let pmc = lower.match_indices("pmc").filter(|(at, _)| word_start(text, *at));
    all.extend(pmc.filter_map(|(at, _)| {
        let end = digits(text, at + 3);
        candidate(Kind::Pmcid, text, at, end).filter(|_| (4..=12).contains(&(end - at)) && end > at + 3)
    }));
    all
}

/// Four groups of four with hyphens.
fn orcids(text: &str, _lower: &str) -> Vec<Candidate> {
    let bytes = text.as_bytes();
    let shaped = |window: &[u8]| {
        window.iter().enumerate().all(|(place, byte)| match place {
            4 | 9 | 14 => *byte == b'-',
            18 => byte.is_ascii_digit() || matches!(byte, b'X' | b'x'),
            _ => byte.is_ascii_digit(),
        })
    };
    let whole = |start: &usize| {
        let next = bytes.get(start + 19);
        word_start(text, *start)
            && next.is_none_or(|b| !b.is_ascii_alphanumeric() && *b != b'-')
            && text.get(..*start).is_some_and(|head| !head.ends_with('-'))
    };
    let starts = bytes.windows(19).enumerate().filter(|(_, window)| shaped(window)).map(|(at, _)| at);
    let mut all: Vec<Candidate> =
        starts.filter(whole).filter_map(|at| candidate(Kind::Orcid, text, at, at + 19)).collect();
    // Sixteen digits without hyphens are one only if they are all there is, and lie where ORCID gives numbers out.
    let bare = text.trim();
    if bare.len() == 16 && kinds::is_orcid(bare) {
        let at = text.len() - text.trim_start().len();
        all.extend(candidate(Kind::Orcid, text, at, at + 16));
    }
    all
}

/// After the word ISBN, or thirteen digits that begin as one, or the whole text.
fn isbns(text: &str, lower: &str) -> Vec<Candidate> {
    let mut all = Vec::new();
    for (at, _) in lower.match_indices("isbn").filter(|(at, _)| word_start(text, *at)) {
        let mut begin = at + 4;
        for label in ["-13", "-10", " 13", " 10"] {
            let rest = lower.get(begin..).unwrap_or_default();
            if rest.strip_prefix(label).is_some_and(|rest| rest.starts_with([':', ' '])) {
                begin += 3;
                break;
            }
        }
        let begin = run(text, begin, |c| matches!(c, ':' | ' ' | '=' | '{' | '"'));
        all.extend(book(text, begin));
    }
    for prefix in ["978", "979"] {
        let bare = lower.match_indices(prefix).filter(|(at, _)| word_start(text, *at) && !after_hyphen(text, *at));
        all.extend(bare.filter_map(|(at, _)| book(text, at).filter(|candidate| compact_len(&candidate.value) == 13)));
    }
    let whole = text.trim();
    if whole.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | ' ' | 'X' | 'x')) && compact_len(whole) == 10 {
        all.extend(book(text, text.len() - text.trim_start().len()));
    }
    all
}

fn after_hyphen(text: &str, at: usize) -> bool {
    text.get(..at).is_some_and(|head| head.ends_with(['-', '.', '/']))
}

fn compact_len(text: &str) -> usize {
    crate::number::compact(text).len()
}

/// Ten or thirteen digits from here, single hyphens and spaces between; fewer or more are taken as they are.
fn book(text: &str, begin: usize) -> Option<Candidate> {
    let rest = text.get(begin..)?;
    let want = if rest.starts_with("978") || rest.starts_with("979") { 13 } else { 10 };
    let (mut count, mut end, mut gap) = (0usize, begin, false);
    let mut hyphen = false;
    for (at, letter) in rest.char_indices() {
        match letter {
            '0'..='9' => (count, end, gap, hyphen) = (count + 1, begin + at + 1, false, false),
            'X' | 'x' if count == 9 => (count, end, gap) = (count + 1, begin + at + 1, false),
            // A line may have been broken after the hyphen.
            ' ' if hyphen => hyphen = false,
            '-' | ' ' | '‐' | '–' if !gap && count > 0 && count < want => (gap, hyphen) = (true, letter != ' '),
            _ => break,
        }
    }
    candidate(Kind::Isbn, text, begin, end).filter(|_| count >= 8)
}

/// After the word ISSN, or the whole text.
fn issns(text: &str, lower: &str) -> Vec<Candidate> {
    let shape = |at: usize| {
        let first = digits(text, at);
        let rest = run(text, first, |c| matches!(c, '-' | '‐' | '–'));
        let end = run(text, rest, |c| c.is_ascii_digit() || matches!(c, 'X' | 'x'));
        candidate(Kind::Issn, text, at, end).filter(|f| compact_len(&f.value) == 8)
    };
    let labelled = lower.match_indices("issn").filter_map(|(at, _)| {
        let rest = lower.get(at + 4..)?;
        let skip = rest.strip_prefix(" (").and_then(|inner| inner.find(')')).filter(|close| *close < 12);
        let begin = at + 4 + skip.map_or(0, |close| close + 3);
        let begin = run(text, begin, |c| matches!(c, ':' | ' ' | '=' | '-' | '{' | '"'));
        let begin = begin + if lower.get(begin..)?.starts_with("l ") { 2 } else { 0 };
        shape(begin)
    });
    let mut all: Vec<Candidate> = labelled.collect();
    let trimmed = text.trim();
    if trimmed.len() == 9 && trimmed.as_bytes().get(4) == Some(&b'-') {
        all.extend(shape(text.len() - text.trim_start().len()));
    }
    all
}

fn urls(text: &str, lower: &str) -> Vec<Candidate> {
    let mut all = Vec::new();
    for scheme in ["https://", "http://"] {
        for (at, _) in lower.match_indices(scheme).filter(|(at, _)| word_start(text, *at)) {
            let end = trimmed(text, at, run(text, at, in_address));
            all.extend(candidate(Kind::Url, text, at, end));
        }
    }
    all
}
