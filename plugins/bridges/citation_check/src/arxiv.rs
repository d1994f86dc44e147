//! arXiv identifiers: their forms, and where they stand in a text.
//!
//! Forms by info.arxiv.org/help/arxiv_identifier.html; the archives are those of arxiv-base 0.17.8 (PyPI, MIT), arXiv's
//! own code. Invariant: a number without a word, an address or a bracket that says arXiv is taken only with a version.

use crate::{
    find::{Candidate, in_host, run, trimmed},
    output::Kind,
};

/// Archives of the scheme until March 2007.
const ARCHIVES: [&str; 39] = [
    "acc-phys", "adap-org", "alg-geom", "ao-sci", "astro-ph", "atom-ph", "bayes-an", "chao-dyn", "chem-ph", "cmp-lg",
    "comp-gas", "cond-mat", "cs", "dg-ga", "econ", "eess", "funct-an", "gr-qc", "hep-ex", "hep-lat", "hep-ph",
    "hep-th", "math", "math-ph", "mtrl-th", "nlin", "nucl-ex", "nucl-th", "patt-sol", "physics", "plasm-ph", "q-alg",
    "q-bio", "q-fin", "quant-ph", "solv-int", "stat", "supr-con", "test",
];
/// Hosts that show papers, and the words of their addresses before the identifier.
const HOSTS: [&str; 4] = ["arxiv.org/", "ar5iv.org/", "alphaxiv.org/", "xxx.lanl.gov/"];
const PATHS: [&str; 10] =
    ["abs/", "pdf/", "html/", "format/", "ps/", "src/", "e-print/", "dvi/", "overview/", "eprint/"];
/// Words between `arXiv` and the identifier.
const FILLERS: [&str; 9] =
    ["preprints", "preprint", "e-prints", "e-print", "eprints", "eprint", "identifier", "id", "no."];
/// Endings of files, the longest first.
const ENDINGS: [&str; 4] = [".pdf", ".ps.gz", ".ps", ".tar.gz"];

/// What an identifier says.
#[derive(Debug, PartialEq, Eq)]
pub struct Parts {
    /// In small letters, without subject class and version.
    pub canonical: String,
    pub version: Option<u32>,
    pub year: u32,
    pub month: u32,
}

fn all_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Reads an identifier; none if it is not of a form that arXiv has given out.
pub fn parts(value: &str) -> Option<Parts> {
    let (bare, version) = match value.rsplit_once(['v', 'V']) {
        Some((bare, version)) if all_digits(version) && bare.ends_with(|c: char| c.is_ascii_digit()) => {
            (bare, Some(version.parse().ok().filter(|version| *version > 0)?))
        }
        _ => (value, None),
    };
    let (archive, number) = match bare.rsplit_once('/') {
        Some((class, number)) => (Some(archive(class)?), number),
        None => (None, bare),
    };
    let (stamp, serial) = number.split_once('.').or_else(|| number.split_at_checked(4))?;
    if stamp.len() != 4 || !all_digits(stamp) || !all_digits(serial) {
        return None;
    }
    let (year, month): (u32, u32) = (stamp.get(..2)?.parse().ok()?, stamp.get(2..)?.parse().ok()?);
    let (when, new): (u32, bool) = (stamp.parse().ok()?, number.contains('.'));
    let fits = match archive {
        // Four digits until 2014, five since; the new scheme began in April 2007. An archive before it says nothing new.
        _ if new => serial.len() == if when < 1501 { 4 } else { 5 } && when >= 704,
        // The old scheme ran from August 1991 to March 2007.
        Some(_) => serial.len() == 3 && (when >= 9108 || when <= 703),
        None => false,
    };
    let century = if !new && year > 90 { 1900 } else { 2000 };
    let canonical = match archive.filter(|_| !new) {
        Some(archive) => format!("{archive}/{number}"),
        None => number.to_owned(),
    };
    (fits && (1..=12).contains(&month)).then_some(Parts { canonical, version, year: century + year, month })
}

