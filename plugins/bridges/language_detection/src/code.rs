//! Codes of languages (ISO 639-1, 639-3) and scripts (ISO 15924).

use whatlang::{Lang, Script};

use bridge_common::table::find;

const LANGUAGES: &str = include_str!("../data/languages.tsv");
const SCRIPTS: &str = include_str!("../data/scripts.tsv");

/// The two-letter code of a language. Mandarin and Iranian Persian are known by that of their macrolanguage.
#[must_use]
pub fn two_letters(language: Lang) -> Option<&'static str> {
    let code = match language.code() {
        "cmn" => "zho",
        "pes" => "fas",
        code => code,
    };
    find(LANGUAGES, code)
}

/// The shortest code of a language.
#[must_use]
pub fn short(language: Lang) -> &'static str {
    two_letters(language).unwrap_or(language.code())
}

/// The language of a two- or three-letter code, in any case.
#[must_use]
pub fn language(code: &str) -> Option<Lang> {
    let code = code.trim().to_ascii_lowercase();
    Lang::all()
        .iter()
        .copied()
        .find(|language| language.code() == code || two_letters(*language) == Some(code.as_str()))
}

/// The four-letter code of a script.
#[must_use]
pub fn script(script: Script) -> Option<&'static str> {
    match script {
        Script::Mandarin => find(SCRIPTS, "Han"),
        other => find(SCRIPTS, other.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_has_codes() {
        assert_eq!(Lang::all().len(), 70);
        for known in Lang::all() {
            assert!(two_letters(*known).is_some(), "{known:?}");
            assert_eq!(language(short(*known)), Some(*known));
            assert_eq!(language(known.code()), Some(*known));
        }
        for known in Script::all() {
            assert_eq!(script(*known).map(str::len), Some(4), "{known:?}");
        }
    }
}
