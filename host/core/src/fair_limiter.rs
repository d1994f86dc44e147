//! `FairLimiter`: execution permits that tenants share fairly, and a bounded queue of
//! requests that wait for a permit.
//!
//! Invariants: those of [`FairQueue`]; no request waits longer than allowed; a permit is
//! returned no matter how its holder ends.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::fair_queue::{FairLimits, FairQueue, QueueFull};

/// The name of a tenant, cheap to clone.
pub type TenantName = Arc<str>;

type Waiter = oneshot::Sender<()>;

/// The tenant of a request, and its weight.
#[derive(Clone, Debug)]
pub struct FairShare {
    /// The account; for a client without an account, its IP address.
    pub tenant: TenantName,
    /// The weight of the tenant: with weight 4 it gets four permits while a tenant of
    /// weight 1 gets one.
    pub weight: NonZeroU32,
}

/// A limiter with permits that tenants share.
#[derive(Debug)]
pub struct FairLimiter {
    queue: Mutex<FairQueue<TenantName, Waiter>>,
}

/// The reason a request got no permit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPermit {
    /// The tenant has reached its limit of waiting requests.
    TenantFull,
    /// All tenants together have reached the limit of waiting requests.
    Full,
    /// No permit became free in time.
    TimedOut,
}

/// A permit to run, returned to the limiter when dropped.
#[derive(Debug)]
pub struct FairPermit {
    limiter: Arc<FairLimiter>,
    tenant: TenantName,
}

impl FairLimiter {
    /// Creates a limiter with all permits free.
    pub fn new(limits: FairLimits) -> Arc<Self> {
        Arc::new(Self { queue: Mutex::new(FairQueue::new(limits)) })
    }

    /// Acquires a permit for a tenant, waiting at most `wait`.
    ///
    /// # Errors
    /// Too many requests wait, or no permit became free in time.
    pub async fn acquire(self: &Arc<Self>, share: &FairShare, wait: Duration) -> Result<FairPermit, NoPermit> {
        if self.queue.lock().start_now(&share.tenant, share.weight) {
            return Ok(FairPermit { limiter: self.clone(), tenant: share.tenant.clone() });
        }
        let mut waiting = self.enqueue(share)?;
        if let Some(permit) = waiting.granted() {
            return Ok(permit);
        }
        let _ =
            tokio::time::timeout(wait, &mut waiting.receiver).await.map(|admitted| waiting.admitted = admitted.is_ok());
        waiting.granted().ok_or(NoPermit::TimedOut)
    }

    /// The number of free permits.
    pub fn free(&self) -> usize {
        self.queue.lock().free()
    }

    fn enqueue(self: &Arc<Self>, share: &FairShare) -> Result<Waiting, NoPermit> {
        let FairShare { tenant, weight } = share;
        let (sender, receiver) = oneshot::channel();
        let mut queue = self.queue.lock();
        queue.push(tenant, *weight, sender).map_err(|full| match full {
            QueueFull::Tenant => NoPermit::TenantFull,
            QueueFull::Everybody => NoPermit::Full,
        })?;
        grant(&mut queue);
        Ok(Waiting { limiter: self.clone(), tenant: tenant.clone(), receiver, admitted: false, over: false })
    }
}

impl FairShare {
    /// Creates the share of an account, or of any other tenant, with weight 1.
    pub fn single(tenant: impl Into<TenantName>) -> Self {
        Self { tenant: tenant.into(), weight: NonZeroU32::MIN }
    }
}

/// Grants the free permits to waiting requests.
fn grant(queue: &mut FairQueue<TenantName, Waiter>) {
    while let Some((tenant, waiter)) = queue.pop() {
        if waiter.send(()).is_err() {
            queue.finish(&tenant);
        }
    }
}

impl Drop for FairPermit {
    fn drop(&mut self) {
        let mut queue = self.limiter.queue.lock();
        queue.finish(&self.tenant);
        grant(&mut queue);
    }
}

