//! `FairQueue`: a fair order for items of tenants that share a number of execution slots.
//!
//! Stride scheduling: a tenant's virtual time grows with each of its items that starts,
//! more slowly the higher the tenant's weight. The tenant with the lowest virtual time is
//! next. A tenant without waiting items starts at the current virtual time, so a tenant
//! gains nothing from having been idle.
//!
//! Invariants:
//! 1. At most `running` items run, and at most `running_per_tenant` of one tenant; at
//!    most `waiting` items wait, and at most `waiting_per_tenant` of one tenant.
//! 2. A tenant that has a waiting item and is below its limit of running items is served
//!    before any other tenant of at most the same weight is served twice.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::hash::Hash;
use std::num::NonZeroU32;

/// The virtual time that one item adds for a tenant of weight 1.
const STRIDE: u64 = 1 << 20;

/// Limits of running and waiting items, in total and per tenant.
#[derive(Clone, Copy, Debug)]
pub struct FairLimits {
    /// Maximum number of items that run at once.
    pub running: usize,
    /// Maximum number of items of one tenant that run at once.
    pub running_per_tenant: usize,
    /// Maximum number of items that wait.
    pub waiting: usize,
    /// Maximum number of items of one tenant that wait.
    pub waiting_per_tenant: usize,
}

/// The reason an item cannot be queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueFull {
    /// The tenant has reached its limit of waiting items.
    Tenant,
    /// All tenants together have reached the limit of waiting items.
    Everybody,
}

/// A queue of items that belong to tenants, in a fair order. `K` identifies a tenant.
#[derive(Debug)]
pub struct FairQueue<K, T> {
    limits: FairLimits,
    tenants: HashMap<K, Tenant<T>>,
    /// Tenants that have a waiting item and may run another, by virtual time.
    ready: BTreeSet<(u64, K)>,
    /// The virtual time of the item that was started last.
    now: u64,
    running: usize,
    waiting: usize,
}

#[derive(Debug)]
struct Tenant<T> {
    items: VecDeque<T>,
    running: usize,
    virtual_time: u64,
    stride: u64,
}

impl<T> Tenant<T> {
    const fn new(virtual_time: u64) -> Self {
        Self { items: VecDeque::new(), running: 0, virtual_time, stride: STRIDE }
    }

    fn is_ready(&self, limits: &FairLimits) -> bool {
        !self.items.is_empty() && self.running < limits.running_per_tenant
    }
}

impl<K: Clone + Ord + Hash, T> FairQueue<K, T> {
    /// Creates an empty queue.
    pub fn new(limits: FairLimits) -> Self {
        Self { limits, tenants: HashMap::new(), ready: BTreeSet::new(), now: 0, running: 0, waiting: 0 }
    }

    /// Appends an item to the tenant's waiting items, and sets the tenant's weight.
    ///
    /// # Errors
    /// Too many items wait; the item is dropped.
    pub fn push(&mut self, tenant: &K, weight: NonZeroU32, item: T) -> Result<(), QueueFull> {
        if self.waiting >= self.limits.waiting {
            return Err(QueueFull::Everybody);
        }
        let now = self.now;
        let entry = self.tenants.entry(tenant.clone()).or_insert_with(|| Tenant::new(now));
        if entry.items.len() >= self.limits.waiting_per_tenant {
            return Err(QueueFull::Tenant);
        }
        let before = entry.is_ready(&self.limits);
        if entry.items.is_empty() {
            entry.virtual_time = entry.virtual_time.max(now);
        }
        entry.stride = STRIDE / u64::from(weight.get());
        entry.items.push_back(item);
        self.waiting += 1;
        if !before && entry.is_ready(&self.limits) {
            self.ready.insert((entry.virtual_time, tenant.clone()));
        }
        Ok(())
    }

