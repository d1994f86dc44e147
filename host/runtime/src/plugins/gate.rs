//! The queue in front of a plugin's instances.
//!
//! Invariants: as many calls run as there are places; as many wait as the queue
//! is long, none longer than allowed; a place comes back however its call ends.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout_at};

use tollbridge_core::limits::QUEUE_PER_SLOT_MAX;

/// Places and a bounded queue in front of them.
#[derive(Debug)]
pub(super) struct Gate {
    places: Semaphore,
    waiting: AtomicUsize,
    waiting_max: usize,
}

/// Nobody else may wait, or the wait was too long.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Busy;

impl Gate {
    pub(super) fn new(places: u32) -> Self {
        let places = usize::try_from(places).unwrap_or(1).max(1);
        Self {
            places: Semaphore::new(places),
            waiting: AtomicUsize::new(0),
            waiting_max: places.saturating_mul(QUEUE_PER_SLOT_MAX),
        }
    }

    /// A place, now or within `wait`.
    pub(super) async fn enter(&self, wait: Duration) -> Result<SemaphorePermit<'_>, Busy> {
        if let Ok(place) = self.places.try_acquire() {
            return Ok(place);
        }
        let _waiting = self.queue()?;
        let until = Instant::now().checked_add(wait).ok_or(Busy)?;
        match timeout_at(until, self.places.acquire()).await {
            Ok(Ok(place)) => Ok(place),
            Ok(Err(_)) | Err(_) => Err(Busy),
        }
    }

    /// Places that are free now.
    pub(super) fn free(&self) -> usize {
        self.places.available_permits()
    }

    fn queue(&self) -> Result<Waiting<'_>, Busy> {
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let waiting = Waiting(&self.waiting);
        if before >= self.waiting_max { Err(Busy) } else { Ok(waiting) }
    }
}

/// One that waits; it stops waiting when this is dropped.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn waits_as_long_as_allowed() {
        let gate = Gate::new(1);
        let place = gate.enter(Duration::ZERO).await.unwrap();
        let started = Instant::now();
        assert_eq!(gate.enter(Duration::from_millis(50)).await.unwrap_err(), Busy);
        assert!(started.elapsed() >= Duration::from_millis(50));
        drop(place);
        assert!(gate.enter(Duration::ZERO).await.is_ok());
    }

    #[tokio::test]
    async fn the_queue_is_bounded_and_empties() {
        let gate = std::sync::Arc::new(Gate::new(1));
        let place = gate.enter(Duration::ZERO).await.unwrap();
        let wait = |gate: std::sync::Arc<Gate>| async move { gate.enter(Duration::from_secs(30)).await.is_ok() };
        let tasks: Vec<_> = (0..QUEUE_PER_SLOT_MAX).map(|_| tokio::spawn(wait(gate.clone()))).collect();
        while gate.waiting.load(Ordering::Relaxed) < QUEUE_PER_SLOT_MAX {
            tokio::task::yield_now().await;
        }
        assert_eq!(gate.enter(Duration::from_secs(30)).await.unwrap_err(), Busy);
        drop(place);
        for task in tasks {
            assert!(task.await.unwrap());
        }
        assert_eq!((gate.waiting.load(Ordering::Relaxed), gate.free()), (0, 1));
    }

    #[tokio::test]
    async fn one_that_gives_up_leaves_the_queue() {
        let gate = Gate::new(1);
        let _place = gate.enter(Duration::ZERO).await.unwrap();
        let waiting = gate.enter(Duration::from_secs(30));
        assert!(tokio::time::timeout(Duration::from_millis(5), waiting).await.is_err());
        assert_eq!(gate.waiting.load(Ordering::Relaxed), 0);
    }
}
