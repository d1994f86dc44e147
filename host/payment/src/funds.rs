//! What calls in flight have reserved.
//!
//! Balances are on disk; reservations are in memory only, so a crash releases
//! them all. A hold reads the balance under the lock of the reservations. A
//! sale is sealed (the balance falls) before its hold is dropped, so for a
//! moment an amount counts twice and never not at all.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use tollbridge_core::money::Millipence;
use tollbridge_store::{Store, StoreError};

/// Reservations by name of the ledger account that will pay.
pub struct BalanceHolds {
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
    /// What nobody has reserved, after this.
    left: Millipence,
}

#[derive(Debug, thiserror::Error)]
pub enum HoldError {
    /// There would be enough if calls in flight did not need it.
    #[error("what is left is reserved by calls in flight")]
    Reserved,
    #[error("{balance} is not enough")]
    Insufficient { balance: Millipence },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl BalanceHolds {
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, held: Arc::default() }
    }

    /// Reserves `amount` of a ledger account.
    pub fn hold(&self, account: &str, amount: Millipence) -> Result<Hold, HoldError> {
        let mut held = self.held.lock();
        let balance = self.store.balance(account)?;
        let taken = held.get(account).copied().unwrap_or(0);
        // A negative amount would make room for holds that nothing covers.
        if balance < amount || amount.is_negative() {
            return Err(HoldError::Insufficient { balance });
        }
        let taken = taken.checked_add(amount.get()).filter(|taken| *taken <= balance.get());
        let Some(taken) = taken else { return Err(HoldError::Reserved) };
        held.insert(account.to_owned(), taken);
        let left = Millipence::new(balance.get() - taken);
        Ok(Hold { held: self.held.clone(), account: account.to_owned(), amount, left })
    }
}

impl Hold {
    pub const fn amount(&self) -> Millipence {
        self.amount
    }

    /// What is left, if it has fallen below a threshold with this hold.
    pub fn fell_below(&self, threshold: Millipence) -> Option<Millipence> {
        let before = self.left.checked_add(self.amount)?;
        (self.left < threshold && before >= threshold).then_some(self.left)
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut held = self.held.lock();
        if let Some(taken) = held.get_mut(&self.account) {
            *taken -= self.amount.get();
            if *taken <= 0 {
                held.remove(&self.account);
            }
        }
    }
}
