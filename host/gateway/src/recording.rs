//! A recording to be transcribed.
//!
//! The length of the recording is measured here, because transcription is billed by
//! length. A crafted file could make the measurement last forever, so it has a deadline,
//! and measurements are scheduled fairly between tenants.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use reqwest::multipart::Part;
use tollbridge_core::blocking::blocking;
use tollbridge_core::fair_limiter::{FairLimiter, FairShare, NoPermit};
use tollbridge_core::fair_queue::FairLimits;

use super::error::GatewayError;
use super::invalid::invalid_member;
use super::sound_duration::{self, MeasureError};

/// Maximum time that a recording waits until its length is measured.
const RECORDING_WAIT_MS: u64 = 15_000;

/// Limits on measurements of recordings, running or waiting. Only one runs at a time, so
/// that the other processors stay free.
const MEASUREMENTS: FairLimits = FairLimits { running: 1, running_per_tenant: 1, waiting: 64, waiting_per_tenant: 8 };

/// An uploaded recording, with its length.
#[derive(Clone, Debug)]
pub struct Recording {
    name: String,
    content_type: Option<String>,
    bytes: Bytes,
    seconds: u64,
}

/// Measures recordings one at a time.
#[derive(Debug)]
pub struct RecordingMeter {
    limiter: Arc<FairLimiter>,
}

impl RecordingMeter {
    pub(super) fn new() -> Self {
        Self { limiter: FairLimiter::new(MEASUREMENTS) }
    }

    /// Measures the length of a recording that a tenant uploaded.
    ///
    /// # Errors
    /// The file is not a recording, takes too long to measure, or too many files are
    /// waiting.
    pub async fn measure(
        &self,
        share: &FairShare,
        name: String,
        content_type: Option<String>,
        bytes: Bytes,
    ) -> Result<Recording, GatewayError> {
        let permit = self.limiter.acquire(share, Duration::from_millis(RECORDING_WAIT_MS)).await;
        let permit = permit.map_err(|error| match error {
            NoPermit::TenantFull => GatewayError::AccountBusy,
            NoPermit::Full | NoPermit::TimedOut => GatewayError::Busy,
        })?;
        let file = bytes.clone();
        // The permit is held until the measurement ends, even if the client disconnects.
        let measured = blocking(move || (sound_duration::seconds(file), permit).0).await;
        match measured.unwrap_or(Err(MeasureError::Unreadable)) {
            Ok(seconds) => Ok(Recording { name, content_type, bytes, seconds }),
            Err(MeasureError::Unreadable) => {
                Err(invalid_member("file", "must be a recording as flac, mp3, mp4, m4a, ogg, wav or webm"))
            }
            Err(MeasureError::TooSlow) => {
                Err(invalid_member("file", "takes too long to measure; convert it, to flac or mp3 for example"))
            }
        }
    }
}

impl Recording {
    /// Builds a recording of known length.
    #[cfg(test)]
    pub(super) const fn of(name: String, content_type: Option<String>, bytes: Bytes, seconds: u64) -> Self {
        Self { name, content_type, bytes, seconds }
    }

    /// Returns the length of the recording in seconds, rounded up.
    pub(super) const fn seconds(&self) -> u64 {
        self.seconds
    }

    /// Returns the recording as a part of a form.
    pub(super) fn part(&self) -> Result<Part, reqwest::Error> {
        let length = u64::try_from(self.bytes.len()).unwrap_or(u64::MAX);
        let part = Part::stream_with_length(self.bytes.clone(), length).file_name(self.name.clone());
        match &self.content_type {
            Some(content_type) => part.mime_str(content_type),
            None => Ok(part),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_file_that_is_no_recording_is_refused() {
        let (meter, share) = (RecordingMeter::new(), FairShare::single("a"));
        let measured = meter.measure(&share, "a.txt".to_owned(), None, Bytes::from_static(b"hello")).await;
        assert!(matches!(measured, Err(GatewayError::Invalid { field, .. }) if field == "/file"));
    }
}
