//! Who listens to what: the index that the writer asks before it writes an
//! event, and that wakes deliveries after it was written.
//!
//! Invariants: an account without an endpoint costs nothing; an account whose
//! endpoints have fallen too far behind is not listened for until they have
//! caught up, and what it missed meanwhile is counted.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::{Mutex, RwLock};
use tokio::sync::Notify;
use tollbridge_core::limits::OUTBOX_ROWS_PER_ACCOUNT_MAX;
use tollbridge_ledger::events;
use tollbridge_store::{OutboxListener, Store, StoreError};

use super::endpoint::{self, Endpoint};

/// The index of all endpoints. Kept in memory; the rows are in the store.
#[derive(Default)]
pub struct Listeners {
    /// Whether there is any endpoint at all.
    any: AtomicBool,
    accounts: RwLock<HashMap<String, Arc<Account>>>,
    /// Those whose couriers are to be woken …
    stirred: Mutex<Vec<Arc<Account>>>,
    /// … by `ring`, which this wakes.
    bell: Notify,
}

/// What is known of one account.
#[derive(Default)]
pub(super) struct Account {
    ears: RwLock<Vec<Ear>>,
    /// Rows in its outbox.
    rows: AtomicU64,
    missed: AtomicU64,
    /// Whether it is among those whose couriers are to be woken.
    stirred: AtomicBool,
}

struct Ear {
    id: String,
    /// One bit per event of `events::ALL`.
    events: u32,
    waker: Arc<Notify>,
}

impl Listeners {
    /// Reads every endpoint of a store.
    pub fn load(store: &dyn Store) -> Result<Self, StoreError> {
        let listeners = Self::default();
        for endpoint in endpoint::load(store, None)? {
            listeners.add(&endpoint);
        }
        for (id, account) in listeners.accounts.read().iter() {
            account.rows.store(count_rows(store, id)?, Ordering::Relaxed);
        }
        Ok(listeners)
    }

    /// Adds an endpoint or brings it up to date; what wakes it.
    pub(super) fn add(&self, endpoint: &Endpoint) -> Arc<Notify> {
        let account = self.accounts.write().entry(endpoint.account.clone()).or_default().clone();
        let mut ears = account.ears.write();
        let waker = ears.iter().find(|ear| ear.id == endpoint.id).map(|ear| ear.waker.clone()).unwrap_or_default();
        ears.retain(|ear| ear.id != endpoint.id);
        ears.push(Ear { id: endpoint.id.clone(), events: wanted(endpoint), waker: waker.clone() });
        self.any.store(true, Ordering::Release);
        waker
    }

    pub(super) fn remove(&self, endpoint: &Endpoint) {
        let mut accounts = self.accounts.write();
        let Some(account) = accounts.get(&endpoint.account) else { return };
        let mut ears = account.ears.write();
        ears.retain(|ear| ear.id != endpoint.id);
        let empty = ears.is_empty();
        drop(ears);
        if empty {
            accounts.remove(&endpoint.account);
        }
        self.any.store(!accounts.is_empty(), Ordering::Release);
    }

    /// Wakes couriers for what is written, for ever. The writer only leaves word:
    /// to wake ten couriers after each commit would cost it ten system calls.
    pub(super) async fn ring(&self) {
        loop {
            self.bell.notified().await;
            let stirred = std::mem::take(&mut *self.stirred.lock());
            for account in stirred {
                // What is written from now on stirs it again.
                account.stirred.store(false, Ordering::SeqCst);
                account.ears.read().iter().for_each(|ear| ear.waker.notify_one());
            }
        }
    }

    /// What is known of an account that has endpoints.
    pub(super) fn account(&self, id: &str) -> Option<Arc<Account>> {
        self.accounts.read().get(id).cloned()
    }
}

impl Account {
    pub(super) fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// After rows were forgotten.
    pub(super) fn forgotten(&self, count: u64) {
        let _ = self.rows.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |rows| Some(rows.saturating_sub(count)));
    }

    /// Events that were not written because nobody kept up, since the start.
    pub(super) fn missed(&self) -> u64 {
        self.missed.load(Ordering::Relaxed)
    }
}

impl OutboxListener for Listeners {
    fn listens_to(&self, account: &str, event: &str) -> bool {
        if !self.any.load(Ordering::Acquire) {
            return false;
        }
        let Some(account) = self.account(account) else { return false };
        let bit = bit(event);
        if !account.ears.read().iter().any(|ear| ear.events & bit != 0) {
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
        if !account.stirred.swap(true, Ordering::SeqCst) {
            self.stirred.lock().push(account);
            self.bell.notify_one();
        }
    }
}

fn bit(event: &str) -> u32 {
    events::ALL.iter().position(|(name, _)| *name == event).map_or(0, |position| 1 << position)
}

fn wanted(endpoint: &Endpoint) -> u32 {
    events::ALL.iter().filter(|(name, _)| endpoint.wants(name)).fold(0, |bits, (name, _)| bits | bit(name))
}

/// Rows that an account has in the outbox.
fn count_rows(store: &dyn Store, account: &str) -> Result<u64, StoreError> {
    let (mut count, mut after) = (0, None);
    loop {
        let page = store.outbox(account, after, 1_000)?;
        let Some(last) = page.last() else { return Ok(count) };
        after = Some(last.place);
        count += u64::try_from(page.len()).unwrap_or(0);
    }
}
