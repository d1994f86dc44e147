//! Sends due push notifications, at least once.
//!
//! Invariants:
//! 1. A notification remains a row until its receiver has accepted it or all attempts
//!    failed. The row is deleted after the receiver's response, so if the host stops in
//!    between, the notification is sent again.
//! 2. Notifications to one account's receivers use a bounded share of those in flight.
//! 3. The receiver gets the task's state at the time of sending.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Method, Url};
use tokio::sync::Notify;
use tollbridge_core::egress::{Bounds, Egress, EgressError, Request};
use tollbridge_core::fair_limiter::{FairLimiter, FairShare};
use tollbridge_core::fair_queue::FairLimits;

use super::task_store::{PendingPush, TaskStore, TaskStoreError};
use super::v1;
use super::version::ProtocolVersion;

/// Maximum number of notifications in flight, in total.
const A2A_PUSHES_AT_ONCE: usize = 32;
/// Maximum number of notifications in flight of one account, so that one account's dead
/// receivers do not delay those of other accounts.
const A2A_PUSHES_PER_ACCOUNT_AT_ONCE: usize = 4;
/// Time-out for a receiver's answer to a notification.
const A2A_PUSH_MS_MAX: u64 = 10_000;

/// Interval between scans of the rows if no wake-up occurs.
const SCAN_INTERVAL: Duration = Duration::from_secs(1);
/// Number of rows per scan.
const ROWS_PER_SCAN: usize = 2_048;
/// The pause before the next page of rows is read.
const PAGE_PAUSE: Duration = Duration::from_millis(50);
/// Maximum number of one account's notifications that are in flight or wait for a slot.
const TAKEN_PER_ACCOUNT: usize = 4 * A2A_PUSHES_PER_ACCOUNT_AT_ONCE;
const PLACES: FairLimits = FairLimits {
    running: A2A_PUSHES_AT_ONCE,
    running_per_tenant: A2A_PUSHES_PER_ACCOUNT_AT_ONCE,
    waiting: usize::MAX,
    waiting_per_tenant: TAKEN_PER_ACCOUNT,
};
/// Maximum number of bytes read from a receiver's response; its body is discarded.
const RESPONSE_BYTES_MAX: usize = 64 << 10;

/// The worker that delivers push notifications.
pub struct PushWorker {
    /// The store of pending notifications.
    pub tasks: TaskStore,
    /// Sends the notifications.
    pub egress: Arc<Egress>,
    /// Notified when a notification becomes due.
    pub push_wakeup: Arc<Notify>,
    /// Delays between attempts; after the last attempt, a notification is dropped.
    pub retries: Vec<Duration>,
    /// Returns the current Unix time in milliseconds.
    pub now_ms: fn() -> u64,
}

/// The notifications that are in flight or wait for a slot.
#[derive(Default)]
struct InFlightPushes {
    keys: HashSet<String>,
    of_account: HashMap<String, usize>,
}

impl PushWorker {
    /// Delivers notifications until the task is aborted.
    pub async fn run(self: Arc<Self>) {
        let places = FairLimiter::new(PLACES);
        let on_their_way = Arc::new(Mutex::new(InFlightPushes::default()));
        let mut after: Option<String> = None;
        loop {
            // If the last page was full, read the next page after a short pause: one
            // account may have many due rows that precede those of other accounts.
            let pause = if after.is_some() { PAGE_PAUSE } else { SCAN_INTERVAL };
            let _ = tokio::time::timeout(pause, self.push_wakeup.notified()).await;
            let due = match self.tasks.due((self.now_ms)(), after.as_deref(), ROWS_PER_SCAN) {
                Ok(due) => due,
                Err(error) => {
                    tracing::error!(%error, "notifications cannot be read");
                    continue;
                }
            };
            after = due.last().filter(|_| due.len() == ROWS_PER_SCAN).map(|(key, _)| key.clone());
            for (key, due) in due {
                if on_their_way.lock().begin(&key, &due.account) {
                    tokio::spawn(self.clone().deliver(key, due, on_their_way.clone(), places.clone()));
                }
            }
        }
    }

