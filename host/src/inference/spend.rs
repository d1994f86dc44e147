//! What each key may spend on one day.
//!
//! Invariant: what is spent and what is reserved for requests in flight never
//! exceed the limit together.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::error::Error;
use super::meter::{Meter, Subject, day_of};
use crate::money::Millipence;

/// Spending of the day, of keys that have a limit.
pub struct Spending {
    meter: Arc<Meter>,
    keys: Arc<Mutex<HashMap<String, Today>>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Today {
    day: u64,
    spent: i64,
    held: i64,
}

/// An amount of a key's day that no other request can spend until this ends.
#[must_use]
#[derive(Debug)]
pub struct SpendHold {
    keys: Arc<Mutex<HashMap<String, Today>>>,
    key: String,
    day: u64,
    amount: i64,
}

impl Spending {
    pub fn new(meter: Arc<Meter>) -> Self {
        Self { meter, keys: Arc::default() }
    }

    /// Reserves an amount of what a key may spend today.
    pub fn hold(
        &self,
        (account, key): (&str, &str),
        limit: Millipence,
        amount: Millipence,
        now_ms: u64,
    ) -> Result<SpendHold, Error> {
        let day = day_of(now_ms);
        let known = self.keys.lock().get(key).is_some_and(|today| today.day == day);
        let before = if known { 0 } else { self.read(account, key, day)? };
        let mut keys = self.keys.lock();
        keys.retain(|_, today| today.day == day || today.held > 0);
        let today = keys.entry(key.to_owned()).or_default();
        if today.day != day {
            *today = Today { day, spent: before, held: 0 };
        }
        let taken = today.spent.saturating_add(today.held);
        if taken.saturating_add(amount.get()) > limit.get() {
            return Err(Error::KeySpent { limit, spent: Millipence::new(taken), needed: amount });
        }
        today.held = today.held.saturating_add(amount.get());
        Ok(SpendHold { keys: self.keys.clone(), key: key.to_owned(), day, amount: amount.get() })
    }

    /// What an earlier run of the server wrote down for this day.
    fn read(&self, account: &str, key: &str, day: u64) -> Result<i64, Error> {
        let subject = Subject::Key { account: account.to_owned(), key: key.to_owned() };
        let (lines, _) = self.meter.lines(&subject, day)?;
        let own = lines.iter().filter(|(line, _)| line.subject == subject && line.day == day);
        Ok(own.map(|(_, counts)| counts.charged_millipence).fold(0, i64::saturating_add))
    }
}

impl SpendHold {
    /// The request is over; it cost this much.
    pub fn spend(self, cost: Millipence) {
        if let Some(today) = self.keys.lock().get_mut(&self.key).filter(|today| today.day == self.day) {
            today.spent = today.spent.saturating_add(cost.get());
        }
        // Dropping gives the reservation back.
    }
}

impl Drop for SpendHold {
    fn drop(&mut self) {
        if let Some(today) = self.keys.lock().get_mut(&self.key).filter(|today| today.day == self.day) {
            today.held = today.held.saturating_sub(self.amount);
        }
    }
}
