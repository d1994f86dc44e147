//! The delivery progress of an endpoint: its position in the outbox, counts, and its
//! latest attempts. Stored as row `s/{endpoint}` of `Collection::Webhooks`.
//!
//! Invariant: the row never counts deliveries that were not attempted. It is written in
//! one change with the deliveries to retry. If no delivery must be retried, the write may
//! be delayed by up to [`WRITE_EVERY`] to save writes; a crash then repeats at most the
//! deliveries since the last write.

use std::collections::VecDeque;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use tollbridge_store::{Collection, Expect, OutboxPosition, Put, Store, StoreError};

use super::endpoint::{decode, encode, row};

/// Number of the latest attempts of an endpoint that are listed for its owner.
const WEBHOOK_ATTEMPTS_KEPT: usize = 50;

/// Longest time for which the progress in memory may be newer than its row.
const WRITE_EVERY: Duration = Duration::from_secs(1);

/// One delivery attempt, as shown to the owner of the endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Id of the event, the same in every attempt.
    pub event_id: String,
    /// Name of the event.
    pub event: String,
    /// Number of the attempt, from 1.
    pub number: u32,
    /// Time of the attempt, in Unix milliseconds.
    pub time_ms: u64,
    /// Duration of the attempt, in milliseconds.
    pub duration_ms: u64,
    /// HTTP status, if there was a response.
    pub status: Option<u16>,
    /// Error text of a failed attempt.
    pub error: Option<String>,
    /// Time of the next attempt in Unix milliseconds; `None` if none is planned.
    pub next_ms: Option<u64>,
}

/// The state of an endpoint's deliveries.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DeliveryProgress {
    /// Position in the outbox: every event up to it was attempted, or is one to which the
    /// endpoint is not subscribed.
    pub cursor: Option<OutboxPosition>,
    /// Number of failed deliveries that wait for a retry.
    pub waiting: u64,
    /// Number of dead deliveries: deliveries that ran out of attempts and are kept for
    /// replay.
    pub dead: u64,
    /// Number of successful deliveries.
    pub delivered: u64,
    /// Number of failed attempts since the last success.
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

/// The progress in memory, and the time since which its row is out of date.
pub(super) struct BufferedProgress {
    progress: DeliveryProgress,
    lags_since: Option<Instant>,
}

impl BufferedProgress {
    /// Wraps progress that is equal to its row.
    pub(super) const fn written(progress: DeliveryProgress) -> Self {
        Self { progress, lags_since: None }
    }

    /// Replaces the progress; from now on, its row is out of date.
    pub(super) fn ahead(&mut self, progress: DeliveryProgress) {
        self.progress = progress;
        self.lags_since.get_or_insert_with(Instant::now);
    }

    pub(super) const fn now(&self) -> &DeliveryProgress {
        &self.progress
    }

    /// Returns the time until the row must be written; `None` if the row is up to date.
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
