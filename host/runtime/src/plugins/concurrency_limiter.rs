//! `ConcurrencyLimiter`: permits to run, and a bounded queue for them.
//!
//! Invariants: as many calls run as there are permits; as many wait as the queue
//! is long, none longer than allowed; a permit returns however its call ends.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout_at};
use tollbridge_core::limits::QUEUE_PER_SLOT_MAX;

/// Permits and a bounded queue for them.
#[derive(Debug)]
pub(super) struct ConcurrencyLimiter {
    permits: Semaphore,
    waiting: AtomicUsize,
    waiting_max: usize,
}

/// The queue is full, or the wait was too long.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LimitReached;

impl ConcurrencyLimiter {
    pub(super) fn new(permits: u32) -> Self {
        let permits = usize::try_from(permits).unwrap_or(1).max(1);
        Self {
            permits: Semaphore::new(permits),
            waiting: AtomicUsize::new(0),
            waiting_max: permits.saturating_mul(QUEUE_PER_SLOT_MAX),
        }
    }

    /// A permit, now or within `wait`.
    pub(super) async fn acquire(&self, wait: Duration) -> Result<SemaphorePermit<'_>, LimitReached> {
        if let Ok(permit) = self.permits.try_acquire() {
            return Ok(permit);
        }
        let _waiting = self.queue()?;
        let until = Instant::now().checked_add(wait).ok_or(LimitReached)?;
        match timeout_at(until, self.permits.acquire()).await {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) | Err(_) => Err(LimitReached),
        }
    }

    /// Permits that are free now.
    pub(super) fn free(&self) -> usize {
        self.permits.available_permits()
    }

    fn queue(&self) -> Result<Waiting<'_>, LimitReached> {
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let waiting = Waiting(&self.waiting);
        if before >= self.waiting_max { Err(LimitReached) } else { Ok(waiting) }
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
        let limiter = ConcurrencyLimiter::new(1);
        let permit = limiter.acquire(Duration::ZERO).await.unwrap();
        let started = Instant::now();
        assert_eq!(limiter.acquire(Duration::from_millis(50)).await.unwrap_err(), LimitReached);
        assert!(started.elapsed() >= Duration::from_millis(50));
        drop(permit);
        assert!(limiter.acquire(Duration::ZERO).await.is_ok());
    }

    #[tokio::test]
    async fn the_queue_is_bounded_and_empties() {
        let limiter = std::sync::Arc::new(ConcurrencyLimiter::new(1));
        let permit = limiter.acquire(Duration::ZERO).await.unwrap();
        let wait = |limiter: std::sync::Arc<ConcurrencyLimiter>| async move {
            limiter.acquire(Duration::from_secs(30)).await.is_ok()
        };
        let tasks: Vec<_> = (0..QUEUE_PER_SLOT_MAX).map(|_| tokio::spawn(wait(limiter.clone()))).collect();
        while limiter.waiting.load(Ordering::Relaxed) < QUEUE_PER_SLOT_MAX {
            tokio::task::yield_now().await;
        }
        assert_eq!(limiter.acquire(Duration::from_secs(30)).await.unwrap_err(), LimitReached);
        drop(permit);
        for task in tasks {
            assert!(task.await.unwrap());
        }
        assert_eq!((limiter.waiting.load(Ordering::Relaxed), limiter.free()), (0, 1));
    }

    #[tokio::test]
    async fn one_that_gives_up_leaves_the_queue() {
        let limiter = ConcurrencyLimiter::new(1);
        let _permit = limiter.acquire(Duration::ZERO).await.unwrap();
        let waiting = limiter.acquire(Duration::from_secs(30));
        assert!(tokio::time::timeout(Duration::from_millis(5), waiting).await.is_err());
        assert_eq!(limiter.waiting.load(Ordering::Relaxed), 0);
    }
}
