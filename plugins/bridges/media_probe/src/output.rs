//! The answer. Times are seconds, rounded to microseconds.

use std::collections::BTreeMap;

use bridge_common::Report;
use schemars::JsonSchema;
use serde::Serialize;

use crate::input::{CaptionFormat, Limits};
use crate::issue::Issue;

/// The answer of this bridge.
pub type Output = Report<Probe>;

/// Media, captions, and how they fit.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Probe {
    /// The media file; left out where none was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media: Option<Media>,
    /// The captions; left out where none were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captions: Option<Captions>,
    /// Captions against the duration of the media, where both are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit: Option<Fit>,
    /// How many issues of each kind there are, listed or not.
    pub issue_counts: BTreeMap<&'static str, usize>,
    /// The gravest first, then in order of the file; at most 50 of each kind.
    pub issues: Vec<Issue>,
}

/// A media file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Media {
    /// iso_base_media (MP4, MOV, M4A, …), wav, or mp3.
    pub format: &'static str,
    /// ISO base media: the major brand, such as `isom` or `qt  `.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brand: Option<String>,
    /// ISO base media: the compatible brands, at most 50.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub compatible_brands: Vec<String>,
    /// Size of the whole file, in bytes.
    pub bytes: u64,
    /// Duration in seconds; left out where the headers do not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_seconds: Option<f64>,
    /// Of the whole file, in bits a second: size by duration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bit_rate: Option<u64>,
    /// ISO base media: whether `moov` comes before `mdat`, so that players can start before they have it all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faststart: Option<bool>,
    /// ISO base media: whether samples are described in fragments (`mvex`, `moof`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fragmented: Option<bool>,
    /// Fragments seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fragments: Option<usize>,
    /// Value for the `codecs` parameter of a media type (RFC 6381), where the string of every track is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub codecs: Option<String>,
    /// Each track, in the order of the file.
    pub tracks: Vec<Track>,
}

/// A track. Members that its headers do not give are left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Track {
    /// Id in the file; 1 where the format has none.
    pub id: u32,
    /// video, audio, subtitle, metadata, timecode, hint, other.
    pub kind: &'static str,
    /// Sample entry, such as `avc1`; `pcm`, `mp3` and so on in WAV and MP3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// RFC 6381 string, such as `avc1.640028`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub codec: Option<String>,
    /// ISO base media: whether the header enables it, so that players play it by themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Encrypted (`encv`, `enca`, `enct`).
    pub encrypted: bool,
    /// ISO 639-2 code, or the BCP 47 tag of an `elng` box; none where it is undetermined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Sum of its samples' durations, or what its header says, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_seconds: Option<f64>,
    /// Samples: frames of video, access units of sound, texts of subtitles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<u64>,
    /// Bits a second: bytes of its samples by duration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bit_rate: Option<u64>,
    /// Coded width in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// Coded height in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// Width at which it is to be shown, before rotation, in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_width: Option<f64>,
    /// Height at which it is to be shown, before rotation, in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_height: Option<f64>,
    /// Clockwise: 0, 90, 180 or 270; none for other matrices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotation_degrees: Option<u32>,
    /// Mean, in frames a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame_rate: Option<f64>,
    /// Whether all frames last equally long (the last one aside).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constant_frame_rate: Option<bool>,
    /// Frames at which playing can start; none where all are such or fragments tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_samples: Option<u64>,
    /// Samples of sound a second, in hertz.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample_rate: Option<u32>,
    /// Channels of sound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channels: Option<u32>,
    /// Bits of a sample, of uncompressed or lossless sound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits_per_sample: Option<u32>,
    /// Entries of the edit list, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edits: Option<u32>,
}

/// A caption file.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Captions {
    /// How they are written.
    pub format: CaptionFormat,
    /// Cues whose timing could be read.
    pub cues: usize,
    /// WebVTT: blocks of comments.
    pub comments: usize,
    /// WebVTT: blocks of styles.
    pub styles: usize,
    /// WebVTT: regions.
    pub regions: usize,
    /// Start of the earliest cue, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_seconds: Option<f64>,
    /// End of the latest cue, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_seconds: Option<f64>,
    /// Time during which at least one cue is shown, in seconds.
    pub shown_seconds: f64,
    /// Characters of all cues, without mark-up and line breaks.
    pub characters: usize,
    /// Words of all cues.
    pub words: usize,
    /// Over all cues with a duration: characters by seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_characters_per_second: Option<f64>,
    /// Over all cues with a duration: words by minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_words_per_minute: Option<f64>,
    /// Characters a second of the fastest cue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_characters_per_second: Option<f64>,
    /// The fastest cue, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fastest_cue: Option<usize>,
    /// The longest line of all, in characters.
    pub longest_line: usize,
    /// Most lines of a cue.
    pub most_lines: usize,
    /// The thresholds that were used.
    pub thresholds: Limits,
}

/// Captions against the media.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Fit {
    /// Duration of the media that the captions were compared with, in seconds.
    pub media_seconds: f64,
    /// Cues that begin when the media has ended.
    pub cues_after_end: usize,
    /// Cues that begin before the end and last beyond it.
    pub cues_across_end: usize,
    /// From the end of the last cue to the end of the media; negative where captions are longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds_without_captions_at_end: Option<f64>,
}

/// Rounded to microseconds (six decimals).
#[must_use]
pub fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// `ticks` of a clock with `scale` ticks a second, in seconds; none without a clock.
#[must_use]
pub fn seconds(ticks: u64, scale: u32) -> Option<f64> {
    (scale > 0).then(|| rounded(ticks as f64 / f64::from(scale)))
}

/// Bits a second; none without a duration.
#[must_use]
pub fn bit_rate(bytes: u64, seconds: Option<f64>) -> Option<u64> {
    let seconds = seconds.filter(|seconds| *seconds > 0.0)?;
    Some((bytes as f64 * 8.0 / seconds).round() as u64)
}
