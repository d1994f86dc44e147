//! A track of a movie (`trak`): header, language, tables of samples.

use crate::bytes::{find, path, u32, u64};
use crate::codec::language;
use crate::entry;
use crate::issue::Issues;
use crate::output::{Track, bit_rate, rounded, seconds};

/// A track while fragments may still add to it.
#[derive(Debug, Default)]
pub struct Draft {
    pub track: Track,
    /// Ticks a second of its media.
    pub scale: u32,
    /// What its header says, in ticks.
    said: u64,
    pub samples: u64,
    /// Sum of the durations of samples.
    pub ticks: u64,
    pub bytes: u64,
    /// Duration of the samples so far, while all are the same; the last one may differ.
    pub even: Pace,
    /// Where the last chunk begins in the file.
    pub last_chunk: Option<u64>,
}

/// Whether samples last equally long.
#[derive(Debug, Default, Clone, Copy)]
pub struct Pace {
    step: Option<u32>,
    odd: u64,
    odd_is_last: bool,
}

impl Pace {
    pub fn add(&mut self, count: u64, step: u32) {
        if count == 0 {
            return;
        }
        if self.step.is_none_or(|known| known == step) {
            self.step = Some(step);
            self.odd_is_last = false;
        } else {
            self.odd = self.odd.saturating_add(count);
            self.odd_is_last = true;
        }
    }

    fn constant(self) -> Option<bool> {
        self.step.map(|_| self.odd == 0 || self.odd == 1 && self.odd_is_last)
    }
}

/// Reads a `trak`.
pub fn read(trak: &[u8], issues: &mut Issues) -> Draft {
    let mut draft = Draft::default();
    if let Some(header) = find(trak, b"tkhd") {
        track_header(header.body, &mut draft.track);
    }
    let media = path(trak, &[b"mdia"]).unwrap_or_default();
    draft.track.kind = kind(media);
    if let Some(header) = find(media, b"mdhd") {
        media_header(header.body, &mut draft);
    }
    if let Some(extended) = find(media, b"elng") {
        let text = extended.body.get(4..).unwrap_or_default();
        let text: String =
            text.iter().take(40).take_while(|byte| byte.is_ascii_graphic()).map(|byte| char::from(*byte)).collect();
        draft.track.language = Some(text).filter(|text| !text.is_empty());
    }
    draft.track.edits = path(trak, &[b"edts", b"elst"]).and_then(|body| u32(body, 4));
    let table = path(media, &[b"minf", b"stbl"]).unwrap_or_default();
    match find(table, b"stsd") {
        Some(stsd) => entry::read(stsd.body, &mut draft.track, issues),
        None => issues.track("high", "no_sample_format", draft.track.id, "there is no stsd: the codec is unknown"),
    }
    tables(table, &mut draft);
    draft
}

fn track_header(body: &[u8], track: &mut Track) {
    let long = body.first() == Some(&1);
    let (id, matrix, size) = if long { (20, 52, 88) } else { (12, 40, 76) };
    track.id = u32(body, id).unwrap_or(0);
    track.enabled = body.get(3).map(|flags| flags & 1 == 1);
    let fixed = |at| u32(body, at).map(|value| rounded(f64::from(value) / 65_536.0)).filter(|value| *value > 0.0);
    track.display_width = fixed(size);
    track.display_height = fixed(size + 4);
    let cell = |place: usize| u32(body, matrix + place * 4).map(|value| value as i32);
    let one = 65_536;
    track.rotation_degrees = match (cell(0), cell(1), cell(3), cell(4)) {
        (Some(a), Some(0), Some(0), Some(d)) if a > 0 && d > 0 => Some(0),
        (Some(0), Some(b), Some(c), Some(0)) if b == one && c == -one => Some(90),
        (Some(a), Some(0), Some(0), Some(d)) if a == -one && d == -one => Some(180),
        (Some(0), Some(b), Some(c), Some(0)) if b == -one && c == one => Some(270),
        _ => None,
    };
}

fn media_header(body: &[u8], draft: &mut Draft) {
    let long = body.first() == Some(&1);
    let duration = if long {
        u64(body, 24).filter(|all| *all != u64::MAX)
    } else {
        u32(body, 16).filter(|all| *all != u32::MAX).map(u64::from)
    };
    draft.scale = u32(body, if long { 20 } else { 12 }).unwrap_or(0);
    draft.said = duration.unwrap_or(0);
    draft.track.language = language(body, if long { 32 } else { 20 });
}

