//! Short formal texts, a greeting, a subject or a label of a form, by words that letters use: trigrams tell little of them.

use std::collections::BTreeMap;

use tollbridge_sdk::Ready;
use whatlang::Lang;

use crate::code;

const WORDS: &str = include_str!("../data/formal.tsv");
/// Longer texts are left to trigrams.
const WORDS_MAX: usize = 8;
/// The share of its words that a text must have in common with the lists.
const KNOWN_MIN: f64 = 0.5;

static LANGUAGES: Ready<BTreeMap<&'static str, Vec<Lang>>> = Ready::new(|| {
    let mut words: BTreeMap<&str, Vec<Lang>> = BTreeMap::new();
    for (language, line) in WORDS.lines().filter_map(|line| line.split_once('\t')) {
        let Some(language) = code::language(language) else { continue };
        for word in line.split_whitespace() {
            let languages = words.entry(word).or_default();
            if !languages.contains(&language) {
                languages.push(language);
            }
        }
    }
    words
});

/// Makes the table, once.
pub fn prepare() {
    LANGUAGES.prepare();
}

/// The language whose formal words a short text has, and how far the next one is behind, 0 to 1. None if the words do not
/// tell.
pub fn language(text: &str, allowed: &[Lang]) -> Option<(Lang, f64)> {
    let text = text.to_lowercase().replace('’', "'");
    let apart = |sign: char| !(sign.is_alphanumeric() || sign == '\'');
    let words: Vec<&str> = text.split(apart).filter(|word| !word.is_empty()).take(WORDS_MAX + 1).collect();
    if words.is_empty() || words.len() > WORDS_MAX {
        return None;
    }
    let mut scores: BTreeMap<&str, (Lang, f64)> = BTreeMap::new();
    let mut known = 0.0;
    for word in &words {
        let Some(languages) = LANGUAGES.get(word) else { continue };
        known += 1.0;
        for language in languages.iter().filter(|language| allowed.contains(language)) {
            // A word of one language tells more than one of several.
            scores.entry(language.code()).or_insert((*language, 0.0)).1 += 1.0 + 1.0 / languages.len() as f64;
        }
    }
    let count = words.len() as f64;
    let mut scores: Vec<(Lang, f64)> = scores.into_values().collect();
    scores.sort_by(|a, b| b.1.total_cmp(&a.1));
    let (best, most) = scores.first().copied()?;
    let next = scores.get(1).map_or(0.0, |(_, score)| *score);
    (known / count >= KNOWN_MIN && most - next > 1e-9).then_some((best, (most - next) / (2.0 * count)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_letters_tell_the_language() {
        for (text, expect) in [
            ("Dear Sir or Madam,", Some("eng")),
            ("Sehr geehrte Frau Muster", Some("deu")),
            ("Med vennlig hilsen", Some("nob")),
            ("Med venlig hilsen", Some("dan")),
            ("Уважаемый господин Мустер", Some("rus")),
            ("Cordialmente", None),
            ("Zebra", None),
            ("a b c d e f g h i", None),
        ] {
            assert_eq!(language(text, Lang::all()).map(|(language, _)| language.code()), expect, "{text}");
        }
        assert_eq!(language("Dear Sir", &[Lang::Deu]), None);
    }
}
