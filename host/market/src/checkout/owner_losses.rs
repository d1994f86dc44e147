//! `OwnerLosses`: amounts that plugin owners add to the prices of calls, by caller and day.
//!
//! A plugin that sells below the cost of its nested calls costs its owner credit. A caller
//! who owns the callee could exploit that.
//!
//! Invariant: beyond the caller's payments, the calls of one caller cost an owner at most the
//! limit on one day (UTC). A restart resets the day.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tollbridge_core::fair_limiter::TenantName;
use tollbridge_core::limits::{NESTED_LOSS_PER_CALLER_PER_DAY_MILLIPENCE, OWNER_LOSSES_REMEMBERED_MAX};
use tollbridge_core::money::Millipence;
use tollbridge_core::time::DAY_MS;

/// Owner and caller.
type Pair = (String, TenantName);

/// Amounts that callers have cost owners today.
#[derive(Debug, Default)]
pub(super) struct OwnerLosses {
    today: Mutex<Today>,
}

#[derive(Debug, Default)]
struct Today {
    /// Days since 1970.
    day: u64,
    lost: HashMap<Pair, i64>,
}

/// A reserved amount that a call may cost an owner; released on drop unless committed.
#[must_use]
#[derive(Debug)]
pub(super) struct LossReservation {
    losses: Arc<OwnerLosses>,
    day: u64,
    pair: Pair,
    amount: i64,
}

impl OwnerLosses {
    /// Reserves an amount; `None` if the caller has reached the owner's limit.
    pub(super) fn reserve(
        self: &Arc<Self>,
        owner: &str,
        caller: &TenantName,
        amount: Millipence,
        now_ms: u64,
    ) -> Option<LossReservation> {
        let mut today = self.today.lock();
        let day = now_ms / DAY_MS;
        if today.day != day || today.lost.len() >= OWNER_LOSSES_REMEMBERED_MAX {
            *today = Today { day, lost: HashMap::new() };
        }
        let pair = (owner.to_owned(), caller.clone());
        let lost = today.lost.entry(pair.clone()).or_default();
        let after = lost.checked_add(amount.get())?;
        if after > NESTED_LOSS_PER_CALLER_PER_DAY_MILLIPENCE {
            return None;
        }
        *lost = after;
        Some(LossReservation { losses: self.clone(), day, pair, amount: amount.get() })
    }
}

impl LossReservation {
    /// Keeps the amount, because the owner has paid it.
    pub(super) fn commit(mut self) {
        self.amount = 0;
    }
}

impl Drop for LossReservation {
    fn drop(&mut self) {
        let mut today = self.losses.today.lock();
        if today.day == self.day
            && let Some(lost) = today.lost.get_mut(&self.pair)
        {
            *lost = lost.saturating_sub(self.amount);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Millipence = Millipence::new(NESTED_LOSS_PER_CALLER_PER_DAY_MILLIPENCE);
    const ONE: Millipence = Millipence::new(1);

    #[test]
    fn a_caller_costs_an_owner_so_much_a_day() {
        let (losses, thief, other) = (Arc::new(OwnerLosses::default()), "thief".into(), "other".into());
        losses.reserve("owner", &thief, ALL, 0).unwrap().commit();
        assert!(losses.reserve("owner", &thief, ONE, 1).is_none());
        assert!(losses.reserve("owner", &other, ALL, 1).is_some(), "other callers have their own limit");
        assert!(losses.reserve("another", &thief, ALL, 1).is_some());
        assert!(losses.reserve("owner", &thief, ALL, DAY_MS).is_some(), "the next day");
    }

    #[test]
    fn what_is_not_paid_comes_back() {
        let (losses, caller) = (Arc::new(OwnerLosses::default()), "caller".into());
        drop(losses.reserve("owner", &caller, ALL, 0));
        let kept = losses.reserve("owner", &caller, ALL, 0).unwrap();
        assert!(losses.reserve("owner", &caller, ONE, 0).is_none(), "two reservations at once");
        // Releasing yesterday's reservation does not make room for more today.
        losses.reserve("owner", &caller, ALL, DAY_MS).unwrap().commit();
        drop(kept);
        assert!(losses.reserve("owner", &caller, ONE, DAY_MS).is_none());
    }
}