/// A queued request; a permit granted while the request times out passes to the next one.
struct Waiting {
    limiter: Arc<FairLimiter>,
    tenant: TenantName,
    receiver: oneshot::Receiver<()>,
    admitted: bool,
    over: bool,
}

impl Waiting {
    fn granted(&mut self) -> Option<FairPermit> {
        if self.over || !(self.admitted || self.receiver.try_recv().is_ok()) {
            return None;
        }
        self.over = true;
        Some(FairPermit { limiter: self.limiter.clone(), tenant: self.tenant.clone() })
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if self.over {
            return;
        }
        self.receiver.close();
        if let Some(permit) = self.granted() {
            drop(permit);
        } else {
            self.limiter.queue.lock().retain(&self.tenant, |waiter| !waiter.is_closed());
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::poll_immediate;

    use super::*;

    const LONG: Duration = Duration::from_secs(30);

    fn limiter(running: usize, running_per_tenant: usize) -> Arc<FairLimiter> {
        FairLimiter::new(FairLimits { running, running_per_tenant, waiting: 64, waiting_per_tenant: 32 })
    }

    #[tokio::test]
    async fn waits_as_long_as_allowed() {
        let (limiter, tenant) = (limiter(1, 1), FairShare::single("a"));
        let permit = limiter.acquire(&tenant, Duration::ZERO).await.unwrap();
        let started = tokio::time::Instant::now();
        let late = limiter.acquire(&tenant, Duration::from_millis(50)).await;
        assert_eq!(late.unwrap_err(), NoPermit::TimedOut);
        assert!(started.elapsed() >= Duration::from_millis(50));
        drop(permit);
        assert_eq!(limiter.free(), 1);
        assert!(limiter.acquire(&tenant, Duration::ZERO).await.is_ok());
    }

    #[tokio::test]
    async fn one_that_gives_up_leaves_nothing_behind() {
        let (limiter, tenant) = (limiter(1, 1), FairShare::single("a"));
        let permit = limiter.acquire(&tenant, Duration::ZERO).await.unwrap();
        for _ in 0..100 {
            let waiting = limiter.acquire(&tenant, LONG);
            assert!(tokio::time::timeout(Duration::from_millis(1), waiting).await.is_err());
        }
        assert_eq!(limiter.queue.lock().waiting(), 0);
        // The permit is granted, but the future is dropped before it is polled again.
        let mut waiting = Box::pin(limiter.acquire(&tenant, LONG));
        assert!(poll_immediate(waiting.as_mut()).await.is_none());
        drop(permit);
        drop(waiting);
        assert_eq!(limiter.free(), 1);
    }

    #[tokio::test]
    async fn a_crowd_of_one_tenant_leaves_room_for_another() {
        let limiter = limiter(4, 3);
        let (crowd, other) = (FairShare::single("crowd"), FairShare::single("other"));
        let mut held = Vec::new();
        for _ in 0..3 {
            held.push(limiter.acquire(&crowd, Duration::ZERO).await.unwrap());
        }
        assert_eq!(limiter.acquire(&crowd, Duration::ZERO).await.unwrap_err(), NoPermit::TimedOut);
        assert!(limiter.acquire(&other, Duration::ZERO).await.is_ok());
    }

    #[tokio::test]
    async fn queues_are_bounded_per_tenant() {
        let (limiter, tenant) = (limiter(1, 1), FairShare::single("a"));
        let _permit = limiter.acquire(&tenant, Duration::ZERO).await.unwrap();
        let mut waiting: Vec<_> = (0..32).map(|_| Box::pin(limiter.acquire(&tenant, LONG))).collect();
        for one in &mut waiting {
            assert!(poll_immediate(one.as_mut()).await.is_none());
        }
        assert_eq!(limiter.acquire(&tenant, LONG).await.unwrap_err(), NoPermit::TenantFull);
        drop(waiting);
        assert_eq!(limiter.queue.lock().waiting(), 0);
    }
}