    /// Removes the next item from the queue and returns it with its tenant; the item
    /// counts as running. Returns `None` if no waiting item may run.
    pub fn pop(&mut self) -> Option<(K, T)> {
        if self.running >= self.limits.running {
            return None;
        }
        let (virtual_time, tenant) = self.ready.pop_first()?;
        let entry = self.tenants.get_mut(&tenant)?;
        let item = entry.items.pop_front()?;
        self.now = self.now.max(virtual_time);
        self.waiting = self.waiting.saturating_sub(1);
        self.running += 1;
        entry.running += 1;
        entry.virtual_time = virtual_time.saturating_add(entry.stride);
        if entry.is_ready(&self.limits) {
            self.ready.insert((entry.virtual_time, tenant.clone()));
        }
        Some((tenant, item))
    }

    /// Starts an item of a tenant without queueing it, if a slot is free and no waiting
    /// item could use the slot. Returns whether the item was started.
    pub fn start_now(&mut self, tenant: &K, weight: NonZeroU32) -> bool {
        if self.running >= self.limits.running || !self.ready.is_empty() {
            return false;
        }
        let now = self.now;
        let entry = self.tenants.entry(tenant.clone()).or_insert_with(|| Tenant::new(now));
        // Any waiting items of this tenant wait because the tenant is at its limit of
        // running items.
        if entry.running >= self.limits.running_per_tenant {
            return false;
        }
        entry.stride = STRIDE / u64::from(weight.get());
        entry.virtual_time = entry.virtual_time.max(now).saturating_add(entry.stride);
        entry.running += 1;
        self.running += 1;
        true
    }

    /// Marks an item of this tenant as finished.
    pub fn finish(&mut self, tenant: &K) {
        let Entry::Occupied(mut entry) = self.tenants.entry(tenant.clone()) else { return };
        let state = entry.get_mut();
        let before = state.is_ready(&self.limits);
        state.running = state.running.saturating_sub(1);
        self.running = self.running.saturating_sub(1);
        if !before && state.is_ready(&self.limits) {
            self.ready.insert((state.virtual_time, tenant.clone()));
        }
        if state.items.is_empty() && state.running == 0 {
            entry.remove();
        }
    }

    /// Removes the waiting items of a tenant for which `wanted` returns false.
    pub fn retain(&mut self, tenant: &K, wanted: impl FnMut(&T) -> bool) {
        let Entry::Occupied(mut entry) = self.tenants.entry(tenant.clone()) else { return };
        let state = entry.get_mut();
        let before = state.items.len();
        state.items.retain(wanted);
        self.waiting = self.waiting.saturating_sub(before.saturating_sub(state.items.len()));
        if state.items.is_empty() {
            self.ready.remove(&(state.virtual_time, tenant.clone()));
            if state.running == 0 {
                entry.remove();
            }
        }
    }

    /// The number of running items.
    pub const fn running(&self) -> usize {
        self.running
    }

    /// The number of waiting items.
    pub const fn waiting(&self) -> usize {
        self.waiting
    }

    /// The number of free execution slots.
    pub const fn free(&self) -> usize {
        self.limits.running.saturating_sub(self.running)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ONE: NonZeroU32 = NonZeroU32::MIN;

    fn queue(running: usize, running_per_tenant: usize) -> FairQueue<&'static str, u32> {
        FairQueue::new(FairLimits { running, running_per_tenant, waiting: 10_000, waiting_per_tenant: 1_000 })
    }

