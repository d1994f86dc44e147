//! The length of a recording, by which transcription is billed.
//!
//! Only containers are parsed; no sound is decoded. A header may claim any length, so the
//! packets are counted as well, and the greater of both lengths is used. Finding a packet
//! of an MP4 file takes time proportional to the file's sample table, which a crafted
//! file can make large, so counting has a deadline. On some damaged headers, the
//! arithmetic of the parsing library panics; such a file counts as unreadable.

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use bytes::Bytes;
use symphonia::core::formats::probe::Hint;
use symphonia::core::formats::{FormatOptions, FormatReader, Track};
use symphonia::core::io::MediaSourceStream;
use symphonia::core::meta::MetadataOptions;
use tokio::time::Instant;

/// Maximum time for counting the packets of a recording; an ordinary recording takes
/// about ten milliseconds.
const RECORDING_MEASURED_MS_MAX: u64 = 1_000;

/// An error of measuring a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MeasureError {
    /// The file is not a recording, or its format is not supported.
    Unreadable,
    /// The packets of the file could not be counted in time.
    TooSlow,
}

/// Returns the length of a recording in seconds, rounded up, at least one.
pub(super) fn seconds(recording: Bytes) -> Result<u64, MeasureError> {
    let measured = catch_unwind(AssertUnwindSafe(|| seconds_of_longest_track(recording)));
    measured.unwrap_or(Err(MeasureError::Unreadable))
}

fn seconds_of_longest_track(recording: Bytes) -> Result<u64, MeasureError> {
    let until = Instant::now() + Duration::from_millis(RECORDING_MEASURED_MS_MAX);
    let source = MediaSourceStream::new(Box::new(Cursor::new(recording)), Default::default());
    let (format, metadata) = (FormatOptions::default(), MetadataOptions::default());
    let read = symphonia::default::get_probe().probe(&Hint::new(), source, format, metadata);
    let mut reader = read.map_err(|_| MeasureError::Unreadable)?;
    let ends = ends_of_packets(reader.as_mut(), until)?;
    let tracks = reader.tracks().iter();
    let longest = tracks.filter_map(|track| {
        let claimed = track.duration.map_or(0, |duration| duration.get());
        let counted = ends.iter().find(|(id, _)| *id == track.id).map_or(0, |(_, end)| *end);
        in_seconds(track, claimed.max(counted))
    });
    longest.max().filter(|seconds| *seconds > 0).ok_or(MeasureError::Unreadable)
}

/// Returns the end of the last packet of each track, in the track's ticks. The recording
/// ends at the first unreadable packet.
fn ends_of_packets(reader: &mut dyn FormatReader, until: Instant) -> Result<Vec<(u32, u64)>, MeasureError> {
    let mut ends: Vec<(u32, u64, u64)> = reader.tracks().iter().map(|track| (track.id, 0, 0)).collect();
    while let Ok(Some(packet)) = reader.next_packet() {
        if Instant::now() > until {
            return Err(MeasureError::TooSlow);
        }
        let begin = u64::try_from(packet.pts.get()).unwrap_or(0);
        let length = packet.dur.get();
        if let Some((_, sum, end)) = ends.iter_mut().find(|(id, ..)| *id == packet.track_id) {
            *sum = sum.saturating_add(length);
            *end = (*end).max(begin.saturating_add(length));
        }
    }
    Ok(ends.into_iter().map(|(id, sum, end)| (id, sum.max(end))).collect())
}

