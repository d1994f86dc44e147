//! Very common phrases in many languages, answered without a model.

/// A header of codes, then one phrase a line; alternatives parted by `/`, the first is the usual one.
const PHRASES: &str = include_str!("../data/phrases.txt");

/// Latin and other sayings with what they mean in English.
const SAYINGS: &[(&str, &str)] = &[
    ("carpe diem", "seize the day/pluck the day"),
    ("veni vidi vici", "I came, I saw, I conquered"),
    ("cogito ergo sum", "I think, therefore I am"),
    ("in vino veritas", "in wine there is truth/there is truth in wine"),
    ("alea iacta est", "the die is cast"),
    ("memento mori", "remember that you must die/remember you must die"),
    ("tempus fugit", "time flies"),
    ("per aspera ad astra", "through hardships to the stars"),
    ("errare humanum est", "to err is human"),
    ("mea culpa", "my fault/through my fault"),
    ("quid pro quo", "something for something/a favour for a favour"),
    ("c'est la vie", "that's life/such is life"),
    ("que sera sera", "what will be, will be/whatever will be, will be"),
    ("hakuna matata", "no worries/no problem"),
    ("hasta la vista", "see you later/until we meet again"),
];

/// A phrase that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The usual translation.
    pub translation: String,
    /// Others that are as right.
    pub alternatives: Vec<String>,
    /// Language that the phrase was found in.
    pub source: &'static str,
}

/// A phrase with small letters, without marks around and inside it.
fn plain(text: &str) -> String {
    let lower = text.to_lowercase().replace(['’', '`'], "'");
    let marks = |c: char| ".,!?¿¡:;\"“”„«»…。！？،؟()".contains(c);
    lower.chars().filter(|c| !marks(*c)).collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a phrase is in another language; `source`: the language that it is in, where that is known; `screen`: whether
/// it is a word on a button or in a menu. None where it is not known, or means several things.
#[must_use]
pub fn find(text: &str, source: Option<&str>, target: &str, screen: bool) -> Option<Found> {
    let wanted = plain(text);
    let codes: Vec<&'static str> = PHRASES.lines().next()?.split(';').collect();
    let base = target.split('-').next().unwrap_or(target).to_lowercase();
    let to = codes.iter().position(|code| **code == base)?;
    if base == "en" {
        let saying = SAYINGS.iter().find(|(saying, _)| plain(saying) == wanted);
        if let Some((_, meaning)) = saying {
            return found(meaning, "la", text);
        }
    }
    let mut hits: Vec<(usize, Vec<&'static str>)> = Vec::new();
    for line in PHRASES.lines().skip(1) {
        let mut cells: Vec<&'static str> = line.split(';').collect();
        let first = cells.first().copied().unwrap_or_default();
        let kind = first.split_once('@').map(|(_, kind)| kind);
        if let Some(cell) = cells.first_mut() {
            *cell = first.split('@').next().unwrap_or(first);
        }
        if (kind == Some("u")) && !screen {
            continue;
        }
        for (at, cell) in cells.iter().enumerate().filter(|(at, _)| *at != to) {
            let named = source.is_none_or(|source| codes.get(at) == Some(&source));
            if named && cell.split('/').any(|one| plain(one) == wanted) {
                hits.push((at, cells.clone()));
            }
        }
    }
    // English first; else all languages that have the phrase must mean the same.
    let chosen = hits.iter().find(|(at, _)| *at == 0).or_else(|| hits.first())?;
    let (at, cells) = chosen;
    let one = |cells: &Vec<&'static str>| cells.get(to).copied().unwrap_or_default();
    if *at != 0 && hits.iter().any(|(_, other)| !shares(one(other), one(cells))) {
        return None;
    }
    found(one(cells), codes.get(*at).copied().unwrap_or("en"), text)
}

fn shares(a: &str, b: &str) -> bool {
    a.split('/').any(|one| b.split('/').any(|other| one.eq_ignore_ascii_case(other)))
}

/// The alternatives of a cell, with a capital and a mark at the end as the text has them.
fn found(cell: &'static str, source: &'static str, text: &str) -> Option<Found> {
    let text = text.trim();
    let capital = text.chars().next().is_some_and(char::is_uppercase);
    let shaped = |one: &str| {
        let mut chars = one.chars();
        let first =
            chars.next().map(|c| if capital { c.to_uppercase().collect() } else { c.to_string() }).unwrap_or_default();
        let end = text.chars().next_back().filter(|c| ".!?".contains(*c)).map(String::from).unwrap_or_default();
        format!("{first}{}{end}", chars.as_str())
    };
    let mut all = cell.split('/').map(shaped);
    let translation = all.next().filter(|one| !one.is_empty())?;
    Some(Found { translation, alternatives: all.collect(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_phrase_is_in_each_language() {
        let codes = PHRASES.lines().next().unwrap().split(';').count();
        for line in PHRASES.lines() {
            let cells: Vec<&str> = line.split(';').collect();
            assert_eq!(cells.len(), codes, "{line}");
            assert!(cells.iter().all(|cell| cell.split('/').all(|one| !one.trim().is_empty())), "{line}");
        }
    }

    #[test]
    fn phrases_are_found() {
        let cases = [
            ("one", None, "fr", "un"),
            ("Thank you!", None, "de", "Danke!"),
            ("s'il vous plaît", None, "en", "please"),
            ("Carpe diem", None, "en", "Seize the day"),
            ("Kargo bedava", Some("tr"), "en", "Free shipping"),
            ("grazie", None, "en", "thank you"),
            ("Guten Morgen", None, "ja", "おはようございます"),
            ("monday", None, "es", "lunes"),
            ("شكرا جزيلا", Some("ar"), "en", "thank you very much"),
        ];
        for (text, source, target, expect) in cases {
            assert_eq!(
                find(text, source, target, false).map(|found| found.translation).as_deref(),
                Some(expect),
                "{text}"
            );
        }
        assert_eq!(find("Save", None, "de", true).map(|found| found.translation).as_deref(), Some("Speichern"));
        assert_eq!(find("Back", None, "de", false), None);
        assert_eq!(find("the quick fox", None, "de", false), None);
    }
}