fn kind(media: &[u8]) -> &'static str {
    let handler = find(media, b"hdlr").and_then(|atom| atom.body.get(8..12)).unwrap_or_default();
    match handler {
        b"vide" => "video",
        b"soun" => "audio",
        b"text" | b"sbtl" | b"subt" | b"clcp" | b"subp" => "subtitle",
        b"meta" => "metadata",
        b"tmcd" => "timecode",
        b"hint" => "hint",
        _ => "other",
    }
}

/// Tables of samples. Loops are bounded by what is there, not by the counts they claim.
fn tables(table: &[u8], draft: &mut Draft) {
    let entries =
        |kind: &[u8; 4], header: usize| find(table, kind).and_then(|atom| atom.body.get(header..)).unwrap_or_default();
    let counted = |kind: &[u8; 4]| find(table, kind).and_then(|atom| u32(atom.body, 4)).unwrap_or(0) as usize;
    for pair in entries(b"stts", 8).chunks_exact(8).take(counted(b"stts")) {
        let (Some(count), Some(step)) = (u32(pair, 0), u32(pair, 4)) else { break };
        draft.samples = draft.samples.saturating_add(u64::from(count));
        draft.ticks = draft.ticks.saturating_add(u64::from(count) * u64::from(step));
        draft.even.add(u64::from(count), step);
    }
    if let Some(sizes) = find(table, b"stsz") {
        let count = u32(sizes.body, 8).unwrap_or(0);
        draft.bytes = match u32(sizes.body, 4) {
            Some(0) => {
                let sizes = sizes.body.get(12..).unwrap_or_default().chunks_exact(4).take(count as usize);
                sizes.filter_map(|size| u32(size, 0)).fold(0_u64, |sum, size| sum.saturating_add(u64::from(size)))
            }
            each => u64::from(count) * u64::from(each.unwrap_or(0)),
        };
    }
    draft.track.sync_samples =
        find(table, b"stss").and_then(|atom| u32(atom.body, 4)).map(u64::from).filter(|_| draft.samples > 0);
    let short =
        entries(b"stco", 8).chunks_exact(4).take(counted(b"stco")).filter_map(|chunk| u32(chunk, 0)).map(u64::from);
    let long = entries(b"co64", 8).chunks_exact(8).take(counted(b"co64")).filter_map(|chunk| u64(chunk, 0));
    draft.last_chunk = short.chain(long).max();
}

impl Draft {
    /// The finished track and what is to be looked at in it.
    pub fn finish(self, fragmented: bool, issues: &mut Issues) -> Track {
        let mut track = self.track;
        let ticks = if self.ticks > 0 { self.ticks } else { self.said };
        track.duration_seconds = seconds(ticks, self.scale).filter(|_| ticks > 0);
        track.samples = Some(self.samples);
        track.bit_rate = bit_rate(self.bytes, track.duration_seconds).filter(|_| self.bytes > 0);
        let shown = track.kind == "video";
        if shown && self.ticks > 0 && self.scale > 0 {
            track.frame_rate = Some(rounded(self.samples as f64 * f64::from(self.scale) / self.ticks as f64));
            track.constant_frame_rate = self.even.constant();
        }
        if !shown {
            track.rotation_degrees = None;
            track.sync_samples = None;
        }
        if track.kind == "audio" {
            (track.display_width, track.display_height) = (None, None);
        }
        review(&track, self.samples == 0 && !fragmented, issues);
        track
    }
}

fn review(track: &Track, empty: bool, issues: &mut Issues) {
    let mut add = |applies: bool, severity, kind, message: &str| {
        if applies {
            issues.track(severity, kind, track.id, message);
        }
    };
    let shown = track.kind == "video";
    add(empty, "high", "no_samples", "the track has no samples");
    add(
        shown && track.constant_frame_rate == Some(false),
        "low",
        "variable_frame_rate",
        "frames do not all last equally long: editors may lose sync",
    );
    add(
        shown && track.rotation_degrees != Some(0),
        "low",
        "rotated",
        "pictures are to be rotated or transformed by the player; not every player does",
    );
    let odd = |size: Option<u32>| size.is_some_and(|size| size % 2 == 1);
    add(
        shown && (odd(track.width) || odd(track.height)),
        "low",
        "odd_size",
        "an odd width or height does not go with 4:2:0",
    );
    add(
        ["audio", "subtitle"].contains(&track.kind) && track.language.is_none(),
        "low",
        "undetermined_language",
        "the language is not told: players cannot choose by it",
    );
}