/// The archive of `math.GT` or `hep-th`, if there is one.
fn archive(class: &str) -> Option<&'static str> {
    let (name, subject) = class.split_once('.').unwrap_or((class, "xx"));
    let shaped = (2..=8).contains(&subject.len()) && subject.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-');
    ARCHIVES.into_iter().find(|known| known.eq_ignore_ascii_case(name)).filter(|_| shaped)
}

/// The identifier in a DOI that arXiv gives.
pub fn in_doi(doi: &str) -> Option<&str> {
    doi.strip_prefix("10.48550/arxiv.")
}

/// All identifiers of a text.
pub fn all(text: &str, lower: &str) -> Vec<Candidate> {
    let mut found = addresses(text, lower);
    found.extend(labelled(text, lower));
    found.extend(bare(text));
    found
}

/// The run of characters of an identifier, without punctuation of the sentence and endings of files.
fn value_at(text: &str, at: usize) -> Option<&str> {
    let end = run(text, at, |c| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '-'));
    let value = text.get(at..trimmed(text, at, end))?.trim_end_matches(['/', '-']);
    let ending = |end: &str| value.len() > end.len() && value.to_ascii_lowercase().ends_with(end);
    let shown =
        ENDINGS.iter().find(|end| ending(end)).and_then(|end| value.get(..value.len() - end.len())).unwrap_or(value);
    (!shown.is_empty()).then_some(shown)
}

fn candidate(start: usize, at: usize, value: &str) -> Candidate {
    Candidate { kind: Kind::Arxiv, start, end: at + value.len(), value: value.to_owned() }
}

fn addresses(text: &str, lower: &str) -> Vec<Candidate> {
    let read = |(at, host): (usize, &str)| {
        let rest = lower.get(at + host.len()..)?;
        let path = PATHS.iter().find(|path| rest.starts_with(**path))?;
        let label = if rest.get(path.len()..)?.starts_with("arxiv:") { 6 } else { 0 };
        let from = at + host.len() + path.len() + label;
        let value = value_at(text, from)?;
        let head = lower.get(..at)?;
        let start = head.trim_end_matches(in_host);
        let scheme = ["https://", "http://"].iter().find_map(|scheme| start.strip_suffix(scheme));
        Some(candidate(scheme.unwrap_or(start).len(), from, value))
    };
    HOSTS.iter().flat_map(|host| lower.match_indices(host)).filter_map(read).collect()
}

/// After `arXiv`, with a colon, brackets or words like `preprint` between, and after the member `eprint` of BibTeX.
fn labelled(text: &str, lower: &str) -> Vec<Candidate> {
    let gap = |at: usize| run(text, at, |c| matches!(c, ' ' | ':' | ',' | '=' | '{' | '"' | '[' | '(' | '/' | '#'));
    let read = |(start, word): (usize, &str)| {
        let begin = start + word.len();
        let mut at = gap(begin);
        while let Some(filler) = FILLERS.iter().find(|filler| lower.get(at..).is_some_and(|s| s.starts_with(**filler)))
        {
            at = gap(at + filler.len());
        }
        if lower.get(begin..)?.starts_with('.') {
            at = begin + 1;
        }
        let value = value_at(text, at).filter(|_| at > begin)?;
        // Right after the colon stands an identifier, and if its form is wrong, that is to be told.
        let between = text.get(begin..at)?;
        let told = word == "arxiv" && between.trim() == ":" && value.contains(|c: char| c.is_ascii_digit());
        (told || parts(value).is_some()).then(|| candidate(start, at, value))
    };
    ["arxiv", "eprint"].iter().flat_map(|word| lower.match_indices(word)).filter_map(read).collect()
}

/// Identifiers that nothing announces: the whole text, `[2101.12345]`, a number with version, an archive with number.
fn bare(text: &str) -> Vec<Candidate> {
    let whole = text.trim();
    let mut found = Vec::new();
    if parts(whole).is_some() {
        found.push(candidate(text.len() - text.trim_start().len(), text.len() - text.trim_start().len(), whole));
    }
    let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '-');
    for (start, word) in words(text, inside) {
        let end = trimmed(text, start, start + word.len());
        let Some((word, read)) = text.get(start..end).and_then(|word| Some((word, parts(word)?))) else { continue };
        let (head, rest) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
        let bracketed = head.ends_with('[') && (rest.starts_with(']') || rest.starts_with(" ["));
        let free = !head.ends_with(['=', ',', ':', '$', '€', '£', '+', '_', '@', '%']);
        if bracketed || (free && (read.version.is_some() || word.contains('/'))) {
            found.push(candidate(start, start, word));
        }
    }
    found
}

