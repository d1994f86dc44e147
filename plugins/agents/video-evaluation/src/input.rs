//! A video, as far as it is given, and what to check or measure.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

/// A video, as far as it is given, and what to check or measure.
#[skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The file, or its beginning, in base64: MP4, MOV, M4A, WAV or MP3.
    #[schemars(length(min = 1, max = 900_000))]
    pub media: Option<String>,
    /// Captions: SubRip or WebVTT.
    #[schemars(length(min = 1, max = 500_000))]
    pub captions: Option<String>,
    /// The spoken words, as plain text. Default: the text of the captions.
    #[schemars(length(min = 1, max = 200_000))]
    pub transcript: Option<String>,
    /// Duration in seconds, if `media` does not tell.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub media_seconds: Option<f64>,
    /// Limits in place of the defaults.
    pub limits: Option<Limits>,
    /// The checks to make; none for an empty list. Default: all.
    #[schemars(length(max = 20))]
    pub checks: Option<Vec<Check>>,
    /// Figures that `summary` states. `captions` in the answer has all of them.
    #[schemars(length(max = 20))]
    pub figures: Option<Vec<Figure>>,
    /// Two captions, from 1, whose gap `summary` states.
    pub between: Option<[u32; 2]>,
    /// Words or phrases to count, with their captions.
    #[schemars(length(max = 20))]
    pub find_words: Option<Vec<String>>,
    /// Two of words, seconds and pace of a speech; the third is computed.
    pub speech: Option<Speech>,
}

/// A speech in figures.
#[skip_serializing_none]
#[derive(Debug, Default, Clone, Copy, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Speech {
    /// Number of words.
    #[schemars(range(min = 0.0, max = 10_000_000.0))]
    pub words: Option<f64>,
    /// Length in seconds.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub seconds: Option<f64>,
    /// Words per minute.
    #[schemars(range(min = 0.0, max = 10_000.0))]
    pub words_per_minute: Option<f64>,
}

/// Limits; the default of each applies if it is checked and not given.
#[skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Most characters per second, spaces and punctuation included. Default: 17.
    #[schemars(range(min = 1.0, max = 1000.0))]
    pub max_characters_per_second: Option<f64>,
    /// Most characters of a line. Default: 42.
    #[schemars(range(min = 1, max = 1000))]
    pub max_line_characters: Option<u32>,
    /// Most lines of a caption. Default: 2.
    #[schemars(range(min = 1, max = 100))]
    pub max_lines: Option<u32>,
    /// Shortest time on screen, in seconds. Default: 0.833.
    #[schemars(range(min = 0.0, max = 3600.0))]
    pub min_seconds: Option<f64>,
    /// Longest time on screen, in seconds. Default: 7.
    #[schemars(range(min = 0.0, max = 3600.0))]
    pub max_seconds: Option<f64>,
    /// Shortest gap between captions that do not touch, in seconds. Default: none.
    #[schemars(range(min = 0.0, max = 60.0))]
    pub min_gap_seconds: Option<f64>,
    /// Longest time without captions between two of them, in seconds. Default: none.
    #[schemars(range(min = 0.0, max = 100_000.0))]
    pub max_gap_seconds: Option<f64>,
    /// Most words per minute of a caption. Default: 200.
    #[schemars(range(min = 1.0, max = 10_000.0))]
    pub max_words_per_minute: Option<f64>,
    /// Fewest words per minute of all captions together, while they are shown. Default: none.
    #[schemars(range(min = 1.0, max = 10_000.0))]
    pub min_words_per_minute: Option<f64>,
    /// Words and phrases that no caption may have, in any case. Default: none.
    #[schemars(length(max = 200))]
    pub forbidden_words: Option<Vec<String>>,
}

/// A check of captions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    Overlap,
    /// Order of time, and ends after starts.
    Order,
    Numbering,
    Empty,
    Repeated,
    ReadingSpeed,
    WordsPerMinute,
    LineLength,
    Lines,
    Duration,
    Gap,
    /// Captions after the end of the video.
    End,
    /// Forbidden words.
    Words,
    /// Everything else: file format, encoding, tags, media.
    Format,
}

/// A figure of captions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    /// Number of captions.
    Captions,
    FirstCaptionStarts,
    LastCaptionEnds,
    AverageDuration,
    LongestDuration,
    ShortestDuration,
    /// Time with at least one caption.
    ShownSeconds,
    /// Share of `media_seconds`, or of the time from the first caption to the last.
    CoveredPercent,
    UncoveredSeconds,
    LongestGap,
    ShortestGap,
    GapsInAll,
    Words,
    Characters,
    CharactersPerSecond,
    MostCharactersPerSecond,
    WordsPerMinute,
    LongestLine,
}
