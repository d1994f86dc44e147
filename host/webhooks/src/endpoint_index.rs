//! An index of webhook subscriptions. The store's writer consults it before it writes an
//! event to the outbox; after the write, the index wakes the delivery workers.
//!
//! Invariants: the events of an account without an endpoint cost no writes; if the
//! endpoints of an account lag too far behind, its events are not written until the
//! endpoints have caught up, and the missed events are counted.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::{Mutex, RwLock};
use tokio::sync::Notify;
use tollbridge_ledger::events;
use tollbridge_store::{OutboxListener, Store, StoreError};

use super::endpoint::WebhookEndpoint;
use super::endpoint_rows::{self, load_one_without_secrets, load_without_secrets};
use crate::limits::OUTBOX_ROWS_PER_ACCOUNT_MAX;

/// Number of an account's outbox rows from which on the count must be exact; below it, an
/// outdated count does no harm.
const ROWS_MANY: u64 = OUTBOX_ROWS_PER_ACCOUNT_MAX / 4;

/// The index of all endpoints. Kept in memory; the rows are in the store.
#[derive(Default)]
pub struct EndpointIndex {
    /// Whether there is any endpoint.
    any: AtomicBool,
    accounts: RwLock<HashMap<String, Arc<Account>>>,
    /// Accounts whose delivery workers are to be woken.
    pending_wakes: Mutex<Vec<Arc<Account>>>,
    /// Wakes `wake_workers`, which processes `pending_wakes`.
    wake_signal: Notify,
}

/// The index entry of one account.
#[derive(Default)]
pub(super) struct Account {
    subscriptions: RwLock<Vec<Subscription>>,
    /// Number of the account's rows in the outbox.
    rows: AtomicU64,
    missed: AtomicU64,
    /// Whether the account is already in `EndpointIndex::pending_wakes`.
    pending_wakes: AtomicBool,
}

struct Subscription {
    id: String,
    /// The subscribed events: one bit per entry of `events::ALL`.
    events: u32,
    waker: Arc<Notify>,
}

impl EndpointIndex {
    /// Builds the index from the endpoints in a store.
    pub fn load(store: &dyn Store) -> Result<Self, StoreError> {
        let endpoint_index = Self::default();
        for endpoint in load_without_secrets(store, None)? {
            endpoint_index.add(&endpoint);
        }
        for (id, account) in endpoint_index.accounts.read().iter() {
            account.rows.store(count_rows(store, id)?, Ordering::Relaxed);
        }
        Ok(endpoint_index)
    }

    /// Adds or updates an endpoint; returns the handle that wakes its delivery worker.
    pub(super) fn add(&self, endpoint: &WebhookEndpoint) -> Arc<Notify> {
        let account = self.accounts.write().entry(endpoint.account.clone()).or_default().clone();
        let mut subscriptions = account.subscriptions.write();
        let waker = subscriptions
            .iter()
            .find(|subscription| subscription.id == endpoint.id)
            .map(|subscription| subscription.waker.clone())
            .unwrap_or_default();
        subscriptions.retain(|subscription| subscription.id != endpoint.id);
        subscriptions.push(Subscription {
            id: endpoint.id.clone(),
            events: event_bits(endpoint),
            waker: waker.clone(),
        });
        self.any.store(true, Ordering::Release);
        waker
    }

    pub(super) fn remove(&self, of_account: &str, endpoint: &str) {
        let mut accounts = self.accounts.write();
        let Some(account) = accounts.get(of_account) else { return };
        let mut subscriptions = account.subscriptions.write();
        subscriptions.retain(|subscription| subscription.id != endpoint);
        let empty = subscriptions.is_empty();
        drop(subscriptions);
        if empty {
            accounts.remove(of_account);
        }
        self.any.store(!accounts.is_empty(), Ordering::Release);
    }