    /// Returns the tenants in the order in which their items start, if each item finishes
    /// before the next one starts.
    fn order(queue: &mut FairQueue<&'static str, u32>, items: usize) -> Vec<&'static str> {
        let next = |_| {
            let (tenant, _) = queue.pop()?;
            queue.finish(&tenant);
            Some(tenant)
        };
        (0..items).filter_map(next).collect()
    }

    #[test]
    fn a_thousand_of_one_do_not_delay_one_of_another() {
        let mut queue = queue(1, 1);
        for item in 0..991 {
            queue.push(&"many", ONE, item).unwrap();
        }
        order(&mut queue, 10);
        queue.push(&"one", ONE, 0).unwrap();
        assert!(order(&mut queue, 2).contains(&"one"));
    }

    #[test]
    fn weights_are_shares() {
        let mut queue = queue(1, 1);
        for item in 0..1_000 {
            queue.push(&"free", ONE, item).unwrap();
            queue.push(&"pro", NonZeroU32::new(4).unwrap(), item).unwrap();
        }
        let pro = order(&mut queue, 1_000).iter().filter(|tenant| **tenant == "pro").count();
        assert!((799..=801).contains(&pro), "{pro}");
    }

    #[test]
    fn one_tenant_never_has_all_places() {
        let mut queue = queue(16, 4);
        for item in 0..100 {
            queue.push(&"many", ONE, item).unwrap();
        }
        let taken = std::iter::from_fn(|| queue.pop()).count();
        assert_eq!((taken, queue.free()), (4, 12));
        queue.push(&"one", ONE, 0).unwrap();
        assert_eq!(queue.pop(), Some(("one", 0)));
        assert_eq!(queue.pop(), None);
        queue.finish(&"many");
        assert_eq!(queue.pop(), Some(("many", 4)));
    }

    #[test]
    fn being_away_saves_nothing_up() {
        let mut queue = queue(1, 1);
        for item in 0..100 {
            queue.push(&"steady", ONE, item).unwrap();
        }
        order(&mut queue, 50);
        for item in 0..100 {
            queue.push(&"late", ONE, item).unwrap();
        }
        let late = order(&mut queue, 20).iter().filter(|tenant| **tenant == "late").count();
        assert!((9..=11).contains(&late), "{late}");
    }

    #[test]
    fn queues_are_bounded() {
        let limits = FairLimits { running: 1, running_per_tenant: 1, waiting: 3, waiting_per_tenant: 2 };
        let mut queue = FairQueue::new(limits);
        assert_eq!([0, 1, 2].map(|item| queue.push(&"a", ONE, item)), [Ok(()), Ok(()), Err(QueueFull::Tenant)]);
        assert_eq!([0, 1].map(|item| queue.push(&"b", ONE, item)), [Ok(()), Err(QueueFull::Everybody)]);
        queue.retain(&"a", |item| *item == 1);
        assert_eq!((queue.waiting(), queue.push(&"b", ONE, 1)), (2, Ok(())));
        assert_eq!(order(&mut queue, 9), ["a", "b", "b"]);
        assert!(queue.tenants.is_empty() && queue.ready.is_empty());
    }

    proptest! {
        /// Checks any sequence of operations: limits hold, no item is lost, and the list
        /// of ready tenants matches their states.
        #[test]
        fn every_sequence_keeps_the_invariants(steps in prop::collection::vec((0_u8..5, 0_u8..5, 1_u32..5), 0..300)) {
            let limits = FairLimits { running: 4, running_per_tenant: 2, waiting: 12, waiting_per_tenant: 5 };
            let mut queue = FairQueue::new(limits);
            let (mut inside, mut out) = (0_usize, Vec::new());
            for (act, tenant, weight) in steps {
                match act {
                    0 | 1 => inside += usize::from(queue.push(&tenant, NonZeroU32::new(weight).unwrap(), ()).is_ok()),
                    2 => out.extend(queue.pop().map(|(tenant, ())| tenant)),
                    3 => if queue.start_now(&tenant, NonZeroU32::new(weight).unwrap()) {
                        inside += 1;
                        out.push(tenant);
                    },
                    _ => if let Some(at) = out.iter().position(|running| *running == tenant) {
                        queue.finish(&out.swap_remove(at));
                        inside -= 1;
                    },
                }
                prop_assert_eq!(queue.running() + queue.waiting(), inside);
                prop_assert_eq!(queue.running(), out.len());
                prop_assert!(queue.running() <= 4 && queue.waiting() <= 12);
                for (tenant, state) in &queue.tenants {
                    prop_assert!(state.running <= 2 && state.items.len() <= 5);
                    let listed = queue.ready.contains(&(state.virtual_time, *tenant));
                    prop_assert_eq!(listed, state.is_ready(&limits));
                }
            }
        }
    }
}
