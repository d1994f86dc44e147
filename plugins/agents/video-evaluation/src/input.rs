//! A video, as far as it is given, and the limits to check.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::checks::{Check, Limits};
use crate::facts::Figure;

/// A video, as far as it is given, and what to check or measure.
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The file, or its beginning, in base64: MP4, MOV, M4A, WAV or MP3.
    #[schemars(length(min = 1, max = 900_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media: Option<String>,
    /// Captions: SubRip or WebVTT.
    #[schemars(length(min = 1, max = 500_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captions: Option<String>,
    /// The spoken words, as plain text. Default: the text of the captions.
    #[schemars(length(min = 1, max = 200_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
    /// Duration in seconds, if `media` does not tell.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_seconds: Option<f64>,
    /// Limits in place of the defaults.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// The checks to make; none for an empty list. Default: all.
    #[schemars(length(max = 20))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checks: Option<Vec<Check>>,
    /// Figures that `summary` states. `captions` in the answer has all of them.
    #[schemars(length(max = 20))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub figures: Option<Vec<Figure>>,
    /// Two captions, from 1, whose gap `summary` states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub between: Option<[u32; 2]>,
    /// Words or phrases to count, with their captions.
    #[schemars(length(max = 20))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub find_words: Option<Vec<String>>,
    /// Two of words, seconds and pace of a speech; the third is computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speech: Option<Speech>,
}

/// A speech in figures.
#[derive(Debug, Default, Clone, Copy, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Speech {
    /// Number of words.
    #[schemars(range(min = 0.0, max = 10_000_000.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<f64>,
    /// Length in seconds.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Words per minute.
    #[schemars(range(min = 0.0, max = 10_000.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words_per_minute: Option<f64>,
}
