//! Which of the things that are over are looked at again, and when: what the
//! processor has paid may come back weeks later, and news of it may be lost.
//!
//! Invariant: every row under the prefix has its turn, however many there are.

use parking_lot::Mutex;
use tollbridge_core::limits::{RECONCILED_PER_ROUND_MAX, REVIEWED_PER_ROUND_MAX};
use tollbridge_store::{Collection, Db, StoreError};

use super::poll_throttle::PollThrottle;

/// Goes round the rows of one kind. In memory: after a restart each row is looked
/// at once more.
#[derive(Default)]
pub struct ReviewSchedule {
    /// The last key that was looked at.
    after: Mutex<String>,
    throttle: PollThrottle,
}

impl ReviewSchedule {
    /// Rows under a prefix whose turn it is: the older, the less often. `since_ms`
    /// says of a row when what it tells of began.
    ///
    /// # Errors
    /// What the store says.
    pub fn due(
        &self,
        db: &Db,
        (collection, prefix): (Collection, &str),
        now_ms: u64,
        since_ms: impl Fn(&[u8]) -> u64,
    ) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let mut after = self.after.lock();
        if !after.starts_with(prefix) {
            prefix.clone_into(&mut after);
        }
        let rows = db.list(collection, &after, RECONCILED_PER_ROUND_MAX)?;
        let (mut due, mut looked, mut interrupted) = (Vec::new(), 0, false);
        for (key, value) in rows.into_iter().take_while(|(key, _)| key.starts_with(prefix)) {
            if due.len() == REVIEWED_PER_ROUND_MAX {
                interrupted = true;
                break;
            }
            looked += 1;
            key.clone_into(&mut after);
            let wait_ms = PollThrottle::backoff_ms(since_ms(&value), now_ms);
            if self.throttle.try_acquire(&key, now_ms, wait_ms) {
                due.push((key, value));
            }
        }
        // Fewer than a page: this was the last, so it begins again.
        if looked < RECONCILED_PER_ROUND_MAX && !interrupted {
            prefix.clone_into(&mut after);
        }
        Ok(due)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use tollbridge_ledger::Chain;
    use tollbridge_store::{Change, Expect, Put, RedbStore, Writer};

    use super::*;

    #[test]
    fn everything_has_its_turn_and_the_old_less_often() {
        let store = Arc::new(RedbStore::in_memory().unwrap());
        let failed = |why: String| panic!("{why}");
        let writer = Arc::new(Writer::start(store.clone(), Box::new(Chain::new()), None, failed).unwrap());
        let total = 2 * REVIEWED_PER_ROUND_MAX + 1;
        let keys =
            (0..total).map(|number| format!("paid/{number:04}")).chain(["past/0".to_owned(), "open/0".to_owned()]);
        let put = |key| Put { collection: Collection::Refunds, key, value: Some(vec![1]), expect: Expect::Any };
        writer.submit_blocking(Change { puts: keys.map(put).collect(), ..Change::default() }).unwrap();
        let (db, schedule) = (Db::new(store, writer), ReviewSchedule::default());
        let hour = 3_600_000;
        let began = 100 * hour;
        let look = |now_ms| schedule.due(&db, (Collection::Refunds, "paid/"), now_ms, |_| began).unwrap();
        let mut looks = BTreeMap::<String, usize>::new();
        for _ in 0..9 {
            let due = look(began + hour);
            assert!(due.len() <= REVIEWED_PER_ROUND_MAX);
            due.into_iter().for_each(|(key, _)| *looks.entry(key).or_default() += 1);
        }
        assert_eq!(looks.len(), total, "somebody has no turn");
        assert!(looks.iter().all(|(key, times)| key.starts_with("paid/") && *times == 1), "{looks:?}");
        // A tenth of its age later, and not before.
        assert!(look(began + hour + hour / 20).is_empty());
        assert_eq!(look(began + 2 * hour).len(), REVIEWED_PER_ROUND_MAX);
    }
}
