//! Holds: what calls in flight have reserved.
//!
//! Balances are on disk; holds are in memory only, so a crash releases them all.
//! A hold reads the balance under the lock of the holds. A sale is sealed (the
//! balance falls) before its hold is dropped: for a moment an amount counts
//! twice, and never not at all.
//!
//! Where several hosts serve, a hold needs the host's share of the balance, too;
//! see `host_reservations`.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tollbridge_core::money::Millipence;
use tollbridge_core::planted::Defect;
use tollbridge_store::{Store, StoreError};

/// The sum of holds on each ledger account.
pub(crate) struct BalanceHolds {
    store: Arc<dyn Store>,
    held: Arc<Mutex<HashMap<String, i64>>>,
    reservations: Option<Arc<dyn Reservations>>,
}

/// What hosts that serve together have told each other of balances. Called while
/// the holds are locked, so that what is held does not change meanwhile.
pub(crate) trait Reservations: Send + Sync {
    /// The share of this host; none while it is alone.
    fn share(&self, account: &str) -> Result<Option<HostShare>, StoreError>;
    /// A hold is dropped, after which so much of the account is held here.
    fn released(&self, account: &str, held: i64);
    /// No more is needed of an account than what is held here.
    fn give_up(&self, account: &str, held: i64);
    /// The same of all accounts that were not used for a while.
    fn sweep(&self, held: &HashMap<String, i64>);
}

/// What one host may hold of a balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HostShare {
    /// What it has told the others.
    pub(crate) usable: i64,
    /// What the others have told.
    pub(crate) of_others: i64,
}

/// An amount that no other call can spend until this is dropped.
#[must_use]
pub struct Hold {
    held: Arc<Mutex<HashMap<String, i64>>>,
    reservations: Option<Arc<dyn Reservations>>,
    account: String,
    amount: Millipence,
    /// What is not held by anybody, with this hold.
    available: Millipence,
}

/// Why an amount is not held.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HoldError {
    /// The balance would suffice, but calls in flight hold it.
    #[error("calls in flight hold what is left")]
    Reserved,
    #[error("{balance} is not enough")]
    Insufficient { balance: Millipence },
    /// This host's share is too small for `needed` in all.
    #[error("the share of this host does not suffice")]
    BeyondShare { held: i64, needed: i64, available: i64 },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl BalanceHolds {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self { store, held: Arc::default(), reservations: None }
    }

    pub(crate) fn with_reservations(self, reservations: Arc<dyn Reservations>) -> Self {
        Self { reservations: Some(reservations), ..self }
    }

    /// Gives up what this host has reserved of an account beyond what it holds.
    pub(crate) fn give_up(&self, account: &str) {
        if let Some(reservations) = &self.reservations {
            let held = self.held.lock();
            reservations.give_up(account, held.get(account).copied().unwrap_or(0));
        }
    }

    /// Gives up what this host has reserved in advance and does not need.
    pub(crate) fn sweep(&self) {
        if let Some(reservations) = &self.reservations {
            reservations.sweep(&self.held.lock());
        }
    }

    /// Holds `amount` of a ledger account.
    pub(crate) fn hold(&self, account: &str, amount: Millipence) -> Result<Hold, HoldError> {
        let mut held = self.held.lock();
        // Before the balance: what another host gives up, it has taken from the balance.
        let share = self.share(account)?;
        let balance = self.store.balance(account)?;
        let before = held.get(account).copied().unwrap_or(0);
        let taken = taken_with(balance, before, amount)?;
        if let Some(HostShare { usable, of_others }) = share {
            let available = balance.get().saturating_sub(of_others);
            if taken > usable.min(available) {
                return Err(HoldError::BeyondShare { held: before, needed: taken, available });
            }
        }
        held.insert(account.to_owned(), taken);
        let available = Millipence::new(balance.get() - taken);
        let reservations = self.reservations.clone();
        Ok(Hold { held: self.held.clone(), reservations, account: account.to_owned(), amount, available })
    }

    fn share(&self, account: &str) -> Result<Option<HostShare>, StoreError> {
        self.reservations.as_ref().map_or(Ok(None), |reservations| reservations.share(account))
    }
}

/// What is taken of a balance when `amount` is held besides what is `taken`.
pub(crate) fn taken_with(balance: Millipence, taken: i64, amount: Millipence) -> Result<i64, HoldError> {
    // A negative amount would make room for holds that nothing covers.
    if balance < amount || amount.is_negative() {
        return Err(HoldError::Insufficient { balance });
    }
    let taken = taken.checked_add(amount.get()).filter(|taken| *taken <= balance.get());
    taken.ok_or(HoldError::Reserved)
}

impl Hold {
    /// What is held.
    pub const fn amount(&self) -> Millipence {
        self.amount
    }

    /// What is available, if this hold has taken it below a threshold.
    pub fn fell_below(&self, threshold: Millipence) -> Option<Millipence> {
        let before = self.available.checked_add(self.amount)?;
        (self.available < threshold && before >= threshold).then_some(self.available)
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        if Defect::HoldNotReleased.is_planted() {
            return;
        }
        let mut held = self.held.lock();
        let Some(taken) = held.get_mut(&self.account) else { return };
        *taken -= self.amount.get();
        let left = *taken;
        if left <= 0 {
            held.remove(&self.account);
        }
        if let Some(reservations) = &self.reservations {
            reservations.released(&self.account, left.max(0));
        }
    }
}

impl std::fmt::Debug for Hold {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Hold").field("account", &self.account).field("amount", &self.amount).finish()
    }
}
