//! Sample entries (`stsd`): codec, size of pictures, rate and channels of sound.

use crate::bytes::{Atom, array, atoms, name, path, u16, u32};
use crate::codec::{self, Codec};
use crate::issue::Issues;
use crate::output::Track;

/// Fills in what the first sample entry of `stsd` says.
pub fn read(stsd: &[u8], track: &mut Track, issues: &mut Issues) {
    let version = stsd.first().copied().unwrap_or(0);
    let Some(entry) = stsd.get(8..).and_then(|entries| atoms(entries).next()) else {
        issues.track("high", "no_sample_format", track.id, "stsd has no sample entry");
        return;
    };
    let original = match track.kind {
        "video" => visual(&entry, track),
        "audio" => sound(&entry, track, version),
        _ => Some(entry.body.get(8..).unwrap_or_default()),
    };
    let boxes = original.unwrap_or_default();
    let mut format = name(entry.kind);
    if ["encv", "enca", "enct", "encs"].contains(&format.as_str()) {
        track.encrypted = true;
        issues.track("medium", "encrypted", track.id, "samples are encrypted: a player needs the keys");
        if let Some(kind) = path(boxes, &[b"sinf", b"frma"]).and_then(|body| array(body, 0)) {
            format = name(kind);
        }
    }
    let codec = codec::of(&format, boxes);
    if let Some(lacking) = codec.lacking {
        let message = format!("{format} needs a box {lacking}, which is missing or cut: decoders cannot start");
        issues.track("high", "no_configuration", track.id, message);
    }
    track.format = Some(format);
    apply(codec, track);
}

/// What a configuration record says wins over the sample entry, whose fields are often nominal.
fn apply(codec: Codec, track: &mut Track) {
    track.codec = codec.string;
    if track.kind == "audio" {
        track.sample_rate = codec.sample_rate.or(track.sample_rate);
        track.channels = codec.channels.or(track.channels);
        track.bits_per_sample = codec.bits.or(track.bits_per_sample);
    }
}

fn visual<'a>(entry: &Atom<'a>, track: &mut Track) -> Option<&'a [u8]> {
    track.width = u16(entry.body, 24).map(u32::from);
    track.height = u16(entry.body, 26).map(u32::from);
    entry.body.get(78..)
}

/// Entries of uncompressed sound, for which the sample size means something.
const PLAIN: [&[u8; 4]; 10] =
    [b"sowt", b"twos", b"raw ", b"in24", b"in32", b"fl32", b"fl64", b"lpcm", b"ipcm", b"fpcm"];

fn sound<'a>(entry: &Atom<'a>, track: &mut Track, stsd_version: u8) -> Option<&'a [u8]> {
    let body = entry.body;
    track.channels = u16(body, 16).map(u32::from);
    track.sample_rate = u32(body, 24).map(|rate| rate >> 16).filter(|rate| *rate > 0);
    let plain = PLAIN.iter().any(|kind| **kind == entry.kind);
    track.bits_per_sample = u16(body, 18).map(u32::from).filter(|_| plain);
    // QuickTime's versions 1 and 2 are longer; ISO's own version 1 (in stsd of version 1) is not.
    match u16(body, 8)? {
        1 if stsd_version == 0 => body.get(44..),
        2 if stsd_version == 0 => {
            let rate = f64::from_be_bytes(array(body, 32)?);
            track.sample_rate = (rate.is_finite() && rate >= 1.0).then_some(rate as u32);
            track.channels = u32(body, 40);
            track.bits_per_sample = u32(body, 48).filter(|_| plain);
            body.get(64..)
        }
        _ => body.get(28..),
    }
}
