//! What each host may hold of a balance, where several hosts serve one ledger.
//!
//! A host announces in a row how much of a balance its calls may hold, and only
//! then lets them. Commits have one order, so of two hosts that announce at the
//! same time the later one sees the earlier one's row: each host holds at most
//! what it has announced, and at most what the balance has beyond the rows of the
//! others. No row belongs to two hosts, so announcements never collide.
//!
//! A balance that is large beside its calls is announced in advance, for many
//! calls at once, up to a share that leaves seven eighths for whoever needs more.
//! Of a small one exactly what is held is announced, and given up with the call.
//!
//! A host that dies leaves its rows; they count for nothing once it is no longer
//! among the hosts. While a host is alone nothing is announced.

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

/// Most that a call waits for what other hosts have announced and may give up.
const WAIT_MAX: Duration = Duration::from_millis(1_500);
/// The first wait; each is twice as long as the one before, up to the longest.
const WAIT_FIRST: Duration = Duration::from_millis(2);
const WAIT_LONGEST: Duration = Duration::from_millis(100);
/// Calls of the present size that are announced in advance.
const CALLS_AHEAD: i64 = 16;
/// What is announced in advance by all hosts is at most a balance divided by this.
const AHEAD_PART: i64 = 8;
/// Rows that are read together: one for each host, seldom more.
const ROWS_AT_ONCE: usize = 16;
/// Rows of hosts that are gone, deleted at a time.
const TIDIED_AT_ONCE: usize = 1_000;

/// A hold for which more has to be announced, or which other hosts are in the way of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortfall {
    /// The ledger account.
    pub(crate) account: String,
    /// What this host holds already.
    pub(crate) held: i64,
    /// What it would hold.
    pub(crate) needed: i64,
    /// What the balance has beyond what other hosts have announced.
    pub(crate) available: i64,
}

/// How long a call has waited for other hosts.
pub(crate) struct Patience {
    started: Instant,
    wait: Duration,
}

/// What this host has announced.
pub(crate) struct HostReservations {
    hosts: Arc<Hosts>,
    db: Db,
    state: Mutex<State>,
    /// Rows are written in one order: one write at a time.
    writing: Arc<tokio::sync::Mutex<()>>,
    /// There is something to write that nobody waits for.
    given_up: Notify,
}

#[derive(Default)]
struct State {
    accounts: HashMap<String, Announced>,
    unwritten: HashSet<String>,
}

/// What is announced of one balance.
#[derive(Clone, Copy, Default)]
struct Announced {
    /// May be held: it is durable, and is not being lowered.
    usable: i64,
    /// What the row should say.
    wanted: i64,
    /// What calls want to hold that wait for it to be announced.
    waiting: i64,
    /// Whether it is for more than the calls that are under way.
    is_ahead: bool,
    /// Whether a call has used it since the last sweep.
    is_used: bool,
}

/// A call that waits for an announcement.
struct Waiting<'a> {
    reservations: &'a HostReservations,
    account: &'a str,
    amount: i64,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(announced) = self.reservations.state.lock().accounts.get_mut(self.account) {
            announced.waiting = announced.waiting.saturating_sub(self.amount);
        }
    }
}

impl Announced {
    /// Less is needed. Nothing beyond it may be held from now on, for its row says so
    /// as soon as it is written.
    fn lower(&mut self, to: i64) {
        self.wanted = to;
        self.usable = self.usable.min(to);
    }
}

impl Shortfall {
    /// Whether other hosts have what is needed.
    pub(crate) const fn is_elsewhere(&self) -> bool {
        self.needed > self.available
    }
}

impl Patience {
    pub(crate) fn new() -> Self {
        Self { started: Instant::now(), wait: WAIT_FIRST }
    }

    /// Waits a little; false when it has waited enough.
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

    /// Announces what a hold lacks, or waits for other hosts; false when those
    /// have been in the way for too long.
    pub(crate) async fn cover(
        self: &Arc<Self>,
        shortfall: &Shortfall,
        patience: &mut Patience,
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

    /// Sees what other hosts have written; whether there are any.
    pub(crate) async fn look_again(&self) -> Result<bool, SubmitError> {
        self.hosts.catch_up().await?;
        Ok(self.hosts.has_others())
    }

    async fn announce(self: &Arc<Self>, shortfall: &Shortfall) -> Result<(), SubmitError> {
        let _waiting = self.wait_for(shortfall);
        self.write(Some(shortfall)).await
    }

    /// Notes what a hold needs, with what others wait for.
    fn wait_for<'a>(&'a self, shortfall: &'a Shortfall) -> Waiting<'a> {
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
        Waiting { reservations: self, account: &shortfall.account, amount }
    }

    /// Writes what has changed, unless somebody has written what `awaited` needs. It is
    /// of all accounts, so it is finished though a client hangs up that waits for it.
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
                Ok(_) => {}
                Err(_) => drop(state.unwritten.insert(account)),
            }
        }
        outcome.map(drop)
    }

    /// What is to be written.
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

    /// What other hosts have announced of a balance.
    fn of_others(&self, account: &str) -> Result<i64, StoreError> {
        let rows = Rows::of(self.db.store(), Collection::Reservations).with_prefix(format!("{account}\t"));
        let mut sum = 0_i64;
        for row in rows.with_page_size(ROWS_AT_ONCE) {
            let (key, value) = row?;
            let host = key.rsplit('\t').next().unwrap_or_default();
            if host != self.hosts.own().as_str() && self.hosts.is_live(host) {
                let amount = std::str::from_utf8(&value).ok().and_then(|text| text.parse().ok());
                // What cannot be read stands in the way of everything.
                sum = sum.saturating_add(amount.unwrap_or(i64::MAX));
            }
        }
        Ok(sum)
    }

    /// What this host may announce in advance of what is available.
    fn share_ahead(&self, available: i64) -> i64 {
        let hosts = i64::try_from(self.hosts.count()).unwrap_or(i64::MAX);
        available / AHEAD_PART.saturating_mul(hosts)
    }

    /// Writes what calls have given up, as soon as they have.
    pub(crate) async fn write_given_up(self: &Arc<Self>) -> Result<(), SubmitError> {
        self.given_up.notified().await;
        self.write(None).await
    }

    /// Deletes rows of hosts that are gone. They count for nothing already.
    pub(crate) async fn tidy(&self) -> Result<(), SubmitError> {
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
        if announced.is_ahead || announced.wanted <= held {
            return;
        }
        announced.lower(held.saturating_add(announced.waiting));
        state.unwritten.insert(account.to_owned());
        drop(state);
        self.given_up.notify_one();
    }

    /// Gives up all that calls do not hold.
    fn give_up(&self, account: &str, held: i64) {
        if let Some(announced) = self.state.lock().accounts.get_mut(account) {
            announced.is_ahead = false;
        }
        self.released(account, held);
    }

    /// Gives up what was announced in advance and not used since the last sweep, and
    /// what is more than a share of what the balance is now.
    fn sweep(&self, held: &HashMap<String, i64>) {
        let mut state = self.state.lock();
        let State { accounts, unwritten } = &mut *state;
        for (account, announced) in accounts.iter_mut().filter(|(_, announced)| announced.is_ahead) {
            let is_used = std::mem::take(&mut announced.is_used);
            // Nothing more is announced in advance of what cannot be read.
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
