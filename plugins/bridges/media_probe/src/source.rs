//! Which bytes are the media and which text is the captions.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use tollbridge_sdk::{Call, Error};

use crate::input::{Input, MOST_BYTES};
use crate::mp3;

/// Containers that can be told from their first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Container {
    Movie,
    Wav,
    Mp3,
}

/// What was given.
pub struct Sources<'a> {
    pub media: Option<(Container, Cow<'a, [u8]>)>,
    pub captions: Option<Cow<'a, str>>,
}

const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);
const UNKNOWN: &str = "is neither ISO base media (MP4, MOV, M4A), nor WAV, nor MP3 by its first bytes";

impl<'a> Sources<'a> {
    /// Media from `media` or the stored resource, captions from `captions` or the stored resource.
    pub fn gather(call: &'a Call, input: &'a Input) -> Result<Self, Error> {
        let mut sources = Sources { media: None, captions: None };
        if let Some(text) = &input.media {
            let bytes = decode(text)?;
            let container = sniff(&bytes).ok_or_else(|| Error::invalid("/media", UNKNOWN))?;
            sources.media = Some((container, Cow::Owned(bytes)));
        }
        if let Some(text) = &input.captions {
            if text.len() > MOST_BYTES {
                return Err(Error::invalid("/captions", "must be at most 1 MiB"));
            }
            sources.captions = Some(Cow::Borrowed(text));
        }
        if input.resource_id.is_some() {
            sources.stored(call)?;
        }
        if sources.media.is_none() && sources.captions.is_none() {
            return Err(Error::invalid("", "give `media` (base64), `captions` (text), or a `resource_id`"));
        }
        Ok(sources)
    }

    fn stored(&mut self, call: &'a Call) -> Result<(), Error> {
        let stored = call.stored()?;
        let twice = |name: &str| {
            Error::invalid("/resource_id", format!("the stored resource is {name}, which are given as well"))
        };
        if let Some(container) = sniff(&stored.bytes) {
            if self.media.is_some() {
                return Err(twice("media"));
            }
            self.media = Some((container, Cow::Borrowed(&stored.bytes)));
            return Ok(());
        }
        let text = match std::str::from_utf8(&stored.bytes) {
            Ok(text) if text.contains("-->") || text.trim_start_matches('\u{feff}').starts_with("WEBVTT") => text,
            _ => {
                let message = format!("the stored resource {UNKNOWN}, nor SRT or WebVTT captions in UTF-8");
                return Err(Error::invalid("/resource_id", message));
            }
        };
        if self.captions.is_some() {
            return Err(twice("captions"));
        }
        self.captions = Some(Cow::Borrowed(text));
        Ok(())
    }
}

fn decode(text: &str) -> Result<Vec<u8>, Error> {
    if text.len() > MOST_BYTES {
        return Err(Error::invalid("/media", "must be at most 1 MiB of base64"));
    }
    let packed: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    LENIENT.decode(packed).map_err(|error| Error::invalid("/media", format!("is not standard base64: {error}")))
}

/// Boxes with which a file may begin.
const FIRST: [&[u8; 4]; 10] =
    [b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"styp", b"moof", b"sidx", b"pnot"];

fn sniff(bytes: &[u8]) -> Option<Container> {
    let kind = bytes.get(4..8)?;
    if FIRST.iter().any(|first| first.as_slice() == kind) {
        return Some(Container::Movie);
    }
    let riff = bytes.get(..4).is_some_and(|name| name == b"RIFF" || name == b"RF64");
    if riff && bytes.get(8..12) == Some(b"WAVE") {
        return Some(Container::Wav);
    }
    mp3::is(bytes).then_some(Container::Mp3)
}
