//! Chinese names: characters read as pinyin, and the spelling of Wade and Giles beside it.

use std::collections::BTreeMap;

use bridge_common::Source;
use tollbridge_sdk::Ready;

const READINGS: &[u8] = include_bytes!("../data/han.bin");
const PINYIN: &str = include_str!("../data/pinyin.txt");
/// Surnames of two characters.
const DOUBLE: [&str; 12] =
    ["欧阳", "歐陽", "司马", "司馬", "诸葛", "諸葛", "上官", "司徒", "东方", "東方", "皇甫", "尉迟"];
/// Surnames that are read otherwise than the character alone.
const SURNAMES: [(char, &str); 10] = [
    ('曾', "zeng"),
    ('单', "shan"),
    ('單', "shan"),
    ('解', "xie"),
    ('查', "zha"),
    ('仇', "qiu"),
    ('任', "ren"),
    ('朴', "piao"),
    ('覃', "qin"),
    ('翟', "zhai"),
];
/// Longest Chinese name; more characters are an organisation's, whose words are no sounds.
const LONGEST: usize = 4;
const SYLLABLE_MAX: usize = 6;

struct Syllables {
    lines: Vec<&'static str>,
    wade: BTreeMap<&'static str, &'static str>,
    spelt: BTreeMap<String, &'static str>,
}

static SYLLABLES: Ready<Syllables> = Ready::new(|| {
    let rows: Vec<(&str, &str)> = PINYIN.lines().filter_map(|line| line.split_once(' ')).collect();
    let mut spelt = BTreeMap::new();
    for (_, wade) in &rows {
        spelt.insert((*wade).to_owned(), *wade);
        // Older books write `teh`, `keh`.
        if wade.ends_with('e') || *wade == "ko" || *wade == "ho" {
            spelt.insert(format!("{}eh", wade.trim_end_matches(['e', 'o'])), *wade);
        }
    }
    Syllables { lines: rows.iter().map(|(pinyin, _)| *pinyin).collect(), wade: rows.into_iter().collect(), spelt }
});

/// Where the readings are from.
pub fn source() -> Source {
    Source {
        name: "readings of Chinese characters".to_owned(),
        version: "0.55.0".to_owned(),
        as_of: "undated; release 0.55.0".to_owned(),
        licence: "MIT".to_owned(),
        source: "pypinyin on PyPI, mozillazg; after Unihan".to_owned(),
    }
}

/// Makes the tables, once.
pub fn prepare() {
    SYLLABLES.prepare();
}

/// Whether it is a Chinese character.
pub fn is_han(letter: char) -> bool {
    matches!(letter, '\u{4e00}'..='\u{9fff}')
}

/// A Chinese name, surname first, as two words in pinyin.
pub fn name(word: &str) -> Option<Vec<String>> {
    let count = word.chars().count();
    if !(2..=LONGEST).contains(&count) || !word.chars().all(is_han) {
        return None;
    }
    let surname = if count > 2 && DOUBLE.iter().any(|double| word.starts_with(double)) { 2 } else { 1 };
    let read = |letter: char| {
        let place = (u32::from(letter).checked_sub(0x4e00)? as usize).checked_mul(2)?;
        let line = READINGS.get(place..place.checked_add(2)?)?;
        SYLLABLES.lines.get(usize::from(u16::from_le_bytes([*line.first()?, *line.get(1)?]))).copied()
    };
    let special = |letter: char| SURNAMES.iter().find(|(known, _)| *known == letter).map(|(_, text)| *text);
    let first: Option<String> =
        word.chars().take(surname).map(|letter| special(letter).or_else(|| read(letter))).collect();
    let rest: Option<String> = word.chars().skip(surname).map(read).collect();
    Some(vec![first?, rest?])
}

/// How a word in pinyin is written by Wade and Giles, without apostrophes.
pub fn wade_of_pinyin(word: &str) -> Option<String> {
    syllables(word, &|part| SYLLABLES.wade.get(part).copied())
}

/// A word in the spelling of Wade and Giles, each syllable in its usual form.
pub fn wade(word: &str) -> Option<String> {
    syllables(word, &|part| SYLLABLES.spelt.get(part).copied())
}

/// Parts a word into syllables, the longest first, and writes each as told.
fn syllables(word: &str, written: &dyn Fn(&str) -> Option<&'static str>) -> Option<String> {
    if word.len() > 3 * SYLLABLE_MAX || !word.is_ascii() {
        return None;
    }
    // What the rest of the word from each place on is written as, the end first.
    let mut rests: Vec<Option<String>> = vec![Some(String::new())];
    for place in (0..word.len()).rev() {
        let rest = (1..=(word.len() - place).min(SYLLABLE_MAX)).rev().find_map(|length| {
            let rest = rests.get(rests.len() - length)?.as_ref()?;
            Some(format!("{}{rest}", written(word.get(place..place + length)?)?))
        });
        rests.push(rest);
    }
    rests.pop().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read() {
        for (text, expect) in [
            ("习近平", Some("xi jinping")),
            ("任正非", Some("ren zhengfei")),
            ("司马南", Some("sima nan")),
            ("曾庆红", Some("zeng qinghong")),
            ("华为技术有限公司", None),
            ("习", None),
        ] {
            assert_eq!(name(text).map(|parts| parts.join(" ")).as_deref(), expect, "{text}");
        }
    }

    #[test]
    fn both_spellings_meet() {
        for (pinyin, spelt) in
            [("zedong", "tsetung"), ("xiaoping", "hsiaoping"), ("de", "teh"), ("jingguo", "chingkuo"), ("ren", "jen")]
        {
            assert_eq!(wade_of_pinyin(pinyin), wade(spelt), "{pinyin} {spelt}");
            assert!(wade(spelt).is_some());
        }
        assert_eq!(wade("smith"), None);
    }
}
