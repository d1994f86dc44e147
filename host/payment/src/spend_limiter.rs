//! Daily limits: the amount of its account's credit that a key may spend on one day
//! (UTC).
//!
//! A call reserves its price in memory before it runs, and releases it if it fails; a
//! model request reserves its maximum cost and releases the unused part. The sealed
//! amount is stored in a row in the same write as the seal, so the day's sum survives a
//! restart. Only keys with a limit have such rows.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;
use tollbridge_core::time::DAY_MS;
use tollbridge_store::{Change, Collection, Expect, Hash, Put, Rows, Store, StoreError, SubmitError, Writer};

/// Number of keys with a daily limit whose spending is kept in memory. At this number,
/// the spending of earlier days is dropped; today's stays, because it includes
/// reservations that are only in memory.
const SPENDERS_REMEMBERED_MAX: usize = 1 << 14;

/// Rows read or removed at a time.
const PAGE: usize = 10_000;

/// The daily limit of a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DailySpendLimit {
    /// Public id of the key, `key_…`.
    pub key: String,
    /// Maximum spending on one day.
    pub per_day: Millipence,
}

/// Spent and reserved amounts of today, for keys with a limit.
pub struct SpendLimiter {
    store: Arc<dyn Store>,
    days: Arc<Mutex<HashMap<String, DaySpending>>>,
}

#[derive(Clone, Copy, Debug)]
struct DaySpending {
    /// Days since 1970.
    day: u64,
    /// Sum of sealed and reserved amounts.
    taken: i64,
}

/// An amount reserved on the daily limit of a key; released on drop unless committed.
#[must_use]
#[derive(Debug)]
pub struct SpendReservation {
    days: Arc<Mutex<HashMap<String, DaySpending>>>,
    key: String,
    day: u64,
    amount: Millipence,
    committed: bool,
}

/// The reason why an amount cannot be reserved.
#[derive(Debug, thiserror::Error)]
pub enum SpendLimitError {
    /// The remaining limit does not cover the amount.
    #[error("only {left} of the key's daily limit is left")]
    Exceeded {
        /// The unspent part of today's limit.
        left: Millipence,
    },
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl SpendLimiter {
    /// Creates a limiter that reads the day's spending from a store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, days: Arc::default() }
    }

    /// Reserves an amount on a key's limit for today.
    ///
    /// # Errors
    ///
    /// Returns [`SpendLimitError::Exceeded`], or an error if the store cannot be read.
    pub fn reserve(
        &self,
        limit: &DailySpendLimit,
        amount: Millipence,
        now_ms: u64,
    ) -> Result<SpendReservation, SpendLimitError> {
        let today = now_ms / DAY_MS;
        let mut days = self.days.lock();
        let spending = match days.get(&limit.key) {
            Some(spending) if spending.day == today => *spending,
            _ => {
                if days.len() >= SPENDERS_REMEMBERED_MAX {
                    days.retain(|_, spending| spending.day >= today);
                }
                DaySpending { day: today, taken: self.sealed(&limit.key, today)? }
            }
        };
        let taken = spending.taken.checked_add(amount.get()).filter(|taken| *taken <= limit.per_day.get());
        let Some(taken) = taken.filter(|_| !amount.is_negative()) else {
            let left = limit.per_day.get().saturating_sub(spending.taken).max(0);
            // Keep the sum that was read, so that declined calls do not read it again.
            days.insert(limit.key.clone(), spending);
            return Err(SpendLimitError::Exceeded { left: Millipence::new(left) });
        };
        days.insert(limit.key.clone(), DaySpending { day: today, taken });
        Ok(SpendReservation { days: self.days.clone(), key: limit.key.clone(), day: today, amount, committed: false })
    }

    /// Releases an amount that was committed and later refunded. `row` is the key of the
    /// row that was removed; its date decides on which day the amount is available again.
    pub fn release(&self, row: &str, amount: Millipence) {
        let mut parts = row.split('/');
        let (Some(Ok(day)), Some(key)) = (parts.next().map(str::parse::<u64>), parts.next()) else { return };
        if let Some(spending) = self.days.lock().get_mut(key).filter(|spending| spending.day == day) {
            spending.taken = spending.taken.saturating_sub(amount.get());
        }
    }

    /// Returns the sum of the amounts sealed on a day.
    fn sealed(&self, key: &str, day: u64) -> Result<i64, StoreError> {
        let prefix = format!("{day:08}/{key}/");
        let mut sum = 0_i64;
        for row in Rows::of(self.store.as_ref(), Collection::Spending).with_prefix(prefix) {
            let (_, value) = row?;
            let amount = std::str::from_utf8(&value).ok().and_then(|text| text.parse().ok()).unwrap_or(0_i64);
            sum = sum.saturating_add(amount);
        }
        Ok(sum)
    }

    /// Deletes the rows of days before yesterday, one page at a time.
    ///
    /// # Errors
    ///
    /// Fails if a write fails.
    pub async fn delete_expired(&self, writer: &Writer, now_ms: u64) -> Result<(), SubmitError> {
        let keep = format!("{:08}/", (now_ms / DAY_MS).saturating_sub(1));
        let Ok(rows) = self.store.list(Collection::Spending, "", PAGE) else { return Ok(()) };
        let old = rows.into_iter().map(|(key, _)| key).take_while(|key| *key < keep);
        let put = |key| Put { collection: Collection::Spending, key, value: None, expect: Expect::Any };
        let puts: Vec<Put> = old.map(put).collect();
        if puts.is_empty() {
            return Ok(());
        }
        writer.submit(Change { puts, ..Change::default() }).await.map(drop)
    }
}