fn in_seconds(track: &Track, ticks: u64) -> Option<u64> {
    let base = track.time_base?;
    let (numerator, denominator) = (u128::from(base.numer.get()), u128::from(base.denom.get()));
    u64::try_from((u128::from(ticks) * numerator).div_ceil(denominator)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds a mono WAV file of `samples` samples at 8 kHz, whose header claims
    /// `claimed` bytes.
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

    /// Builds an MP3 file: MPEG 1, layer 3, 128 kbit/s at 44.1 kHz, with 417 bytes and
    /// 1,152 samples per frame.
    fn mp3(frames: usize) -> Bytes {
        let mut frame = vec![0_u8; 417];
        frame[..4].copy_from_slice(&[0xff, 0xfb, 0x90, 0xc4]);
        frame.repeat(frames).into()
    }

    #[test]
    fn recordings_have_the_length_of_their_sound() {
        assert_eq!(seconds(wav(8_000 * 3, 8_000 * 6)), Ok(3));
        assert_eq!(seconds(wav(8_001, 16_002)), Ok(2));
        // 383 frames are 10.004 seconds.
        assert_eq!(seconds(mp3(383)), Ok(11));
    }

    #[test]
    fn a_file_without_audio_has_no_duration() {
        for nothing in [&b""[..], b"hello", b"RIFF\0\0\0\0WAVE", b"%PDF-1.4"] {
            assert_eq!(seconds(Bytes::from_static(nothing)), Err(MeasureError::Unreadable));
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

    fn atom(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
        let length = u32::try_from(8 + content.len()).unwrap();
        [&length.to_be_bytes()[..], name, content].concat()
    }

    fn table(name: &[u8; 4], count: u32, entry: &[u32]) -> Vec<u8> {
        let words = [0, count].into_iter().chain(entry.iter().copied().cycle().take(entry.len() * count as usize));
        atom(name, &words.flat_map(u32::to_be_bytes).collect::<Vec<u8>>())
    }

    /// Builds an MP4 file of `samples` samples. Each sample has its own row in every
    /// table, but all share the same byte of data.
    fn mp4(samples: u32) -> Bytes {
        let words = |words: &[u32]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
        let head = atom(b"ftyp", b"isom\0\0\0\0isom");
        let sound = [&words(&[0, 1, 0, 0])[..], &[0, 1, 0, 16, 0, 0, 0, 0], &words(&[8_000 << 16])].concat();
        let stsd = atom(b"stsd", &[words(&[0, 1]), atom(b"sowt", &sound)].concat());
        let sizes = atom(b"stsz", &words(&[0, 1, samples]));
        let chunks = atom(b"stsc", &words(&[0, 1, 1, 1, 1]));
        let tables = [stsd, table(b"stts", samples, &[1, 1]), chunks, sizes, table(b"stco", samples, &[8])];
        let minf = atom(b"minf", &[atom(b"smhd", &words(&[0, 0])), atom(b"stbl", &tables.concat())].concat());
        let handler = atom(b"hdlr", &[&words(&[0, 0])[..], b"soun", &[0; 13]].concat());
        let mdhd = atom(b"mdhd", &words(&[0, 0, 0, 8_000, samples, 0]));
        let mdia = atom(b"mdia", &[mdhd, handler, minf].concat());
        let tkhd = atom(b"tkhd", &words(&[&[1, 0, 0, 1, 0, samples][..], &[0; 15]].concat()));
        let mvhd = atom(b"mvhd", &words(&[&[0, 0, 0, 8_000, samples][..], &[0; 20]].concat()));
        let trak = atom(b"trak", &[tkhd, mdia].concat());
        [head, atom(b"moov", &[mvhd, trak].concat()), atom(b"mdat", &[0; 8])].concat().into()
    }

    #[test]
    fn an_endless_file_is_abandoned() {
        assert_eq!(seconds(mp4(4_000)), Ok(1));
        let began = Instant::now();
        assert_eq!(seconds(mp4(1_500_000)), Err(MeasureError::TooSlow));
        assert!(began.elapsed() < Duration::from_millis(3 * RECORDING_MEASURED_MS_MAX), "{:?}", began.elapsed());
    }

    /// A file with 32,769 channels of two bytes each overflows a 16-bit number in the
    /// library.
    #[test]
    fn a_head_whose_numbers_overflow_is_unreadable() {
        let mut file = wav(2_000, 4_000).to_vec();
        file[23] = 128;
        assert_eq!(seconds(file.into()), Err(MeasureError::Unreadable));
    }

    proptest::proptest! {
        /// Measuring a damaged file ends without a panic.
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
