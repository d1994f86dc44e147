//! WAV files (RIFF or RF64): format, duration.

use crate::bytes::array;
use crate::issue::Issues;
use crate::output::{Media, Track, bit_rate, rounded};

fn two(bytes: &[u8], at: usize) -> Option<u16> {
    array(bytes, at).map(u16::from_le_bytes)
}

fn four(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(u32::from_le_bytes)
}

/// Probes a file of which `bytes` are the beginning or all of `whole`.
pub fn probe(bytes: &[u8], whole: u64, issues: &mut Issues) -> Media {
    let mut media = Media { format: "wav", bytes: whole, ..Media::default() };
    let mut at = 12_usize;
    let (mut format, mut data, mut long) = (None, None, None);
    while let (Some(id), Some(size)) = (array::<4>(bytes, at), four(bytes, at.saturating_add(4))) {
        let start = at.saturating_add(8);
        let end = start.saturating_add(size as usize);
        let body = bytes.get(start..end.min(bytes.len())).unwrap_or_default();
        match &id {
            b"fmt " => format = format.or(Some(body)),
            b"ds64" => long = array::<8>(body, 8).map(u64::from_le_bytes),
            b"data" => {
                data = Some((start as u64, size));
                break;
            }
            _ => {}
        }
        // Chunks are padded to even sizes.
        at = end.saturating_add(size as usize % 2);
    }
    let Some(format) = format else {
        issues.file("high", "bad_header", "there is no chunk `fmt ` before the sound");
        return media;
    };
    let mut track = sound(format);
    let room = data.map(|(start, _)| whole.saturating_sub(start));
    let length = data.map(|(_, size)| if size == u32::MAX { long.or(room).unwrap_or(0) } else { u64::from(size) });
    match (length, room) {
        (None, _) => issues.file("high", "no_samples", "there is no chunk `data`"),
        (Some(0), _) => {
            issues.file("high", "no_samples", "the chunk `data` says that it is empty: a stream that was not finished")
        }
        (Some(length), Some(room)) if length > room => {
            issues.file("high", "truncated", format!("`data` says {length} bytes, the file has room for {room}"));
        }
        _ => {}
    }
    let each = four(format, 8).filter(|each| *each > 0);
    if let (Some(length), Some(each)) = (length, each) {
        track.duration_seconds = Some(rounded(length as f64 / f64::from(each)));
        track.bit_rate = Some(u64::from(each).saturating_mul(8));
        let block = two(format, 12).filter(|block| *block > 0);
        track.samples = block.filter(|_| track.bits_per_sample.is_some()).map(|block| length / u64::from(block));
    }
    media.duration_seconds = track.duration_seconds;
    media.bit_rate = bit_rate(whole, media.duration_seconds);
    media.tracks.push(track);
    media
}

fn sound(format: &[u8]) -> Track {
    let mut tag = two(format, 0).unwrap_or(0);
    if tag == 0xfffe {
        tag = two(format, 24).unwrap_or(tag);
    }
    let name = match tag {
        1 => "pcm",
        2 => "ms_adpcm",
        3 => "pcm_float",
        6 => "a_law",
        7 => "mu_law",
        0x11 => "ima_adpcm",
        0x55 => "mp3",
        _ => "other",
    };
    let plain = [1, 3, 6, 7].contains(&tag);
    Track {
        id: 1,
        kind: "audio",
        format: Some(name.to_owned()),
        sample_rate: four(format, 4).filter(|rate| *rate > 0),
        channels: two(format, 2).map(u32::from),
        bits_per_sample: two(format, 14).map(u32::from).filter(|_| plain),
        ..Track::default()
    }
}
