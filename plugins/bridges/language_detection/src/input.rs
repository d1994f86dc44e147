//! What a caller may send.

use schemars::JsonSchema;
use serde::Deserialize;
use tollbridge_sdk::{Call, Error};

const MOST_TEXTS: usize = 1_000;
const MOST_BYTES: usize = 500_000;
const MOST_LANGUAGES: usize = 70;

/// Texts whose language is wanted. Give one of `text`, `texts` and `resource_id`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("text | texts | resource_id"))]
pub struct Input {
    /// A text; 500,000 bytes at most. Give this, `texts` or `resource_id`.
    #[schemars(length(min = 1, max = 500_000))]
    pub text: Option<String>,
    /// Up to 1,000 texts, 500,000 bytes in all. Give this, `text` or `resource_id`.
    #[schemars(length(min = 1, max = 1_000))]
    pub texts: Option<Vec<String>>,
    /// Id of a stored resource (`res_…`): a text in UTF-8, taken as one. Alone it means: its language, of all known ones.
    pub resource_id: Option<String>,
    /// Only these languages come into question, by ISO 639-1 or 639-3 code. Default: all 70 known ones.
    #[schemars(length(min = 1, max = 70))]
    pub languages: Option<Vec<String>>,
}

/// The texts of a call.
pub fn texts(call: &Call, input: Input) -> Result<Vec<String>, Error> {
    let given = [input.text.is_some(), input.texts.is_some(), input.resource_id.is_some()];
    if given.iter().filter(|given| **given).count() != 1 {
        return Err(Error::invalid("/text", "give one of `text`, `texts` and `resource_id` (a stored text)"));
    }
    let (texts, field) = match (input.text, input.texts) {
        (Some(text), _) => (vec![text], "/text"),
        (None, Some(texts)) => (texts, "/texts"),
        (None, None) => (vec![call.stored()?.text()?.to_owned()], "/resource_id"),
    };
    if texts.is_empty() || texts.len() > MOST_TEXTS {
        return Err(Error::invalid(field, format!("give 1 to {MOST_TEXTS} texts")));
    }
    let bytes: usize = texts.iter().map(String::len).sum();
    if bytes > MOST_BYTES {
        return Err(Error::invalid(field, format!("{bytes} bytes are more than {MOST_BYTES}; send parts")));
    }
    Ok(texts)
}

/// The languages that come into question; none for all.
pub fn allowed(input: &Input) -> Result<Option<Vec<whatlang::Lang>>, Error> {
    let Some(codes) = &input.languages else { return Ok(None) };
    if codes.is_empty() || codes.len() > MOST_LANGUAGES {
        return Err(Error::invalid("/languages", format!("give 1 to {MOST_LANGUAGES} codes, or leave this out")));
    }
    let mut languages = Vec::with_capacity(codes.len());
    for (place, code) in codes.iter().enumerate() {
        let language = crate::code::language(code).ok_or_else(|| {
            let known: Vec<&str> = whatlang::Lang::all().iter().map(|lang| crate::code::short(*lang)).collect();
            Error::invalid(
                format!("/languages/{place}"),
                format!("not a known language; known are {}", known.join(", ")),
            )
        })?;
        languages.push(language);
    }
    Ok(Some(languages))
}
