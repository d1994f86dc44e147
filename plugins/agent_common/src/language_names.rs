//! English names of languages, as commands use them.

use serde_json::{Value, json};

use crate::lexer::Token;
use crate::slots;

/// Codes, each with its names. The first name of a code is the one that is shown.
const NAMES: &str = "ar Arabic; bg Bulgarian; bn Bengali|Bangla; ca Catalan; cs Czech; cy Welsh; da Danish; de German; \
    el Greek; en English; en-GB British English|UK English; en-US American English|US English; eo Esperanto; \
    es Spanish|Castilian; et Estonian; fa Persian|Farsi; fi Finnish; fr French; fr-CA Canadian French; ga Irish; \
    gu Gujarati; he Hebrew; hi Hindi; hr Croatian; hu Hungarian; id Indonesian; is Icelandic; it Italian; \
    ja Japanese; ka Georgian; ko Korean; la Latin; lt Lithuanian; lv Latvian; mr Marathi; ms Malay; nl Dutch; \
    no Norwegian; pl Polish; pt Portuguese; pt-BR Brazilian Portuguese|Brazilian; pt-PT European Portuguese; \
    ro Romanian; ru Russian; sk Slovak; sl Slovenian|Slovene; sq Albanian; sr Serbian; sv Swedish; sw Swahili; \
    ta Tamil; te Telugu; th Thai; tr Turkish; uk Ukrainian; ur Urdu; vi Vietnamese; zh Chinese|Mandarin; \
    zh-CN Simplified Chinese; zh-TW Traditional Chinese";

fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    NAMES.split("; ").filter_map(|names| names.split_once(' '))
}

/// Reads the slot `language`: an English name, with its code as the value.
pub fn read(tokens: &[Token]) -> Vec<(usize, Value)> {
    let names: Vec<(&str, &str)> =
        all().flat_map(|(code, names)| names.split('|').map(move |name| (code, name))).collect();
    let spelled: Vec<&str> = names.iter().map(|(_, name)| *name).collect();
    let code = |value: &Value| names.iter().find(|(_, name)| value == name).map(|(code, _)| json!(code));
    slots::longest(&spelled, tokens).into_iter().filter_map(|(length, name)| Some((length, code(&name)?))).collect()
}

/// Returns the English name of a code, or the code itself.
pub fn name(code: &str) -> &str {
    let same = |own: &str| all().find(|(known, _)| known.eq_ignore_ascii_case(own));
    let names = same(code).or_else(|| same(base(code)));
    names.and_then(|(_, names)| names.split('|').next()).unwrap_or(code)
}

/// Returns the code of a language that is given by its code or its English name.
pub fn code(language: &str) -> Option<&'static str> {
    let is = |(code, names): &(&str, &str)| {
        code.eq_ignore_ascii_case(language) || names.split('|').any(|name| name.eq_ignore_ascii_case(language))
    };
    all().find(is).map(|(code, _)| code)
}

/// Returns a code without its region.
fn base(code: &str) -> &str {
    code.split(['-', '_']).next().unwrap_or(code)
}

/// Returns whether two codes mean one written language: regions do not matter, and both
/// written forms of Norwegian have codes of their own.
pub fn same(a: &str, b: &str) -> bool {
    let plain = |code: &str| match base(code).to_lowercase().as_str() {
        "nb" | "nn" => "no".to_owned(),
        code => code.to_owned(),
    };
    plain(a) == plain(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexer::tokens;

    #[test]
    fn names_and_codes() {
        let first = |text: &str| read(&tokens(text)).into_iter().next();
        assert_eq!(first("brazilian portuguese, please"), Some((2, json!("pt-BR"))));
        assert_eq!(first("German"), Some((1, json!("de"))));
        assert_eq!(first("Germany"), None);
        assert_eq!((name("de-AT"), name("PT-br"), name("xx")), ("German", "Brazilian Portuguese", "xx"));
        assert_eq!((code("German"), code("pt-br"), code("Klingon")), (Some("de"), Some("pt-BR"), None));
        assert!(same("pt-BR", "pt") && same("nb", "no") && !same("de", "nl"));
    }
}
