//! The language and script of texts, by letters and trigrams.
//!
//! Invariants: a text without letters of a known script has no language; the same text gives the same answer.

mod code;
mod input;

use bridge_common::{Report, Source};
use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_sdk::{Call, Error, bridge};
use whatlang::{Detector, Lang};

pub use input::Input;

/// Other languages that are listed.
const ALTERNATIVES: usize = 2;
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
    /// Confidence above 0.9 and at least 20 letters (or a script that is one language's alone).
    pub reliable: bool,
    /// Letters in the text.
    pub letters: usize,
    /// The next likely languages of the same script, at most two.
    pub alternatives: Vec<&'static str>,
}

const DATA: [Source<&str>; 3] = [
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
];

const METHOD: &str = "script by counting letters; where several languages share it, letters (alphabets) and trigrams \
     compared with profiles of each (Cavnar and Trenkle 1994, as in whatlang 0.18)";

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
    let language = detection.as_ref().map(whatlang::Info::lang);
    let confidence =
        detection.as_ref().map(whatlang::Info::confidence).filter(|value| value.is_finite()).unwrap_or(0.0);
    // One language alone is certain only if its script has no other.
    let alone = script.is_some_and(|script| script.langs().len() == 1);
    Detected {
        index,
        language: language.map(code::short),
        iso639_3: language.map(|language| language.code()),
        name: language.map(Lang::eng_name),
        native_name: language.map(Lang::name),
        script: script.map(|script| script.name().to_owned()),
        script_code: script.and_then(code::script),
        confidence: (confidence.clamp(0.0, 1.0) * 1e4).round() / 1e4,
        reliable: language.is_some() && confidence > 0.9 && (alone || letters >= FEW_LETTERS),
        letters,
        alternatives: alternatives(text, language, all),
    }
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
            "{doubtful} of {} texts are short or near to several languages; look at `alternatives`",
            texts.len()
        ));
    }
    let unknown = texts.iter().filter(|text| text.language.is_none()).count();
    if unknown > 0 {
        notes.push(format!("{unknown} of {} texts have no language", texts.len()));
    }
    if chosen {
        notes.push("only the languages asked for were compared; confidence is among these".to_owned());
    }
    notes
}

bridge! { handle: handle, examples: ["../cases/esperanto.json"] }

tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests;
