//! A set of keys of the work in progress, so that the same work is never started twice at
//! the same time.
//!
//! The set is in memory only: after a restart, no work is in progress.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use parking_lot::Mutex;

/// A set of keys of the work in progress. Clones share one set.
#[derive(Debug)]
pub struct InFlight<K: Eq + Hash>(Arc<Mutex<HashMap<K, usize>>>);

/// A guard that holds its keys in the set until it is dropped.
#[derive(Debug)]
#[must_use = "dropping the guard releases its keys"]
pub struct InFlightGuard<K: Eq + Hash> {
    set: InFlight<K>,
    keys: Vec<K>,
}

impl<K: Eq + Hash> Default for InFlight<K> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K: Eq + Hash> Clone for InFlight<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K: Eq + Hash + Clone> InFlight<K> {
    /// Acquires a key exclusively; returns `None` if the key is already held.
    pub fn begin(&self, key: K) -> Option<InFlightGuard<K>> {
        self.begin_all(vec![key])
    }

    /// Acquires all of the keys exclusively, or none of them.
    pub fn begin_all(&self, keys: Vec<K>) -> Option<InFlightGuard<K>> {
        let mut counts = self.0.lock();
        if keys.iter().any(|key| counts.contains_key(key)) {
            return None;
        }
        for key in &keys {
            *counts.entry(key.clone()).or_default() += 1;
        }
        Some(InFlightGuard { set: self.clone(), keys })
    }

    /// Acquires a key that several holders may share.
    pub fn begin_shared(&self, key: K) -> InFlightGuard<K> {
        *self.0.lock().entry(key.clone()).or_default() += 1;
        InFlightGuard { set: self.clone(), keys: vec![key] }
    }

    /// Returns whether the key is held.
    pub fn contains(&self, key: &K) -> bool {
        self.0.lock().contains_key(key)
    }
}

impl<K: Eq + Hash> Drop for InFlightGuard<K> {
    fn drop(&mut self) {
        let mut counts = self.set.0.lock();
        for key in &self.keys {
            let Some(count) = counts.get_mut(key) else { continue };
            *count = count.saturating_sub(1);
            if *count == 0 {
                counts.remove(key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_all_keys_or_none() {
        let set = InFlight::default();
        let guard = set.begin_all(vec!["a", "b"]).unwrap();
        assert!(set.begin_all(vec!["c", "b"]).is_none());
        let other = set.begin("c").unwrap();
        drop(guard);
        assert!(set.begin_all(vec!["b", "a"]).is_some());
        drop(other);
        assert!(!set.contains(&"c"));
    }

    #[test]
    fn a_shared_key_is_kept_until_its_last_holder_drops() {
        let set = InFlight::default();
        let (first, second) = (set.begin_shared("a"), set.begin_shared("a"));
        drop(first);
        assert!(set.contains(&"a") && set.begin("a").is_none());
        drop(second);
        assert!(!set.contains(&"a") && set.begin("a").is_some());
    }

    #[test]
    fn the_same_key_twice_in_one_set_is_freed() {
        let set = InFlight::default();
        drop(set.begin_all(vec!["a", "a"]));
        assert!(!set.contains(&"a"));
    }
}
