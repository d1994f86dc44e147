//! What a caller may send.

use bridge_common::text_input;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::{Call, Error};

const LONGEST: usize = 200_000;
const MOST_PHRASES: u32 = 100;
const MOST_EXCLUDED: usize = 500;

/// A text whose key phrases are wanted. Give `text`, or `resource_id` of a stored text.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("text | resource_id"))]
pub struct Input {
    /// The text, 200,000 bytes at most. Give this or `resource_id`.
    #[schemars(length(min = 1, max = 200_000))]
    pub text: Option<String>,
    /// Id of a stored resource (`res_…`): plain text in UTF-8. Alone it means: this text, its language found, ten phrases.
    pub resource_id: Option<String>,
    /// Most phrases to list (1 to 100; default 10).
    #[schemars(range(min = 1, max = 100))]
    pub max_phrases: Option<u32>,
    /// Most words in a phrase (1 to 4; default 3).
    #[schemars(range(min = 1, max = 4))]
    pub max_words: Option<u32>,
    /// Whose stop words are left out at the ends of phrases. Default: the language of these that the stop words of the
    /// text speak for most, en where none does.
    pub language: Option<Language>,
    /// Words that are no key words here, as stop words; at most 500. Default: none.
    #[serde(default)]
    #[schemars(length(max = 500))]
    pub exclude: Vec<String>,
    /// A phrase as similar as this to a better one is left out (0 to 1, by edit distance; 1 keeps all; default 0.8).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub deduplicate: Option<f64>,
}

/// A language with known stop words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// Czech.
    Cs,
    /// Danish.
    Da,
    /// German.
    De,
    /// Greek.
    El,
    /// English.
    #[default]
    En,
    /// Spanish.
    Es,
    /// Finnish.
    Fi,
    /// French.
    Fr,
    /// Hungarian.
    Hu,
    /// Italian.
    It,
    /// Dutch.
    Nl,
    /// Norwegian.
    No,
    /// Polish.
    Pl,
    /// Portuguese.
    Pt,
    /// Romanian.
    Ro,
    /// Russian.
    Ru,
    /// Swedish.
    Sv,
    /// Turkish.
    Tr,
    /// Ukrainian.
    Uk,
    /// None of these: no stop words but those in `exclude`.
    Other,
}

impl Language {
    /// Those with stop words; English first, which stands where two are alike.
    pub const KNOWN: [Self; 19] = [
        Self::En,
        Self::De,
        Self::Fr,
        Self::Es,
        Self::It,
        Self::Pt,
        Self::Nl,
        Self::Sv,
        Self::Da,
        Self::No,
        Self::Fi,
        Self::Pl,
        Self::Cs,
        Self::Hu,
        Self::Ro,
        Self::Tr,
        Self::El,
        Self::Ru,
        Self::Uk,
    ];

    /// ISO 639-1 code; none for other languages.
    #[must_use]
    pub fn code(self) -> Option<&'static str> {
        Some(match self {
            Self::Cs => "cs",
            Self::Da => "da",
            Self::De => "de",
            Self::El => "el",
            Self::En => "en",
            Self::Es => "es",
            Self::Fi => "fi",
            Self::Fr => "fr",
            Self::Hu => "hu",
            Self::It => "it",
            Self::Nl => "nl",
            Self::No => "no",
            Self::Pl => "pl",
            Self::Pt => "pt",
            Self::Ro => "ro",
            Self::Ru => "ru",
            Self::Sv => "sv",
            Self::Tr => "tr",
            Self::Uk => "uk",
            Self::Other => return None,
        })
    }
}

/// A checked call.
#[derive(Debug)]
pub struct Task {
    pub text: String,
    pub phrases: usize,
    pub words: usize,
    pub deduplicate: f64,
    /// Where the text stands in the input.
    pub field: &'static str,
}

impl Task {
    /// Reads and checks a call.
    pub fn read(call: &Call, input: &Input) -> Result<Self, Error> {
        let (text, field) = text_input::text(call, input.text.as_ref(), input.resource_id.as_ref(), LONGEST)?;
        let phrases = input.max_phrases.unwrap_or(10);
        if !(1..=MOST_PHRASES).contains(&phrases) {
            return Err(Error::invalid("/max_phrases", format!("give a number from 1 to {MOST_PHRASES}")));
        }
        let words = input.max_words.unwrap_or(3);
        if !(1..=4).contains(&words) {
            return Err(Error::invalid("/max_words", "give a number from 1 to 4"));
        }
        let deduplicate = input.deduplicate.unwrap_or(0.8);
        if !(0.0..=1.0).contains(&deduplicate) {
            return Err(Error::invalid("/deduplicate", "give a number from 0 to 1"));
        }
        if input.exclude.len() > MOST_EXCLUDED {
            return Err(Error::invalid("/exclude", format!("at most {MOST_EXCLUDED} words")));
        }
        Ok(Self { text, phrases: phrases as usize, words: words as usize, deduplicate, field })
    }
}
