//! Collects what is to be looked at. Listed issues are bounded, counts are not.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

/// Most issues of one kind that are listed.
const MOST: usize = 50;

/// Something to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Issue {
    /// high (players fail or drop something), medium, or low.
    pub severity: &'static str,
    /// Media: truncated, bad_box, too_many_tracks, no_ftyp, no_moov, no_media_data, no_tracks, no_duration,
    /// not_faststart, samples_beyond_file, no_samples, no_configuration, unknown_track_length, track_lengths_differ,
    /// variable_frame_rate, rotated, odd_size, encrypted, undetermined_language, no_sample_format, bad_header,
    /// variable_bit_rate_without_header. Captions: no_signature, header_not_ended, no_cues, no_timing, bad_timing,
    /// wrong_decimal_mark, loose_timestamp, loose_arrow, text_before_timing, missing_blank_line, no_number,
    /// number_out_of_order, repeated_identifier, style_after_cue, region_after_cue, unknown_region, unknown_setting,
    /// arrow_in_comment, unknown_tag, unclosed_tag, stray_end_tag, unescaped_character, inner_time_outside_cue,
    /// replacement_character, empty_cue, end_not_after_start, out_of_order, overlap, small_gap, too_short, too_long, too_many_characters_per_second,
    /// too_many_words_per_minute, line_too_long, too_many_lines, after_media_end, across_media_end.
    pub kind: &'static str,
    /// Track of the media, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub track: Option<u32>,
    /// Line of the captions, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Cue of the captions, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cue: Option<usize>,
    /// In words.
    pub message: String,
}

/// Issues so far.
#[derive(Debug, Default)]
pub struct Issues {
    list: Vec<Issue>,
    counts: BTreeMap<&'static str, usize>,
}

impl Issues {
    fn add(&mut self, make: impl FnOnce() -> Issue, kind: &'static str) {
        let count = self.counts.entry(kind).or_default();
        *count = count.saturating_add(1);
        if *count <= MOST {
            self.list.push(make());
        }
    }

    /// Of the media as a whole.
    pub fn file(&mut self, severity: &'static str, kind: &'static str, message: impl Into<String>) {
        let message = message.into();
        self.add(|| Issue { severity, kind, track: None, line: None, cue: None, message }, kind);
    }

    /// Of a track.
    pub fn track(&mut self, severity: &'static str, kind: &'static str, id: u32, message: impl Into<String>) {
        let message = message.into();
        self.add(|| Issue { severity, kind, track: Some(id), line: None, cue: None, message }, kind);
    }

    /// Of a line of the captions, and of a cue if it belongs to one.
    pub fn line(
        &mut self,
        severity: &'static str,
        kind: &'static str,
        at: (usize, Option<usize>),
        message: impl Into<String>,
    ) {
        let message = message.into();
        self.add(|| Issue { severity, kind, track: None, line: Some(at.0), cue: at.1, message }, kind);
    }

    /// All issues, the gravest first, and their numbers.
    #[must_use]
    pub fn finish(mut self) -> (Vec<Issue>, BTreeMap<&'static str, usize>) {
        let rank = |issue: &Issue| ["high", "medium", "low"].iter().position(|name| *name == issue.severity);
        self.list.sort_by_key(|issue| (rank(issue), issue.line));
        (self.list, self.counts)
    }
}
