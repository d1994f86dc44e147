//! How long a recording is, which is what writing it down costs by.
//!
//! Containers are read and nothing is decoded. A head may claim anything, so the
//! packets are counted as well, and the longest of what both say counts.

use std::io::Cursor;

use bytes::Bytes;
use symphonia::core::formats::probe::Hint;
use symphonia::core::formats::{FormatOptions, FormatReader, Track};
use symphonia::core::io::MediaSourceStream;
use symphonia::core::meta::MetadataOptions;

/// Seconds of a recording, rounded up, at least one; `None` if it is none, or of a
/// kind that is not read here.
pub(super) fn seconds(recording: Bytes) -> Option<u64> {
    let source = MediaSourceStream::new(Box::new(Cursor::new(recording)), Default::default());
    let (format, metadata) = (FormatOptions::default(), MetadataOptions::default());
    let mut reader = symphonia::default::get_probe().probe(&Hint::new(), source, format, metadata).ok()?;
    let ends = ends_of_packets(reader.as_mut());
    let tracks = reader.tracks().iter();
    let longest = tracks.filter_map(|track| {
        let claimed = track.duration.map_or(0, |duration| duration.get());
        let counted = ends.iter().find(|(id, _)| *id == track.id).map_or(0, |(_, end)| *end);
        in_seconds(track, claimed.max(counted))
    });
    longest.max().filter(|seconds| *seconds > 0)
}

/// Where the last packet of each track ends, in its own ticks. What cannot be read any
/// more ends the recording.
fn ends_of_packets(reader: &mut dyn FormatReader) -> Vec<(u32, u64)> {
    let mut ends: Vec<(u32, u64, u64)> = reader.tracks().iter().map(|track| (track.id, 0, 0)).collect();
    while let Ok(Some(packet)) = reader.next_packet() {
        let begin = u64::try_from(packet.pts.get()).unwrap_or(0);
        let length = packet.dur.get();
        if let Some((_, sum, end)) = ends.iter_mut().find(|(id, ..)| *id == packet.track_id) {
            *sum = sum.saturating_add(length);
            *end = (*end).max(begin.saturating_add(length));
        }
    }
    ends.into_iter().map(|(id, sum, end)| (id, sum.max(end))).collect()
}

fn in_seconds(track: &Track, ticks: u64) -> Option<u64> {
    let base = track.time_base?;
    let (numerator, denominator) = (u128::from(base.numer.get()), u128::from(base.denom.get()));
    u64::try_from((u128::from(ticks) * numerator).div_ceil(denominator)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A WAV file of so many samples at 8 kHz, mono, whose head claims so many bytes.
    fn wav(samples: u32, claimed: u32) -> Bytes {
        let mut file = Vec::new();
        file.extend(b"RIFF");
        file.extend((36 + claimed).to_le_bytes());
        file.extend(b"WAVEfmt ");
        file.extend(16_u32.to_le_bytes());
        for half in [1_u16, 1] {
            file.extend(half.to_le_bytes());
        }
        file.extend(8_000_u32.to_le_bytes());
        file.extend(16_000_u32.to_le_bytes());
        for half in [2_u16, 16] {
            file.extend(half.to_le_bytes());
        }
        file.extend(b"data");
        file.extend(claimed.to_le_bytes());
        file.extend(vec![0_u8; usize::try_from(samples).unwrap() * 2]);
        file.into()
    }

    /// MPEG 1, layer 3, 128 kbit/s at 44.1 kHz: 417 bytes and 1,152 samples a frame.
    fn mp3(frames: usize) -> Bytes {
        let mut frame = vec![0_u8; 417];
        frame[..4].copy_from_slice(&[0xff, 0xfb, 0x90, 0xc4]);
        frame.repeat(frames).into()
    }

    #[test]
    fn recordings_have_the_length_of_their_sound() {
        assert_eq!(seconds(wav(8_000 * 3, 8_000 * 6)), Some(3));
        assert_eq!(seconds(wav(8_001, 16_002)), Some(2));
        // 383 frames are 10.004 seconds.
        assert_eq!(seconds(mp3(383)), Some(11));
    }

    #[test]
    fn what_is_no_recording_has_no_length() {
        for nothing in [&b""[..], b"hello", b"RIFF\0\0\0\0WAVE", b"%PDF-1.4"] {
            assert_eq!(seconds(Bytes::from_static(nothing)), None);
        }
        let mut noise = 0x2545_f491_4f6c_dd1d_u64;
        for length in [1_usize, 100, 10_000, 200_000] {
            let bytes: Vec<u8> = (0..length)
                .map(|_| {
                    noise ^= noise << 13;
                    noise ^= noise >> 7;
                    noise ^= noise << 17;
                    noise.to_le_bytes()[0]
                })
                .collect();
            let _ = seconds(bytes.into());
        }
    }

    proptest::proptest! {
        /// Whatever is wrong with a file, it is read to its end and no further.
        #[test]
        fn damaged_recordings_are_survived(at in 0_usize..5_000, byte in 0_u8..=255, cut in 0_usize..5_000) {
            for whole in [wav(2_000, 4_000), mp3(12)] {
                let mut bytes = whole.to_vec();
                let place = at % bytes.len();
                bytes[place] = byte;
                bytes.truncate(bytes.len().saturating_sub(cut));
                let _ = seconds(bytes.into());
            }
        }
    }
}
