//! Holds: amounts reserved by calls in flight.
//!
//! Balances are on disk; holds are in memory only, so a crash releases all of them. The
//! balance is read while the map of holds is locked. Sealing a sale lowers the balance,
//! and its hold is dropped only afterwards: for a moment the amount is subtracted twice,
//! but it can never be spent twice.
//!
//! With several hosts, a hold also needs the host's share of the balance; see
//! `host_reservations`.

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

/// Balance reservations shared between hosts. The methods are called while the map of
/// holds is locked, so the held amounts do not change meanwhile.
pub(crate) trait Reservations: Send + Sync {
    /// Returns the part of the balance that this host may hold; `None` while it is the
    /// only host.
    fn share(&self, account: &str) -> Result<Option<HostShare>, StoreError>;
    /// Records that a hold on the account was dropped; the remaining holds of this host
    /// total `held`.
    fn released(&self, account: &str, held: i64);
    /// Reduces this host's reservation on an account to `held`, the total of its holds.
    fn give_up(&self, account: &str, held: i64);
    /// Gives up amounts, on any account, that were reserved in advance and that no call
    /// has used since the last sweep. `held` is the total of this host's holds by
    /// account.
    fn sweep(&self, held: &HashMap<String, i64>);
}

/// The limit of one host's holds on a balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HostShare {
    /// Amount that this host has announced to the other hosts as reserved, so that its
    /// calls may hold it.
    pub(crate) usable: i64,
    /// Amount that the other hosts have announced as reserved.
    pub(crate) of_others: i64,
}

/// An amount that no other call can spend until this guard is dropped.
#[must_use]
pub struct Hold {
    held: Arc<Mutex<HashMap<String, i64>>>,
    reservations: Option<Arc<dyn Reservations>>,
    account: String,
    amount: Millipence,
    /// Balance minus all holds, including this one.
    available: Millipence,
}

/// The reason why an amount cannot be held.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HoldError {
    /// The balance would suffice, but calls in flight hold part of it.
    #[error("calls in flight hold the remaining amount")]
    Reserved,
    #[error("a balance of {balance} is not enough")]
    Insufficient { balance: Millipence },
    /// The holds of this host would total `needed`, which exceeds its share of the
    /// balance.
    #[error("the share of this host is too small")]
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

    /// Reduces this host's reservation on an account to the amount that its calls hold.
    pub(crate) fn give_up(&self, account: &str) {
        if let Some(reservations) = &self.reservations {
            let held = self.held.lock();
            reservations.give_up(account, held.get(account).copied().unwrap_or(0));
        }
    }

    /// Gives up reservations that were made in advance and not used.
    pub(crate) fn sweep(&self) {
        if let Some(reservations) = &self.reservations {
            reservations.sweep(&self.held.lock());
        }
    }

    /// Holds `amount` of a ledger account.
    pub(crate) fn hold(&self, account: &str, amount: Millipence) -> Result<Hold, HoldError> {
        let mut held = self.held.lock();
        // Read the other hosts' reservations before the balance: another host gives up a
        // reservation only after its sale has lowered the balance, so in this order the
        // sold amount is subtracted at least once.
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

/// Returns the total held amount after `amount` is held in addition to the `taken`
/// amount.
pub(crate) fn taken_with(balance: Millipence, taken: i64, amount: Millipence) -> Result<i64, HoldError> {
    // A negative amount would make room for holds that the balance does not cover.
    if balance < amount || amount.is_negative() {
        return Err(HoldError::Insufficient { balance });
    }
    let taken = taken.checked_add(amount.get()).filter(|taken| *taken <= balance.get());
    taken.ok_or(HoldError::Reserved)
}

impl Hold {
    /// Returns the held amount.
    pub const fn amount(&self) -> Millipence {
        self.amount
    }

    /// Returns the available amount if this hold lowered it from at least `threshold` to
    /// below `threshold`.
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