/// Runs of wanted characters with a digit, and where they begin.
fn words(text: &str, wanted: impl Fn(char) -> bool + Copy) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive(move |c| !wanted(c)).filter_map(move |piece| {
        let start = at;
        at += piece.len();
        let word = piece.trim_end_matches(|c| !wanted(c));
        (word.len() >= 9).then_some((start, word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(value: &str) -> Option<(String, Option<u32>, u32, u32)> {
        parts(value).map(|parts| (parts.canonical, parts.version, parts.year, parts.month))
    }

    #[test]
    fn forms() {
        // Of info.arxiv.org/help/arxiv_identifier.html, and of the tests of idutils and arxiv-base.
        for (value, canonical, version, year, month) in [
            ("0706.0001", "0706.0001", None, 2007, 6),
            ("1501.00001v2", "1501.00001", Some(2), 2015, 1),
            ("1501.00001V2", "1501.00001", Some(2), 2015, 1),
            ("1412.7878", "1412.7878", None, 2014, 12),
            ("math.GT/0309136", "math/0309136", None, 2003, 9),
            ("cond-mat.mes-hall/9901001", "cond-mat/9901001", None, 1999, 1),
            ("HEP-TH/9901001v3", "hep-th/9901001", Some(3), 1999, 1),
            ("solv-int/9901001", "solv-int/9901001", None, 1999, 1),
            ("hep-th/1601.07616", "1601.07616", None, 2016, 1),
        ] {
            assert_eq!(told(value), Some((canonical.to_owned(), version, year, month)), "{value}");
        }
        for value in ["1412.78781", "1513.00001", "0703.0001", "hep-th/99010012", "nowhere/9901001", "9901001", ""] {
            assert_eq!(told(value), None, "{value}");
        }
    }

    #[test]
    fn places() {
        for (text, expect) in [
            ("arXiv preprint arXiv:2101.12345v2 [cs.CL], 2021.", &["2101.12345v2"][..]),
            ("arXiv preprint 2101.12345, arXiv e-prints: 2101.12346", &["2101.12345", "2101.12346"]),
            ("ARXIV: [2101.12345] (arXiv:[hep-th/9901001])", &["2101.12345", "hep-th/9901001"]),
            ("[2101.12345], [1207.7214 [hep-ex]], 1706.03762v5", &["2101.12345", "1207.7214", "1706.03762v5"]),
            ("Phys. Rev. D 60 (1999), hep-th/9901001; math.GT/0309136v1.", &["hep-th/9901001", "math.GT/0309136v1"]),
            ("<https://arxiv.org/html/2101.12345v2#S3>", &["2101.12345v2"]),
            ("https://export.arxiv.org/pdf/cs/0112017.pdf?x=1", &["cs/0112017"]),
            (
                "https://arxiv.org/abs/2101.12345/ and http://xxx.lanl.gov/abs/hep-th/9901001",
                &["2101.12345", "hep-th/9901001"],
            ),
            (
                "https://ar5iv.labs.arxiv.org/html/1706.03762, alphaxiv.org/abs/1706.03763",
                &["1706.03762", "1706.03763"],
            ),
            ("archivePrefix = {arXiv}, eprint = {2101.12345}", &["2101.12345"]),
            ("https://arxiv.org/abs/arXiv:2101.12345", &["2101.12345"]),
            ("posted on arXiv: the text; arXiv 2021; £1912.12345, 2001.12345 m, https://a.b/math/0309136", &[]),
            ("arXiv:2113.12345", &["2113.12345"]),
        ] {
            let mut found = all(text, &text.to_ascii_lowercase());
            found.sort_by_key(|candidate| candidate.start);
            found.dedup_by(|next, kept| next.start < kept.end);
            let values: Vec<&str> = found.iter().map(|candidate| candidate.value.as_str()).collect();
            assert_eq!(values, expect, "{text}");
        }
    }
}
