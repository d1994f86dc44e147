//! Codec strings for the `codecs` parameter, from configuration records.
//!
//! The forms are those that RFC 6381 (avc1, mp4a, mp4v), ISO/IEC 14496-15 Annex E (hvc1) and the AV1 and VP bindings to
//! ISO base media define. The records in the tests below were written by hand, they are nobody's published vectors; real
//! records are in the files `cases/codec_*.json`, with the strings that another program makes of them.

use crate::bytes::{array, find, u8, u16, u32};

/// What configuration records say about a track.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Codec {
    /// RFC 6381 string.
    pub string: Option<String>,
    pub sample_rate: Option<u32>,
    pub channels: Option<u32>,
    pub bits: Option<u32>,
    /// The record that this codec needs is missing or cut.
    pub lacking: Option<&'static str>,
}

/// Sample entries whose four characters are the whole string.
const BARE: [&str; 9] = ["ac-3", "ec-3", "ac-4", "alac", "wvtt", "tx3g", "mp4s", "Opus", "fLaC"];
/// Sampling frequencies of ISO/IEC 14496-3, by index.
const RATES: [u32; 13] =
    [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350];

/// The codec of a sample entry with this name, whose child boxes are in `boxes`.
pub fn of(name: &str, boxes: &[u8]) -> Codec {
    let record = |kind: &[u8; 4]| find(boxes, kind).map(|atom| atom.body);
    let made = |string: Option<String>, lacking| match string {
        None => Codec { lacking: Some(lacking), ..Codec::default() },
        string => Codec { string, ..Codec::default() },
    };
    match name {
        "avc1" | "avc2" | "avc3" | "avc4" => made(record(b"avcC").and_then(|body| avc(name, body)), "avcC"),
        "hvc1" | "hev1" => made(record(b"hvcC").and_then(|body| hevc(name, body)), "hvcC"),
        "av01" => made(record(b"av1C").and_then(av1), "av1C"),
        "vp08" | "vp09" => made(record(b"vpcC").and_then(|body| vp(name, body)), "vpcC"),
        "mp4a" | "mp4v" => {
            let wave = record(b"wave").unwrap_or_default();
            let body = record(b"esds").or_else(|| find(wave, b"esds").map(|atom| atom.body));
            body.and_then(|body| mpeg4(name, body)).unwrap_or(Codec { lacking: Some("esds"), ..Codec::default() })
        }
        "Opus" => Codec { channels: record(b"dOps").and_then(|body| u8(body, 1)).map(u32::from), ..bare(name) },
        "fLaC" => record(b"dfLa").and_then(flac).unwrap_or(Codec { lacking: Some("dfLa"), ..bare(name) }),
        _ => bare(name),
    }
}

fn bare(name: &str) -> Codec {
    Codec { string: BARE.contains(&name).then(|| name.to_owned()), ..Codec::default() }
}

fn avc(name: &str, body: &[u8]) -> Option<String> {
    let [profile, constraints, level] = array(body, 1)?;
    Some(format!("{name}.{profile:02X}{constraints:02X}{level:02X}"))
}

fn hevc(name: &str, body: &[u8]) -> Option<String> {
    let first = u8(body, 1)?;
    let space = ["", "A", "B", "C"].get(usize::from(first >> 6))?;
    let tier = if first & 0x20 == 0 { 'L' } else { 'H' };
    let compatible = u32(body, 2)?.reverse_bits();
    let constraints = array::<6>(body, 6)?;
    let level = u8(body, 12)?;
    let length = constraints.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let tail: String = constraints.iter().take(length).map(|byte| format!(".{byte:X}")).collect();
    Some(format!("{name}.{space}{}.{compatible:X}.{tier}{level}{tail}", first & 0x1f))
}

fn av1(body: &[u8]) -> Option<String> {
    let (first, second) = (u8(body, 1)?, u8(body, 2)?);
    let profile = first >> 5;
    let tier = if second & 0x80 == 0 { 'M' } else { 'H' };
    let depth = match (second & 0x40 != 0, profile == 2 && second & 0x20 != 0) {
        (true, true) => 12,
        (true, false) => 10,
        (false, _) => 8,
    };
    Some(format!("av01.{profile}.{:02}{tier}.{depth:02}", first & 0x1f))
}

fn vp(name: &str, body: &[u8]) -> Option<String> {
    let [profile, level, depth] = array(body, 4)?;
    Some(format!("{name}.{profile:02}.{level:02}.{:02}", depth >> 4))
}

fn flac(body: &[u8]) -> Option<Codec> {
    // Version and flags, header of the metadata block, block and frame sizes: then rate (20 bits), channels (3), depth (5).
    let packed = u32(body, 18)?;
    Some(Codec {
        sample_rate: Some(packed >> 12),
        channels: Some((packed >> 9 & 7) + 1),
        bits: Some((packed >> 4 & 31) + 1),
        ..bare("fLaC")
    })
}

