//! Slots for long schema checks, which run off the threads that serve calls. Few checks run at
//! once, and each waits for a bounded time.
//!
//! A check cannot be interrupted. Its duration is bounded instead: no check takes more than
//! `SCHEMA_STEPS_MAX` steps, so slots become free. A slot is released when its check ends, not when
//! its caller disconnects.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum number of steps of a medium check; longer checks wait in a separate queue.
/// Honest schemas need about this many steps for a full megabyte.
const SCHEMA_STEPS_MEDIUM_MAX: u64 = 8_000_000;
/// Maximum time of a check, including its time in the queue.
const SCHEMA_CHECK_MS_MAX: u64 = 2_000;
/// Maximum number of long checks of one plugin that wait for a slot.
const SCHEMA_CHECKS_WAITING_MAX: usize = 8;

/// The slots for checks that all plugins share, first come, first served.
#[derive(Debug)]
pub(crate) struct CheckPlaces {
    /// Slots for medium checks, of up to `SCHEMA_STEPS_MEDIUM_MAX` steps.
    medium: Arc<Semaphore>,
    /// Slots for long checks, which take up to half a second.
    long: Arc<Semaphore>,
    /// The slots of each owner that has a loaded plugin.
    owners: Mutex<HashMap<String, Weak<CheckTurns>>>,
}

/// The slots of one owner: one medium and one long check at a time, and a limited number
/// of waiting checks. An owner therefore has at most one check in each shared queue.
#[derive(Debug)]
pub(crate) struct CheckTurns {
    waiting: Arc<Semaphore>,
    medium: Arc<Semaphore>,
    long: Arc<Semaphore>,
}

/// The error if no slot for a check became free in time.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NoPlace;

impl CheckPlaces {
    pub(crate) fn new() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self::with(processors, (processors / 2).max(1))
    }

    fn with(medium: usize, long: usize) -> Self {
        let [medium, long] = [medium, long].map(|places| Arc::new(Semaphore::new(places)));
        Self { medium, long, owners: Mutex::default() }
    }

    /// Returns the slots for a plugin's checks: shared by all plugins of its owner, or separate
    /// ones if the operator trusts the plugin.
    pub(crate) fn turns(&self, owner: Option<&str>) -> Arc<CheckTurns> {
        let Some(owner) = owner else { return Arc::default() };
        let mut owners = self.owners.lock();
        if let Some(known) = owners.get(owner).and_then(Weak::upgrade) {
            return known;
        }
        owners.retain(|_, turns| turns.strong_count() > 0);
        let fresh = Arc::default();
        owners.insert(owner.to_owned(), Arc::downgrade(&fresh));
        fresh
    }

    /// Runs a check of at most `steps` steps once a slot is free.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        turns: &CheckTurns,
        steps: u64,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NoPlace> {
        let done = async {
            let held = self.place(turns, steps).await?;
            let work = move || {
                let done = work();
                drop(held);
                done
            };
            tokio::task::spawn_blocking(work).await.map_err(|_| NoPlace)
        };
        tokio::time::timeout(Duration::from_millis(SCHEMA_CHECK_MS_MAX), done).await.unwrap_or(Err(NoPlace))
    }

    async fn place(&self, turns: &CheckTurns, steps: u64) -> Result<[OwnedSemaphorePermit; 2], NoPlace> {
        if steps <= SCHEMA_STEPS_MEDIUM_MAX {
            return Ok([acquire(&turns.medium).await?, acquire(&self.medium).await?]);
        }
        let _waiting = turns.waiting.clone().try_acquire_owned().map_err(|_| NoPlace)?;
        Ok([acquire(&turns.long).await?, acquire(&self.long).await?])
    }
}

impl Default for CheckTurns {
    fn default() -> Self {
        let [waiting, medium, long] = [SCHEMA_CHECKS_WAITING_MAX, 1, 1].map(|places| Arc::new(Semaphore::new(places)));
        Self { waiting, medium, long }
    }
}

async fn acquire(places: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, NoPlace> {
    places.clone().acquire_owned().await.map_err(|_| NoPlace)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use crate::limits::SCHEMA_STEPS_MAX;

    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn the_longest_of_one_owner_leave_the_places_of_others() {
        let places = Arc::new(CheckPlaces::with(1, 2));
        let (greedy, other) = (places.turns(Some("acct_a")), places.turns(Some("acct_b")));
        assert!(Arc::ptr_eq(&greedy, &places.turns(Some("acct_a"))), "plugins of the same owner must share slots");
        let (stop, stopped) = mpsc::channel::<()>();
        let (own, turns) = (places.clone(), greedy.clone());
        let first = tokio::spawn(async move { own.run(&turns, SCHEMA_STEPS_MAX, move || stopped.recv()).await });
        while greedy.long.available_permits() > 0 || places.long.available_permits() > 1 {
            tokio::task::yield_now().await;
        }
        // The owner's next check waits, although a shared slot is free; another owner's check does
        // not wait.
        assert_eq!(places.run(&greedy, SCHEMA_STEPS_MAX, || 1).await, Err(NoPlace));
        assert_eq!(places.run(&other, SCHEMA_STEPS_MAX, || 2).await, Ok(2));
        assert_eq!(places.run(&greedy, 1, || 3).await, Ok(3));
        // The caller gave up at the deadline; the slot is released when the check ends.
        assert_eq!(first.await.unwrap().unwrap_err(), NoPlace);
        assert_eq!(greedy.long.available_permits(), 0);
        drop(stop);
        while greedy.long.available_permits() == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(places.run(&greedy, SCHEMA_STEPS_MAX, || 4).await, Ok(4));
    }

    #[tokio::test]
    async fn few_wait_for_a_turn() {
        let places = CheckPlaces::new();
        let turns = CheckTurns::default();
        let _turn = turns.long.clone().acquire_owned().await.unwrap();
        let _waiting = turns.waiting.clone().acquire_many_owned(8).await.unwrap();
        let started = tokio::time::Instant::now();
        assert_eq!(places.run(&turns, SCHEMA_STEPS_MAX, || ()).await, Err(NoPlace));
        assert!(started.elapsed() < Duration::from_millis(SCHEMA_CHECK_MS_MAX / 2));
    }
}
