//! Concurrency slots: limits on open requests to models, in total and per account, and on
//! streams that are still read after their clients have disconnected.
//!
//! Invariants: a slot is returned however its request ends; [`RequestSlots::close`]
//! waits until every charge is settled or dropped.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{Notify, watch};

use super::error::GatewayError;
use crate::limits::INFERENCE_OPEN_PER_ACCOUNT_MAX;

/// Maximum number of concurrent requests to models. Each holds a connection to a provider
/// and, while it is sent, its body.
const INFERENCE_OPEN_MAX: usize = 4_096;
/// Maximum number of streams of one account that are read after their clients
/// disconnected. Few clients disconnect; above the limit, the account pays the most that
/// the provider can bill.
const INFERENCE_DRAINS_PER_ACCOUNT_MAX: usize = 64;

/// Time allowed at shutdown for sealing the charges of streams that are cut off.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(5);

/// Counts open requests and limits their number.
#[derive(Debug)]
pub(super) struct RequestSlots {
    counts: Mutex<SlotCounts>,
    returned: Notify,
    closing: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct SlotCounts {
    open: usize,
    /// Number of open batch lines, which use no slots of clients' requests.
    lines: usize,
    by_account: HashMap<String, AccountCounts>,
}

#[derive(Debug, Default)]
struct AccountCounts {
    open: usize,
    /// Number of open requests whose streams are still read although their clients have
    /// disconnected.
    drains: usize,
}

/// The slot of one open request, returned on drop.
#[derive(Debug)]
pub(super) struct RequestSlot {
    slots: Arc<RequestSlots>,
    account: String,
    is_drain: bool,
    is_line: bool,
}

impl RequestSlots {
    pub(super) fn new() -> Arc<Self> {
        let closing = watch::Sender::new(false);
        Arc::new(Self { counts: Mutex::default(), returned: Notify::new(), closing })
    }

    /// Takes a slot for a request of an account.
    pub(super) fn open(self: &Arc<Self>, account: &str) -> Result<RequestSlot, GatewayError> {
        let mut counts = self.counts.lock();
        if counts.open >= INFERENCE_OPEN_MAX {
            return Err(GatewayError::Busy);
        }
        let own = counts.by_account.entry(account.to_owned()).or_default();
        if own.open >= INFERENCE_OPEN_PER_ACCOUNT_MAX {
            return Err(GatewayError::AccountBusy);
        }
        own.open += 1;
        counts.open += 1;
        Ok(RequestSlot { slots: self.clone(), account: account.to_owned(), is_drain: false, is_line: false })
    }

    /// Takes a slot for a line of a batch. The batch runner limits the number of lines;
    /// they use no slots of clients' requests.
    pub(super) fn open_line(self: &Arc<Self>, account: &str) -> RequestSlot {
        self.counts.lock().lines += 1;
        RequestSlot { slots: self.clone(), account: account.to_owned(), is_drain: false, is_line: true }
    }

    /// Waits until no request is open. After `timeout`, asks the remaining requests to
    /// end.
    pub(super) async fn close(&self, timeout: Duration) {
        if tokio::time::timeout(timeout, self.empty()).await.is_ok() {
            return;
        }
        self.closing.send_replace(true);
        if tokio::time::timeout(SETTLE_TIMEOUT, self.empty()).await.is_err() {
            tracing::warn!(open = self.counts.lock().open, "some requests to models were not settled in time");
        }
    }

    async fn empty(&self) {
        loop {
            let returned = self.returned.notified();
            if self.counts.lock().is_empty() {
                return;
            }
            returned.await;
        }
    }
}

impl SlotCounts {
    const fn is_empty(&self) -> bool {
        self.open == 0 && self.lines == 0
    }
}

impl RequestSlot {
    /// Returns whether the stream may be read to its end after its client has
    /// disconnected; the number of such streams per account is limited.
    pub(super) fn begin_drain(&mut self) -> bool {
        let mut counts = self.slots.counts.lock();
        let Some(own) = counts.by_account.get_mut(&self.account) else { return false };
        if self.is_drain || own.drains >= INFERENCE_DRAINS_PER_ACCOUNT_MAX {
            return self.is_drain;
        }
        own.drains += 1;
        self.is_drain = true;
        true
    }

    /// Returns a receiver whose value becomes true when the server is about to stop.
    pub(super) fn closing(&self) -> watch::Receiver<bool> {
        self.slots.closing.subscribe()
    }
}

impl Drop for RequestSlot {
    fn drop(&mut self) {
        let mut counts = self.slots.counts.lock();
        if self.is_line {
            counts.lines = counts.lines.saturating_sub(1);
        } else {
            counts.open = counts.open.saturating_sub(1);
            if let Some(own) = counts.by_account.get_mut(&self.account) {
                own.open = own.open.saturating_sub(1);
                own.drains = own.drains.saturating_sub(usize::from(self.is_drain));
                if own.open == 0 {
                    counts.by_account.remove(&self.account);
                }
            }
        }
        drop(counts);
        self.slots.returned.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_leaves_places_for_others() {
        let slots = RequestSlots::new();
        let mut own: Vec<RequestSlot> =
            (0..INFERENCE_OPEN_PER_ACCOUNT_MAX).map(|_| slots.open("greedy").unwrap()).collect();
        assert!(matches!(slots.open("greedy"), Err(GatewayError::AccountBusy)));
        assert!(slots.open("other").is_ok());
        let draining = own.iter_mut().filter_map(|place| place.begin_drain().then_some(())).count();
        assert_eq!(draining, INFERENCE_DRAINS_PER_ACCOUNT_MAX);
        assert!(own[0].begin_drain(), "already draining");
        own.remove(0);
        assert!(own.last_mut().unwrap().begin_drain(), "one has ended");
        drop(own);
        assert!(slots.counts.lock().by_account.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn lines_of_batches_take_no_place_and_are_waited_for() {
        let slots = RequestSlots::new();
        let lines: Vec<RequestSlot> = (0..INFERENCE_OPEN_PER_ACCOUNT_MAX).map(|_| slots.open_line("a")).collect();
        let own: Vec<_> = (0..INFERENCE_OPEN_PER_ACCOUNT_MAX).map(|_| slots.open("a").unwrap()).collect();
        drop(own);
        let began = tokio::time::Instant::now();
        let ending = tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            drop(lines);
        });
        slots.close(Duration::from_secs(10)).await;
        assert_eq!(began.elapsed(), Duration::from_secs(1));
        ending.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn closing_waits_for_what_is_open() {
        let slots = RequestSlots::new();
        slots.close(Duration::ZERO).await;
        let place = slots.open("a").unwrap();
        let mut closing = place.closing();
        let began = tokio::time::Instant::now();
        let reading = tokio::spawn(async move {
            closing.wait_for(|closing| *closing).await.unwrap();
            tokio::time::sleep(Duration::from_secs(1)).await;
            drop(place);
        });
        slots.close(Duration::from_secs(10)).await;
        assert_eq!(began.elapsed(), Duration::from_secs(11));
        reading.await.unwrap();
    }
}
