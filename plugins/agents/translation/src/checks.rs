//! What a model's translation must pass, so that a weak model cannot sell something else.

use std::collections::BTreeSet;

use agent_common::{Answer, language_names};
use serde::Deserialize;
use serde_json::json;
use tollbridge_sdk::{Error, bridges};

/// Fewer letters do not show a language.
const LETTERS_MIN: usize = 20;
/// A line of so many words is not the same in two languages.
const LINE_WORDS: usize = 4;
/// How much longer or shorter a translation may be, in weighted characters.
const RATIO: f64 = 3.0;
/// Characters by which short texts may differ besides.
const SLACK: f64 = 24.0;
/// A sign of Chinese, Japanese or Korean counts as so many letters.
const WIDE: f64 = 2.5;
/// Scripts with the languages that are written in them; all others are written in Latin letters.
const SCRIPTS: &str = "Arabic ar fa ur|Armenian hy|Bengali bn|Cyrillic bg mk ru sr uk|Devanagari hi mr ne|Georgian ka|\
    Greek el|Gujarati gu|Gurmukhi pa|Hangul ko|Hebrew he|Hiragana ja|Katakana ja|Latin sr|Mandarin ja zh|Tamil ta|\
    Telugu te|Thai th|Kannada kn|Malayalam ml";
/// Languages that the bridge takes for others, because it does not know them.
const UNKNOWN: [&str; 5] = ["ga", "is", "ms", "sq", "sw"];
/// How models begin to talk about a translation instead of giving it.
const CHAT: &str = "here is the translation|here's the translation|here is your translation|here is a translation|\
    the translation is|translation:|translated text|as an ai|language model|cannot translate|can't translate|\
    unable to translate";

/// A detected language.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Detected {
    /// ISO 639-1 code.
    pub(crate) language: Option<String>,
    /// Whether nothing is doubtful.
    pub(crate) reliable: bool,
    #[serde(default)]
    script: Option<String>,
    #[serde(default)]
    letters: usize,
    #[serde(default)]
    alternatives: Vec<String>,
}

#[derive(Deserialize)]
struct Texts {
    texts: Vec<Detected>,
}

/// Returns the language of a text, as the bridge detects it.
pub(crate) fn detect(text: &str) -> Result<Detected, Error> {
    let answer: Answer<Texts> = bridges::call("language_detection", &json!({ "text": text }))?;
    Ok(answer.result.texts.into_iter().next().unwrap_or_default())
}

/// Returns why a text is not a translation into a language; none if nothing speaks against it.
pub(crate) fn problem(text: &str, translation: &str, detected: &Detected, target: &str) -> Option<String> {
    let name = language_names::name(target);
    if words(translation).is_subset(&words(text)) && !words(translation).is_empty() {
        return Some("it has only words of the text itself".to_owned());
    }
    if let Some(line) = repeated(text, translation) {
        return Some(format!("the part `{}` was left in the language of the text", line.trim()));
    }
    let (lower, before) = (translation.to_lowercase(), text.to_lowercase());
    if let Some(chat) = CHAT.split('|').find(|chat| lower.contains(chat) && !before.contains("transl")) {
        return Some(format!("it talks about the task: `{chat}`"));
    }
    let (own, other) = (weight(text), weight(translation));
    if other > own * RATIO + SLACK || other + SLACK < own / RATIO {
        return Some("its length does not fit the text".to_owned());
    }
    let is_target = |code: &str| language_names::same(code, target);
    let scripts: Vec<&str> = SCRIPTS.split('|').filter(|list| list.split(' ').skip(1).any(is_target)).collect();
    let fits = |script: &str| {
        (scripts.is_empty() && script == "Latin") || scripts.iter().any(|list| list.split(' ').next() == Some(script))
    };
    if let Some(script) = detected.script.as_ref().filter(|script| !fits(script)) {
        return Some(format!("it is written in {script} letters, not in those of {name}"));
    }
    if UNKNOWN.into_iter().any(is_target) {
        return None;
    }
    let other = detected.language.as_ref().filter(|code| !is_target(code))?;
    let unlikely = detected.letters >= LETTERS_MIN && !detected.alternatives.iter().any(|code| is_target(code));
    (detected.reliable || unlikely).then(|| format!("it is not in {name}, but in {}", language_names::name(other)))
}

/// Returns whether the detected language of a translation confirms its target.
pub(crate) fn is_confirmed(detected: &Detected, target: &str) -> bool {
    detected.reliable && detected.language.as_ref().is_some_and(|code| language_names::same(code, target))
}

/// Returns the words of a text in small letters.
pub(crate) fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Returns a line or sentence of the text that occurs in its translation.
fn repeated<'t>(text: &'t str, translation: &str) -> Option<&'t str> {
    let plain = |text: &str| text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    let translation = plain(translation);
    text.split(['\n', '.', '!', '?', ';']).find(|line| {
        let is_text = line.split_whitespace().filter(|word| word.chars().all(char::is_alphabetic)).count();
        is_text >= LINE_WORDS && translation.contains(&plain(line))
    })
}

/// Returns the length of a text, in letters of an alphabet.
fn weight(text: &str) -> f64 {
    let wide = |c: char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}');
    text.chars().map(|c| if wide(c) { WIDE } else { 1.0 }).sum()
}
