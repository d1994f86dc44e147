//! `OwnerLosses`: amounts that plugin owners lose on calls of each caller, by day.
//!
//! If a plugin's nested calls cost more than its price, the plugin's owner pays the
//! difference from credit. A caller who owns the called plugin could exploit that.
//!
//! Invariant: on one day (UTC), the calls of one caller cost an owner at most the limit,
//! beyond what the caller pays. A restart of the host resets the amounts of the day, and
//! so does a full map.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tollbridge_core::fair_limiter::TenantName;
use tollbridge_core::limits::NESTED_LOSS_PER_CALLER_PER_DAY_MILLIPENCE;
use tollbridge_core::money::Millipence;
use tollbridge_core::time::DAY_MS;

/// Maximum number of pairs of owner and caller whose losses are remembered.
const OWNER_LOSSES_REMEMBERED_MAX: usize = 1 << 16;

/// The owner of a plugin and a caller of that plugin.
type Pair = (String, TenantName);

/// Amounts that owners have lost on calls of each caller today.
#[derive(Debug, Default)]
pub(super) struct OwnerLosses {
    today: Mutex<Today>,
}

#[derive(Debug, Default)]
struct Today {
    /// The day on which the amounts were lost, as days since 1970.
    day: u64,
    lost: HashMap<Pair, i64>,
}

/// An amount that a call may cost the plugin's owner, reserved within the daily limit;
/// released on drop unless committed.
#[must_use]
#[derive(Debug)]
pub(super) struct LossReservation {
    losses: Arc<OwnerLosses>,
    day: u64,
    pair: Pair,
    amount: i64,
}

impl OwnerLosses {
    /// Reserves an amount; `None` if the owner's daily limit for this caller would be
    /// exceeded.
    pub(super) fn reserve(
        self: &Arc<Self>,
        owner: &str,
        caller: &TenantName,
        amount: Millipence,
        now_ms: u64,
    ) -> Option<LossReservation> {
        let mut today = self.today.lock();
        let day = now_ms / DAY_MS;
        // A new day starts from zero. A full map is emptied too, to bound memory.
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
    /// Counts the amount permanently, because the owner has paid it.
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
    fn a_caller_costs_an_owner_at_most_a_daily_limit() {
        let (losses, thief, other) = (Arc::new(OwnerLosses::default()), "thief".into(), "other".into());
        losses.reserve("owner", &thief, ALL, 0).unwrap().commit();
        assert!(losses.reserve("owner", &thief, ONE, 1).is_none());
        assert!(losses.reserve("owner", &other, ALL, 1).is_some(), "other callers have their own limit");
        assert!(losses.reserve("another", &thief, ALL, 1).is_some());
        assert!(losses.reserve("owner", &thief, ALL, DAY_MS).is_some(), "the next day");
    }

    #[test]
    fn an_unpaid_reservation_is_returned() {
        let (losses, caller) = (Arc::new(OwnerLosses::default()), "caller".into());
        drop(losses.reserve("owner", &caller, ALL, 0));
        let kept = losses.reserve("owner", &caller, ALL, 0).unwrap();
        assert!(losses.reserve("owner", &caller, ONE, 0).is_none(), "two reservations at once");
        // Releasing a reservation made yesterday does not increase what is left of
        // today's limit.
        losses.reserve("owner", &caller, ALL, DAY_MS).unwrap().commit();
        drop(kept);
        assert!(losses.reserve("owner", &caller, ONE, DAY_MS).is_none());
    }
}
