//! Shares of a balance when several hosts serve one ledger.
//!
//! Before its calls may hold part of a balance, a host announces the amount in a row.
//! Commits are totally ordered, so of two hosts that announce at the same time, the later
//! one sees the earlier one's row: each host holds at most what it has announced, and at
//! most the balance minus the rows of the other hosts. Each row belongs to one host, so
//! announcements never collide.
//!
//! If a balance is large compared with the price of a call, a host announces an amount
//! for many calls in advance; all hosts together announce at most an eighth of the
//! balance in advance. If a balance is small, a host announces exactly the held amount
//! and gives it up when the call ends.
//!
//! The rows of a host that dies remain, but are ignored once it is no longer among the
//! live hosts. A single host announces nothing.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;
use tollbridge_core::finish::Finish;
use tollbridge_core::money::Millipence;
use tollbridge_store::{Change, Collection, Db, Expect, Hosts, Put, Rows, StoreError, SubmitError};

use super::balance_holds::{HostShare, Reservations};

/// Longest time that a call waits for other hosts to give up announced amounts.
const WAIT_MAX: Duration = Duration::from_millis(1_500);
/// The first wait; each further wait is twice as long, up to `WAIT_LONGEST`.
const WAIT_FIRST: Duration = Duration::from_millis(2);
const WAIT_LONGEST: Duration = Duration::from_millis(100);
/// Number of calls at the current price for which an amount is announced in advance.
const CALLS_AHEAD: i64 = 16;
/// All hosts together announce in advance at most the balance divided by this number.
const AHEAD_PART: i64 = 8;
/// Rows read per page. A balance has one row per host, and more than 16 hosts are rare.
const ROWS_AT_ONCE: usize = 16;
/// Maximum number of rows of former hosts that one clean-up deletes.
const TIDIED_AT_ONCE: usize = 1_000;

/// The reason why a hold fails for now: this host must announce more, or other hosts have
/// announced the money.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortfall {
    /// The ledger account.
    pub(crate) account: String,
    /// Amount that this host already holds.
    pub(crate) held: i64,
    /// Amount that this host would hold in total.
    pub(crate) needed: i64,
    /// Balance minus the amounts announced by other hosts.
    pub(crate) available: i64,
}

/// The time that a call has waited for other hosts, and its next wait.
pub(crate) struct Backoff {
    started: Instant,
    wait: Duration,
}

/// The announcements of this host.
pub(crate) struct HostReservations {
    hosts: Arc<Hosts>,
    db: Db,
    state: Mutex<State>,
    /// Serializes writes, so that rows are written in order.
    writing: Arc<tokio::sync::Mutex<()>>,
    /// Signals that an announcement was lowered. No call waits for that write, so a
    /// background task makes it.
    given_up: Notify,
}

#[derive(Default)]
struct State {
    accounts: HashMap<String, Announced>,
    unwritten: HashSet<String>,
}

/// The announcement on one balance.
#[derive(Clone, Copy, Default)]
struct Announced {
    /// Amount that calls may hold: the row that allows it is durable, and no write that
    /// lowers it is pending.
    usable: i64,
    /// Amount that the row is to have after the next write.
    wanted: i64,
    /// Amount that waiting calls need in addition to the current holds.
    waiting: i64,
    /// Whether the announcement includes an amount in advance: more than the calls in
    /// flight need.
    is_ahead: bool,
    /// Whether a call has used the announcement since the last sweep.
    is_used: bool,
}

/// A call that waits for an announcement.
struct WaitingCall<'a> {
    reservations: &'a HostReservations,
    account: &'a str,
    amount: i64,
}

impl Drop for WaitingCall<'_> {
    fn drop(&mut self) {
        if let Some(announced) = self.reservations.state.lock().accounts.get_mut(self.account) {
            announced.waiting = announced.waiting.saturating_sub(self.amount);
        }
    }
}

impl Announced {
    /// Lowers the announcement to `to`. The limit for calls drops at once, because other
    /// hosts rely on the row as soon as it is written.
    fn lower(&mut self, to: i64) {
        self.wanted = to;
        self.usable = self.usable.min(to);
    }
}

impl Shortfall {
    /// Returns whether other hosts have announced the missing amount.
    pub(crate) const fn is_elsewhere(&self) -> bool {
        self.needed > self.available
    }
}

impl Backoff {
    pub(crate) fn new() -> Self {
        Self { started: Instant::now(), wait: WAIT_FIRST }
    }

