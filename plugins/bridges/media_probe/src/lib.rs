//! Media probe: what the headers of a media file say, and whether captions are well formed, well timed and readable.
//!
//! Invariants: the same bytes give the same answer; every number in the answer is finite; nothing is decoded, only
//! headers are read; work is linear in the input; no input panics.

mod bytes;
mod captions;
mod codec;
mod entry;
mod fragment;
mod input;
mod issue;
mod markup;
mod movie;
mod mp3;
mod output;
mod reading;
mod source;
mod timing;
mod track;
mod wav;

use bridge_common::Report;
use tollbridge_sdk::{Call, Error, bridge};

pub use input::Input;
pub use output::Output;

use crate::input::Limits;
use crate::issue::Issues;
use crate::output::{Media, Probe};
use crate::source::{Container, Sources};

const METHOD: &str = "headers are read as ISO/IEC 14496-12 (boxes), RFC 6381 (codec strings), RIFF/WAVE and MPEG audio frames \
lay them out; captions are read as the W3C's WebVTT or as SubRip text, and every cue is held against the thresholds in \
`result.captions.thresholds`";

/// Probes the media and checks the captions that the input names.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    let limits = Limits::of(&input)?;
    let sources = Sources::gather(call, &input)?;
    let mut issues = Issues::default();
    let media = sources.media.as_ref().map(|(container, bytes)| {
        let whole = input.file_bytes.unwrap_or(0).max(bytes.len() as u64);
        probe(*container, bytes, whole, &mut issues)
    });
    let read = sources.captions.as_ref().map(|text| captions::read(text, input.caption_format, &mut issues));
    let read = read.transpose()?;
    let checked = read.as_ref().map(|read| reading::check(read, &limits, &mut issues));
    let seconds = media.as_ref().and_then(|media| media.duration_seconds).or(input.media_seconds);
    let fit = match (&read, seconds) {
        (Some(read), Some(seconds)) => Some(reading::fit(read, seconds, &limits, &mut issues)),
        _ => None,
    };
    let limitations = limitations(&input, media.as_ref(), checked.is_some());
    let (issues, issue_counts) = issues.finish();
    let probe = Probe { media, captions: checked, fit, issue_counts, issues };
    Ok(Report::new(probe, METHOD, limitations))
}

fn probe(container: Container, bytes: &[u8], whole: u64, issues: &mut Issues) -> Media {
    match container {
        Container::Movie => movie::probe(bytes, whole, issues),
        Container::Wav => wav::probe(bytes, whole, issues),
        Container::Mp3 => mp3::probe(bytes, whole, issues),
    }
}

fn limitations(input: &Input, media: Option<&Media>, captions: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let mut note = |applies: bool, text: &str| {
        if applies {
            notes.push(text.to_owned());
        }
    };
    note(
        media.is_some(),
        "only headers were read: pictures and sound were not decoded, so damage inside them is not seen",
    );
    note(
        media.is_some_and(|media| media.format == "iso_base_media"),
        "durations are those of the headers; edit lists (delays, trims) are counted, not applied to tracks",
    );
    note(
        media.is_some_and(|media| media.format == "mp3"),
        "the duration of an MP3 includes the encoder's delay and padding; without a Xing or VBRI header and with only a part of the file it is an estimate from the first frame",
    );
    note(input.file_bytes.is_some(), "`file_bytes` was taken as told; what lies behind the given bytes was not seen");
    note(
        captions,
        "thresholds are house rules for English subtitles of one broadcaster, not a standard; other languages, scripts and audiences need others",
    );
    note(
        captions,
        "captions were not compared with the sound: whether they say what is said, and when, was not looked at",
    );
    notes
}

bridge! { handle: handle, examples: ["../cases/captions_beyond_media.json", "../cases/webvtt_interview.json"] }

tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests;