    /// Applies a row of `Collection::Webhooks` that another host wrote or removed.
    ///
    /// # Errors
    /// The row cannot be read.
    pub fn row_changed(&self, store: &dyn Store, key: &str) -> Result<(), StoreError> {
        let Some((account, id)) = endpoint_rows::account_and_id(key) else { return Ok(()) };
        match load_one_without_secrets(store, key)? {
            Some(endpoint) => drop(self.add(&endpoint)),
            None => self.remove(account, id),
        }
        Ok(())
    }

    /// Recounts the outbox rows of accounts that have many, because another host may have
    /// delivered and deleted some.
    ///
    /// # Errors
    /// Rows cannot be read.
    pub fn recount_many(&self, store: &dyn Store) -> Result<(), StoreError> {
        let all: Vec<_> = self.accounts.read().iter().map(|(id, account)| (id.clone(), account.clone())).collect();
        for (id, account) in all.into_iter().filter(|(_, account)| account.rows() >= ROWS_MANY) {
            account.rows.store(count_rows(store, &id)?, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Wakes delivery workers after writes; never returns. The store's writer only sets a
    /// flag, because waking ten delivery workers after each commit would cost the writer ten
    /// system calls.
    pub(super) async fn wake_workers(&self) {
        loop {
            self.wake_signal.notified().await;
            let pending_wakes = std::mem::take(&mut *self.pending_wakes.lock());
            for account in pending_wakes {
                // Clear the flag first, so that a later write sets it again.
                account.pending_wakes.store(false, Ordering::SeqCst);
                account.subscriptions.read().iter().for_each(|subscription| subscription.waker.notify_one());
            }
        }
    }

    /// Returns the entry of an account that has endpoints.
    pub(super) fn account(&self, id: &str) -> Option<Arc<Account>> {
        self.accounts.read().get(id).cloned()
    }
}

impl Account {
    pub(super) fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// Subtracts deleted outbox rows from the count.
    pub(super) fn forgotten(&self, count: u64) {
        let _ = self.rows.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |rows| Some(rows.saturating_sub(count)));
    }

    /// Returns the number of events that were not written since the start because the
    /// account's endpoints lagged.
    pub(super) fn missed(&self) -> u64 {
        self.missed.load(Ordering::Relaxed)
    }
}

impl OutboxListener for EndpointIndex {
    fn listens_to(&self, account: &str, event: &str) -> bool {
        if !self.any.load(Ordering::Acquire) {
            return false;
        }
        let Some(account) = self.account(account) else { return false };
        let bit = bit(event);
        if !account.subscriptions.read().iter().any(|subscription| subscription.events & bit != 0) {
            return false;
        }
        if account.rows() >= OUTBOX_ROWS_PER_ACCOUNT_MAX {
            account.missed.fetch_add(1, Ordering::Relaxed);
            metrics::counter!("tollbridge_webhook_events_missed_total").increment(1);
            return false;
        }
        true
    }

    fn written(&self, account: &str, count: usize) {
        let Some(account) = self.account(account) else { return };
        account.rows.fetch_add(u64::try_from(count).unwrap_or(0), Ordering::Relaxed);
        if !account.pending_wakes.swap(true, Ordering::SeqCst) {
            self.pending_wakes.lock().push(account);
            self.wake_signal.notify_one();
        }
    }
}

fn bit(event: &str) -> u32 {
    events::ALL.iter().position(|(name, _)| *name == event).map_or(0, |position| 1 << position)
}

fn event_bits(endpoint: &WebhookEndpoint) -> u32 {
    events::ALL.iter().filter(|(name, _)| endpoint.wants(name)).fold(0, |bits, (name, _)| bits | bit(name))
}

/// Counts the outbox rows of an account.
fn count_rows(store: &dyn Store, account: &str) -> Result<u64, StoreError> {
    let (mut count, mut after) = (0, None);
    loop {
        let page = store.outbox(account, after, 1_000)?;
        let Some(last) = page.last() else { return Ok(count) };
        after = Some(last.place);
        count += u64::try_from(page.len()).unwrap_or(0);
    }
}