    /// Waits before the next attempt; returns false if the call has already waited for
    /// [`WAIT_MAX`].
    async fn wait(&mut self) -> bool {
        if self.started.elapsed() >= WAIT_MAX {
            return false;
        }
        tokio::time::sleep(self.wait).await;
        self.wait = WAIT_LONGEST.min(self.wait * 2);
        true
    }
}

impl HostReservations {
    pub(crate) fn new(hosts: Arc<Hosts>, db: Db) -> Self {
        let (state, writing, given_up) = (Mutex::default(), Arc::default(), Notify::new());
        Self { hosts, db, state, writing, given_up }
    }

    /// Announces the amount that a hold lacks, or waits for other hosts to give it up;
    /// returns false if the wait has taken too long.
    pub(crate) async fn cover(
        self: &Arc<Self>,
        shortfall: &Shortfall,
        patience: &mut Backoff,
    ) -> Result<bool, SubmitError> {
        if !shortfall.is_elsewhere() {
            self.announce(shortfall).await?;
            return Ok(true);
        }
        if !patience.wait().await {
            return Ok(false);
        }
        self.hosts.catch_up().await?;
        Ok(true)
    }

    /// Reads the writes of other hosts; returns whether there are other hosts.
    pub(crate) async fn look_again(&self) -> Result<bool, SubmitError> {
        self.hosts.catch_up().await?;
        Ok(self.hosts.has_others())
    }

    async fn announce(self: &Arc<Self>, shortfall: &Shortfall) -> Result<(), SubmitError> {
        let _waiting = self.wait_for(shortfall);
        self.write(Some(shortfall)).await
    }

    /// Adds the amount that is missing for a hold to the amounts that other waiting calls
    /// need, and raises the announcement to cover all of them.
    fn wait_for<'a>(&'a self, shortfall: &'a Shortfall) -> WaitingCall<'a> {
        let share = self.share_ahead(shortfall.available);
        let amount = shortfall.needed.saturating_sub(shortfall.held);
        let mut state = self.state.lock();
        state.unwritten.insert(shortfall.account.clone());
        let announced = state.accounts.entry(shortfall.account.clone()).or_default();
        announced.waiting = announced.waiting.saturating_add(amount);
        let needed = shortfall.held.saturating_add(announced.waiting).min(shortfall.available).max(shortfall.needed);
        let ahead = needed.saturating_mul(CALLS_AHEAD).min(share);
        (announced.is_ahead, announced.is_used) = (ahead > needed, true);
        announced.wanted = announced.wanted.max(needed).max(ahead);
        WaitingCall { reservations: self, account: &shortfall.account, amount }
    }

    /// Writes all changed announcements, unless another call has already written the
    /// amount that `awaited` needs. The write covers all accounts, so it is completed
    /// even if the waiting client disconnects.
    async fn write(self: &Arc<Self>, awaited: Option<&Shortfall>) -> Result<(), SubmitError> {
        let turn = self.writing.clone().lock_owned().await;
        if awaited.is_some_and(|shortfall| self.usable(&shortfall.account) >= shortfall.needed) {
            return Ok(());
        }
        let this = self.clone();
        let write = async move {
            let written = this.write_changed().await;
            drop(turn);
            written
        };
        Finish::new(write).await
    }

    async fn write_changed(&self) -> Result<(), SubmitError> {
        let written = self.begin_write();
        if written.is_empty() {
            return Ok(());
        }
        let puts = written.iter().map(|(account, amount)| self.put(account, *amount)).collect();
        let outcome = self.db.submit(Change { puts, ..Change::default() }).await;
        let mut state = self.state.lock();
        for (account, amount) in written {
            let Some(announced) = state.accounts.get_mut(&account) else { continue };
            match outcome {
                Ok(_) if announced.wanted >= amount => announced.usable = amount,
                // The announcement was lowered during the write: `lower` has already
                // limited the usable amount.
                Ok(_) => {}
                // The write failed: include the account in the next one.
                Err(_) => drop(state.unwritten.insert(account)),
            }
        }
        outcome.map(drop)
    }

    /// Takes the changed announcements that are to be written now.
    fn begin_write(&self) -> Vec<(String, i64)> {
        let mut state = self.state.lock();
        let unwritten = std::mem::take(&mut state.unwritten);
        let amounts = unwritten.into_iter().filter_map(|account| {
            let announced = state.accounts.get_mut(&account)?;
            let amount = announced.wanted;
            if amount == 0 && announced.waiting == 0 {
                state.accounts.remove(&account);
            }
            Some((account, amount))
        });
        amounts.collect()
    }

