//! How far an endpoint has come: the last place it was served to, counts, and
//! its latest attempts. Row `s/{endpoint}` of `Collection::Webhooks`, written
//! together with the deliveries that it speaks of.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::endpoint::{decode, encode, row};
use crate::limits::WEBHOOK_ATTEMPTS_KEPT;
use crate::store::{Collection, Expect, Place, Put, Store, StoreError};

/// One attempt to deliver, as its owner may see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    pub event_id: String,
    pub event: String,
    /// Counts from 1.
    pub number: u32,
    /// Unix time, milliseconds.
    pub time_ms: u64,
    pub duration_ms: u64,
    /// HTTP status, if there was an answer.
    pub status: Option<u16>,
    pub error: Option<String>,
    /// When it will be tried again.
    pub next_ms: Option<u64>,
}

/// What is known of an endpoint's deliveries.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Standing {
    /// Everything up to here was tried, or is not for this endpoint.
    pub cursor: Option<Place>,
    /// Deliveries that failed and will be tried again.
    pub waiting: u64,
    /// Deliveries that were given up and are kept.
    pub dead: u64,
    pub delivered: u64,
    /// Failed attempts since the last success.
    pub failing: u64,
    pub attempts: VecDeque<Attempt>,
}

impl Standing {
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

pub(super) fn key(endpoint: &str) -> String {
    format!("s/{endpoint}")
}
