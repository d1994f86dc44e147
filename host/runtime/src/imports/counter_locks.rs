//! Locks of counters, held from a counter's change until the change is durable.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::OwnedMutexGuard;

/// Bucket and key of a counter.
type Name = (String, String);

/// Locks of the counters that running calls are changing. The whole runtime shares one set, because
/// two versions of a plugin can run at once.
#[derive(Debug, Default)]
pub(crate) struct CounterLocks(Mutex<HashMap<Name, Arc<tokio::sync::Mutex<()>>>>);

impl CounterLocks {
    /// Waits until no other call holds the counter's lock, then returns the lock.
    pub(super) async fn hold(self: &Arc<Self>, name: Name) -> CounterLock {
        let lock = self.0.lock().entry(name.clone()).or_default().clone();
        // Created before waiting, so that its `Drop` cleans up if the wait is cancelled.
        let mut held = CounterLock { counter_locks: self.clone(), name, guard: None };
        held.guard = Some(lock.lock_owned().await);
        held
    }
}

/// The lock of a counter: no other call may change the counter meanwhile.
#[derive(Debug)]
pub(crate) struct CounterLock {
    counter_locks: Arc<CounterLocks>,
    name: Name,
    guard: Option<OwnedMutexGuard<()>>,
}

impl CounterLock {
    /// Returns whether this is the lock of the counter.
    pub(super) fn is_of(&self, name: &Name) -> bool {
        self.name == *name
    }
}

impl Drop for CounterLock {
    fn drop(&mut self) {
        self.guard = None;
        let mut counter_locks = self.counter_locks.0.lock();
        // Only the map still refers to the lock: no call holds it or waits for it.
        if counter_locks.get(&self.name).is_some_and(|lock| Arc::strong_count(lock) == 1) {
            counter_locks.remove(&self.name);
        }
    }
}
