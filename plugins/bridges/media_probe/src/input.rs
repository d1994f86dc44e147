//! What a caller may send, and the thresholds that follow from it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::Error;

/// Most characters of media in base64, and most bytes of captions.
pub const MOST_BYTES: usize = 1_048_576;

/// Media, captions, or both; what both are given for is also checked against each other.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::AnyOf("media | captions | resource_id"))]
pub struct Input {
    /// The media file in base64 (standard alphabet, padding and line breaks optional): MP4, MOV, M4A and other ISO base
    /// media, WAV, or MP3. At most 1 MiB of base64; of a bigger file its beginning, with `file_bytes`: enough where
    /// `moov` comes first. Give this, `captions`, or `resource_id`.
    #[schemars(length(min = 1, max = 1_048_576))]
    pub media: Option<String>,
    /// Captions as text: SubRip (SRT) or WebVTT; at most 1 MiB. Give these, `media`, or `resource_id`.
    #[schemars(length(min = 1, max = 1_048_576))]
    pub captions: Option<String>,
    /// Id of a stored resource (`res_…`): a media file or a caption file, told apart by its bytes. Alone it means: probe
    /// this file, everything by default. It may stand beside `media` or `captions`, as the other one of the two.
    pub resource_id: Option<String>,
    /// How the captions are written. Default: by the text; one that begins with WEBVTT is that, any other is SRT.
    pub caption_format: Option<CaptionFormat>,
    /// Size of the whole file in bytes, where only its beginning is given. Default: what is given is the whole.
    #[schemars(range(min = 1))]
    pub file_bytes: Option<u64>,
    /// Duration of the media in seconds, where it is not given itself or does not tell; 0 to 1,000,000. Default: what
    /// the media tells.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub media_seconds: Option<f64>,
    /// When a cue counts as hard to read. Default: those of a published style guide.
    pub thresholds: Option<Thresholds>,
}

/// How captions are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CaptionFormat {
    /// SubRip.
    Srt,
    /// WebVTT (W3C).
    Webvtt,
}

/// Thresholds for captions. Defaults are those of Netflix's English Template Timed Text Style Guide (help article
/// 219375728, as published with reading speeds) for adult programmes, where no other origin is named.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Thresholds {
    /// Shortest time on screen, in seconds. Default: 0.833 (five sixths, cut to milliseconds).
    #[schemars(range(min = 0.0, max = 3600.0))]
    pub least_seconds: Option<f64>,
    /// Longest time on screen, in seconds. Default: 7.
    #[schemars(range(min = 0.0, max = 3600.0))]
    pub most_seconds: Option<f64>,
    /// Most characters a second, spaces and punctuation counted, mark-up and line breaks not. Default: 17; for children 13.
    #[schemars(range(min = 1.0, max = 1000.0))]
    pub characters_per_second: Option<f64>,
    /// Most words a minute. Default: 200; for children 160. The BBC's subtitle guidelines recommend 160 to 180.
    #[schemars(range(min = 1.0, max = 10_000.0))]
    pub words_per_minute: Option<f64>,
    /// Most characters a line. Default: 42.
    #[schemars(range(min = 1, max = 1000))]
    pub line_characters: Option<u32>,
    /// Most lines a cue. Default: 2.
    #[schemars(range(min = 1, max = 100))]
    pub lines: Option<u32>,
    /// Shortest gap between cues that do not touch or overlap, in seconds. Default: 0, which is no check (the guide asks
    /// for two frames, which depends on the frame rate).
    #[schemars(range(min = 0.0, max = 60.0))]
    pub least_gap_seconds: Option<f64>,
    /// How far a cue may reach beyond the end of the media, in seconds. Default: 0.1 (a choice of this bridge: rounding).
    #[schemars(range(min = 0.0, max = 60.0))]
    pub end_tolerance_seconds: Option<f64>,
}

/// The thresholds that were used.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Limits {
    /// Shortest time on screen, in seconds.
    pub least_seconds: f64,
    /// Longest time on screen, in seconds.
    pub most_seconds: f64,
    /// Most characters a second.
    pub characters_per_second: f64,
    /// Most words a minute.
    pub words_per_minute: f64,
    /// Most characters a line.
    pub line_characters: u32,
    /// Most lines a cue.
    pub lines: u32,
    /// Shortest gap between cues, in seconds; 0 is no check.
    pub least_gap_seconds: f64,
    /// How far a cue may reach beyond the end of the media, in seconds.
    pub end_tolerance_seconds: f64,
    /// Where the defaults come from.
    pub defaults: &'static str,
}

const DEFAULTS: &str = "Netflix, English Template Timed Text Style Guide (help article 219375728), adult programmes: 5/6 s \
to 7 s, 17 characters a second, 200 words a minute, 42 characters a line, 2 lines; gap and end tolerance are this bridge's";

impl Limits {
    /// The caller's thresholds, defaults where there are none.
    pub fn of(input: &Input) -> Result<Self, Error> {
        check("/media_seconds", input.media_seconds, 0.0, 1_000_000.0, 0.0)?;
        let thresholds = input.thresholds.clone().unwrap_or_default();
        let number = |name: &str, value, least, most, default| {
            check(&format!("/thresholds/{name}"), value, least, most, default)
        };
        let whole = |name: &str, value: Option<u32>, most: u32, default: u32| match value {
            Some(value) if value == 0 || value > most => {
                Err(Error::invalid(format!("/thresholds/{name}"), format!("must lie between 1 and {most}")))
            }
            value => Ok(value.unwrap_or(default)),
        };
        let limits = Self {
            least_seconds: number("least_seconds", thresholds.least_seconds, 0.0, 3600.0, 0.833)?,
            most_seconds: number("most_seconds", thresholds.most_seconds, 0.0, 3600.0, 7.0)?,
            characters_per_second: number(
                "characters_per_second",
                thresholds.characters_per_second,
                1.0,
                1000.0,
                17.0,
            )?,
            words_per_minute: number("words_per_minute", thresholds.words_per_minute, 1.0, 10_000.0, 200.0)?,
            line_characters: whole("line_characters", thresholds.line_characters, 1000, 42)?,
            lines: whole("lines", thresholds.lines, 100, 2)?,
            least_gap_seconds: number("least_gap_seconds", thresholds.least_gap_seconds, 0.0, 60.0, 0.0)?,
            end_tolerance_seconds: number("end_tolerance_seconds", thresholds.end_tolerance_seconds, 0.0, 60.0, 0.1)?,
            defaults: DEFAULTS,
        };
        if limits.least_seconds > limits.most_seconds {
            return Err(Error::invalid("/thresholds/least_seconds", "must not be greater than `most_seconds`"));
        }
        Ok(limits)
    }
}

fn check(field: &str, value: Option<f64>, least: f64, most: f64, default: f64) -> Result<f64, Error> {
    match value {
        Some(value) if !(least..=most).contains(&value) => {
            Err(Error::invalid(field, format!("must lie between {least} and {most}")))
        }
        value => Ok(value.unwrap_or(default)),
    }
}
