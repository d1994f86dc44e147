//! The schedule of repeated look-ups: a payment with an open or unknown outcome may have
//! been made, a paid refund may come back weeks later, and events about either may be
//! lost.
//!
//! Invariant: every row under the prefix is visited, however many there are and even if
//! some cannot be read.

use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use tollbridge_store::{Collection, Db, StoreError};

use super::poll_throttle::PollThrottle;
use crate::limits::RECONCILED_PER_ROUND_MAX;

/// A cycle through the rows of one kind. It is kept in memory: after a restart each row
/// is looked up again.
pub struct ReviewSchedule {
    collection: Collection,
    prefix: &'static str,
    /// Key of the last row visited.
    after: Mutex<String>,
    throttle: PollThrottle,
}

/// A row that is due for a look-up.
#[derive(Debug)]
pub struct DueRow<R> {
    /// Key of the row, without the prefix.
    pub key: String,
    /// Parsed content.
    pub row: R,
    /// Stored bytes.
    pub bytes: Vec<u8>,
}

impl ReviewSchedule {
    /// Creates a schedule for the rows of a collection whose keys begin with a prefix.
    #[must_use]
    pub fn of(collection: Collection, prefix: &'static str) -> Self {
        Self { collection, prefix, after: Mutex::new(prefix.to_owned()), throttle: PollThrottle::default() }
    }

    /// Returns at most `max` rows that are due; older rows are due less often.
    /// `since_ms` returns the start time of a row, or `None` if it needs no look-up. A
    /// row that cannot be read is logged and does not delay others.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub fn due<R: DeserializeOwned>(
        &self,
        db: &Db,
        now_ms: u64,
        max: usize,
        since_ms: impl Fn(&R) -> Option<u64>,
    ) -> Result<Vec<DueRow<R>>, StoreError> {
        let mut after = self.after.lock();
        let rows = db.list(self.collection, &after, RECONCILED_PER_ROUND_MAX)?;
        let (mut due, mut looked, mut interrupted) = (Vec::new(), 0, false);
        for (key, bytes) in rows {
            let Some(rest) = key.strip_prefix(self.prefix) else { break };
            if due.len() == max {
                interrupted = true;
                break;
            }
            looked += 1;
            key.clone_into(&mut after);
            let row: R = match serde_json::from_slice(&bytes) {
                Ok(row) => row,
                Err(error) => {
                    tracing::error!(collection = ?self.collection, key, %error, "a row cannot be read; it is skipped");
                    continue;
                }
            };
            let Some(since_ms) = since_ms(&row) else { continue };
            if self.throttle.try_acquire(&key, now_ms, PollThrottle::backoff_ms(since_ms, now_ms)) {
                due.push(DueRow { key: rest.to_owned(), row, bytes });
            }
        }
        // The page was not full, so it was the last: start again at the first row.
        if looked < RECONCILED_PER_ROUND_MAX && !interrupted {
            self.prefix.clone_into(&mut after);
        }
        Ok(due)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use crate::limits::REVIEWED_PER_ROUND_MAX as MAX;
    use tollbridge_ledger::Chain;
    use tollbridge_store::{Change, Expect, Put, RedbStore, Writer};

    use super::*;

    const HOUR_MS: u64 = 3_600_000;
    const BEGAN_MS: u64 = 100 * HOUR_MS;

    fn db(rows: impl IntoIterator<Item = (String, &'static str)>) -> Db {
        let store = Arc::new(RedbStore::in_memory().unwrap());
        let failed = |why: String| panic!("{why}");
        let writer = Arc::new(Writer::start(store.clone(), Box::new(Chain::new()), None, failed).unwrap());
        let put = |(key, value): (String, &str)| {
            let value = Some(value.as_bytes().to_vec());
            Put { collection: Collection::Refunds, key, value, expect: Expect::Any }
        };
        writer.submit_blocking(Change { puts: rows.into_iter().map(put).collect(), ..Change::default() }).unwrap();
        Db::new(store, writer)
    }

    fn paid(count: usize) -> Vec<(String, &'static str)> {
        (0..count).map(|number| (format!("paid/{number:05}"), "1")).collect()
    }

    fn others() -> [(String, &'static str); 2] {
        ["past/0", "open/0"].map(|key| (key.to_owned(), "1"))
    }

    #[test]
    fn everything_has_its_turn_and_the_old_less_often() {
        let total = 2 * MAX + 1;
        let db = db(paid(total).into_iter().chain(others()));
        let schedule = ReviewSchedule::of(Collection::Refunds, "paid/");
        let look = |now_ms| schedule.due(&db, now_ms, MAX, |_: &u64| Some(BEGAN_MS)).unwrap();
        let mut looks = BTreeMap::<String, usize>::new();
        for _ in 0..9 {
            let due = look(BEGAN_MS + HOUR_MS);
            assert!(due.len() <= MAX);
            due.into_iter().for_each(|due| *looks.entry(due.key).or_default() += 1);
        }
        assert_eq!(looks.len(), total, "some rows were never due");
        assert!(looks.iter().all(|(key, times)| key.starts_with('0') && *times == 1), "{looks:?}");
        // A row is due again after a tenth of its age and not before; a row without a
        // start time is never due.
        assert!(look(BEGAN_MS + HOUR_MS + HOUR_MS / 20).is_empty());
        assert!(schedule.due(&db, BEGAN_MS + 2 * HOUR_MS, MAX, |_: &u64| None).unwrap().is_empty());
        assert_eq!(look(BEGAN_MS + 2 * HOUR_MS).len(), MAX);
    }

    /// Tests that a row is visited although full pages of rows that are always due come
    /// before it.
    #[test]
    fn rows_behind_many_that_are_always_due_have_their_turn() {
        let db = db(paid(2 * RECONCILED_PER_ROUND_MAX + 1).into_iter().chain([("paid/z".to_owned(), "1")]));
        let schedule = ReviewSchedule::of(Collection::Refunds, "paid/");
        let mut now_ms = BEGAN_MS;
        let found = (0..2 * RECONCILED_PER_ROUND_MAX / MAX + 1).any(|_| {
            now_ms += HOUR_MS;
            schedule.due(&db, now_ms, MAX, |_: &u64| Some(now_ms)).unwrap().iter().any(|due| due.key == "z")
        });
        assert!(found);
    }

    #[test]
    fn a_row_that_cannot_be_read_keeps_no_other_waiting() {
        let db = db(paid(3).into_iter().chain([("paid/00000x".to_owned(), "{")]));
        let schedule = ReviewSchedule::of(Collection::Refunds, "paid/");
        let due = schedule.due(&db, BEGAN_MS, MAX, |_: &u64| Some(BEGAN_MS)).unwrap();
        assert_eq!(due.into_iter().map(|due| due.key).collect::<Vec<_>>(), ["00000", "00001", "00002"]);
    }
}
