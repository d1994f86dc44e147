//! How well the letters of a text fit a language: trigrams tell only which of the known languages is nearest.
//!
//! Invariant: letters are compared in NFC and small, an accent that does not compose together with its letter.

use std::collections::{BTreeMap, BTreeSet};

use bridge_common::table::find;
use icu_normalizer::ComposingNormalizerBorrowed;
use whatlang::{Lang, Script};

const LETTERS: &str = include_str!("../data/letters.tsv");
const SHARES: &str = include_str!("../data/shares.tsv");

/// More of the letters must not be foreign, and not more than one letter: a name, a word of another language.
const FOREIGN_SHARE: f64 = 0.01;
/// How much less likely than the language's own texts the letters may be, in standard deviations.
const UNLIKELY: f64 = 4.5;
/// So many letters that the language has and others of its script have not may be expected, and all be missing.
const MISSING: f64 = 6.0;
/// The share of a letter that the table does not list.
const RARE: f64 = 33e-5;

/// Different letters that are counted: no language has as many, and they take memory.
const MOST_LETTERS: usize = 2_000;

/// What in the letters of a text speaks against a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Misfit {
    /// Letters that the language does not have.
    pub foreign: bool,
    /// Letters that it has, but far less often.
    pub unlikely: bool,
    /// Letters that mark it are not there.
    pub missing: bool,
}

/// Compares the letters of a text, those of its script, with what is known of a language.
pub fn misfit(text: &str, language: Lang, script: Script) -> Misfit {
    if find(SHARES, language.code()).is_none() && find(LETTERS, language.code()).is_none() {
        return Misfit::default();
    }
    let counts = counted(text, script);
    let total = counts.values().sum::<usize>() as f64;
    let Some((own, all)) = find(SHARES, language.code()).and_then(|row| row.split_once('\t')) else {
        return Misfit { foreign: foreign(&counts, language, total), ..Misfit::default() };
    };
    let missing: f64 = shares(own).filter(|(letter, _)| !counts.contains_key(*letter)).map(|(_, share)| share).sum();
    Misfit {
        foreign: foreign(&counts, language, total),
        unlikely: deviations(&counts, &shares(all).collect(), total) > UNLIKELY,
        missing: missing * total > MISSING,
    }
}

fn foreign(counts: &BTreeMap<String, usize>, language: Lang, total: f64) -> bool {
    let Some(row) = find(LETTERS, language.code()) else { return false };
    let known: BTreeSet<&str> = row.split(' ').collect();
    let foreign: usize = counts.iter().filter(|(letter, _)| !known.contains(letter.as_str())).map(|(_, n)| n).sum();
    foreign > 1 && foreign as f64 > FOREIGN_SHARE * total
}

/// How far the mean likelihood of the letters is below that of the language's own texts of this length.
fn deviations(counts: &BTreeMap<String, usize>, shares: &BTreeMap<&str, f64>, total: f64) -> f64 {
    let surprise = |share: f64| -share.max(RARE).ln();
    let mean: f64 = shares.values().map(|share| share * surprise(*share)).sum();
    let variance: f64 = shares.values().map(|share| share * (surprise(*share) - mean).powi(2)).sum();
    let here = |letter: &str| surprise(shares.get(letter).copied().unwrap_or(RARE));
    let found: f64 = counts.iter().map(|(letter, count)| *count as f64 * here(letter)).sum();
    if total < 1.0 || variance <= 0.0 { 0.0 } else { (found / total - mean) / (variance / total).sqrt() }
}

/// Letters and their shares, of a cell `a 8123 b 1410`.
fn shares(cell: &str) -> impl Iterator<Item = (&str, f64)> {
    let mut parts = cell.split(' ');
    std::iter::from_fn(move || Some((parts.next()?, f64::from(parts.next()?.parse::<u32>().ok()?) / 1e5)))
}

/// How often each letter of a script is there.
fn counted(text: &str, script: Script) -> BTreeMap<String, usize> {
    let text = text.to_lowercase();
    let text = ComposingNormalizerBorrowed::new_nfc().normalize(&text);
    let mut counts: BTreeMap<(char, String), usize> = BTreeMap::new();
    let mut add = |letter: Option<char>, marks: String| {
        if let Some(letter) = letter.filter(|letter| letter.is_alphabetic()) {
            if counts.len() >= MOST_LETTERS && !counts.contains_key(&(letter, marks.clone())) {
                return;
            }
            let count = counts.entry((letter, marks)).or_insert(0);
            *count = count.saturating_add(1);
        }
    };
    let (mut letter, mut marks) = (None, String::new());
    for sign in text.chars() {
        if matches!(sign, '\u{300}'..='\u{36f}') {
            // A pile of accents is no letter of any language; a few tell that as well.
            if marks.len() < 8 {
                marks.push(sign);
            }
        } else {
            add(letter.replace(sign), std::mem::take(&mut marks));
        }
    }
    add(letter, marks);
    let of_script = |letter: char| whatlang::detect_script(letter.encode_utf8(&mut [0; 4])) == Some(script);
    let found = counts.into_iter().filter(|((letter, _), _)| of_script(*letter));
    found.map(|((letter, marks), count)| (format!("{letter}{marks}"), count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_reads() {
        for language in Lang::all() {
            let code = language.code();
            if !["cmn", "jpn", "kor", "lat"].contains(&code) {
                assert!(find(LETTERS, code).is_some_and(|row| row.split(' ').count() > 20), "{code}");
            }
            if let Some((own, all)) = find(SHARES, code).and_then(|row| row.split_once('\t')) {
                let total: f64 = shares(all).map(|(_, share)| share).sum();
                assert!((0.98..1.001).contains(&total), "{code} {total}");
                assert_eq!(shares(own).count() * 2, own.split_terminator(' ').count(), "{code}");
            }
        }
        assert_eq!(SHARES.lines().count(), 66);
    }

    #[test]
    fn letters_are_counted_composed_and_of_one_script() {
        let counts = counted("E\u{301}é ẹ\u{300} Яя1x\u{300}", Script::Latin);
        let rows: Vec<_> = counts.iter().map(|(letter, count)| (letter.as_str(), *count)).collect();
        assert_eq!(rows, [("x\u{300}", 1), ("é", 2), ("ẹ\u{300}", 1)]);
    }

    #[test]
    fn many_different_letters_are_not_all_kept() {
        let piles = |at: u32| {
            format!("a{}{}", char::from_u32(0x300 + at % 100).unwrap(), char::from_u32(0x300 + at / 100).unwrap())
        };
        let text: String = (0..10_000).map(piles).collect();
        assert!(counted(&text, Script::Latin).len() <= MOST_LETTERS);
        assert!(misfit(&text, Lang::Eng, Script::Latin).foreign);
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let english = "The letters of this sentence are those that a sentence in English has, and as many of each.";
        assert_eq!(misfit(english, Lang::Eng, Script::Latin), Misfit::default());
        assert!(
            misfit("Барлық адамдар тумысынан азат және қадір-қасиеті мен құқықтары тең", Lang::Bel, Script::Cyrillic)
                .foreign
        );
        assert!(misfit(&english.repeat(3), Lang::Vie, Script::Latin).missing);
        assert!(misfit(&english.repeat(3), Lang::Zul, Script::Latin).unlikely);
        assert_eq!(misfit("", Lang::Eng, Script::Latin), Misfit::default());
    }
}