/// A descriptor of ISO/IEC 14496-1 at the start of `bytes`: its tag and its contents.
fn descriptor(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let tag = u8(bytes, 0)?;
    let mut length = 0_usize;
    for at in 1..=4 {
        let byte = u8(bytes, at)?;
        length = length << 7 | usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            let start = at + 1;
            let end = start.checked_add(length)?.min(bytes.len());
            return Some((tag, bytes.get(start..end)?));
        }
    }
    None
}

fn mpeg4(name: &str, body: &[u8]) -> Option<Codec> {
    let (3, stream) = descriptor(body.get(4..)?)? else { return None };
    let flags = u8(stream, 2)?;
    let mut at = 3_usize;
    if flags & 0x80 != 0 {
        at += 2;
    }
    if flags & 0x40 != 0 {
        at += 1 + usize::from(u8(stream, at)?);
    }
    if flags & 0x20 != 0 {
        at += 2;
    }
    let (4, config) = descriptor(stream.get(at..)?)? else { return None };
    let object = u8(config, 0)?;
    let special = config.get(13..).and_then(descriptor).filter(|(tag, _)| *tag == 5).map(|(_, bytes)| bytes);
    let plain = Codec { string: Some(format!("{name}.{object:X}")), ..Codec::default() };
    Some(match (object, special) {
        (0x40, Some(special)) => aac(name, special).unwrap_or(plain),
        // MPEG-4 Visual: the profile and level follow the start code 00 00 01 B0, and are written in decimal.
        (0x20, Some([0, 0, 1, 0xb0, level, ..])) => Codec { string: Some(format!("{name}.20.{level}")), ..plain },
        _ => plain,
    })
}

/// Audio object type, rate and channels of an AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1).
fn aac(name: &str, bytes: &[u8]) -> Option<Codec> {
    let mut bits = Bits { bytes, at: 0 };
    let object = bits.object()?;
    let mut rate = bits.rate()?;
    let channels = match bits.take(4)? {
        count @ 1..=6 => Some(count),
        7 | 12 | 14 => Some(8),
        11 => Some(7),
        _ => None,
    };
    if object == 5 || object == 29 {
        rate = bits.rate()?;
    }
    let string = Some(format!("{name}.40.{object}"));
    // Parametric stereo makes two channels out of one.
    let channels = if object == 29 { Some(2) } else { channels };
    Some(Codec { string, sample_rate: Some(rate), channels, ..Codec::default() })
}

struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    fn take(&mut self, count: usize) -> Option<u32> {
        let mut value = 0;
        for _ in 0..count {
            let byte = u8(self.bytes, self.at / 8)?;
            value = value << 1 | u32::from(byte >> (7 - self.at % 8) & 1);
            self.at += 1;
        }
        Some(value)
    }

    fn object(&mut self) -> Option<u32> {
        match self.take(5)? {
            31 => Some(32 + self.take(6)?),
            object => Some(object),
        }
    }

    fn rate(&mut self) -> Option<u32> {
        match self.take(4)? {
            15 => self.take(24),
            index => RATES.get(index as usize).copied(),
        }
    }
}

/// Packed ISO 639-2 code of a media header; none for undetermined and for QuickTime's numbers.
pub fn language(body: &[u8], at: usize) -> Option<String> {
    let packed = u16(body, at)?;
    let letters = [packed >> 10 & 31, packed >> 5 & 31, packed & 31].map(|letter| letter as u8 | 0x60);
    let text: String = letters.iter().map(|letter| char::from(*letter)).collect();
    (letters.iter().all(u8::is_ascii_lowercase) && text != "und").then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_records_written_by_hand() {
        // Profile 66, constraints E0, level 30.
        assert_eq!(avc("avc1", &[1, 0x42, 0xe0, 0x1e]), Some("avc1.42E01E".into()));
        // Main profile, compatible with 1 and 2, main tier, level 3.1 (93), one byte of constraints.
        let record = [1, 1, 0x60, 0, 0, 0, 0xb0, 0, 0, 0, 0, 0, 93];
        assert_eq!(hevc("hvc1", &record), Some("hvc1.1.6.L93.B0".into()));
        // Main profile, level 3.0, main tier, 8 bits.
        assert_eq!(av1(&[0x81, 0x04, 0]), Some("av01.0.04M.08".into()));
        // Object type 0x20 and profile and level 9 in the decoder's own record: 7 bytes in a descriptor of 20, in one of 25.
        let visual =
            [0, 0, 0, 0, 3, 25, 0, 1, 0, 4, 20, 0x20, 0x11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 5, 0, 0, 1, 0xb0, 9];
        assert_eq!(mpeg4("mp4v", &visual).and_then(|codec| codec.string), Some("mp4v.20.9".into()));
    }

    #[test]
    fn high_efficiency_aac() {
        // Written by hand: SBR signalled explicitly, object type 5, 24 kHz core, stereo, 48 kHz output, then type 2.
        let codec = aac("mp4a", &[0b0010_1011, 0b0001_0001, 0b1000_1000]).expect("a codec");
        assert_eq!(
            (codec.string.as_deref(), codec.sample_rate, codec.channels),
            (Some("mp4a.40.5"), Some(48_000), Some(2))
        );
    }
}
