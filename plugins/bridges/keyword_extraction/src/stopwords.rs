//! Stop words: whether a word is one, and whose stop words a text has.

use std::collections::BTreeMap;

use bridge_common::table::find;
use unicode_segmentation::UnicodeSegmentation;

use crate::input::Language;

/// Made by data/make.py: `language:word`.
const STOPWORDS: &str = include_str!("../data/stopwords.tsv");
/// Words of a text that are looked at for its language.
const MOST_LOOKED_AT: usize = 2_000;
/// One word in so many must be a stop word of a language for it to be that of the text …
const ONE_IN: f64 = 20.0;
/// … and so many must be that no other language has: `die` alone does not make an English title German.
const LEAST: f64 = 1.5;
/// Beginnings that lose their vowel before another and stand before an apostrophe; they carry no meaning.
const ELIDED_FRENCH: [&str; 14] =
    ["l", "d", "j", "m", "t", "s", "c", "n", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu", "presqu"];
const ELIDED_ITALIAN: [&str; 20] = [
    "l", "d", "c", "m", "t", "s", "v", "n", "un", "dell", "all", "dall", "nell", "sull", "coll", "quell", "quest",
    "gl", "anch", "com",
];

/// Small letters as the language writes them.
#[must_use]
pub fn lower(word: &str, language: Language) -> String {
    if language == Language::Tr {
        return word.replace('İ', "i").replace('I', "ı").to_lowercase();
    }
    word.to_lowercase()
}

/// Whether a word in small letters is a stop word of the language.
#[must_use]
pub fn is_stop(word: &str, language: Language) -> bool {
    let Some(code) = language.code() else { return false };
    let word = word.replace('’', "'");
    let word = if language == Language::El { without_accents(&word) } else { word };
    let is_listed = |word: &str| find(STOPWORDS, &format!("{code}:{word}")).is_some();
    // Capitals that were made without regard to Turkish have no dot.
    is_listed(&word) || (language == Language::Tr && word.contains('ı') && is_listed(&word.replace('ı', "i")))
}

/// How many bytes of a word are an elided stop word with its apostrophe: the `l'` of `l'eau`.
#[must_use]
pub fn elided(word: &str, language: Language) -> Option<usize> {
    let list: &[&str] = match language {
        Language::Fr => &ELIDED_FRENCH,
        Language::It => &ELIDED_ITALIAN,
        _ => return None,
    };
    let (at, sign) = word.char_indices().find(|(_, sign)| matches!(sign, '\'' | '’'))?;
    let beginning = word.get(..at)?.to_lowercase();
    list.contains(&beginning.as_str()).then(|| at.saturating_add(sign.len_utf8()))
}

/// The language whose stop words speak for it most; a word that many languages share speaks for each of them less.
#[must_use]
pub fn language_of(text: &str) -> Language {
    let mut words: BTreeMap<String, f64> = BTreeMap::new();
    let mut all = 0.0;
    for word in text.unicode_words().take(MOST_LOOKED_AT) {
        *words.entry(word.to_lowercase()).or_insert(0.0) += 1.0;
        all += 1.0;
    }
    let mut votes = [0.0f64; Language::KNOWN.len()];
    for (word, count) in &words {
        let have: Vec<bool> = Language::KNOWN.iter().map(|language| is_stop(word, *language)).collect();
        let share = count / have.iter().filter(|has| **has).count().max(1) as f64;
        for (vote, _) in votes.iter_mut().zip(&have).filter(|(_, has)| **has) {
            *vote += share;
        }
    }
    let mut best = (Language::En, (all / ONE_IN).max(LEAST));
    for (language, vote) in Language::KNOWN.into_iter().zip(votes) {
        if vote > best.1 {
            best = (language, vote);
        }
    }
    best.0
}

fn without_accents(word: &str) -> String {
    let plain = |sign: char| match sign {
        'ά' => 'α',
        'έ' => 'ε',
        'ή' => 'η',
        'ί' | 'ϊ' | 'ΐ' => 'ι',
        'ό' => 'ο',
        'ύ' | 'ϋ' | 'ΰ' => 'υ',
        'ώ' => 'ω',
        other => other,
    };
    word.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elided_articles_are_told_from_names() {
        for (word, language, expect) in [
            ("l'eau", Language::Fr, Some(2)),
            ("L’eau", Language::Fr, Some(4)),
            ("qu'il", Language::Fr, Some(3)),
            ("aujourd'hui", Language::Fr, None),
            ("dell'acqua", Language::It, Some(5)),
            ("Ann's", Language::En, None),
            ("eau", Language::Fr, None),
        ] {
            assert_eq!(elided(word, language), expect, "{word}");
        }
    }

    #[test]
    fn small_letters_and_accents() {
        assert_eq!((lower("İLE", Language::Tr), lower("ALTI", Language::Tr)), ("ile".into(), "altı".into()));
        assert!(is_stop(&lower("İle", Language::Tr), Language::Tr));
        for word in ["είναι", "ειναι", "αυτές", "και"] {
            assert!(is_stop(word, Language::El), "{word}");
        }
        assert!(!is_stop("θάλασσα", Language::El) && !is_stop("the", Language::Other));
    }
}
