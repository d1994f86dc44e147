//! `CallPlaces`: the slots that a call needs before its instance starts.
//!
//! A call passes four limiters, the narrowest scope first: its caller, the plugin, the plugin's
//! owner, the pool of instances. A call whose share is used up waits only at that limiter, so it
//! holds no slot that other callers need.
//!
//! Invariants: the concurrent calls of one caller, and those of one owner's plugins, are bounded
//! whatever plugins and keys they use; waiting calls are served by weight; a slot is released
//! however its call ends.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;
use tollbridge_core::fair_limiter::{FairLimiter, FairPermit, FairShare, NoPermit};
use tollbridge_core::fair_queue::FairLimits;

use crate::runtime_limits::RuntimeLimits;

/// Maximum number of calls that wait for a free instance of one plugin, as a multiple of
/// the calls it may run at once. Further callers are asked to retry later.
const QUEUE_PER_SLOT_MAX: usize = 8;
/// Maximum number of calls that wait for a slot, in total. Each takes a few kilobytes.
const CALLS_WAITING_MAX: usize = 8_192;
/// Maximum number of waiting calls of one account or address: more than a busy program
/// has in flight, but few enough that a few accounts cannot fill the queue.
const CALLS_WAITING_PER_TENANT_MAX: usize = 512;

/// The limiters that all plugins share.
pub(crate) struct CallPlaces {
    callers: Arc<FairLimiter>,
    pool: Arc<FairLimiter>,
    /// The limiter of each owner that has a loaded plugin.
    owners: Mutex<HashMap<String, Weak<FairLimiter>>>,
    owner_share: u32,
}

/// The limiters of one plugin.
pub(crate) struct PluginPlaces {
    plugin: Arc<FairLimiter>,
    /// The owner's limiter; `None` for plugins that the operator trusts.
    owner: Option<Arc<FairLimiter>>,
}

/// The slots of a running call, released on drop.
pub(crate) struct CallPermit {
    _pool: FairPermit,
    _owner: Option<FairPermit>,
    _plugin: FairPermit,
    _caller: Option<FairPermit>,
}

impl CallPlaces {
    pub(crate) fn new(limits: &RuntimeLimits) -> Self {
        let waiting = FairLimits {
            running: 0,
            running_per_tenant: 0,
            waiting: CALLS_WAITING_MAX,
            waiting_per_tenant: CALLS_WAITING_PER_TENANT_MAX,
        };
        let (instances, caller_share) = (places(limits.instances), places(limits.caller_share));
        Self {
            callers: FairLimiter::new(FairLimits { running: usize::MAX, running_per_tenant: caller_share, ..waiting }),
            // At most half of the pool: a tenant's calls may start nested calls, which need
            // instances, too.
            pool: FairLimiter::new(FairLimits {
                running: instances,
                running_per_tenant: instances.div_ceil(2),
                ..waiting
            }),
            owners: Mutex::default(),
            owner_share: limits.share,
        }
    }

    /// Creates the limiters of a newly loaded plugin.
    pub(crate) fn of_plugin(&self, owner: Option<&str>, concurrency: u32) -> PluginPlaces {
        PluginPlaces { plugin: limiter(concurrency), owner: owner.map(|owner| self.of_owner(owner)) }
    }

    /// Returns the number of instances that can start now.
    pub(crate) fn free(&self) -> usize {
        self.pool.free()
    }

    /// Acquires the slots of a call, waiting at most `wait`. A nested call already has its caller's
    /// slot.
    pub(crate) async fn acquire(
        &self,
        plugin: &PluginPlaces,
        share: &FairShare,
        is_nested: bool,
        wait: Duration,
    ) -> Result<CallPermit, NoPermit> {
        let started = Instant::now();
        let left = || wait.saturating_sub(started.elapsed());
        let caller = match is_nested {
            true => None,
            false => Some(self.callers.acquire(share, wait).await?),
        };
        let of_plugin = plugin.plugin.acquire(share, left()).await?;
        let owner = match &plugin.owner {
            Some(owner) => Some(owner.acquire(share, left()).await?),
            None => None,
        };
        let pool = self.pool.acquire(share, left()).await?;
        Ok(CallPermit { _pool: pool, _owner: owner, _plugin: of_plugin, _caller: caller })
    }

