//! Holds: what calls in flight have reserved.
//!
//! Balances are on disk; holds are in memory only, so a crash releases them all.
//! A hold reads the balance under the lock of the holds. A sale is sealed (the
//! balance falls) before its hold is dropped: for a moment an amount counts
//! twice, and never not at all.

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
}

/// An amount that no other call can spend until this is dropped.
#[must_use]
#[derive(Debug)]
pub struct Hold {
    held: Arc<Mutex<HashMap<String, i64>>>,
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
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl BalanceHolds {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self { store, held: Arc::default() }
    }

    /// Holds `amount` of a ledger account.
    pub(crate) fn hold(&self, account: &str, amount: Millipence) -> Result<Hold, HoldError> {
        let mut held = self.held.lock();
        let balance = self.store.balance(account)?;
        let taken = held.get(account).copied().unwrap_or(0);
        let taken = taken_with(balance, taken, amount)?;
        held.insert(account.to_owned(), taken);
        let available = Millipence::new(balance.get() - taken);
        Ok(Hold { held: self.held.clone(), account: account.to_owned(), amount, available })
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
        if let Some(taken) = held.get_mut(&self.account) {
            *taken -= self.amount.get();
            if *taken <= 0 {
                held.remove(&self.account);
            }
        }
    }
}
