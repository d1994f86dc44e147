//! MP3 files: ID3v2 tag, frames (ISO/IEC 11172-3 and 13818-3, layer III), Xing, Info and VBRI headers.

use crate::bytes::{array, u8, u32};
use crate::issue::Issues;
use crate::output::{Media, Track, bit_rate, rounded};

/// Kilobits a second by index, MPEG-1 and MPEG-2 (with 2.5).
const FIRST: [u32; 15] = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const SECOND: [u32; 15] = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];

/// A frame header of layer III.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Frame {
    rate: u32,
    bits: u32,
    channels: u32,
    /// Samples of a frame: 1152, or 576 in MPEG-2 and 2.5.
    samples: u32,
    /// Bytes, header included.
    size: usize,
    /// Where a Xing header would be, from the start of the frame.
    side: usize,
}

fn frame(bytes: &[u8], at: usize) -> Option<Frame> {
    let [sync, kind, coding, mode] = array(bytes, at)?;
    if sync != 0xff || kind & 0xe0 != 0xe0 || kind >> 1 & 3 != 1 {
        return None;
    }
    let version = kind >> 3 & 3;
    let base = *[44_100, 48_000, 32_000].get(usize::from(coding >> 2 & 3))?;
    let one = version == 3;
    let rate = match version {
        3 => base,
        2 => base / 2,
        0 => base / 4,
        _ => return None,
    };
    let table = if one { FIRST } else { SECOND };
    let bits = table.get(usize::from(coding >> 4)).copied().filter(|bits| *bits > 0)?.saturating_mul(1000);
    let samples = if one { 1152 } else { 576 };
    let padding = u32::from(coding >> 1 & 1);
    let size = (samples / 8 * bits / rate + padding) as usize;
    let mono = mode >> 6 == 3;
    let side = match (one, mono) {
        (true, false) => 36,
        (true, true) | (false, false) => 21,
        (false, true) => 13,
    };
    Some(Frame { rate, bits, channels: if mono { 1 } else { 2 }, samples, size, side })
}

/// Bytes of an ID3v2 tag at the start.
fn tag(bytes: &[u8]) -> usize {
    let Some([b'I', b'D', b'3', _, _, flags, size @ ..]) = array::<10>(bytes, 0) else { return 0 };
    let size = size.iter().fold(0_usize, |sum, byte| sum << 7 | usize::from(byte & 0x7f));
    size + if flags & 0x10 == 0 { 10 } else { 20 }
}

/// Whether the bytes are an MP3: a tag, or two frames one after the other.
pub fn is(bytes: &[u8]) -> bool {
    let tagged = bytes.starts_with(b"ID3");
    tagged || frame(bytes, 0).is_some_and(|first| frame(bytes, first.size).is_some_and(|next| next.rate == first.rate))
}

/// Probes a file of which `bytes` are the beginning or all of `whole`.
pub fn probe(bytes: &[u8], whole: u64, issues: &mut Issues) -> Media {
    let mut media = Media { format: "mp3", bytes: whole, ..Media::default() };
    let start = tag(bytes);
    let Some(first) = frame(bytes, start) else {
        issues.file("high", "bad_header", "no frame of MPEG layer III follows the tag in the given bytes");
        return media;
    };
    let sound = whole.saturating_sub(start as u64);
    let walked = walk(bytes, start, first);
    let given = whole == bytes.len() as u64;
    let (frames, told) = match (header(bytes, start, first), given) {
        (Some(frames), _) => (f64::from(frames), true),
        (None, true) => (walked.frames as f64, false),
        (None, false) => (sound as f64 / first.size as f64, false),
    };
    if told && given && walked.frames < frames as u64 {
        issues.file("high", "truncated", format!("the header says {frames} frames, {} are there", walked.frames));
    }
    if !told && walked.varies {
        let message =
            "the bit rate changes and no Xing or VBRI header says how long the file is: players show wrong times";
        issues.file("medium", "variable_bit_rate_without_header", message);
    }
    let duration = Some(rounded(frames * f64::from(first.samples) / f64::from(first.rate)));
    let rate = if walked.varies || told { bit_rate(sound, duration) } else { Some(u64::from(first.bits)) };
    media.duration_seconds = duration;
    media.bit_rate = bit_rate(whole, duration);
    media.tracks.push(Track {
        id: 1,
        kind: "audio",
        format: Some("mp3".to_owned()),
        duration_seconds: duration,
        samples: Some(frames as u64),
        bit_rate: rate,
        sample_rate: Some(first.rate),
        channels: Some(first.channels),
        ..Track::default()
    });
    media
}

/// Number of frames that a Xing, Info or VBRI header in the first frame tells.
fn header(bytes: &[u8], start: usize, first: Frame) -> Option<u32> {
    let at = start + first.side;
    let name = array::<4>(bytes, at)?;
    if (&name == b"Xing" || &name == b"Info") && u8(bytes, at + 7)? & 1 == 1 {
        return u32(bytes, at + 8);
    }
    (array::<4>(bytes, start + 36)? == *b"VBRI").then(|| u32(bytes, start + 50)).flatten()
}

struct Walk {
    frames: u64,
    varies: bool,
}

/// Walks through the frames that are there; the one with a header is not counted.
fn walk(bytes: &[u8], start: usize, first: Frame) -> Walk {
    let informed = header(bytes, start, first).is_some();
    let mut walk = Walk { frames: 0, varies: false };
    let mut at = start;
    while let Some(next) = frame(bytes, at) {
        let end = at.saturating_add(next.size.max(4));
        if end > bytes.len() {
            break;
        }
        if at > start || !informed {
            walk.frames += 1;
            walk.varies |= next.bits != first.bits && !informed;
        }
        at = end;
    }
    walk
}