    fn of_owner(&self, owner: &str) -> Arc<FairLimiter> {
        let mut owners = self.owners.lock();
        if let Some(known) = owners.get(owner).and_then(Weak::upgrade) {
            return known;
        }
        owners.retain(|_, limiter| limiter.strong_count() > 0);
        let fresh = limiter(self.owner_share);
        owners.insert(owner.to_owned(), Arc::downgrade(&fresh));
        fresh
    }
}

impl PluginPlaces {
    /// Returns the number of calls of the plugin that can start now.
    pub(crate) fn free(&self) -> usize {
        self.plugin.free()
    }
}

/// Returns a limiter whose slots one caller may use alone while no other caller waits.
fn limiter(permits: u32) -> Arc<FairLimiter> {
    let running = places(permits);
    let waiting = running.saturating_mul(QUEUE_PER_SLOT_MAX);
    // One caller may fill half of the queue, so that the rest remains for other callers.
    let waiting_per_tenant = waiting.div_ceil(2);
    FairLimiter::new(FairLimits { running, running_per_tenant: running, waiting, waiting_per_tenant })
}

fn places(number: u32) -> usize {
    usize::try_from(number).unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(20);

    fn all(instances: u32, share: u32, caller_share: u32) -> CallPlaces {
        CallPlaces::new(&RuntimeLimits { instances, share, caller_share, ..RuntimeLimits::default() })
    }

    async fn fill(places: &CallPlaces, plugin: &PluginPlaces, share: &FairShare, wanted: usize) -> Vec<CallPermit> {
        let mut held = Vec::new();
        while held.len() < wanted
            && let Ok(permit) = places.acquire(plugin, share, false, SHORT).await
        {
            held.push(permit);
        }
        held
    }

    #[tokio::test]
    async fn one_caller_leaves_places_to_others_whatever_plugins_it_calls() {
        let places = all(16, 16, 4);
        let plugins: Vec<_> = (0..4).map(|_| places.of_plugin(None, 16)).collect();
        let (crowd, other) = (FairShare::single("crowd"), FairShare::single("other"));
        let mut held = Vec::new();
        for plugin in &plugins {
            held.extend(fill(&places, plugin, &crowd, 16).await);
        }
        assert_eq!((held.len(), places.free()), (4, 12));
        assert!(places.acquire(&plugins[0], &other, false, Duration::ZERO).await.is_ok());
    }

    /// Many callers that all call plugins of one owner leave slots for other plugins.
    #[tokio::test]
    async fn one_owner_leaves_places_to_others_whoever_calls() {
        let places = all(16, 4, 16);
        let plugins: Vec<_> = (0..4).map(|_| places.of_plugin(Some("acct_thief"), 4)).collect();
        let mut held = Vec::new();
        for (number, plugin) in plugins.iter().enumerate() {
            held.extend(fill(&places, plugin, &FairShare::single(number.to_string()), 4).await);
        }
        assert_eq!((held.len(), places.free()), (4, 12));
        let honest = places.of_plugin(Some("acct_honest"), 4);
        assert!(places.acquire(&honest, &FairShare::single("0"), false, Duration::ZERO).await.is_ok());
    }

    #[tokio::test]
    async fn a_caller_that_is_full_takes_no_place_of_a_plugin() {
        let places = all(16, 16, 2);
        let (own, honest) = (places.of_plugin(None, 16), places.of_plugin(None, 1));
        let (crowd, other) = (FairShare::single("crowd"), FairShare::single("other"));
        let _held = fill(&places, &own, &crowd, 2).await;
        let waiting = places.acquire(&honest, &crowd, false, Duration::from_secs(30));
        let mut waiting = Box::pin(waiting);
        assert!(futures_util::future::poll_immediate(waiting.as_mut()).await.is_none());
        assert!(places.acquire(&honest, &other, false, Duration::ZERO).await.is_ok());
    }

    /// A caller whose slots are all in use by outer calls must still be able to make nested ones.
    #[tokio::test]
    async fn nested_calls_do_not_wait_for_their_own_caller() {
        let places = all(16, 16, 2);
        let plugin = places.of_plugin(None, 16);
        let caller = FairShare::single("caller");
        let _held = fill(&places, &plugin, &caller, 2).await;
        assert!(places.acquire(&plugin, &caller, true, Duration::ZERO).await.is_ok());
    }

    #[tokio::test]
    async fn owners_without_plugins_are_forgotten() {
        let places = all(16, 4, 16);
        for number in 0..1_000 {
            drop(places.of_plugin(Some(&format!("acct_{number}")), 4));
        }
        assert!(places.owners.lock().len() <= 1);
    }
}
