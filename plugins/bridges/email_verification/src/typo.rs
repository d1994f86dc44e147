//! Likely typing mistakes in a domain.
//!
//! Invariant: what the lists know as a provider or what has no near neighbour gets no suggestion.

use crate::{
    domain::Name,
    table::{TARGETS, TOPS},
};

/// A better domain, and how many typing mistakes lie between.
pub fn suggestion(name: &Name) -> Option<(String, usize)> {
    let written = name.ascii.as_str();
    if name.provider() || TARGETS.lines().any(|target| target == written) || written.len() > 40 {
        return None;
    }
    let allowed = |target: &str| match target.len() {
        0..=7 => 0,
        8..=9 => 1,
        _ => 2,
    };
    let steps = |target: &str| distance_within(allowed(target), written, target);
    let near = TARGETS.lines().filter_map(|target| Some((steps(target)?, !target.ends_with(".com"), target)));
    let best = near.min();
    if let Some((steps, _, target)) = best {
        return Some((target.to_owned(), steps));
    }
    if name.top_known() || name.reserved() {
        return None;
    }
    let (head, top) = written.rsplit_once('.')?;
    let known = TOPS.lines().filter(|known| !known.contains('.') && known.len() > 1);
    let near = known.filter_map(|known| Some((distance_within(1, top, known)?, known != "com", known)));
    let (steps, _, known) = near.filter(|(steps, ..)| *steps == 1).min()?;
    Some((format!("{head}.{known}"), steps))
}

/// The distance, if it is no more than `most`. Most texts are told apart by their lengths and letters alone: a step
/// brings in one letter at most.
fn distance_within(most: usize, a: &str, b: &str) -> Option<usize> {
    let missing = |from: u32, to: u32| (from & !to).count_ones() as usize > most;
    let (of_a, of_b) = (letters(a), letters(b));
    if a.len().abs_diff(b.len()) > most || missing(of_a, of_b) || missing(of_b, of_a) {
        return None;
    }
    Some(distance(a, b)).filter(|steps| *steps <= most)
}

/// A bit for each letter from a to z, some for several other bytes.
fn letters(text: &str) -> u32 {
    text.bytes().fold(0, |letters, byte| letters | 1 << (byte & 31))
}

/// Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). Both texts are short.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let at = |row: &[usize], place: usize| row.get(place).copied().unwrap_or(usize::MAX / 2);
            let mut best = (at(&last, j) + usize::from(x != y)).min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            if i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x) {
                best = best.min(at(&before, j - 1) + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_distances() {
        for (a, b, expect) in
            [("", "abc", 3), ("abc", "abc", 0), ("ca", "abc", 3), ("gmial", "gmail", 1), ("kitten", "sitting", 3)]
        {
            assert_eq!(distance(a, b), expect, "{a} {b}");
            assert_eq!(distance_within(expect, a, b), Some(expect), "{a} {b}");
            assert!(expect == 0 || distance_within(expect - 1, a, b).is_none(), "{a} {b}");
        }
    }

    #[test]
    fn suggestions() {
        for (written, expect) in [
            ("gmial.com", Some("gmail.com")),
            ("gmail.co", Some("gmail.com")),
            ("hotnail.com", Some("hotmail.com")),
            ("yaho.co.uk", Some("yahoo.co.uk")),
            ("outlok.cmo", Some("outlook.com")),
            ("acme.con", Some("acme.com")),
            ("gmail.com", None),
            ("gmx.net", None),
            ("acme.com", None),
            ("aol.de", None),
            ("mail.de", None),
            ("a.xyzzy", None),
        ] {
            let got = suggestion(&Name::read(written).unwrap());
            assert_eq!(got.map(|(domain, _)| domain).as_deref(), expect, "{written}");
        }
    }
}