    async fn deliver(
        self: Arc<Self>,
        key: String,
        due: PendingPush,
        on_their_way: Arc<Mutex<InFlightPushes>>,
        places: Arc<FairLimiter>,
    ) {
        // Never fails: `InFlightPushes` bounds the number of waiters.
        let account = FairShare::single(due.account.as_str());
        let _place = places.acquire(&account, Duration::MAX).await;
        // Another delivery may have sent this notification since its row was read.
        if self.tasks.is_due(&key).unwrap_or(false) {
            let outcome = self.send(&due).await;
            if let Err(error) = self.settle(&key, &due, outcome).await {
                tracing::error!(%error, task = due.task, "the outcome of a notification cannot be written");
            }
        }
        on_their_way.lock().end(&key, &due.account);
        // Wake the worker: the account may have further notifications beyond its share.
        self.push_wakeup.notify_one();
    }

    /// Sends the current state of the task. Returns `Ok` if the notification needs no
    /// retry, which includes that its task has expired.
    async fn send(&self, due: &PendingPush) -> Result<(), String> {
        let stored = self.tasks.find(&due.account, &due.task, (self.now_ms)()).map_err(|error| error.to_string())?;
        // An expired task needs no notification.
        let Some(stored) = stored else { return Ok(()) };
        let mut headers = due.config.headers();
        let (media, body) = match due.config.version {
            ProtocolVersion::V0_3 => ("application/json", stored.task.view(None)),
            ProtocolVersion::V1 => ("application/a2a+json", v1::views::notification(&stored.task)),
        };
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(media));
        let url: Url = due.config.url.parse().map_err(|error| format!("{error}"))?;
        let body = Bytes::from(body.to_string());
        let bounds = Bounds { time: Duration::from_millis(A2A_PUSH_MS_MAX), response_bytes: RESPONSE_BYTES_MAX };
        match self.egress.send(Request { method: Method::POST, url, headers, body }, bounds).await {
            Ok(response) if response.status.is_success() => Ok(()),
            Ok(response) => Err(format!("the receiver answered {}", response.status)),
            // The receiver accepted the notification; only its response body was too
            // long.
            Err(EgressError::TooLarge { .. }) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }

    async fn settle(&self, key: &str, due: &PendingPush, outcome: Result<(), String>) -> Result<(), TaskStoreError> {
        let Err(why) = outcome else { return self.tasks.settle(key, None).await };
        let Some(wait) = self.retries.get(due.failed) else {
            tracing::warn!(task = due.task, why, "a notification was dropped after its last attempt");
            return self.tasks.settle(key, None).await;
        };
        let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        let again = PendingPush { failed: due.failed.saturating_add(1), ..due.clone() };
        self.tasks.settle(key, Some(((self.now_ms)().saturating_add(wait_ms), &again))).await
    }
}

impl InFlightPushes {
    /// Starts a delivery. Returns false if the notification is already being delivered or
    /// the account has used up its share.
    fn begin(&mut self, key: &str, account: &str) -> bool {
        let count = self.of_account.get(account).copied().unwrap_or(0);
        if count >= TAKEN_PER_ACCOUNT || !self.keys.insert(key.to_owned()) {
            return false;
        }
        self.of_account.insert(account.to_owned(), count.saturating_add(1));
        true
    }

    fn end(&mut self, key: &str, account: &str) {
        self.keys.remove(key);
        if let Some(count) = self.of_account.get_mut(account) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.of_account.remove(account);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_has_a_bounded_share_and_nothing_goes_twice_at_once() {
        let mut way = InFlightPushes::default();
        for n in 0..TAKEN_PER_ACCOUNT {
            assert!(way.begin(&format!("a{n}"), "a"));
        }
        assert!(!way.begin("more", "a"));
        assert!(way.begin("b0", "b"));
        assert!(!way.begin("b0", "b"));
        way.end("a0", "a");
        assert!(way.begin("more", "a"));
        way.end("b0", "b");
        assert_eq!(way.of_account.len(), 1);
    }
}
