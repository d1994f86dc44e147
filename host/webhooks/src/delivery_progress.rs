//! How far an endpoint has come: the last place it was served to, counts, and
//! its latest attempts. Row `s/{endpoint}` of `Collection::Webhooks`.
//!
//! Invariant: the row never speaks of more than was tried. It is written in one
//! change with what must be tried again; where everything was delivered it may
//! lag by [`WRITE_EVERY`], so that the store is not busy with what a crash can
//! cost no more than a few deliveries that are made twice.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tollbridge_core::limits::WEBHOOK_ATTEMPTS_KEPT;
use tollbridge_store::{Collection, Expect, OutboxPosition, Put, Store, StoreError};

use super::endpoint::{decode, encode, row};

/// How long a standing may be ahead of its row.
const WRITE_EVERY: Duration = Duration::from_secs(1);

/// One attempt to deliver, as its owner may see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Id of the event, the same in every attempt.
    pub event_id: String,
    /// Name of the event.
    pub event: String,
    /// Counts from 1.
    pub number: u32,
    /// Unix time, milliseconds.
    pub time_ms: u64,
    /// How long the receiver took.
    pub duration_ms: u64,
    /// HTTP status, if there was an answer.
    pub status: Option<u16>,
    /// Why it failed, if it did.
    pub error: Option<String>,
    /// When it will be tried again.
    pub next_ms: Option<u64>,
}

/// What is known of an endpoint's deliveries.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DeliveryProgress {
    /// Everything up to here was tried, or is not for this endpoint.
    pub cursor: Option<OutboxPosition>,
    /// Deliveries that failed and will be tried again.
    pub waiting: u64,
    /// Deliveries that were given up and are kept.
    pub dead: u64,
    /// Deliveries that succeeded.
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

/// A standing, and since when its row lags.
pub(super) struct BufferedProgress {
    progress: DeliveryProgress,
    lags_since: Option<Instant>,
}

impl BufferedProgress {
    /// As the row has it.
    pub(super) const fn written(progress: DeliveryProgress) -> Self {
        Self { progress, lags_since: None }
    }

    /// Ahead of the row.
    pub(super) fn ahead(&mut self, progress: DeliveryProgress) {
        self.progress = progress;
        self.lags_since.get_or_insert_with(Instant::now);
    }

    pub(super) const fn now(&self) -> &DeliveryProgress {
        &self.progress
    }

    /// In how long the row must be written; none when it is.
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
        // What comes later does not put it off.
        buffered.ahead(DeliveryProgress { delivered: 2, ..DeliveryProgress::default() });
        assert_eq!(buffered.due(), Some(Duration::ZERO));
        assert_eq!(buffered.now().delivered, 2);
    }
}