    fn put(&self, account: &str, amount: i64) -> Put {
        let value = (amount > 0).then(|| amount.to_string().into_bytes());
        let key = format!("{account}\t{}", self.hosts.own().as_str());
        Put { collection: Collection::Reservations, key, value, expect: Expect::Any }
    }

    fn usable(&self, account: &str) -> i64 {
        self.state.lock().accounts.get(account).map_or(0, |announced| announced.usable)
    }

    /// Returns the amount of a balance that other hosts have announced.
    fn of_others(&self, account: &str) -> Result<i64, StoreError> {
        let rows = Rows::of(self.db.store(), Collection::Reservations).with_prefix(format!("{account}\t"));
        let mut sum = 0_i64;
        for row in rows.with_page_size(ROWS_AT_ONCE) {
            let (key, value) = row?;
            let host = key.rsplit('\t').next().unwrap_or_default();
            if host != self.hosts.own().as_str() && self.hosts.is_live(host) {
                let amount = std::str::from_utf8(&value).ok().and_then(|text| text.parse().ok());
                // An unreadable row counts as the whole balance, so that nothing is spent
                // twice.
                sum = sum.saturating_add(amount.unwrap_or(i64::MAX));
            }
        }
        Ok(sum)
    }

    /// Returns the part of `available` that this host may announce in advance: an equal
    /// share for each host.
    fn share_ahead(&self, available: i64) -> i64 {
        let hosts = i64::try_from(self.hosts.count()).unwrap_or(i64::MAX);
        available / AHEAD_PART.saturating_mul(hosts)
    }

    /// Waits until an announcement is lowered, then writes all changed announcements.
    pub(crate) async fn write_given_up(self: &Arc<Self>) -> Result<(), SubmitError> {
        self.given_up.notified().await;
        self.write(None).await
    }

    /// Deletes the rows of hosts that have left, which are already ignored.
    pub(crate) async fn clean_up(&self) -> Result<(), SubmitError> {
        let Ok(rows) = self.db.list(Collection::Reservations, "", TIDIED_AT_ONCE) else { return Ok(()) };
        let keys = rows.into_iter().map(|(key, _)| key);
        let gone = keys.filter(|key| key.rsplit('\t').next().is_none_or(|host| !self.hosts.is_live(host)));
        let put = |key| Put { collection: Collection::Reservations, key, value: None, expect: Expect::Any };
        let puts: Vec<Put> = gone.map(put).collect();
        match puts.is_empty() {
            true => Ok(()),
            false => self.db.submit(Change { puts, ..Change::default() }).await.map(drop),
        }
    }
}

impl Reservations for HostReservations {
    fn share(&self, account: &str) -> Result<Option<HostShare>, StoreError> {
        if !self.hosts.has_others() {
            return Ok(None);
        }
        let of_others = self.of_others(account)?;
        let mut state = self.state.lock();
        let usable = state.accounts.get_mut(account).map_or(0, |announced| {
            announced.is_used = true;
            announced.usable
        });
        Ok(Some(HostShare { usable, of_others }))
    }

    fn released(&self, account: &str, held: i64) {
        let mut state = self.state.lock();
        let Some(announced) = state.accounts.get_mut(account) else { return };
        // Keep an amount announced in advance, so that the next call needs no write.
        if announced.is_ahead || announced.wanted <= held {
            return;
        }
        announced.lower(held.saturating_add(announced.waiting));
        state.unwritten.insert(account.to_owned());
        drop(state);
        self.given_up.notify_one();
    }

    /// Lowers the announcement to the amount that calls hold or wait for.
    fn give_up(&self, account: &str, held: i64) {
        if let Some(announced) = self.state.lock().accounts.get_mut(account) {
            announced.is_ahead = false;
        }
        self.released(account, held);
    }

    /// Gives up amounts that were announced in advance and not used since the last sweep,
    /// and amounts above what this host may announce in advance on the current balance.
    fn sweep(&self, held: &HashMap<String, i64>) {
        let mut state = self.state.lock();
        let State { accounts, unwritten } = &mut *state;
        for (account, announced) in accounts.iter_mut().filter(|(_, announced)| announced.is_ahead) {
            let is_used = std::mem::take(&mut announced.is_used);
            // Announce nothing in advance on a balance that cannot be read.
            let balance = self.db.balance(account).map_or(0, Millipence::get);
            let share = if is_used { self.share_ahead(balance) } else { 0 };
            if announced.wanted > share {
                let needed = held.get(account).copied().unwrap_or(0).saturating_add(announced.waiting);
                announced.lower(needed.max(share));
                announced.is_ahead = announced.wanted > needed;
                unwritten.insert(account.clone());
            }
        }
        self.given_up.notify_one();
    }
}
