//! The progress of an endpoint: the last outbox position served, counts, and its latest attempts.
//! Row `s/{endpoint}` of `Collection::Webhooks`.
//!
//! Invariant: the row never counts more than was tried. It is written in one change with the
//! deliveries to retry. When everything was delivered it may lag by [`WRITE_EVERY`], which saves
//! writes: a crash then repeats at most a few deliveries.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tollbridge_core::limits::WEBHOOK_ATTEMPTS_KEPT;
use tollbridge_store::{Collection, Expect, OutboxPosition, Put, Store, StoreError};

use super::endpoint::{decode, encode, row};

/// Maximum time that the progress in memory may be ahead of its row.
const WRITE_EVERY: Duration = Duration::from_secs(1);

/// One attempt to deliver, as shown to the owner of the endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Id of the event, the same in every attempt.
    pub event_id: String,
    /// Name of the event.
    pub event: String,
    /// Number of the attempt, from 1.
    pub number: u32,
    /// Unix time, milliseconds.
    pub time_ms: u64,
    /// Time that the receiver took, in milliseconds.
    pub duration_ms: u64,
    /// HTTP status, if there was a response.
    pub status: Option<u16>,
    /// Error text of a failed attempt.
    pub error: Option<String>,
    /// Time of the next attempt, Unix milliseconds.
    pub next_ms: Option<u64>,
}

/// The state of an endpoint's deliveries.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DeliveryProgress {
    /// Every event up to here was tried, or is not for this endpoint.
    pub cursor: Option<OutboxPosition>,
    /// Number of failed deliveries that wait for a retry.
    pub waiting: u64,
    /// Number of deliveries that ran out of attempts and are kept.
    pub dead: u64,
    /// Number of successful deliveries.
    pub delivered: u64,
    /// Failed attempts since the last success.
    pub failing: u64,
    /// The latest attempts, oldest first.
    pub attempts: VecDeque<Attempt>,
}

impl DeliveryProgress {
    pub(super) fn load(store: &dyn Store, endpoint: &str) -> Result<Option<Self>, StoreError> {
        store.get(Collection::Webhooks, &key(endpoint))?.as_deref().map(decode).transpose()
    }

    pub(super) fn put(&self, endpoint: &str) -> Result<Put, StoreError> {
        Ok(row(key(endpoint), Some(encode(self)?), Expect::Any))
    }

    pub(super) fn remember(&mut self, attempt: Attempt) {
        self.failing = if attempt.error.is_none() { 0 } else { self.failing.saturating_add(1) };
        self.attempts.push_back(attempt);
        while self.attempts.len() > WEBHOOK_ATTEMPTS_KEPT {
            self.attempts.pop_front();
        }
    }
}

/// The progress in memory, and the time since when its row lags.
pub(super) struct BufferedProgress {
    progress: DeliveryProgress,
    lags_since: Option<Instant>,
}

impl BufferedProgress {
    /// Creates progress that matches its row.
    pub(super) const fn written(progress: DeliveryProgress) -> Self {
        Self { progress, lags_since: None }
    }

    /// Replaces the progress; the row lags from now on.
    pub(super) fn ahead(&mut self, progress: DeliveryProgress) {
        self.progress = progress;
        self.lags_since.get_or_insert_with(Instant::now);
    }

    pub(super) const fn now(&self) -> &DeliveryProgress {
        &self.progress
    }

    /// Returns the time until the row must be written; `None` if it is up to date.
    pub(super) fn due(&self) -> Option<Duration> {
        self.lags_since.map(|since| WRITE_EVERY.saturating_sub(since.elapsed()))
    }
}

pub(super) fn key(endpoint: &str) -> String {
    format!("s/{endpoint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_lags_by_a_second_at_most() {
        let mut buffered = BufferedProgress::written(DeliveryProgress::default());
        assert_eq!(buffered.due(), None);
        buffered.ahead(DeliveryProgress { delivered: 1, ..DeliveryProgress::default() });
        assert!(buffered.due().is_some_and(|due| due <= WRITE_EVERY));
        buffered.lags_since = Instant::now().checked_sub(WRITE_EVERY);
        // A later update does not postpone the write.
        buffered.ahead(DeliveryProgress { delivered: 2, ..DeliveryProgress::default() });
        assert_eq!(buffered.due(), Some(Duration::ZERO));
        assert_eq!(buffered.now().delivered, 2);
    }
}