impl SpendReservation {
    /// Returns the row that stores the reserved amount; write it with the seal of the
    /// call, or with the record that reserves its price for a task.
    pub fn row(&self, tx: &Hash) -> Put {
        Put {
            collection: Collection::Spending,
            key: format!("{:08}/{}/{}", self.day, self.key, hex::encode(tx)),
            value: Some(self.amount.get().to_string().into_bytes()),
            expect: Expect::Any,
        }
    }

    /// Reduces the reservation to `to`, because the call cost less than was reserved.
    pub fn reduce_to(&mut self, to: Millipence) {
        let rest = self.amount.get().saturating_sub(to.get().max(0)).max(0);
        self.amount = Millipence::new(self.amount.get().saturating_sub(rest));
        self.release(rest);
    }

    fn release(&self, amount: i64) {
        if let Some(spending) = self.days.lock().get_mut(&self.key).filter(|spending| spending.day == self.day) {
            spending.taken = spending.taken.saturating_sub(amount);
        }
    }

    /// Marks the amount as spent. Call it once the row is durable.
    pub const fn commit(&mut self) {
        self.committed = true;
    }
}

impl Drop for SpendReservation {
    fn drop(&mut self) {
        if !self.committed {
            self.release(self.amount.get());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tollbridge_ledger::Chain;
    use tollbridge_store::RedbStore;

    fn limit(per_day: i64) -> DailySpendLimit {
        DailySpendLimit { key: "key_a".to_owned(), per_day: Millipence::new(per_day) }
    }

    #[test]
    fn unspent_reservations_are_released() {
        let store = Arc::new(RedbStore::in_memory().unwrap());
        let spending = SpendLimiter::new(store);
        let now = 20_000 * DAY_MS;
        let mut worst = spending.reserve(&limit(100), Millipence::new(90), now).unwrap();
        assert!(spending.reserve(&limit(100), Millipence::new(11), now).is_err());
        worst.reduce_to(Millipence::new(40));
        assert_eq!(worst.row(&[1; 32]).value, Some(b"40".to_vec()));
        drop(spending.reserve(&limit(100), Millipence::new(60), now).unwrap());
        // A reservation never grows, and never becomes negative.
        worst.reduce_to(Millipence::new(70));
        worst.reduce_to(Millipence::new(-1));
        worst.commit();
        drop(worst);
        assert!(spending.reserve(&limit(100), Millipence::new(101), now).is_err());
        assert!(spending.reserve(&limit(100), Millipence::new(100), now).is_ok());
    }

    #[test]
    fn a_day_is_never_overspent_and_a_restart_knows_it() {
        let store = Arc::new(RedbStore::in_memory().unwrap());
        let failed = |why: String| panic!("{why}");
        let writer = Writer::start(store.clone(), Box::new(Chain::new()), None, failed).unwrap();
        let spending = SpendLimiter::new(store.clone());
        let amount = Millipence::new(30);
        let now = 20_000 * DAY_MS + 5;
        let taken: Vec<SpendReservation> = std::thread::scope(|scope| {
            let takers: Vec<_> =
                (0..16).map(|_| scope.spawn(|| spending.reserve(&limit(100), amount, now).ok())).collect();
            takers.into_iter().filter_map(|taker| taker.join().unwrap()).collect()
        });
        assert_eq!(taken.len(), 3);
        let [mut first, second, third] = <[SpendReservation; 3]>::try_from(taken).unwrap();
        writer.submit_blocking(Change { puts: vec![first.row(&[1; 32])], ..Change::default() }).unwrap();
        first.commit();
        drop((first, second, third));
        // 30 are spent; the other reservations were released.
        assert!(matches!(
            spending.reserve(&limit(100), Millipence::new(71), now),
            Err(SpendLimitError::Exceeded { left }) if left.get() == 70
        ));
        assert!(spending.reserve(&limit(100), Millipence::new(70), now).is_ok());
        let again = SpendLimiter::new(store.clone());
        assert!(again.reserve(&limit(100), Millipence::new(71), now).is_err());
        assert!(again.reserve(&limit(100), Millipence::new(-1), now).is_err());
        // A released amount can be spent again, on its own day only.
        let row = format!("{:08}/key_a/{}", now / DAY_MS, hex::encode([1; 32]));
        again.release(&format!("{:08}/key_a/00", now / DAY_MS - 1), Millipence::new(30));
        assert!(again.reserve(&limit(100), Millipence::new(71), now).is_err());
        again.release(&row, Millipence::new(30));
        assert!(again.reserve(&limit(100), Millipence::new(100), now).is_ok());
        // The next day and other keys have separate limits.
        assert!(again.reserve(&limit(100), Millipence::new(100), now + DAY_MS).is_ok());
        let other = DailySpendLimit { key: "key_b".to_owned(), per_day: Millipence::new(100) };
        assert!(again.reserve(&other, Millipence::new(100), now).is_ok());
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(again.delete_expired(&writer, now + DAY_MS)).unwrap();
        assert_eq!(store.list(Collection::Spending, "", 10).unwrap().len(), 1);
        runtime.block_on(again.delete_expired(&writer, now + 2 * DAY_MS)).unwrap();
        assert!(store.list(Collection::Spending, "", 10).unwrap().is_empty());
    }
}
